"""Tables in columns, for a terminal; only `console` uses them."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from itertools import zip_longest

from rich.console import Console
from rich.table import Table
from rich.text import Text

from anyurl.errors import escape


def rendered(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str], below: Sequence[str] = ()
) -> str:
    """The table as text with the colours that this terminal has.

    Each value is escaped and is no markup: ``[red]`` in a file name is five characters.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row, more in zip_longest(rows, below, fillvalue=""):
        cells = [Text(escape(value)) for value in row]
        if more:
            cells[-1].append(f"\n{escape(more)}")
        table.add_row(*cells)
    width = shutil.get_terminal_size().columns
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    console.print(table)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.split("\n"))
