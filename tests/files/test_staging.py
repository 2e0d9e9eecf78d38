"""The private folder of a file that will replace another: made, locked, and removed when its owner was killed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from anyurl.files.channel import open_folder
from anyurl.files.staging import SLOTS, Staging, collect
from tests import needs

NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with a file in it."""
    (tmp_path / "file").write_bytes(b"old content")
    return tmp_path


def test_a_private_folder_that_a_killed_process_left_is_removed(folder: Path) -> None:
    before = set(os.listdir(folder))
    (folder / ".anyurl-3").mkdir(0o700)
    (folder / ".anyurl-3" / "part").write_bytes(b"half")
    staging = Staging(fd := open_folder(os.fsencode(folder)))
    staging.make()
    assert set(os.listdir(folder)) == {*before, ".anyurl-0"}
    staging.close()
    staging.close()
    os.close(fd)
    assert set(os.listdir(folder)) == before


@pytest.mark.parametrize("why", ["in use", "another user's", "open to others", "a file", "a link", "not all ours"])
def test_what_is_not_provably_left_behind_by_us_stays(folder: Path, why: str) -> None:
    fd = open_folder(os.fsencode(folder))
    private = folder / ".anyurl-0"
    owner = Staging(fd)
    if why == "in use":
        owner.make()
    elif why == "a file":
        private.write_bytes(b"")
    elif why == "a link":
        (folder / "own").mkdir(0o700)
        private.symlink_to("own")
    else:
        private.mkdir(0o700)
        if why == "another user's":
            needs.need("root")
            os.chown(private, NOBODY, NOBODY)
        elif why == "open to others":
            private.chmod(0o755)
        else:
            (private / "letter").write_bytes(b"mine")
    before = os.lstat(private).st_ino
    collect(fd)
    assert os.lstat(private).st_ino == before
    other = Staging(fd)
    other.make()
    assert (folder / ".anyurl-1").is_dir()
    other.close()
    owner.close()
    os.close(fd)


def test_where_all_numbers_are_taken_there_are_random_names(folder: Path) -> None:
    for number in range(SLOTS):
        (folder / f".anyurl-{number}").write_bytes(b"")
    before = set(os.listdir(folder))
    staging = Staging(fd := open_folder(os.fsencode(folder)))
    staging.make()
    (name,) = set(os.listdir(folder)) - before
    assert re.fullmatch(r"\.anyurl-[0-9a-f]{16}", name)
    staging.close()
    os.close(fd)
    assert set(os.listdir(folder)) == before
