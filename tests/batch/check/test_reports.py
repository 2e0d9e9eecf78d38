"""Reports: whole, or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import LocalFileError
from anyurl.batch.check.reports import write_report


def test_a_report_is_written(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("the one before")
    write_report(["a\n", "ä"], str(path))
    assert path.read_bytes() == b"a\n\xc3\xa4"


def test_what_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise LocalFileError("The state is damaged.")

    path = tmp_path / "r.html"
    path.write_text("the one before")
    with pytest.raises(LocalFileError, match="damaged"):
        write_report(pieces(), str(path))
    assert path.read_text() == "the one before"
    assert os.listdir(tmp_path) == ["r.html"]


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(LocalFileError, match="can't be written: No such file or directory"):
        write_report(["x"], str(tmp_path / "none" / "r.html"))
