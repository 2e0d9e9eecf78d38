"""What stat says of a name: which witness is asked, and which is believed."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl.errors import NotFoundError
from tests.rows import each_row
from tests.schemes.ftp.ftp_script import VSFTPD, Answer
from tests.schemes.ftp.test_listing import run

FILE: dict[str, Answer] = {"CWD x": b"550 Not a directory\r\n"}
"""A name that can't be entered is a file."""

STATS: list[tuple[str, str, dict[str, Any], tuple[str, int | None, float | None]]] = [
    ("a file by MLST", "ftp://h/a/x", {"holds": "file"}, ("document", 29, 786_240_000.0)),
    ("a directory by MLST", "ftp://h/a/x", {}, ("listing", None, 786_240_000.0)),
    ("a directory by its URL", "ftp://h/a/", {}, ("listing", None, 786_240_000.0)),
    ("a file by SIZE and MDTM", "ftp://h/a/x", {"features": VSFTPD, "answers": FILE},
     ("document", 29, 786_240_000.0)),
    ("a file without MDTM", "ftp://h/a/x", {"features": VSFTPD, "answers": {**FILE, "MDTM": b"500 ?\r\n"}},
     ("document", 29, None)),
    ("a directory by CWD", "ftp://h/a/x", {"features": VSFTPD, "answers": {"SIZE": b"550 not a plain file\r\n"}},
     ("listing", None, 786_240_000.0)),
    ("a directory of which the server tells a SIZE", "ftp://h/a/x", {"features": VSFTPD},
     ("listing", None, 786_240_000.0)),
    ("a directory by its URL, without MLST", "ftp://h/a/", {"features": VSFTPD}, ("listing", None, None)),
    ("a file without SIZE", "ftp://h/a/x",
     {"features": VSFTPD, "answers": {"SIZE": b"500 ?\r\n", "CWD x": b"550 no\r\n"}},
     ("document", None, 786_240_000.0)),
    ("a link by MLST: what it leads to is measured", "ftp://h/a/x",
     {"answers": {**FILE, "MLST": b"250-x\r\n type=OS.unix=slink:y; x\r\n250 ok\r\n"}},
     ("document", 29, 786_240_000.0)),
    ("MLST about another name is not believed", "ftp://h/a/x",
     {"answers": {**FILE, "MLST": b"250-y\r\n type=file;size=7; /a/y\r\n250 ok\r\n"}},
     ("document", 29, 786_240_000.0)),
    ("MLST of a directory may name what it leads to", "ftp://h/a/x",
     {"answers": {"MLST": b"250-y\r\n type=cdir; /b\r\n250 ok\r\n"}}, ("listing", None, None)),
    ("MLST broken, SIZE whole", "ftp://h/a/x", {"answers": {**FILE, "MLST": b"501 ?\r\n"}},
     ("document", 29, 786_240_000.0)),
]  # fmt: skip


@each_row(("url", "how", "known"), [row[1:] for row in STATS], ids=[row[0] for row in STATS])
def test_stat_says_what_is_known(url: str, how: dict[str, Any], known: tuple[str, int | None, float | None]) -> None:
    done = run(url, "stat", **how)
    assert done.error is None
    assert done.described is not None
    assert (done.described.kind, done.described.size, done.described.modified) == known
    assert (done.content, done.entries, len(done.keeps)) == (b"", [], 1)
    assert "EPSV" not in done.commands


NO_COMMANDS: dict[str, Answer] = {**FILE, "SIZE": b"502 ?\r\n", "MDTM": b"500 ?\r\n"}
LINES = (
    b"-rw-r--r-- 1 a b 1 Jan 05  2001 xx\r\n-rw-r--r-- 1 a b 7 Jan 05  2001 x\r\ndrwxr-xr-x 1 a b 9 Jan 05  2001 d\r\n"
)


@pytest.mark.parametrize(("name", "kind", "size"), [("x", "document", 7), ("d", "listing", None)])
def test_a_server_that_knows_none_of_the_commands_is_asked_for_the_line_of_the_name(
    name: str, kind: str, size: int | None
) -> None:
    answers = {**NO_COMMANDS, f"CWD {name}": b"550 no\r\n"}
    done = run(f"ftp://h/a/{name}", "stat", answers=answers, features=VSFTPD, data=LINES)
    assert done.error is None
    assert done.described is not None
    assert (done.described.kind, done.described.size, done.described.modified) == (kind, size, 978_652_800.0)
    assert done.commands[-2:] == ["EPSV", "LIST"]


def test_a_command_that_is_denied_says_nothing_of_the_name() -> None:
    """vsftpd with cmds_denied=SIZE,MDTM."""
    denied: dict[str, Answer] = {"SIZE": b"550 Permission denied.\r\n", "MDTM": b"550 Permission denied.\r\n"}
    answers = {**FILE, **denied, "CWD x": b"550 Failed to change directory.\r\n"}
    done = run("ftp://h/a/x", "stat", answers=answers, features=VSFTPD, data=LINES)
    assert done.error is None
    assert done.described is not None
    assert (done.described.kind, done.described.size) == ("document", 7)
    done = run("ftp://h/a/z", "stat", answers={**answers, "CWD z": b"550 no\r\n"}, features=VSFTPD, data=LINES)
    assert type(done.error) is NotFoundError


def test_a_line_of_another_name_is_no_witness() -> None:
    done = run("ftp://h/a/z", "stat", answers={**NO_COMMANDS, "CWD z": b"550 no\r\n"}, features=VSFTPD, data=LINES)
    assert (type(done.error), str(done.error)) == (NotFoundError, "h knows nothing of 'z': “550 no”.")


def test_the_size_of_a_text_is_that_of_no_file() -> None:
    done = run("ftp://h/a/x;type=a", "stat", holds="file")
    assert done.described is not None
    assert (done.described.kind, done.described.size) == ("document", None)


def test_stat_of_nothing_is_an_error() -> None:
    answers: dict[str, Answer] = {"MLST": b"550 no such\r\n", "SIZE": b"550 no such\r\n", "MDTM": b"550 no such\r\n"}
    done = run("ftp://h/x", "stat", answers={**answers, "CWD": b"550 no such\r\n"})
    assert type(done.error) is NotFoundError
    assert str(done.error) == "h knows nothing of 'x': “550 no such”."


def test_stat_gives_the_facts_as_attributes() -> None:
    line = b"250-x\r\n type=file;size=3;modify=19941201000000;UNIX.mode=0644; /pub/x\r\n250 ok\r\n"
    done = run("ftp://h/x", "stat", answers={"MLST": line})
    assert done.described is not None
    assert done.described.name == "x"
    assert done.described.attributes == {
        "type": "file",
        "size": "3",
        "modify": "19941201000000",
        "unix.mode": "0644",
    }
