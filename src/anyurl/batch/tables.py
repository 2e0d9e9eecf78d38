"""A file of rows with a column of URLs, and another one with what is read in them: Parquet, CSV and JSON lines.

Rules: batch by batch, so that memory does not grow with the file; the output has its name only when it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from anyurl.batch.arrays import arrow, text_column
from anyurl.batch.columns import FIELDS, columns
from anyurl.errors import LocalFileError, escape
from anyurl.net.files.output import whole_file
from anyurl.reasons import reason_of

BATCH_ROWS = 65_536
"""Rows at once: 4 MB of URLs of the usual length, and as much again of components."""

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
"""What the ends of names mean."""


def format_of(name: str) -> str:
    """The format that a file's name tells.

    Raises:
        ValueError: It tells none.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"the name {name!r} ends with none of {', '.join(FORMATS)}, which tell the format")
    return FORMATS[suffix]


class Table:
    """A file that is open, batch by batch.

    Args:
        path: Its name, which tells its format.
        column: The name of the column of URLs; None for the only one.
        batch_rows: Rows at once, about.

    Attributes:
        column: The name of the column of URLs.
        schema: That of the record batches.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: The name tells no format, or there is no such column.
        TypeError: The column is not one of text.
        LocalFileError: It can't be read.
    """

    def __init__(self, path: str, column: str | None, batch_rows: int = BATCH_ROWS) -> None:
        pa = arrow()
        self._path = path
        form = format_of(path)
        try:
            schema, self._batches = _OPENERS[form](path, column, batch_rows)
        except (OSError, pa.ArrowInvalid) as error:
            raise LocalFileError(f"{escape(path)} can't be read: {reason_of(error)}.") from None
        self.schema: Any = schema
        names = self.schema.names
        chosen: str | None = names[0] if column is None and len(names) == 1 else column
        if chosen is None or chosen not in names:
            known = ", ".join(map(repr, names))
            lacks = "there are several columns" if column is None else f"there is no column {column!r}"
            raise ValueError(f"{lacks} in {escape(path)}; it has {known}")
        self.column: str = chosen
        # The type is judged before a row is read.
        text_column(pa.array([], self.schema.field(chosen).type), chosen)

    def empty(self) -> Any:
        """A batch without rows."""
        return arrow().RecordBatch.from_pylist([], self.schema)

    def __iter__(self) -> Iterator[Any]:
        pa = arrow()
        try:
            yield from self._batches
        except (OSError, pa.ArrowInvalid) as error:
            raise LocalFileError(f"{escape(self._path)} can't be read to its end: {reason_of(error)}.") from None


def _open_parquet(path: str, _: str | None, batch_rows: int) -> tuple[Any, Iterator[Any]]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path)
    return file.schema_arrow, file.iter_batches(batch_size=batch_rows)


def _open_csv(path: str, column: str | None, batch_rows: int) -> tuple[Any, Iterator[Any]]:
    import pyarrow.csv

    # A column of URLs is text, whatever its first rows look like.
    kinds = pyarrow.csv.ConvertOptions(column_types={} if column is None else {column: arrow().string()})
    read = pyarrow.csv.ReadOptions(block_size=batch_rows * 64)
    rows = pyarrow.csv.open_csv(path, read_options=read, convert_options=kinds)
    return rows.schema, iter(rows)


def _open_jsonl(path: str, _: str | None, batch_rows: int) -> tuple[Any, Iterator[Any]]:
    import pyarrow.json

    rows = pyarrow.json.open_json(path, read_options=pyarrow.json.ReadOptions(block_size=batch_rows * 64))
    return rows.schema, iter(rows)


_OPENERS: dict[str, Callable[[str, str | None, int], tuple[Any, Iterator[Any]]]] = {
    "parquet": _open_parquet, "csv": _open_csv, "jsonl": _open_jsonl,
}  # fmt: skip


def with_columns(batch: Any, column: str, fields: Iterable[str] = FIELDS, threads: int = 1) -> Any:
    """A record batch with the components of one of its columns behind it, each as ``COLUMN_FIELD``.

    Raises:
        ValueError: The batch has a column of such a name already.
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
    """How many rows of a batch that has the field ``fault`` are no URL."""
    from pyarrow.compute import call_function

    faulty = call_function("greater", [batch.column(f"{column}_fault"), 0])
    count: int = call_function("sum", [faulty]).as_py() or 0
    return count


def write_table(batches: Iterable[Any], schema: Any, path: str) -> int:
    """Write record batches to a file that has its name when it is whole; how many rows those were.

    Args:
        batches: They are all of `schema`.
        schema: As Arrow's.
        path: Its name tells the format.

    Raises:
        ValueError: The name tells no format.
        LocalFileError: It can't be written.
    """
    form = format_of(path)
    pa = arrow()
    rows = 0
    with whole_file(path) as file:
        try:
            write, close = _WRITERS[form](file, schema)
            for batch in batches:
                write(batch)
                rows += batch.num_rows
            close()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # CSV has no lists, and no octets but text
            lacks = f"{form} has no place for what a column holds (a list, or octets that are no text)"
            raise LocalFileError(f"{escape(path)} can't be written: {lacks}.") from None
    return rows


Writer = tuple[Callable[[Any], object], Callable[[], object]]


def _write_parquet(file: Any, schema: Any) -> Writer:
    import pyarrow.parquet

    writer = pyarrow.parquet.ParquetWriter(file, schema)
    return writer.write_batch, writer.close


def _write_csv(file: Any, schema: Any) -> Writer:
    import pyarrow.csv

    writer = pyarrow.csv.CSVWriter(file, schema)
    return writer.write_batch, writer.close


def _write_jsonl(file: Any, _: Any) -> Writer:
    def write(batch: Any) -> None:
        for line in json_lines(batch):
            file.write(line.encode("utf-8") + b"\n")

    return write, lambda: None


_WRITERS: dict[str, Callable[[Any, Any], Writer]] = {
    "parquet": _write_parquet, "csv": _write_csv, "jsonl": _write_jsonl,
}  # fmt: skip


def json_lines(batch: Any) -> Iterator[str]:
    """Each row as a JSON object."""
    import json

    for row in batch.to_pylist():
        yield json.dumps(row, ensure_ascii=False, default=_as_text)


def _as_text(value: object) -> str:
    """What JSON has no type for."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
