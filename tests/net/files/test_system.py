"""What a system has not is done without, and where that is not safe, nothing is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.errors import UnsupportedError
from anyurl.net.files import system
from anyurl.net.files.channel import open_folder
from anyurl.net.files.rooted import make_own


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


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("/C:/a/b", "C:/a/b"),  # RFC 8089 E.2
        ("/c:", "c:"),
        ("/C:a", "/C:a"),  # relative to what is current on that drive: nobody's
        ("/a/C:/b", "/a/C:/b"),
        ("/1:/b", "/1:/b"),
        ("/", "/"),
    ],
)
def test_a_drive_letter_stands_first(path: str, local: str) -> None:
    assert system.local_path(path) == local


@pytest.mark.parametrize(
    ("name", "plain"),
    [(b"x", True), (b"nul", False), (b"NUL.txt", False), (b"com1:", False), (b"com", True), (b"x.", False),
     (b"x ", False), (b"a:b", False), (b"lpt\xc2\xb9", False), (b".x", True)],
)  # fmt: skip
def test_names_that_windows_takes_as_they_are(name: bytes, plain: bool) -> None:
    assert system.is_plain_name(name) is plain
