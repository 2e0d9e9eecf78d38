"""Tables in columns, for a terminal; only `console` uses them."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from anyurl.errors import escape

WHOLE = "\ue000"
"""The placeholder for a text that must not be broken: a private-use character, which no escaped text contains."""


SPARE = ("modified (UTC)", "lines", "score")
"""The columns that a narrow terminal omits, in this order."""

LEAST_NAME = 30
"""Characters of a name that are enough."""


def page(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    elastic: Sequence[str],
    spare: Sequence[str],
    right: Sequence[str] = (),
) -> str:
    """A table with one line per row: without room, spare columns are left out, and then elastic ones cut."""
    width = shutil.get_terminal_size().columns
    kept = list(range(len(headings)))
    longest = [max(cell_len(escape(row[column])) for row in (headings, *rows)) for column in kept]
    if sum(longest) + 2 * (len(kept) - 1) > width:
        kept = [column for column in kept if headings[column] not in spare]
    is_cut = sum(longest[column] for column in kept) + 2 * (len(kept) - 1) > width
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), expand=is_cut)
    for column in kept:
        ratio = elastic.index(headings[column]) + 1 if is_cut and headings[column] in elastic else None
        justify: JustifyMethod = "right" if headings[column] in right else "left"
        table.add_column(headings[column], justify=justify, no_wrap=True, overflow="ellipsis", ratio=ratio)
    for row in rows:
        table.add_row(*(Text(escape(row[column])) for column in kept))
    return _text_of(table, width)


def rendered(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str], below: Sequence[str] = ()
) -> str:
    """The table as text with escape sequences.

    Values are escaped and not interpreted as markup: ``[red]`` in a file name is five characters. The text below a row
    is not broken, so that it can be copied: without room below the last column it begins further left.
    """
    width = shutil.get_terminal_size().columns
    headings, rows = _with_room(headings, rows, width)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings[:-1]:
        table.add_column(heading, justify="right" if heading in right else "left", no_wrap=True)
    table.add_column(headings[-1], justify="right" if headings[-1] in right else "left", overflow="fold")
    longest = [max(cell_len(escape(row[column])) for row in (headings, *rows)) for column in range(len(headings) - 1)]
    place = sum(longest) + 2 * len(longest)
    whole = []
    for row, more in zip_longest(rows, below, fillvalue=""):
        cells = [Text(escape(value)) for value in row]
        if more:
            cells[-1].append(f"\n{WHOLE}")
            left = max(0, min(place, width - cell_len(escape(more))))
            whole.append(" " * left + escape(more))
        table.add_row(*cells)
    lines = _text_of(table, width).split("\n")
    return "\n".join(whole.pop(0) if line.endswith(WHOLE) else line for line in lines)


def _with_room(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The table without the spare columns that would leave the last one, the name, too little room."""
    for spare in SPARE:
        longest = [max(cell_len(escape(row[column])) for row in (headings, *rows)) for column in range(len(headings))]
        room = width - sum(longest[:-1]) - 2 * len(longest[:-1])
        if spare in headings and room < min(longest[-1], LEAST_NAME):
            at = headings.index(spare)
            headings = [*headings[:at], *headings[at + 1 :]]
            rows = [[*row[:at], *row[at + 1 :]] for row in rows]
    return headings, rows


def _text_of(table: Table, width: int) -> str:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    console.print(table)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.split("\n"))
