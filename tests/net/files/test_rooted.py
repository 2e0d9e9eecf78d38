"""A folder that nothing is written out of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.net.files.rooted import OPEN_AT_ONCE, RootedFolder, make_own, remove


def test_folders_on_the_way_are_made_and_links_are_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    outside.mkdir()
    folder = RootedFolder(str(inside))
    folder.make()
    assert os.fstat(folder.parent("a/b/c")).st_ino == (inside / "a" / "b").stat().st_ino
    (inside / "link").symlink_to(outside)
    (outside / "x").write_text("x")
    with pytest.raises(LocalFileError, match="Entering link"):
        folder.parent("link/x")
    assert folder.stat("link/x") is None
    (inside / "file").symlink_to(outside / "x")
    with pytest.raises(LocalFileError, match="Reading file"), folder.opened("file"):
        pass
    with pytest.raises(LocalFileError):
        folder.parent("none/x", make=False)
    assert not (inside / "none").exists()


def test_few_folders_stay_open_and_none_that_somebody_removed(tmp_path: Path) -> None:
    folder = RootedFolder(str(tmp_path))
    for number in range(3 * OPEN_AT_ONCE):
        descriptor = folder.parent(f"f{number}/x")
        assert os.fstat(descriptor).st_ino == (tmp_path / f"f{number}").stat().st_ino
        assert len(folder._open) == min(number + 1, OPEN_AT_ONCE)
    last = tmp_path / f"f{number}"
    last.rmdir()
    assert folder.stat(f"f{number}/x") is None
    assert os.fstat(folder.parent(f"f{number}/x")).st_ino == last.stat().st_ino
    folder.close()
    assert not folder._open


def test_what_is_unchanged(tmp_path: Path) -> None:
    folder = RootedFolder(str(tmp_path))
    (tmp_path / "x").write_text("four")
    os.utime(tmp_path / "x", (1000, 1000))
    assert folder.is_unchanged("x", 4, 1000.5)
    assert folder.is_unchanged("x", 4, 900)
    assert not folder.is_unchanged("x", 4, 1001)
    assert not folder.is_unchanged("x", 5, 1000)
    assert not folder.is_unchanged("x", None, 1000)
    assert not folder.is_unchanged("x", 4, None)
    assert not folder.is_unchanged("y", 4, 1000)
    before = folder.signature("x")
    os.utime(tmp_path / "x", (1001, 1001))
    assert before
    assert folder.signature("x") != before
    assert folder.signature("y") == ""
    with folder.opened("x") as file:
        assert file.read() == b"four"


def test_a_private_file_is_ours_alone(tmp_path: Path) -> None:
    path = tmp_path / "list"
    make_own(str(path), "the list")
    assert path.stat().st_mode & 0o777 == 0o600
    make_own(str(path), "the list")
    path.chmod(0o640)
    with pytest.raises(LocalFileError, match="somebody else's"):
        make_own(str(path), "the list")
    remove(str(path), "the list")
    with pytest.raises(LocalFileError, match="Removing the list"):
        remove(str(path), "the list")
    path.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic"):
        make_own(str(path), "the list")
