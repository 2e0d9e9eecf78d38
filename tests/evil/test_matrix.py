"""Every cell of the matrix has a row, or stands on a list with its reason."""

from __future__ import annotations

from collections import Counter

from tests.evil.columns import CELLS, EXCEPTIONS, PENDING, WRITTEN
from tests.evil.matrix import COLUMNS, ROWS
from tests.evil.outcomes import WORDS


def test_the_sheet_is_whole() -> None:
    """453 cells, as it was told; P and W share 11 of them, and two were added."""
    assert len(ROWS) == 453 + 11 + 2
    assert {row.column for row in ROWS.values()} == set(COLUMNS)
    assert len({row.fault for row in ROWS.values()}) == 95
    assert set().union(*(row.words for row in ROWS.values())) <= set(WORDS)


def test_every_cell_that_applies_is_covered() -> None:
    covered = {(cell.fault, cell.column.letter) for cell in CELLS} | set(EXCEPTIONS)
    missing = [row.key for row in ROWS.values() if row.column not in PENDING and row.key not in covered]
    assert not missing, f"{len(missing)} cells have no row: {' '.join(''.join(key) for key in missing)}"


def test_what_does_not_apply_is_not_tested_by_mistake() -> None:
    assert [cell.label for cell in CELLS if (cell.fault, cell.column.letter) not in ROWS] == []
    assert [key for key in EXCEPTIONS if key not in ROWS] == []


def test_no_cell_expects_what_the_matrix_does_not_allow() -> None:
    wrong = [cell.label for cell in CELLS if not set(cell.words) <= ROWS[cell.fault, cell.column.letter].words]
    assert wrong == []


def test_a_column_is_written_or_pending() -> None:
    letters = Counter(column.letter for column in WRITTEN)
    assert set(letters) | PENDING == set(COLUMNS)
    assert not set(letters) & PENDING
