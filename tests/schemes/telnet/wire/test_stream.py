"""The network virtual terminal: text, commands, options and their limits (RFC 854, 855, 1073, 1091)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anyurl.errors import LimitError
from anyurl.schemes.telnet.wire.stream import (
    MAX_NAME_OCTETS,
    MAX_NEGOTIATIONS,
    MAX_SUBNEGOTIATION_OCTETS,
    TelnetCodec,
    terminal_name,
)
from anyurl.testing import ProtocolContract
from tests.rows import each_row

IAC, WILL, WONT, DO, DONT = 255, 251, 252, 253, 254
WILL_BINARY, DO_BINARY = b"\xff\xfb\x00", b"\xff\xfd\x00"
WILL_ECHO, WONT_ECHO = b"\xff\xfb\x01", b"\xff\xfc\x01"
DO_NAME, DO_SIZE = b"\xff\xfd\x18", b"\xff\xfd\x1f"
SEND_NAME = b"\xff\xfa\x18\x01\xff\xf0"


class TestReading(ProtocolContract):
    cases = (
        (b"plain\r\n", b"\xff"),
        (b"a\xff\xffb", b"\xff\xfb"),
        (b"one\r\0two\r\nthree\r", b"\0"),
        (b"\xff\xfd\x18\xff\xfb\x01text", b"\xff\xfd"),
        (b"a\xff\xf1b\xff\xf9c\xff\xf2d", b""),
        (b"a" + SEND_NAME + b"b", b"\xff\xfa\x18"),
        (b"\xff\xfa\xff\xf0", b"\xff\xfa\x01\xff\xff"),
        (b"\xff\xfa\x18\x01\xff\xfd\x1fz", b""),
        (b"\xff\xfb\x00one\r\0two", b""),
    )

    def read(self, pieces: Sequence[bytes]) -> Any:
        codec = TelnetCodec()
        return b"".join(map(codec.receive, pieces)), codec.replies()


@each_row(
    ("octets", "text"),
    [
        (b"one\r\ntwo", b"one\r\ntwo"),
        (b"one\r\0two", b"one\rtwo"),  # RFC 854: CR NUL is a bare CR
        (b"\0one", b"\0one"),  # NUL does nothing, and is passed on
        (b"one\r\xff\xf1\0two", b"one\rtwo"),  # a NOP stands between CR and its NUL
        (b"a\xff\xffb", b"a\xffb"),
        (b"a\xff\xf6b", b"ab"),  # are you there: evidence would be typed into the service
        (b"a\xff\xf9b", b"ab"),  # go ahead
        (b"a\xff\xf0b", b"ab"),  # an end of nothing
        (b"a\xff\x05b", b"ab"),  # no command at all
        (b"a\xff\xfa\x18\x01\xff\xf1b", b"ab"),  # RFC 855: only SE ends it; what broke it off is obeyed
        (b"a\xff\xfa\xc8\xff\xff\xff\xf0b", b"ab"),
    ],
)
def test_text_and_commands_are_told_apart(octets: bytes, text: bytes) -> None:
    assert TelnetCodec().receive(octets) == text


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        (b"ls\n", b"ls\r\n"),
        (b"ls\r\n", b"ls\r\n"),
        (b"ls\r", b"ls\r\0"),
        (b"a\rb\n\r\n", b"a\r\0b\r\n\r\n"),
        (b"\xff", b"\xff\xff"),  # RFC 854: else it would be a command
        (b"\xff\xf4", b"\xff\xff\xf4"),
    ],
)
def test_what_is_sent(text: bytes, wire: bytes) -> None:
    assert TelnetCodec().send(text) == wire


def test_octets_are_unchanged_where_both_sides_agreed() -> None:
    codec = TelnetCodec()
    assert codec.receive(WILL_BINARY + DO_BINARY + b"a\r\0b") == b"a\r\0b"
    assert codec.replies() == b"\xff\xfd\x00\xff\xfb\x00"
    assert codec.send(b"a\nb\r\xff") == b"a\nb\r\xff\xff"
    assert codec.line_end == b"\r"


def test_the_terminal_is_named_when_it_is_asked_for() -> None:
    codec = TelnetCodec("xterm-256color")
    codec.receive(SEND_NAME)
    assert codec.replies() == b""  # it was not agreed on
    codec.receive(DO_NAME + SEND_NAME + SEND_NAME)
    named = b"\xff\xfa\x18\x00XTERM-256COLOR\xff\xf0"
    assert codec.replies() == b"\xff\xfb\x18" + named + named  # RFC 1091: a list of one, whose end is its repetition


@each_row(
    ("name", "sent"),
    [
        ("xterm", b"XTERM"),
        ("", b"UNKNOWN"),
        ("a\xffb", b"UNKNOWN"),
        ("x y", b"UNKNOWN"),
        ("-x", b"UNKNOWN"),
        ("x\n", b"UNKNOWN"),
        ("x" * MAX_NAME_OCTETS, b"X" * MAX_NAME_OCTETS),
        ("x" * (MAX_NAME_OCTETS + 1), b"UNKNOWN"),
    ],
)
def test_names_of_terminals(name: str, sent: bytes) -> None:
    assert terminal_name(name) == sent


@pytest.mark.parametrize(
    ("columns", "rows", "sent"),
    [
        (80, 24, b"\x00\x50\x00\x18"),
        (0, 0, b"\x00\x00\x00\x00"),  # RFC 1073: unknown
        (255, 511, b"\x00\xff\xff\x01\xff\xff"),  # RFC 855: 0xFF is doubled
        (100_000, -1, b"\xff\xff\xff\xff\x00\x00"),
    ],
)
def test_the_size_is_sent_at_once_and_when_it_changes(columns: int, rows: int, sent: bytes) -> None:
    message = b"\xff\xfa\x1f" + sent + b"\xff\xf0"
    codec = TelnetCodec("x", columns, rows)
    codec.receive(DO_SIZE)
    assert codec.replies() == b"\xff\xfb\x1f" + message
    assert codec.resize(columns, rows) == message
    assert TelnetCodec().resize(columns, rows) == b""


def test_who_echoes_and_who_edits() -> None:
    codec = TelnetCodec()
    assert (codec.echoes, codec.edits) == (False, True)
    codec.receive(WILL_ECHO)
    assert (codec.echoes, codec.edits) == (True, False)
    codec.receive(WONT_ECHO)
    assert (codec.echoes, codec.edits) == (False, True)
    codec.receive(b"\xff\xfb\x03")
    assert (codec.echoes, codec.edits) == (False, False)  # RFC 858 4: a character at a time


def test_a_client_begins_at_port_23() -> None:
    codec = TelnetCodec()
    assert codec.begin() == b"\xff\xfd\x03\xff\xfb\x18\xff\xfb\x1f"
    codec.receive(b"\xff\xfb\x03" + DO_NAME + b"\xff\xfe\x1f")
    assert codec.replies() == b""  # all of these are answers


@pytest.mark.parametrize(
    ("name", "octet"), [("break", 243), ("interrupt", 244), ("abort", 238), ("are-you-there", 246)]
)
def test_signals(name: str, octet: int) -> None:
    assert TelnetCodec().command(name) == bytes((IAC, octet))


def test_options_have_a_limit_between_two_things_typed() -> None:
    codec = TelnetCodec()
    for _ in range(3):
        codec.receive(WILL_ECHO + WONT_ECHO * (MAX_NEGOTIATIONS - 1))
        codec.send(b"x")
    codec.receive(WILL_ECHO * MAX_NEGOTIATIONS)
    with pytest.raises(LimitError, match="negotiated more than 256 telnet options") as caught:
        codec.receive(WONT_ECHO)
    assert caught.value.limit == "MAX_NEGOTIATIONS"


def test_a_watcher_is_not_thrown_out_by_what_keeps_the_line_alive() -> None:
    """Some services send DO TIMING-MARK each minute; a person who only reads types nothing."""
    codec = TelnetCodec()
    for _ in range(3 * MAX_NEGOTIATIONS):
        assert codec.receive(b"\xff\xfd\x06.") == b"."
        assert codec.replies() in (b"\xff\xfb\x06", b"\xff\xfc\x06")


def test_sub_negotiations_have_a_limit() -> None:
    codec = TelnetCodec()
    assert codec.receive(b"\xff\xfa" + b"x" * MAX_SUBNEGOTIATION_OCTETS + b"\xff\xf0ok") == b"ok"
    codec.receive(b"\xff\xfa" + b"x" * MAX_SUBNEGOTIATION_OCTETS)
    with pytest.raises(LimitError, match="sub-negotiation of more than 4,096 octets") as caught:
        codec.receive(b"x")
    assert caught.value.limit == "MAX_SUBNEGOTIATION_OCTETS"


# --- lines -----------------------------------------------------------------------------------------------------------

LINES = [
    (b"one\ntwo\n", b"one\r\ntwo\r\n"),
    (b"one\r\ntwo\n\nthree\r\n", b"one\r\ntwo\r\n\r\nthree\r\n"),
    (b"\n", b"\r\n"),
    (b"one\r\0two\n", b"one\rtwo\r\n"),
]


@each_row(("octets", "shown"), LINES)
@each_row("size", [1, 2, 100])
def test_a_bare_lf_is_a_line_end_on_a_terminal_while_lines_are_edited_here(
    octets: bytes, shown: bytes, size: int
) -> None:
    pieces = [octets[at : at + size] for at in range(0, len(octets), size)]
    codec = TelnetCodec("xterm")
    assert b"".join(codec.receive(piece) for piece in pieces) == shown
    dumb = TelnetCodec()  # a program gets what came
    assert b"".join(dumb.receive(piece) for piece in pieces) == octets.replace(b"\r\0", b"\r")


@pytest.mark.parametrize("data", [b"a\r\0\nb", b"a\r\n\nb", b"a\n\r\0b", b"\r\0\r\n\r\0\n"])
def test_where_octets_are_cut_changes_no_line_end(data: bytes) -> None:
    """A NUL behind a carriage return is none of the text, and what follows it stands behind no carriage return."""
    whole = TelnetCodec("xterm").receive(data)
    for cut in range(len(data) + 1):
        codec = TelnetCodec("xterm")
        assert codec.receive(data[:cut]) + codec.receive(data[cut:]) == whole, cut


@pytest.mark.parametrize("option", [1, 3, 0])
def test_a_service_that_edits_lines_itself_moves_the_cursor_itself(option: int) -> None:
    codec = TelnetCodec("xterm")
    codec.receive(bytes((255, 251, option)))
    assert codec.receive(b"one\ntwo\r\n") == b"one\ntwo\r\n"


def test_a_terminal_type_is_sent_whatever_stands_behind_the_request() -> None:
    codec = TelnetCodec("xterm")
    codec.receive(bytes((255, 253, 24)))
    codec.replies()
    codec.receive(bytes((255, 250, 24, 1, 0, 255, 240)))
    assert codec.replies() == b"\xff\xfa\x18\0XTERM\xff\xf0"
