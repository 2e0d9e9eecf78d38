"""The matrix of faults: one row for each fault and scheme that it applies to, read from tests/data/evil/matrix.tsv."""

from __future__ import annotations

import csv
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "evil" / "matrix.tsv"

COLUMNS = {
    "H": "http", "F": "ftp", "G": "gopher", "N": "nntp", "T": "telnet", "W": "wais", "P": "prospero", "L": "file",
    "M": "mailto",
}  # fmt: skip
"""The letter of each column, and the scheme that stands for it."""


class Row:
    """One cell of the sheet.

    Attributes:
        fault: ``A1`` to ``G17``.
        column: The letter of the scheme.
        words: The outcomes that it may have.
        name: The fault in words.
        decided: Why the words are not simply those of the sheet, or "".
    """

    def __init__(self, fields: dict[str, str]) -> None:
        self.fault = fields["fault"]
        self.column = fields["column"]
        self.words = frozenset(fields["words"].split())
        self.name = fields["name"]
        self.told = fields["told"]
        self.decided = fields["decided"]

    @property
    def key(self) -> tuple[str, str]:
        return self.fault, self.column


with DATA.open(encoding="utf-8", newline="") as _file:
    ROWS = {row.key: row for row in map(Row, csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))}
