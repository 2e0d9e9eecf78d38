"""Table files with a column of URLs, read and written with the components: Parquet, Arrow, CSV, JSON lines.

Rules: files are processed in batches, so that memory does not grow with them; the output gets its name only when it is
complete.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from anyurl.batch.arrays import arrow, text_column
from anyurl.batch.columns import FIELDS, columns
from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import DAMAGED, reason_of
from anyurl.files.output import whole_file

BATCH_ROWS = 65_536
"""Rows per batch: 4 MB of URLs of typical length, and as much again of components."""

FORMATS = {
    ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}  # fmt: skip
"""The formats by suffix."""


def format_of(name: str) -> str:
    """The format of a file, by its name.

    Raises:
        ValueError: The name has no known suffix.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"the name {name!r} ends with none of {', '.join(FORMATS)}, which tell the format")
    return FORMATS[suffix]


class Table:
    """An open file that is read in batches.

    Args:
        path: Its name, which determines the format.
        column: The name of the column of URLs; None for the only one. In CSV it is always read as text.
        batch_rows: The approximate number of rows per batch.

    Attributes:
        column: The name of the column of URLs.
        schema: The schema of the record batches.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: The format is unknown, there is no such column, or two columns have the same name.
        TypeError: The column is not text.
        LocalFileError: It can't be read.
    """

    def __init__(self, path: str, column: str | None, batch_rows: int = BATCH_ROWS) -> None:
        self._path = path
        opened = _OPENERS[format_of(path)]
        try:
            self.schema: Any
            self.schema, self._batches = opened(path, batch_rows, None)
            self.column: str = _chosen(path, self.schema.names, column)
            if opened in _GUESSING:
                # The type was guessed from the first rows: if these are null or look like dates, it is not text.
                self.schema, self._batches = opened(path, batch_rows, self.schema.field(self.column))
        except _unreadable() as error:
            raise LocalFileError(f"{escape(path)} can't be read: {_why(error)}.") from None
        # Check the type before any row is read.
        text_column(arrow().array([], self.schema.field(self.column).type), self.column)

    def empty(self) -> Any:
        """A batch without rows."""
        return arrow().RecordBatch.from_pylist([], self.schema)

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self._batches
        except _unreadable() as error:
            raise LocalFileError(f"{escape(self._path)} can't be read to its end: {_why(error)}.") from None


def _unreadable() -> tuple[type[Exception], ...]:
    return OSError, arrow().ArrowInvalid


def _why(error: Exception) -> str:
    """Why a file can't be read; an OSError of pyarrow without errno is about its content."""
    return DAMAGED if isinstance(error, OSError) and not error.errno else reason_of(error)


