"""Output: whole, or not there."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.files.output import append_text, probe, whole_file, write_text


def test_a_report_is_written(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("the one before")
    write_text(["a\n", "ä"], str(path))
    assert path.read_bytes() == b"a\n\xc3\xa4"


def test_what_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise LocalFileError("The state is damaged.")

    path = tmp_path / "r.html"
    path.write_text("the one before")
    with pytest.raises(LocalFileError, match="damaged"):
        write_text(pieces(), str(path))
    assert path.read_text() == "the one before"
    assert os.listdir(tmp_path) == ["r.html"]


def test_a_place_is_tried_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    probe(str(path))
    assert os.listdir(tmp_path) == []
    path.write_text("the one before")
    probe(str(path))
    assert path.read_text() == "the one before"
    for place, why in ((tmp_path / "none" / "r", "no such file or directory"), (tmp_path, "is a directory")):
        with pytest.raises(LocalFileError, match=f"can't be written: {why}"):
            probe(str(place))
    with pytest.raises(LocalFileError, match="is a device or a pipe"):
        probe("/dev/null")
    assert os.listdir(tmp_path) == ["r.html"]


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match="can't be written: no such file or directory"):
        write_text(["x"], str(tmp_path / "none" / "r.html"))


def test_what_a_message_quotes_is_made_harmless(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError) as caught:
        write_text(["x"], str(tmp_path / "no\x1b[2J" / "r.html"))
    assert "\x1b" not in str(caught.value)


def test_two_writers_of_a_file_have_each_their_own_part(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    with whole_file(str(path)) as first:
        first.write(b"first")
        with whole_file(str(path)) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"first", ["r.html"])


def test_what_a_link_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "r.html").symlink_to(tmp_path / "there" / "r.html")
    write_text(["x"], str(tmp_path / "r.html"), 0o600)
    written = tmp_path / "there" / "r.html"
    assert (written.read_text(), stat.S_IMODE(written.stat().st_mode)) == ("x", 0o600)
    assert os.listdir(tmp_path / "there") == ["r.html"]


def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LocalFileError, match="pipe is a device or a pipe, and only a regular file can be used"):
        write_text(["x"], str(tmp_path / "pipe"))
    assert os.listdir(tmp_path) == ["pipe"]


def test_what_leads_to_a_pipe_that_has_no_name_is_told_by_its_own(tmp_path: Path) -> None:
    """/dev/stdout is such a one, where a program reads what is printed."""
    read, write = os.pipe()
    (tmp_path / "out").symlink_to(f"/dev/fd/{write}")
    with pytest.raises(LocalFileError, match="out is a device or a pipe, and only a regular file can be used"):
        write_text(["x"], str(tmp_path / "out"))
    os.close(read)
    os.close(write)


def test_what_is_added_stands_at_the_end_or_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "history"
    with pytest.raises(LocalFileError, match="can't be written"):
        append_text("a\n", str(path))
    path.write_text("a\n")
    append_text("ä\n", str(path))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 3, limits[1]))  # as on a disk that is full
    try:
        with pytest.raises(LocalFileError, match="can't be written"):
            append_text("longer\n", str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text(encoding="utf-8") == "a\nä\n"
