"""Uploads: what is sent and confirmed, how an interrupted one is continued, and the time of the file."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.dialogue import Verb
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectionLost,
    DeniedError,
    TransferError,
    TransferTimeout,
    Truncated,
    UnsupportedError,
)
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import END, RESET, Rehearsed
from tests.schemes.ftp.test_verbs import run


@pytest.mark.parametrize(("verb", "command"), [("put", "STOR x"), ("append", "APPE x")])
def test_what_is_put_arrives_and_the_end_is_the_close_of_the_data_connection(verb: Verb, command: str) -> None:
    done = run("ftp://h/pub/x", verb, source=[b"a\n", b"b\r\n"])
    assert (done.error, done.uploaded) == (None, b"a\nb\r\n")
    assert done.log[-5:] == ["data 49152", f"> {command}", "close 2", "keep", "describe document"]
    assert done.described is not None
    assert (done.described.size, done.described.name) == (5, "x")


def test_what_is_put_as_text_has_network_line_ends() -> None:
    done = run("ftp://h/x;type=a", "put", source=[b"a\nb\r", b"\n\r"])
    assert done.uploaded == b"a\r\nb\r\r\n\r"


@each_row("url", ["ftp://h/", "ftp://h", "ftp://h/a/", "ftp://h/x;type=d"])
@each_row("verb", ["put", "append"])
def test_a_directory_is_not_written_to(url: str, verb: Verb) -> None:
    done = run(url, verb)
    assert (type(done.error), done.log) == (UnsupportedError, [])


PUT_FAULTS: list[tuple[str, dict[str, Any], type[AnyURLError], str]] = [
    ("553", {"answers": {"STOR": b"553 no\r\n"}}, DeniedError, "does not store 'x': “553 no"),
    ("550 means no access", {"answers": {"STOR": b"550 no\r\n"}}, DeniedError, "does not store 'x': “550 no"),
    ("532", {"answers": {"STOR": b"532 account\r\n"}}, AuthRequiredError, "532"),
    ("452 at once", {"answers": {"STOR": b"452 full\r\n"}}, DeniedError, "452 full"),
    (
        "552 at the end",
        {"answers": {"STOR": b"150 x\r\n552 full\r\n"}},
        DeniedError,
        "a part may be there now: “552 full",
    ),
    (
        "the data connection breaks, and the server says why",
        {"answers": {"STOR": b"150 x\r\n452 full\r\n"}, "data": [[RESET]]},
        DeniedError,
        "452 full",
    ),
    (
        "the data connection breaks, and the server says all is well",
        {"answers": {"STOR": b"150 x\r\n226 ok\r\n"}, "data": [[RESET]]},
        ConnectionLost,
        "broke",
    ),
    ("no last word", {"answers": {"STOR": [[b"150 x\r\n", END]]}}, Truncated, "for certain"),
    ("silence", {"answers": {"STOR": b"150 x\r\n"}}, TransferTimeout, "idle"),
]


@each_row(("how", "error", "words"), [row[1:] for row in PUT_FAULTS], ids=[row[0] for row in PUT_FAULTS])
def test_an_upload_that_is_not_confirmed_is_an_error(how: dict[str, Any], error: type[AnyURLError], words: str) -> None:
    done = run("ftp://h/x", "put", source=[b"abc"], **how)
    assert type(done.error) is error
    assert words in str(done.error)
    assert done.keeps == []


# --- continuing ------------------------------------------------------------------------------------------------------

WHOLE = bytes(range(256)) * 1024
"""More than is compared."""
THERE = 100_000
ANEW = "the upload starts from the beginning"
TEXT = "text is converted on the way, so octets can't be counted (;type=i can be continued)"


def go_on(
    source: bytes = WHOLE,
    there: int = THERE,
    tail: Any = None,
    *,
    after: int | None = None,
    answers: dict[str, Any] | None = None,
    size: int | None = len(WHOLE),
    **how: Any,
) -> Rehearsed:
    """Continue an upload to a server that has `there` octets, of which the last are `tail`, and `after` in the end."""
    had = WHOLE[max(0, there - 64 * 1024) : there] if tail is None else tail
    sizes = [b"213 %d\r\n" % there, b"213 %d\r\n" % (len(source) if after is None else after)]
    return run(
        "ftp://h/x", "put", upload_size=size, resumes_upload=True, source=[source],
        answers={"SIZE": sizes, **(answers or {})}, data=[had, b""], **how,
    )  # fmt: skip


@each_row("rewinds", [True, False])
@each_row("size", [len(WHOLE), None])
@each_row("there", [1, 64 * 1024, THERE, len(WHOLE) - 1])
def test_what_the_server_lacks_is_sent_behind_what_it_has(there: int, size: int | None, rewinds: bool) -> None:
    done = go_on(there=there, size=size, rewinds=rewinds)
    assert (done.error, done.uploaded, done.notes) == (None, WHOLE[there:], [])
    assert done.commands[-3:] == [f"REST {there}", "STOR x", "SIZE x"]
    assert done.described is not None
    assert (done.described.start, done.described.size) == (there, len(WHOLE))


def test_a_complete_upload_is_confirmed_and_nothing_is_sent() -> None:
    done = go_on(there=len(WHOLE))
    assert (done.error, done.uploaded) == (None, b"")
    assert "STOR x" not in done.commands


def test_a_server_that_takes_no_rest_for_stor_gets_the_rest_by_appe() -> None:
    done = go_on(answers={f"REST {THERE}": b"451 Restart not permitted\r\n"})
    assert (done.error, done.uploaded) == (None, WHOLE[THERE:])
    assert done.commands[-2:] == ["APPE x", "SIZE x"]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"there": len(WHOLE) + 1}, "262,145 octets, and only 262,144 are sent"),
        ({"there": len(WHOLE) + 70_000, "size": None}, "332,144 octets, more than are sent"),
        ({"there": len(WHOLE) + 1, "size": None, "rewinds": False}, "more than are sent"),
        ({"tail": b"x" * 64 * 1024}, "the last of its 100,000 octets differ"),
        ({"tail": WHOLE[: 64 * 1024 + 1]}, "differ"),  # it has grown since
        ({"tail": b""}, "differ"),
    ],
)
def test_another_file_of_that_name_is_left_alone(how: dict[str, Any], words: str) -> None:
    done = go_on(**how)
    assert type(done.error) is TransferError
    assert words in str(done.error)
    assert (done.uploaded, [line for line in done.commands if line.startswith(("STOR", "APPE"))]) == (b"", [])


@pytest.mark.parametrize("answer", [b"550 write only\r\n", b"502 no\r\n"])
def test_what_can_not_be_compared_is_continued_with_a_note(answer: bytes) -> None:
    done = go_on(answers={"RETR": answer})
    assert (done.error, done.uploaded) == (None, WHOLE[THERE:])
    (note,) = done.notes
    assert note.startswith("what h has could not be compared with what is sent: it does not send them (")


def test_a_broken_comparison_is_told_too() -> None:
    done = go_on(tail=[WHOLE[:10], RESET])
    assert (done.error, done.uploaded) == (None, WHOLE[THERE:])
    assert done.notes == ["what h has could not be compared with what is sent: the connection broke"]


def test_a_server_without_size_tells_it_by_its_facts() -> None:
    facts = b"250-\r\n type=file;size=%d; x\r\n250 end\r\n" % THERE
    done = go_on(answers={"SIZE": b"502 'size' not implemented\r\n", "MLST": facts})
    assert (done.error, done.uploaded, done.notes) == (None, WHOLE[THERE:], [])


def test_two_uploads_at_the_same_time_are_told() -> None:
    done = go_on(after=len(WHOLE) + 5)
    assert type(done.error) is Truncated
    assert "h has 262,149 octets of 'x' now, and 262,144 were sent in all" in str(done.error)


@pytest.mark.parametrize(
    ("answers", "url", "notes"),
    [
        ({"SIZE": b"550 no such file\r\n"}, "ftp://h/x", []),
        ({"SIZE": b"213 0\r\n"}, "ftp://h/x", []),
        ({"SIZE": b"500\r\n", "MLST": b"500\r\n"}, "ftp://h/x", [f"{ANEW}: h does not say how much it has"]),
        ({}, "ftp://h/x;type=a", [f"{ANEW}: {TEXT}"]),
    ],
)  # fmt: skip
def test_an_upload_that_can_not_be_continued_is_whole(answers: dict[str, Any], url: str, notes: list[str]) -> None:
    done = run(url, "put", resumes_upload=True, source=[b"abc"], answers=answers)
    assert (done.error, done.uploaded, done.notes) == (None, b"abc", notes)
    assert done.commands[-1] == "STOR x"


# --- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "answer", "mtime", "modified", "command"),
    [
        (("MFMT",), b"213 Modify=20200101000000; x\r\n", 1_577_836_800.9, 1_577_836_800.0, "MFMT 20200101000000 x"),
        (("MFMT",), b"550 not yours\r\n", 1_577_836_800.0, None, "MFMT 20200101000000 x"),
        (("MFMT",), b"213 ok\r\n", -1e15, None, "STOR x"),  # no time of four digits
        (("SIZE",), b"213 ok\r\n", 1.0, None, "FEAT"),
        (("MFMT",), b"213 ok\r\n", None, None, "STOR x"),
    ],
)
def test_a_file_gets_its_time_where_the_server_can(
    features: tuple[str, ...], answer: bytes, mtime: float | None, modified: float | None, command: str
) -> None:
    done = run(
        "ftp://h/x", "put", upload_mtime=mtime, source=[b"a"], features=features, answers={"MFMT": answer}
    )  # fmt: skip
    assert done.described is not None
    assert (done.error, done.described.modified, done.commands[-1]) == (None, modified, command)
