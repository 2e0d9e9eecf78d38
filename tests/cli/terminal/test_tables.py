"""Tables in columns: what stands where, and what a narrow terminal leaves out."""

from __future__ import annotations

import re

import pytest

from anyurl.cli.terminal.tables import page, rendered


def plain(text: str) -> list[str]:
    """The lines, without the bold of the headings."""
    return [re.sub(r"\x1b\[\d*m", "", line).rstrip() for line in text.rstrip("\n").split("\n")]


HEADINGS = ("size", "modified (UTC)", "name")
ROWS = [["5", "1994-12-20 00:00", "a"], ["1,000", "", "[red]b\x1b"]]


@pytest.mark.parametrize("right", [("size",), ("name",), ("size", "name"), ()])
def test_numbers_stand_at_the_right(monkeypatch: pytest.MonkeyPatch, right: tuple[str, ...]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    size, name = (">" if heading in right else "<" for heading in ("size", "name"))
    assert plain(rendered(HEADINGS, ROWS, right)) == [
        f"{'size':{size}5}  {'modified (UTC)':16}  {'name':{name}10}".rstrip(),
        f"{'5':{size}5}  1994-12-20 00:00  {'a':{name}10}".rstrip(),
        f"1,000  {'':16}  [red]b\\x1b",
    ]


@pytest.mark.parametrize(
    ("columns", "kept"),
    [(80, ["size", "modified (UTC)", "name"]), (35, ["size", "modified (UTC)", "name"]), (34, ["size", "name"])],
)
def test_what_a_narrow_terminal_omits(monkeypatch: pytest.MonkeyPatch, columns: int, kept: list[str]) -> None:
    """The name has ten columns, and the others 5 + 2 + 16 + 2."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert re.split(" {2,}", plain(rendered(HEADINGS, ROWS, ()))[0]) == kept


def test_a_text_below_a_row_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    rows = [["document", "a"], ["document", "b"], ["document", "c"]]
    below = ["ftp://h/a", "", f"ftp://h/{'x' * 40}\x1b"]
    assert plain(rendered(("kind", "name"), rows, (), below)) == [
        "kind      name",
        "document  a",
        "          ftp://h/a",
        "document  b",
        "document  c",
        f"ftp://h/{'x' * 40}\\x1b",
    ]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (40, ["scheme  port  what it is for", "http      80  pages of the web", "gopher    70  menus"]),
        (30, ["scheme  port  what it is for", "http      80  pages of the web", "gopher    70  menus"]),
        (29, ["scheme  what it is for", "http    pages of the web", "gopher  menus"]),
        (20, ["scheme  what it is …", "http    pages of th…", "gopher  menus"]),
    ],
)
def test_a_page_has_a_line_for_each_row_whatever_it_must_cut(
    monkeypatch: pytest.MonkeyPatch, columns: int, lines: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [["http", "80", "pages of the web"], ["gopher", "70", "menus"]]
    told = page(("scheme", "port", "what it is for"), rows, ("what it is for",), ("port",), ("port",))
    assert plain(told) == lines
