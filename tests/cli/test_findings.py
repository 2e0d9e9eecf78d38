"""What is told of one URL, as an object and as lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyurl import LocalFileError, URLSyntaxError
from anyurl.batch.check import Checked, CheckState, Finding, Mention
from anyurl.batch.check.outcome import OK, OUT_OF_TREE
from anyurl.batch.check.told import Told, told
from anyurl.cli.findings import CHECKED, MAX_PLACES, MAX_REASONS, PLACE, Lines, annotation, record, told_apart
from anyurl.cli.terminal.console import Console
from anyurl.url import URL
from anyurl.values import USER
from tests.rows import each_row

URL_ = URL("http://me:hush@h/x")
PLACES = [Mention("a.md", 3, 7, "part", "x#part"), Mention("", 0, 0), Mention("b.md", 1, 1)]


def shown(lines: Lines, *rows: Told) -> list[str]:
    return [*(line for row in rows for line in lines.of(row)), *lines.rest()]


def test_a_line_for_each_place_with_what_is_written_there() -> None:
    finding = Finding("timed-out", message="Too long.")
    rows = [Told(1, URL_, finding, place) for place in PLACES]
    told = "timed out: http://me:***@h/x: Too long."
    lines = Lines(())
    assert shown(lines, *rows) == [
        "a.md:3:7: timed out: x#part (http://me:***@h/x): Too long.", told, f"b.md:1:1: {told}",
    ]  # fmt: skip
    assert lines.faults == 3
    assert shown(Lines({str(URL_)}, shows_all=True), rows[1]) == [f"known to be {told}"]
    lines = Lines({f"{URL_}#part"})
    assert shown(lines, *rows) == [told, f"b.md:1:1: {told}"]
    assert (lines.faults, lines.known) == (2, 1)


def test_a_part_that_is_missing_is_told_where_it_is_named() -> None:
    row = Told(1, URL("file:///d/x.html"), Finding("ok"), PLACES[0], is_missing=True)
    assert shown(Lines(()), row) == ["a.md:3:7: broken: x#part: The page has nothing that is called #part."]


@each_row("count", [1, MAX_PLACES, MAX_PLACES + 1, 3 * MAX_PLACES])
@each_row("is_missing", [False, True])
def test_what_is_counted_is_shown_or_told_to_be_left_out(count: int, is_missing: bool) -> None:
    state = CheckState(None, "w", resume=False, now=1.0)
    for name in ("x", "y"):
        number = state.add(URL(f"file:///d/{name}"), USER, 2)
        for line in range(count):
            state.place(number, Mention(f"{name}.md", line + 1, 1, "part"))
            state.place(number, Mention(f"{name}.md", line + 1, 9, "good"))
        state.record([(number, 2, OK if is_missing else Finding("broken", message="No."))], 2.0)
        if is_missing:
            state.miss(number, ["part"])
    lines = Lines(())
    written = shown(lines, *told(state))
    lefts = [int(line.split()[2].replace(",", "")) for line in written if line.startswith("... and ")]
    assert len(written) - len(lefts) + sum(lefts) == lines.faults == 2 * count * (1 if is_missing else 2)
    assert [line.split(":")[0] for line in written if not line.startswith("...")] == sorted(
        line.split(":")[0] for line in written if not line.startswith("...")
    )
    state.close()


def test_what_nothing_can_be_requested_of_is_one_line() -> None:
    finding = Finding("not-checkable", error="UnsupportedError", message="No.")
    rows = [Told(n, URL(f"tel:{n}"), finding, PLACES[0]) for n in range(3)]
    rows.append(Told(4, URL("javascript:x"), finding, PLACES[0]))
    assert shown(Lines(()), *rows) == ["not checkable: links whose scheme can't be followed: javascript: (1), tel: (3)"]
    assert len(shown(Lines((), shows_all=True), *rows)) == 4


def test_a_symbolic_link_out_of_the_tree_is_told_once() -> None:
    rows = [
        Told(n, URL(f"file:///d/way/{n}"), Finding("refused", error=OUT_OF_TREE, message="d/way."), PLACES[0])
        for n in range(3)
    ]
    assert shown(Lines(()), *rows) == [
        "a.md:3:7: refused: x#part: d/way.", "... and 2 more places: refused: d/way.",
    ]  # fmt: skip


def test_of_one_reason_to_refuse_some_places_are_shown_and_the_others_counted() -> None:
    """A table of addresses of one's own network had a line for each row."""
    finding = Finding("refused", error="RefusedError", message="127.0.0.1 is Loopback.")
    rows = [Told(n, URL(f"http://127.0.0.1/{n}"), finding, PLACES[0]) for n in range(MAX_PLACES + 5)]
    written = shown(Lines(()), *rows)
    assert len(written) == MAX_PLACES + 1
    assert written[-1] == "... and 5 more places: refused: 127.0.0.1 is Loopback."
    assert len(shown(Lines((), shows_all=True), *rows)) == MAX_PLACES + 5
    assert len(shown(Lines((), fail_on=("refused",)), *rows)) == MAX_PLACES + 5


def test_reasons_without_end_are_not_all_held() -> None:
    """Attack: each refused URL has an address, and so a reason, of its own."""
    findings = [Finding("refused", error="RefusedError", message=f"{n} is private.") for n in range(MAX_REASONS + 1)]
    lines = Lines(())
    assert len(shown(lines, *(Told(1, URL_, finding, PLACES[0]) for finding in findings))) == len(findings)
    for finding, count in ((findings[0], MAX_PLACES), (findings[-1], MAX_PLACES + 5)):
        again = [line for _ in range(MAX_PLACES + 5) for line in lines.of(Told(1, URL_, finding, PLACES[0]))]
        assert len(again) == count - (finding is findings[0])


def test_an_annotation_is_one_line_whatever_a_name_holds() -> None:
    place = Mention("a,b:c%.md", 3, 7)
    row = Told(1, URL("http://h/"), Finding("broken", message="a\nb"), place)
    assert annotation(row, "a\nb%") == "::error file=a%2Cb%3Ac%25.md,line=3,col=7,title=broken link::a%0Ab%25"
    assert len(shown(Lines((), annotates=True), row)) == 2


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
