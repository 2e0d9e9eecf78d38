"""Each cell of each column: the fault is played, the word is compared, and the nine invariants are looked at."""

from __future__ import annotations

import pytest

from tests.evil.cell import Cell, run
from tests.evil.children import MEMORY_GROWTH, measured
from tests.evil.columns import CELLS
from tests.evil.player import STREAM_SECONDS


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.label) for cell in CELLS if not cell.stream])
def test_cell(cell: Cell) -> None:
    run(cell)


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.label) for cell in CELLS if cell.stream])
def test_stream(cell: Cell) -> None:
    """A flood, in a process of its own: it must not hang, nor cost memory."""
    _, growth = measured(lambda: run(cell) and None, seconds=STREAM_SECONDS)
    assert growth < MEMORY_GROWTH, f"{cell.label}: memory grew by {growth / 2**20:.0f} MiB"
