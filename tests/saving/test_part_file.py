"""The part of a download: its names, its facts, its lock (what is done with it is in tests/saving/test_save.py)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.files.channel import open_folder
from anyurl.saving.part_file import MAX_FACTS_BYTES, PartFile, part_names, part_path


def part_of(folder: Path, name: bytes = b"x") -> PartFile:
    return PartFile(open_folder(os.fsencode(folder)), name, name.decode())


def test_the_names_of_a_part_fit_whatever_the_final_name() -> None:
    assert part_names(b"x") == (b"x.anyurl-part", b"x.anyurl-part.json")
    for length in range(230, 256):
        names = part_names(b"x" * length)
        assert max(map(len, names)) <= 255
        assert names != part_names(b"y" * length)
        assert part_path(f"a/{'x' * length}") == f"a/{names[0].decode()}"
    assert part_path("x") == "x.anyurl-part"


def test_a_part_keeps_its_octets_and_facts(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    part.begin(None)
    assert (part.moved, part.facts()) == (0, b"")
    part.remember(b"facts")
    part.write(b"octets")
    part.close()
    again = part_of(tmp_path)
    again.begin(None)
    assert (again.moved, again.facts()) == (6, b"facts")
    again.restart()
    assert (again.moved, again.facts()) == (0, b"")
    again.close()
    assert os.listdir(tmp_path) == []


def test_octets_that_were_written_and_not_counted_are_kept(tmp_path: Path) -> None:
    """Ctrl-C may come between the two: the file says how long it is."""
    part = part_of(tmp_path)
    part.begin(None)
    part.remember(b"facts")
    os.write(part.fileno(), b"octets")
    assert (part.moved, part.length()) == (0, 6)
    part.close()
    assert (tmp_path / "x.anyurl-part").read_bytes() == b"octets"


def test_what_is_thrown_away_may_be_uncounted_too(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    part.begin(None)
    os.write(part.fileno(), b"octets")
    part.restart()
    part.write(b"new")
    part.commit()
    part.close()
    assert (tmp_path / "x").read_bytes() == b"new"


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_gets_the_name_is_the_file_and_not_what_has_the_name_of_the_part(tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "x").write_bytes(b"old")
    if not overwrite:
        (tmp_path / "x").unlink()
    part = part_of(tmp_path)
    part.begin(None)
    part.write(b"octets")
    (tmp_path / "x.anyurl-part").rename(tmp_path / "taken away")
    (tmp_path / "x.anyurl-part").write_bytes(b"quite another")
    part.commit(overwrite=overwrite)
    part.close()
    assert (tmp_path / "x").read_bytes() == b"octets"
    assert (tmp_path / "x.anyurl-part").read_bytes() == b"quite another"


def test_a_part_whose_name_is_gone_is_an_error(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    part.begin(None)
    part.write(b"octets")
    (tmp_path / "x.anyurl-part").unlink()
    with pytest.raises(LocalFileError, match="no such file or directory"):
        part.commit()
    part.close()
    assert os.listdir(tmp_path) == []


def test_a_part_that_has_its_final_name_already_is_not_written_to(tmp_path: Path) -> None:
    """A process was killed between the two steps."""
    part = part_of(tmp_path)
    part.begin(None)
    part.remember(b"facts")
    part.write(b"octets")
    part.close()
    os.link(tmp_path / "x.anyurl-part", tmp_path / "x")
    again = part_of(tmp_path)
    again.begin(None)
    assert again.length() == 0
    again.restart()
    again.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"octets"
    again.commit()
    again.close()
    assert (tmp_path / "x").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("facts", [False, True])
@pytest.mark.parametrize("octets", [False, True])
def test_a_part_stays_only_with_octets_and_facts(tmp_path: Path, facts: bool, octets: bool) -> None:
    part = part_of(tmp_path)
    part.begin(None)
    if facts:
        part.remember(b"facts")
    if octets:
        part.write(b"octets")
    part.close()
    part.close()  # nothing more is let go of
    assert len(os.listdir(tmp_path)) == (2 if facts and octets else 0)


def test_facts_are_read_whole_or_not_at_all(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    part.begin(None)
    for size in (0, 1, MAX_FACTS_BYTES - 1, MAX_FACTS_BYTES):
        part.remember(b"x" * size)
        assert part.facts() == b"x" * size
    part.remember(b"x" * (MAX_FACTS_BYTES + 1))
    assert part.facts() == b""
    part.close()


def test_facts_that_others_can_write_are_not_believed(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    part.begin(None)
    part.remember(b"facts")
    os.chmod(tmp_path / "x.anyurl-part.json", 0o666)
    assert part.facts() == b""
    os.unlink(tmp_path / "x.anyurl-part.json")
    (tmp_path / "facts").write_bytes(b"facts")
    (tmp_path / "x.anyurl-part.json").symlink_to("facts")
    assert part.facts() == b""
    part.close()


def test_one_process_writes_a_part(tmp_path: Path) -> None:
    one, other = part_of(tmp_path), part_of(tmp_path)
    one.begin(None)
    one.remember(b"facts")
    one.write(b"octets")
    with pytest.raises(LocalFileError, match="another process is writing it"):
        other.begin(None)
    other.close()
    assert sorted(os.listdir(tmp_path)) == ["x.anyurl-part", "x.anyurl-part.json"]
    one.commit()
    one.close()
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("mode", [0o600 | other for other in (0, 0o1, 0o2, 0o4, 0o10, 0o20, 0o40, 0o44, 0o55, 0o66)])
def test_a_part_that_others_may_write_is_not_gone_on_with(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x.anyurl-part"
    path.write_bytes(b"theirs?")
    path.chmod(mode)
    part = part_of(tmp_path)
    if mode & 0o022:
        with pytest.raises(LocalFileError, match="others may have written its part"):
            part.begin(None)
    else:
        part.begin(None)
        assert part.moved == 7
    part.close()


def test_a_part_that_cannot_be_emptied_is_told(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"octets")
    part = part_of(tmp_path)
    part.fd = os.open(tmp_path / "other", os.O_RDONLY)
    part.moved = 5
    with pytest.raises(LocalFileError, match="Writing x"):
        part.restart()
    assert part.moved == 5
    part.close()
