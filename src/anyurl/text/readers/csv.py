"""Tables of text: CSV and TSV (RFC 4180).

Rule: the mark between two fields ends a URL, inside quotation marks it is part of the field. Nothing is moved: an octet
of the source is an octet of the text.
"""

from __future__ import annotations

import re

from anyurl.text.readers.registry import Reader
from anyurl.text.runs import CUT, Runs

MARKS = b",;\t|"
"""Possible separators of fields; the most frequent one in the first line is used."""

FIRST_LINE = 65_536
"""Octets of the first line that are waited for."""

_ROW_ENDS = b"\r\n"


class CsvDecoder:
    """Writes quotation marks for the separators of fields and rows.

    Args:
        mark: The separator of fields; if empty, found by the first line.
    """

    def __init__(self, mark: bytes = b"") -> None:
        self._mark = self._table = b""
        if mark:
            self._set(mark)
        self._is_quoted = False
        self._before = b"\n"

    def _set(self, mark: bytes) -> None:
        self._mark = mark
        self._table = bytes.maketrans(mark + _ROW_ENDS, CUT * 3)

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Copy up to each quotation mark that opens or closes a field."""
        if not self._mark and not self._read_first_line(data, final):
            return 0
        start = 0
        while (place := data.find(b'"', start)) >= 0:
            if not self._is_quoted:
                before = data[place - 1 : place] if place else self._before
                self._is_quoted = before in (self._mark, b"\n", b"\r")
                out.put(data[start:place].translate(self._table), start, place)
                out.copy(data, place, place + 1)
                start = place + 1
                continue
            if place + 1 == len(data) and not final:  # the first of two that stand for one, or the last of the field
                out.copy(data, start, place)
                self._before = b""
                return place
            is_double = data[place + 1 : place + 2] == b'"'
            self._is_quoted = is_double
            out.copy(data, start, place + 1 + is_double)
            start = place + 1 + is_double
        if self._is_quoted:
            out.copy(data, start, len(data))
        else:
            out.put(data[start:].translate(self._table), start, len(data))
        self._before = data[-1:] or self._before
        return len(data)

    def _read_first_line(self, data: bytes, final: bool) -> bool:
        """Tell the mark; whether enough has come."""
        end = data.find(b"\n", 0, FIRST_LINE)
        if end < 0 and len(data) < FIRST_LINE and not final:
            return False
        fields = re.sub(rb'"[^"]*+"?+', b"", data[: FIRST_LINE if end < 0 else end])
        self._set(max((MARKS[i : i + 1] for i in range(len(MARKS))), key=fields.count))
        return True


READERS = (
    Reader(
        name="csv", summary="CSV and its like: a URL ends with its field; the separator is found in the first line",
        suffixes=(".csv",), types=("text/csv",), decode=CsvDecoder,
    ),
    Reader(
        name="tsv", summary="tables with tabs between fields", suffixes=(".tsv", ".tab"),
        types=("text/tab-separated-values",), decode=lambda: CsvDecoder(b"\t"),
    ),
)  # fmt: skip
