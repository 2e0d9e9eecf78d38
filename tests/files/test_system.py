"""What a system has not is done without, and where that is not safe, nothing is done."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from anyurl import Client, Policy
from anyurl.errors import LocalFileError, UnsupportedError
from anyurl.files import filesystem, system
from anyurl.files.channel import open_folder
from anyurl.files.rooted import make_own
from tests.rows import each_row


def test_flags_that_a_system_has_not_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.flags("RDWR", "CREAT") == os.O_RDWR | os.O_CREAT
    monkeypatch.delattr(os, "O_CREAT")
    assert system.flags("RDWR", "CREAT") == os.O_RDWR


def test_nothing_is_opened_to_be_written_where_that_is_not_safe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(system, "WRITES", False)
    with pytest.raises(UnsupportedError):
        open_folder(os.fsencode(tmp_path))
    with pytest.raises(UnsupportedError):
        make_own(str(tmp_path / "own"), "own")
    assert list(tmp_path.iterdir()) == []


def test_whose_a_file_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "own").touch(0o622)
    os.chmod(tmp_path / "own", 0o622)
    status = (tmp_path / "own").stat()
    assert system.is_own(status)
    assert system.others_may(status, 0o022)
    assert not system.others_may(status, 0o044)
    monkeypatch.setattr(os, "geteuid", lambda: status.st_uid + 1)
    assert not system.is_own(status)
    assert system.is_own(status, or_root=True) == (status.st_uid == 0)
    monkeypatch.delattr(os, "geteuid")
    assert system.is_own(status)
    assert not system.others_may(status, 0o022)


@each_row(
    ("path", "local"),
    [
        ("/C:/a/b", "C:/a/b"),  # RFC 8089 E.2
        ("/c:", "c:"),
        ("/c:/", "c:/"),
        ("/C:a", None),  # relative to what is current on that drive: nobody's
        ("/a/C:/b", None),
        ("/1:/b", None),
        ("/", "/"),
        ("/a//b/../c/./", "/a//b/../c/./"),
        ("//server/share/x", None),  # a login goes out to the server
        ("/C://server/x", None),
        ("//", None),
        ("/\\server\\share\\x", None),
        ("/\\\\server\\share", None),
        ("//./pipe/x", None),
        ("//?/C:/x", None),
        ("/??/UNC/server/share", None),
        ("/C:/a\\b", None),
        ("/C:/a/nul", None),
        ("/C:/con/x", None),
        ("/C:/a/COM\xb9.txt", None),
        ("/C:/a/x.txt:stream", None),
        ("/C:/a/x.txt::$DATA", None),
        ("/C:/a/x.", None),
        ("/C:/a /x", None),
        ("/C:/.../x", None),
    ],
)
def test_what_windows_takes_for_a_file_of_this_machine(path: str, local: str | None) -> None:
    assert system.local_path(path) == local


@pytest.mark.parametrize("verb", ["get", "list", "stat", "append", "put"])
@pytest.mark.parametrize("path", ["//server/share/x", "/%5C%5Cserver%5Cx", "/C:/nul", "/C:/x:y", "/C:x"])
def test_no_verb_opens_anything_else_there(monkeypatch: pytest.MonkeyPatch, verb: str, path: str) -> None:
    given = (b"x",) if verb in ("append", "put") else ()
    monkeypatch.setattr(filesystem, "os", SimpleNamespace(name="nt"))
    with (
        Client(Policy.open()) as client,
        pytest.raises(LocalFileError, match="for Windows this is not the path of a file"),
    ):
        getattr(client, verb)(f"file://{path}", *given)


WINDOWS_KNOWS_NO = """"*/:<>?\\|"""


@each_row(
    ("name", "plain"),
    [("x", True), ("nul", False), ("NUL.txt", False), ("com1:", False), ("com", True), ("x.", False), ("x ", False),
     ("a:b", False), ("lpt\xb9", False), (".x", True), ("x y.z", True), ("NUL.", False), ("nul .a", False),
     ("conin$", False), ("com10", True), ("lpt0.a.b", False), ("\xfc\u6771", True)]
    + [(f"a{char}b", False) for char in (*WINDOWS_KNOWS_NO, *map(chr, range(32)))],
)  # fmt: skip
def test_names_that_windows_takes_as_they_are(name: str, plain: bool) -> None:
    assert system.is_plain_name(name) is plain


@pytest.mark.parametrize(
    ("modified", "is_set"),
    [(0.0, True), (86_400.5, True), (None, True), (1e30, False), (float("nan"), False), (float("inf"), False)],
)
def test_a_time_that_cannot_be_set_is_told_and_changes_nothing(
    tmp_path: Path, modified: float | None, is_set: bool
) -> None:
    path = tmp_path / "x"
    path.touch()
    before = path.stat().st_mtime
    assert system.date(os.fsencode(path), modified) is is_set
    assert path.stat().st_mtime == (modified if is_set and modified is not None else before)
    assert system.date(os.fsencode(tmp_path / "none"), 1.0) is False
