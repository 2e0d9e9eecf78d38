"""What a library calls an error is not what a person reads."""

from __future__ import annotations

import errno
import json
import lzma
import sqlite3
import ssl
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest

from anyurl import URL
from anyurl.errors import (
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    NotFoundError,
    ReplyError,
    TransferTimeout,
    Truncated,
    UnavailableError,
)
from anyurl.errors.reasons import is_passing, reason_of
from tests.rows import each_row


def raised(call: Callable[[], object]) -> BaseException:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


def busy(folder: Path) -> object:
    """A base that another connection has begun to write to."""
    with closing(sqlite3.connect(folder / "base", isolation_level=None)) as first:
        first.execute("BEGIN EXCLUSIVE")
        return ask(folder / "base", "CREATE TABLE x (y)")


def ask(path: Path, command: str) -> object:
    """A command for a base that may be busy."""
    with closing(sqlite3.connect(path, timeout=0)) as base:
        return base.execute(command)


CASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "the system": (lambda folder: (folder / "none").read_bytes(), "no such file or directory"),
    "a number alone": (lambda folder: fail(OSError(errno.ECONNREFUSED, "Verbindung verweigert")), "connection refused"),
    "ours": (lambda folder: fail(ConnectError("Connecting to h: it is gone.")), "Connecting to h: it is gone"),
    "JSON": (lambda folder: json.loads('{"a":\n 1;}'), "line 2, column 3 is not JSON"),
    "TOML": (lambda folder: tomllib.loads("a = 1\nb = = 2"), "line 2, column 5 is not TOML"),
    "TOML without an end": (lambda folder: tomllib.loads("a = "), "its end is missing, or it is not TOML"),
    "no UTF-8": (lambda folder: b"ab\xff".decode(), "its octet 3 is not UTF-8"),
    "no ASCII": (lambda folder: "a\u00e9".encode("ascii"), "its character 2 can't be written in ASCII"),
    "deflate": (lambda folder: zlib.decompress(b"no deflate"), "its octets are damaged"),
    "xz": (lambda folder: lzma.decompress(b"no xz"), "its octets are damaged"),
    "zip": (lambda folder: zipfile.ZipFile(BytesIO(b"no zip")), "its octets are damaged"),
    "another's base": (
        lambda folder: ask(folder / "text", "SELECT * FROM x"), "something else is in it",
    ),
    "a busy base": (busy, "another process is using it"),
    "a base in a folder": (lambda folder: ask(folder, "SELECT 1"), "it can't be opened"),
    "TLS, whose number is none of the system's": (
        lambda folder: fail(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]")), "the two sides don't agree",
    ),
    "a part that is not there": (
        lambda folder: fail(ModuleNotFoundError("No module", name="x")), "it needs 'x', which is not installed",
    ),
    "a caller's own words": (lambda folder: fail(ValueError("no more today.\nSee you\x1b[31m")), "no more today"),
    "a caller's, without words": (lambda folder: fail(KeyError()), "KeyError"),
    "octets of a terminal": (lambda folder: fail(ValueError("red \x1b[31m")), "red \\x1b[31m"),
}  # fmt: skip


def fail(error: BaseException) -> object:
    raise error


@pytest.mark.parametrize("case", CASES)
def test_what_a_person_reads(tmp_path: Path, case: str) -> None:
    (tmp_path / "text").write_text("no base of SQLite, but a text of some length\n" * 40, encoding="utf-8")
    act, words = CASES[case]
    assert reason_of(raised(lambda: act(tmp_path))) == words


@each_row(
    ("error", "passing"),
    [
        (UnavailableError("x", code=421), True),
        (ReplyError("x", code=502), True),
        (ReplyError("x", code=501), False),
        (NotFoundError("x", code=404), False),
        (AuthRequiredError("x", code=530), False),
        (ConnectionLost("x"), True),
        (Truncated("x"), True),
        (ConnectError("x"), True),
        (ConnectError("x", stage="tls"), False),
        (ConnectError("x", stage="look-up"), False),
        (TransferTimeout("x"), True),
        (TransferTimeout("x", clock="total"), False),
        (URL("http://h/"), False),
    ],
)
def test_what_passes(error: BaseException, passing: bool) -> None:
    assert is_passing(error) is passing
