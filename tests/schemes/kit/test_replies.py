"""Replies in the three forms of RFC 959, 5321 and 3977; each protocol's own limits are tested with its codec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.errors import LimitError, RemoteProtocolError
from anyurl.schemes.kit.replies import Reply, ReplyForm, ReplyReader
from anyurl.testing import ProtocolContract

ONE = ReplyForm("ONE", "one", max_line_bytes=20, max_preliminary=2, answers=frozenset({100}), skips=True)
CODED = ReplyForm("CODED", "coded", codes=(200, 599), max_line_bytes=20, max_lines=3)
FRAMED = ReplyForm("FRAMED", "framed", max_line_bytes=20, max_lines=3, max_bytes=30, max_preliminary=2)


def read(form: ReplyForm, pieces: Sequence[bytes]) -> list[tuple[int, tuple[bytes, ...], bytes]]:
    reader = ReplyReader(form)
    found = []
    for piece in pieces:
        reader.feed(piece)
        while (reply := reader.next_reply()) is not None:
            found.append((reply.code, reply.lines, reply.end))
    return found


class TestOne(ProtocolContract):
    cases = ((b"200 a\r\n", b"2"), (b"150 wait\r\n200 a\n", b"20"), (b"100 help\r\n", b""))

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read(ONE, pieces)


class TestCoded(ProtocolContract):
    cases = ((b"200-a\r\n200 b\r\n", b"2"), (b"200\n", b"200-"))

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read(CODED, pieces)


class TestFramed(ProtocolContract):
    cases = ((b"200-a\r\n550 b\r\n200 c\r\n", b"2"), (b"150 a\r\n150 b\r\n226 c\n", b"200-"))

    def read(self, pieces: Sequence[bytes]) -> Any:
        return read(FRAMED, pieces)


@pytest.mark.parametrize(
    ("form", "data", "code", "lines"),
    [
        (FRAMED, b"200-a\r\n550 b\r\n200 c\r\n", 200, (b"a", b"550 b", b"c")),  # another number is text
        (FRAMED, b"200-a\r\n200-b\r\n200 c\r\n", 200, (b"a", b"200-b", b"c")),  # no space: it goes on
        (FRAMED, b"200-a\r\n200\r\n", 200, (b"a", b"")),
        (FRAMED, b"550 a\r\n", 550, (b"a",)),
        (CODED, b"200-a\r\n200 b\r\n", 200, (b"a", b"b")),
        (CODED, b"200\r\n", 200, (b"",)),
    ],
)
def test_a_reply_of_several_lines(form: ReplyForm, data: bytes, code: int, lines: tuple[bytes, ...]) -> None:
    assert read(form, [data + b"250 next\r\n"]) == [(code, lines, b"\r\n"), (250, (b"next",), b"\r\n")]


def test_the_end_of_the_last_line_is_told() -> None:
    assert read(ONE, [b"200 a\r\n200 b\n"]) == [(200, (b"a",), b"\r\n"), (200, (b"b",), b"\n")]


@pytest.mark.parametrize(
    ("form", "data", "limit"),
    [
        (ONE, b"200 " + b"x" * 17, "MAX_REPLY_LINE_BYTES"),
        (CODED, b"200-a\r\n" * 4, "MAX_REPLY_LINES"),
        (FRAMED, b"200-a\r\n" + b"x" * 13 + b"\r\n" + b"x" * 13 + b"\r\n", "MAX_REPLY_BYTES"),
        (ONE, b"150 a\r\n" * 3, "MAX_PRELIMINARY_REPLIES"),
        (FRAMED, b"150 a\r\n" * 3, "MAX_PRELIMINARY_REPLIES"),
    ],
)
def test_limits(form: ReplyForm, data: bytes, limit: str) -> None:
    with pytest.raises(LimitError) as caught:
        read(form, [data])
    assert caught.value.limit == limit


@pytest.mark.parametrize(
    ("form", "data"),
    [
        (ONE, b"200-a\r\n"),
        (ONE, b"600 a\r\n"),
        (CODED, b"150 a\r\n"),
        (FRAMED, b"a\r\n"),
        (CODED, b"200_a\r\n"),
        (FRAMED, b"\r\n"),
    ],
)
def test_what_is_no_reply(form: ReplyForm, data: bytes) -> None:
    lowest, highest = form.codes
    words = f"This is not a valid {form.protocol} reply, which begins with a number from {lowest} to {highest}: "
    with pytest.raises(
        RemoteProtocolError, match=words + (f"“{data.strip().decode()}”" if data.strip() else "an empty line")
    ):
        read(form, [data])


def test_the_head_and_the_rest() -> None:
    reader = ReplyReader(ONE)
    assert (reader.head, reader.rest()) == (b"", b"")
    reader.feed(b"200 a\r\nbody\r\n")
    assert reader.head == b"20"
    assert reader.next_reply() == Reply(200, (b"a",))
    assert (reader.head, reader.rest(), reader.pending) == (b"bo", b"body\r\n", 0)


def test_secrets_are_masked_where_a_reply_is_shown_and_nowhere_else() -> None:
    reply = Reply(213, (b"2134", b"34"))
    reply.secrets = (b"34",)
    assert (reply.text, str(reply), reply.masked) == ("21*** ***", "“213 21*** ***”", (b"21***", b"***"))
    assert (reply.lines, reply.arguments) == ((b"2134", b"34"), [b"2134"])
