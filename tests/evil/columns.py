"""All columns that are written, and the ones that are not yet: the list of these shrinks until it is empty."""

from __future__ import annotations

from tests.evil import (
    cells_file,
    cells_ftp,
    cells_gopher,
    cells_http,
    cells_mailto,
    cells_news,
    cells_prospero,
    cells_telnet,
    cells_wais,
)
from tests.evil.cell import Cell, Column

WRITTEN: tuple[Column, ...] = (
    cells_gopher.COLUMN,
    cells_http.COLUMN,
    cells_ftp.COLUMN,
    cells_file.COLUMN,
    cells_news.COLUMN,
    cells_telnet.COLUMN,
    cells_prospero.COLUMN,
    cells_mailto.COLUMN,
    cells_wais.COLUMN,
)
"""One line for each ``cells_NAME.py``: its import above, its COLUMN here."""

PENDING: frozenset[str] = frozenset()
"""Columns without a file: schemes that are not spoken yet. Whoever writes one takes its letter out."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("E11", "L"): "a file URL has no root to be led out of: strangers' are refused, and a person reads what they may",
}
"""Cells that are written down elsewhere, or can't come up: the fault and the column, and the reason."""

CELLS: tuple[Cell, ...] = tuple(cell for column in WRITTEN for cell in column.cells)
