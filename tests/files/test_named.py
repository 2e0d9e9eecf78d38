"""What Windows has to replace a file with, on whatever system this is."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.files.named import NamedAppendix, NamedReplacement, appendix, replacement


def begun(folder: Path, name: str = "x") -> NamedReplacement:
    channel = NamedReplacement(os.fsencode(folder), os.fsencode(name), name)
    channel.begin(None)
    return channel


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("old", [None, b"what was there before"])
def test_a_file_has_its_name_when_it_is_whole(tmp_path: Path, old: bytes | None) -> None:
    if old is not None:
        (tmp_path / "x").write_bytes(old)
    channel = begun(tmp_path)
    channel.write(b"octets")
    (made,) = {*names(tmp_path)} - {"x"}
    assert re.fullmatch(r"\.anyurl-[0-9a-f]{16}", made)  # a name that Windows allows
    assert (tmp_path / "x").exists() == (old is not None)
    channel.modified = 86_400.5
    channel.commit()
    channel.close()
    assert names(tmp_path) == ["x"]
    assert ((tmp_path / "x").read_bytes(), (tmp_path / "x").stat().st_mtime) == (b"octets", 86_400.5)


def test_nothing_is_left_of_what_is_not_whole(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    channel = begun(tmp_path)
    channel.write(b"octets")
    channel.close()
    assert (names(tmp_path), (tmp_path / "x").read_bytes()) == (["x"], b"old")


def test_a_name_that_was_taken_meanwhile_is_left_to_whoever_has_it(tmp_path: Path) -> None:
    channel = begun(tmp_path)
    (tmp_path / "x").write_bytes(b"theirs")
    with pytest.raises(LocalFileError, match="another file has taken the name"):
        channel.commit(overwrite=False)
    channel.close()
    assert (names(tmp_path), (tmp_path / "x").read_bytes()) == (["x"], b"theirs")


def test_what_another_process_put_in_its_place_gets_no_name(tmp_path: Path) -> None:
    channel = begun(tmp_path)
    (made,) = tmp_path.iterdir()
    made.rename(tmp_path / "away")
    made.write_bytes(b"theirs")
    with pytest.raises(LocalFileError, match="another process has removed its part"):
        channel.commit()
    assert not (tmp_path / "x").exists()
    channel.close()


@pytest.mark.parametrize("name", ["nul", "COM1.txt", "x:y", "x.", "x ", "x?", "..\\x", "C:x"])
def test_a_name_that_windows_takes_for_another_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LocalFileError, match="Windows does not allow this name, or takes it for"):
        begun(tmp_path, name)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("by_folder", "classes"),
    [(True, ["Replacement", "Appendix"]), (False, ["NamedReplacement", "NamedAppendix"])],
    ids=["here", "on Windows"],
)
def test_it_is_written_by_the_folder_where_that_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_folder: bool, classes: list[str]
) -> None:
    monkeypatch.setattr("anyurl.files.named.WRITES", by_folder)
    channels = [make(os.fsencode(tmp_path), b"x", "x") for make in (replacement, appendix)]
    assert [type(channel).__name__ for channel in channels] == classes
    for channel in channels:
        channel.close()


def growing(folder: Path, name: str = "x") -> NamedAppendix:
    channel = NamedAppendix(os.fsencode(folder), os.fsencode(name), name)
    channel.begin()
    return channel


@pytest.mark.parametrize("old", [None, b"old"])
@pytest.mark.parametrize("committed", [True, False])
def test_a_file_grows_and_what_is_not_whole_is_taken_back(tmp_path: Path, old: bytes | None, committed: bool) -> None:
    if old is not None:
        (tmp_path / "x").write_bytes(old)
    channel = growing(tmp_path)
    channel.write(b", more")
    if committed:
        channel.commit()
    channel.close()
    assert (tmp_path / "x").read_bytes() == (old or b"") + (b", more" if committed else b"")


def test_a_new_file_is_as_open_as_any(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        growing(tmp_path).close()
        assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o644
        (tmp_path / "x").unlink()
        os.umask(0)
        growing(tmp_path).close()
        assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o666
    finally:
        os.umask(before)


@pytest.mark.parametrize("leads_to", ["there", "nowhere"])
def test_nothing_is_appended_to_what_a_link_leads_to(tmp_path: Path, leads_to: str) -> None:
    (tmp_path / "there").write_bytes(b"theirs")
    (tmp_path / "x").symlink_to(tmp_path / leads_to)
    channel = NamedAppendix(os.fsencode(tmp_path), b"x", "x")
    with pytest.raises(OSError):
        channel.begin()
    channel.close()
    assert (names(tmp_path), (tmp_path / "there").read_bytes()) == (["there", "x"], b"theirs")


def test_nothing_is_appended_to_what_windows_takes_for_a_device(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match="takes it for a device"):
        growing(tmp_path, "nul.txt")
    assert names(tmp_path) == []
