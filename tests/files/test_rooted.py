"""A folder that nothing is written out of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.files import rooted
from anyurl.files.rooted import OPEN_AT_ONCE, RootedFolder, make_own, remove


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
    before = len(os.listdir("/proc/self/fd"))
    for number in range(3 * OPEN_AT_ONCE):
        descriptor = folder.parent(f"f{number}/x")
        assert os.fstat(descriptor).st_ino == (tmp_path / f"f{number}").stat().st_ino
        assert len(folder._open) == min(number + 1, OPEN_AT_ONCE)
        assert len(os.listdir("/proc/self/fd")) == before + len(folder._open)
    last = tmp_path / f"f{number}"
    last.rmdir()
    assert folder.stat(f"f{number}/x") is None
    assert os.fstat(folder.parent(f"f{number}/x")).st_ino == last.stat().st_ino
    folder.close()
    assert not folder._open
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_small_file_is_there_whole_with_its_time_or_not_at_all(tmp_path: Path) -> None:
    folder = RootedFolder(str(tmp_path))
    mask = os.umask(0o027)
    try:
        assert folder.write_new("a/b", b"four", 1000.5)
    finally:
        os.umask(mask)
    status = (tmp_path / "a" / "b").stat()
    assert ((tmp_path / "a" / "b").read_bytes(), status.st_mtime, status.st_mode & 0o777) == (b"four", 1000.5, 0o640)
    assert folder.write_new("a/empty", b"", None)
    assert not folder.write_new("a/b", b"other", None)  # only a `Replacement` replaces
    (tmp_path / "a" / "link").symlink_to(tmp_path / "elsewhere")
    assert not folder.write_new("a/link", b"other", None)
    assert not folder.write_new("a/" + "x" * 300, b"other", None)
    assert folder.write_new("a/late", b"", 1e300)  # no file system can hold that
    assert sorted(os.listdir(tmp_path / "a")) == ["b", "empty", "late", "link"]
    assert (tmp_path / "a" / "b").read_bytes() == b"four"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("lack", ["files without a name", "proc", "own proc"])
def test_where_it_is_not_written_in_a_few_steps_nothing_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lack: str
) -> None:
    folder = RootedFolder(str(tmp_path))
    if lack == "proc":
        folder._links = False
    elif lack == "own proc":  # what is there is of other processes, and a link to it would be to anything
        monkeypatch.setattr(os.path, "samestat", lambda *_: False)
    else:
        monkeypatch.setattr(rooted, "_UNNAMED", os.O_RDWR | os.O_CLOEXEC)
    assert not folder.write_new("x", b"four", None)
    assert os.listdir(tmp_path) == []


def test_what_is_unchanged(tmp_path: Path) -> None:
    folder = RootedFolder(str(tmp_path))
    (tmp_path / "x").write_text("four")
    os.utime(tmp_path / "x", (1000, 1000))
    is_marked = folder.mark("x"), 1000
    for saved in ((None, None), is_marked, (folder.mark("x"), None), ("4 7", 900)):
        assert folder.is_unchanged("x", 4, 1000.5, *saved)
        # Only of what is as it was saved is it known that this is another time than the original had.
        assert folder.is_unchanged("x", 4, 999, *saved) == (saved is not is_marked)
        assert not folder.is_unchanged("x", 4, 1001, *saved)
        assert not folder.is_unchanged("x", 5, 1000, *saved)
        assert not folder.is_unchanged("x", None, 1000, *saved)
        assert not folder.is_unchanged("x", 4, None, *saved)
        assert not folder.is_unchanged("y", 4, 1000, *saved)
    for original in (900, 1100):  # the file system did not keep the time
        assert folder.is_unchanged("x", 4, original, folder.mark("x"), original)
        assert not folder.is_unchanged("x", 4, 1000, folder.mark("x"), original)
    assert folder.has_time("x", 1000.5)
    assert not folder.has_time("x", 999)
    assert not folder.has_time("x", None)
    assert not folder.has_time("y", 1000)
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
    with pytest.raises(LocalFileError, match="others may have written it"):
        make_own(str(path), "the list")
    remove(str(path), "the list")
    with pytest.raises(LocalFileError, match="Removing the list"):
        remove(str(path), "the list")
    path.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic"):
        make_own(str(path), "the list")


def test_it_says_whether_it_is_new_and_a_removed_folder_takes_no_small_file(tmp_path: Path) -> None:
    folder = RootedFolder(str(tmp_path / "a" / "b"))
    assert folder.make()
    assert not folder.make()
    assert folder.write_new("c/x", b"1", None)
    (tmp_path / "a" / "b" / "c" / "x").unlink()
    (tmp_path / "a" / "b" / "c").rmdir()
    assert not folder.write_new("c/x", b"2", None)  # a `Replacement` makes it anew
    assert os.fstat(folder.parent("c/x")).st_ino == (tmp_path / "a" / "b" / "c").stat().st_ino
    (tmp_path / "file").write_text("x")
    with pytest.raises(LocalFileError, match="Making the folder"):
        RootedFolder(str(tmp_path / "file")).make()