def _chosen(path: str, names: list[str], column: str | None) -> str:
    """The name of the column of URLs. Raises ValueError."""
    known = f"it has {', '.join(map(repr, names))}" if names else "it has none"
    if column is None and len(names) != 1:
        which = "are several columns" if names else "is no column"
        remedy = "; --column has to name that of the URLs" if names else ""
        raise ValueError(f"there {which} in {escape(path)}; {known}{remedy}")
    chosen = names[0] if column is None else column
    if chosen not in names:
        raise ValueError(f"there is no column {chosen!r} in {escape(path)}; {known}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"there is more than one column {name!r} in {escape(path)}; {known}")
    return chosen


def _file(path: str) -> Any:
    """Open a local file. Given a name like ``s3://bucket/x``, pyarrow itself would access the network."""
    with open(path, "rb"):  # raises an OSError with an errno if it can't be read
        return arrow().OSFile(os.fsencode(path))


def _open_parquet(path: str, batch_rows: int, _: Any) -> tuple[Any, Iterator[Any]]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(_file(path))
    return file.schema_arrow, file.iter_batches(batch_size=batch_rows)


def _open_arrow(path: str, _rows: int, _: Any) -> tuple[Any, Iterator[Any]]:
    import pyarrow.ipc

    file = pyarrow.ipc.open_file(_file(path))
    return file.schema, (file.get_batch(number) for number in range(file.num_record_batches))


def _open_csv(path: str, batch_rows: int, column: Any, separator: str = ",") -> tuple[Any, Iterator[Any]]:
    import pyarrow.csv

    kinds = pyarrow.csv.ConvertOptions(column_types={} if column is None else {column.name: arrow().string()})
    read = pyarrow.csv.ReadOptions(block_size=batch_rows * 64)
    parse = pyarrow.csv.ParseOptions(delimiter=separator)
    rows = pyarrow.csv.open_csv(_file(path), read_options=read, parse_options=parse, convert_options=kinds)
    return rows.schema, iter(rows)


def _open_jsonl(path: str, batch_rows: int, column: Any) -> tuple[Any, Iterator[Any]]:
    import pyarrow.json

    pa = arrow()
    read = pyarrow.json.ReadOptions(block_size=batch_rows * 64)
    parse = pyarrow.json.ParseOptions()
    if column is not None and (pa.types.is_null(column.type) or pa.types.is_timestamp(column.type)):
        parse.explicit_schema = pa.schema([(column.name, pa.string())])
    rows = pyarrow.json.open_json(_file(path), read_options=read, parse_options=parse)
    return rows.schema, iter(rows)


_open_tsv = partial(_open_csv, separator="\t")

_OPENERS: dict[str, Callable[[str, int, Any], tuple[Any, Iterator[Any]]]] = {
    "parquet": _open_parquet, "arrow": _open_arrow, "csv": _open_csv, "tsv": _open_tsv, "jsonl": _open_jsonl,
}  # fmt: skip

_GUESSING = (_open_csv, _open_tsv, _open_jsonl)
"""The openers of formats without column types."""


def with_columns(batch: Any, column: str, fields: Iterable[str] = FIELDS, threads: int = 1) -> Any:
    """Append the components of a column to a record batch, each as ``COLUMN_FIELD``.

    Raises:
        ValueError: The batch already has a column of such a name.
    """
    made = columns(batch, fields, layout="string", threads=threads, column=column)
    names = [*batch.schema.names]
    arrays = list(batch.columns)
    for field, array in zip(made.type, made.flatten(), strict=True):
        name = f"{column}_{field.name}"
        if name in names:
            raise ValueError(f"there is a column {name!r} already, where the field {field.name} would go")
        names.append(name)
        arrays.append(array)
    return arrow().RecordBatch.from_arrays(arrays, names)


def count_faults(batch: Any, column: str) -> int:
    """The number of rows that are not URLs, in a batch with the field ``fault``."""
    from pyarrow.compute import call_function

    faulty = call_function("greater", [batch.column(f"{column}_fault"), 0])
    count: int = call_function("sum", [faulty]).as_py() or 0
    return count


def write_table(batches: Iterable[Any], schema: Any, path: str) -> int:
    """Write record batches to a file, which gets its name when it is complete; returns the number of rows.

    Args:
        batches: The batches, all with this schema.
        schema: An Arrow schema.
        path: The file; its name determines the format.

    Raises:
        ValueError: The format is unknown.
        LocalFileError: It can't be written.
    """
    form = format_of(path)
    pa = arrow()
    rows = 0
    with whole_file(path) as file:
        try:
            write, close = _WRITERS[form](file, schema)
            try:
                for batch in batches:
                    write(batch)
                    rows += batch.num_rows
            except BaseException:
                with suppress(Exception):  # else the writer closes itself later, and prints an error to stderr
                    close()
                raise
            close()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # CSV can't hold lists or binary data
            lacks = f"{form} has no place for what a column holds (a list, or octets that are no text)"
            raise LocalFileError(f"{escape(path)} can't be written: {lacks}.") from None
    return rows


Writer = tuple[Callable[[Any], object], Callable[[], object]]


def _write_parquet(file: Any, schema: Any) -> Writer:
    import pyarrow.parquet

    writer = pyarrow.parquet.ParquetWriter(file, schema)
    return writer.write_batch, writer.close


def _write_arrow(file: Any, schema: Any) -> Writer:
    import pyarrow.ipc

    writer = pyarrow.ipc.new_file(file, schema)
    return writer.write_batch, writer.close


def _write_csv(file: Any, schema: Any, separator: str = ",") -> Writer:
    import pyarrow.csv

    writer = pyarrow.csv.CSVWriter(file, schema, write_options=pyarrow.csv.WriteOptions(delimiter=separator))
    return writer.write_batch, writer.close


def _write_jsonl(file: Any, _: Any) -> Writer:
    def write(batch: Any) -> None:
        for line in json_lines(batch):
            file.write(line.encode("utf-8") + b"\n")

    return write, lambda: None


_WRITERS: dict[str, Callable[[Any, Any], Writer]] = {
    "parquet": _write_parquet, "arrow": _write_arrow, "csv": _write_csv, "jsonl": _write_jsonl,
    "tsv": partial(_write_csv, separator="\t"),
}  # fmt: skip


def json_lines(batch: Any) -> Iterator[str]:
    """Each row as a JSON object."""
    import json

    as_text = json.JSONEncoder(ensure_ascii=False, default=_as_text, allow_nan=False).encode
    for row in batch.to_pylist():
        try:
            yield as_text(row)
        except ValueError:
            yield as_text(_finite(row))


def _finite(value: Any) -> Any:
    """The value with null for each number that JSON can't write (RFC 8259 6)."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _as_text(value: object) -> str:
    """A text for a value that JSON has no type for."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
