"""Output: whole, or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.batch.output import whole_file, write_text


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


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match="can't be written: no such file or directory"):
        write_text(["x"], str(tmp_path / "none" / "r.html"))


def test_what_a_message_quotes_is_made_harmless(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError) as caught:
        write_text(["x"], str(tmp_path / "no\x1b[2J" / "r.html"))
    assert "\x1b" not in str(caught.value)


def test_what_another_left_under_the_name_of_the_part_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    part = tmp_path / f"r.html.{os.getpid()}.part"
    part.write_text("another's")
    with pytest.raises(LocalFileError, match="can't be written: file exists"), whole_file(str(path)):
        pass
    assert part.read_text() == "another's"
