"""Tables: whatever stands in a file called one, it ends as an error of the tree, or each row is what `URL` reads."""

from __future__ import annotations

import atexit
import os
import tempfile
from typing import Any

from anyurl.batch.arrays import row_texts, text_column
from anyurl.batch.tables import Table, with_columns
from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from fuzz import kit

_SUFFIXES = (".arrow", ".parquet", ".csv", ".jsonl", ".tsv")
_FILES = [tempfile.NamedTemporaryFile(suffix=suffix) for suffix in _SUFFIXES]  # noqa: SIM115 - as long as the process
for _file in _FILES:
    atexit.register(_file.close)

_FIELDS = ("host", "path", "query", "port", "fault")


def fuzz(data: bytes) -> None:
    """The first octet names the format, the others are the file."""
    if not data:
        return
    file = _FILES[data[0] % len(_FILES)]
    file.seek(0)
    file.truncate()
    file.write(data[1:])
    file.flush()
    kit.outcome(lambda: _read(file.name), quoted=os.path.basename(file.name))


def _read(path: str) -> None:
    try:
        table = Table(path, None, batch_rows=3)
    except (TypeError, ValueError):  # another number of columns than one, or one of numbers
        return
    for batch in table:
        names = [f"{table.column}_{field}" for field in _FIELDS]
        made = with_columns(batch, table.column, _FIELDS).select(names)
        (texts,), _ = text_column(batch, table.column)
        for text, row in zip(row_texts(texts.plain()).to_pylist(), made.to_pylist(), strict=True):
            _compare(text, dict(zip(_FIELDS, row.values(), strict=True)))


def _compare(text: bytes | None, row: dict[str, Any]) -> None:
    """Raise a `Finding` if a row is not what `URL` says of its text."""
    if text is None:
        kit.same([*row.values()], [None] * len(_FIELDS), "a null row")
        return
    try:
        url = URL(text)
    except URLSyntaxError:
        kit.same((row["host"], row["fault"] > 0), (None, True), f"the row {text!r}")
    else:
        known = {"host": url.host, "path": url.path, "query": url.query, "port": url.port, "fault": 0}
        kit.same(row, known, f"the row {text!r}")
