"""A file that grows: its end is taken back where nobody else has written (`test_filesystem` has the rest)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyurl.errors import LocalFileError
from anyurl.files.appendix import Appendix
from anyurl.files.channel import open_folder


def appendix_of(path: Path) -> Appendix:
    channel = Appendix(open_folder(os.fsencode(path.parent)), os.fsencode(path.name), str(path))
    channel.begin()
    return channel


@pytest.mark.parametrize(("committed", "content"), [(True, b"old, and more"), (False, b"old")])
def test_what_is_not_committed_is_taken_back(tmp_path: Path, committed: bool, content: bytes) -> None:
    (tmp_path / "x").write_bytes(b"old")
    channel = appendix_of(tmp_path / "x")
    channel.write(b", and more")
    if committed:
        channel.commit()
    channel.close()
    channel.close()
    assert (tmp_path / "x").read_bytes() == content


def test_what_is_no_file_is_neither_written_to_nor_cut(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    reader = os.open(tmp_path / "x", os.O_RDONLY | os.O_NONBLOCK)
    channel = Appendix(open_folder(os.fsencode(tmp_path)), b"x", "x")
    with pytest.raises(LocalFileError, match="Appending to x: it is a FIFO, and only regular files are opened"):
        channel.begin()
    channel.close()
    assert os.read(reader, 1) == b""
    os.close(reader)
