"""What is told of one URL, as an object and as lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import LocalFileError, URLSyntaxError
from anyurl.batch.check import Checked, Finding, Mention
from anyurl.cli.console import Console
from anyurl.cli.findings import CHECKED, PLACE, lines, record, told_apart
from anyurl.url import URL

URL_ = URL("http://me:hush@h/x")
PLACES = [Mention("a.md", 3, 7, "part"), Mention("", 0, 0), Mention("b.md", 1, 1)]


def test_a_line_for_each_place() -> None:
    checked = Checked(1, URL_, Finding("timed-out", message="Too long."))
    told = "timed out: http://me:***@h/x: Too long."
    assert lines(checked, PLACES, False) == [f"a.md:3:7: {told}", told, f"b.md:1:1: {told}"]
    assert lines(checked, [], True) == [f"known to be {told}"]


def test_a_part_that_is_missing_is_told_where_it_is_named() -> None:
    checked = Checked(1, URL_, Finding("ok"), ("part",))
    assert lines(checked, PLACES, False) == [
        "a.md:3:7: broken: http://me:***@h/x: The page has nothing that is called #part."
    ]


def test_an_object() -> None:
    finding = Finding("redirected", 302, None, "It has moved.", "http://there/", False)
    made = record(Checked(1, URL_, finding, ("part",)), PLACES[:1], True)
    assert tuple(made) == CHECKED
    assert tuple(made["places"][0]) == PLACE
    assert (made["url"], made["permanent"], made["known"], made["missing"]) == (
        "http://me:***@h/x", False, True, ["part"],
    )  # fmt: skip
    assert record(Checked(1, URL_, Finding("ok")), [], False)["permanent"] is None


def test_urls_and_files_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mailto:x").touch()
    urls, paths = told_apart(Console(), ("-", "http://h/", "mailto:x", "mailto:y@h.example", "."))
    assert ([str(url) for url in urls], paths) == (["http://h/", "mailto:y@h.example"], ("-", "mailto:x", "."))
    for text, error in (("none.md", LocalFileError), ("http://[/", URLSyntaxError)):
        with pytest.raises(error):
            told_apart(Console(), (text,))
