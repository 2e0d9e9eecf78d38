"""Table files with a column of URLs, read and written with the components: Parquet, Arrow, CSV, JSON lines.

Rules: files are processed in batches, so that memory does not grow with them; the output gets its name only when it is
complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from anyurl.batch.arrays import arrow, check_sound, text_column
from anyurl.batch.columns import FIELDS, columns
from anyurl.batch.records import CsvRecords, JsonRecords, Records, json_lines
from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import DAMAGED, reason_of
from anyurl.files.output import whole_file
from anyurl.guard.verdict import Reader, option
from anyurl.text.readers.registry import PARQUET, STREAM

__all__ = [
    "Table", "count_faults", "format_of", "json_lines", "only", "rows_as_text", "with_arrays", "with_columns",
    "write_carried", "write_table",
]  # fmt: skip

BATCH_ROWS = 65_536
"""Rows per batch: 4 MB of URLs of typical length, and as much again of components."""

MAPPED_FROM = 1 << 26
"""Octets from which on an Arrow file is mapped: it may be one batch, which would be read into memory whole. A smaller
one is read: a mapped file that is cut short meanwhile ends the process."""

OCTETS_OF_A_ROW = 64
"""Octets that a row of a text format is taken to have."""

FORMATS = {
    ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}  # fmt: skip
"""The formats by suffix."""

TEXTS = frozenset((".txt", ".md", ".html", ".warc", ".gz", ".cdx", ".cdxj", ".wat", ".wet"))
"""Suffixes of files that are not tables, but have URLs."""


def format_of(name: str) -> str:
    """The format of a file, by its name.

    Raises:
        ValueError: The name has no known suffix.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        way = "; the URLs of a text or a web archive are found by anyurl find" if suffix in TEXTS else ""
        raise ValueError(f"the name {name!r} ends with none of {', '.join(FORMATS)}, which tell the format{way}")
    return FORMATS[suffix]


def rows_as_text(path: str, head: bytes) -> Iterator[bytes]:
    """The rows of a table in binary (`is_table`), each as a line of JSON.

    Raises:
        MissingExtraError: pyarrow is not installed.
        LocalFileError: It can't be read.
    """
    begun = "can't be read"
    try:
        opened = _OPENERS["parquet" if head.startswith(PARQUET) else "arrow"](path, BATCH_ROWS)
        begun = "can't be read to its end"
        for batch in opened[1]:
            for line in json_lines(batch):
                yield line.encode("utf-8", "surrogateescape") + b"\n"
    except _unreadable() as error:
        raise LocalFileError(f"{escape(path)} {begun}: {_why(error)}.") from None


class Table:
    """An open file that is read in batches.

    Args:
        path: Its name, which determines the format.
        column: The name of the column of URLs; None for the only one.
        batch_rows: The approximate number of rows per batch.

    Attributes:
        column: The name of the column of URLs.
        compression: The compression of a Parquet file; else None.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: The format is unknown, there is no such column, or two columns have the same name.
        TypeError: The column is not text.
        LocalFileError: It can't be read.
    """

    def __init__(
        self, path: str, column: str | None, batch_rows: int = BATCH_ROWS, reader: Reader = "arguments"
    ) -> None:
        self._path = path
        self._form = format_of(path)
        self._records: Records | None = None
        self.compression: str | None = None
        try:
            if self._form in _RECORDS:
                self._records = _RECORDS[self._form](path, batch_rows * OCTETS_OF_A_ROW)
                schema = arrow().schema([(name, arrow().string()) for name in self._records.names])
            else:
                schema, self._batches, self.compression = _OPENERS[self._form](path, batch_rows)
            names = schema.names
        except _unreadable() as error:
            raise LocalFileError(f"{escape(path)} can't be read: {_why(error)}.") from None
        self.column: str = _chosen(path, names, column, reader)
        self._schema = schema if self._records is None else None
        try:
            if self._records is not None:
                self._records.check(self.column)
        except _unreadable() as error:
            raise LocalFileError(f"{escape(path)} can't be read: {_why(error)}.") from None
        # Check the type before any row is read.
        text_column(arrow().array([], schema.field(self.column).type), self.column)

    @property
    def schema(self) -> Any:
        """The schema of the record batches; a text format is read to its end for it."""
        if self._schema is None:
            assert self._records is not None
            (kinds,) = self._read(read() for read in [self._records.kinds])
            kinds[self.column] = arrow().string()
            self._schema = arrow().schema(kinds)
        return self._schema

    def empty(self) -> Any:
        """A batch without rows."""
        return arrow().RecordBatch.from_pylist([], self.schema)

    def __iter__(self) -> Iterator[Any]:
        records = self._records
        if records is None:
            yield from self._read(self._batches)
        else:
            kinds = dict(zip(self.schema.names, self.schema.types, strict=True))
            yield from self._read(records.values(each, kinds) for each in records)

    def column_as_text(self) -> Iterator[bytes]:
        """The rows of the column of URLs, each as a line of JSON; of a Parquet file the others are not read."""
        if self._records is not None:
            batches = (self._records.urls(each, self.column) for each in self._records)
        else:
            _, all_or_one, _ = _OPENERS[self._form](self._path, BATCH_ROWS, self.column)
            batches = (batch.select([self.column]) for batch in all_or_one)
        for batch in self._read(batches):
            for line in json_lines(batch):
                yield line.encode("utf-8", "surrogateescape") + b"\n"

    def carries(self, form: str) -> bool:
        """Whether its rows can be written in a format as they are, with the new fields after them."""
        return self._records is not None and self._form == form

    def carried(self, fields: Iterable[str], threads: int = 1) -> Iterator[tuple[bytes, Any]]:
        """The octets of the rows as they are, extended by the components, with these; the names of columns first.

        Raises:
            ValueError: A column has the name of a field, or the format has no place for one.
        """
        records, column, wanted = self._records, self.column, [*fields]
        if "query_map" in wanted and self._form != "jsonl":
            raise ValueError(f"the field query_map is a map, for which {self._form} has no place")
        assert records is not None
        empty = arrow().RecordBatch.from_pylist([], arrow().schema([(n, arrow().string()) for n in records.names]))
        added = with_columns(empty, column, wanted).schema.names[len(records.names) :]
        yield records.header(added), None
        extra = [] if "fault" in wanted else ["fault"]
        for some, batch in self._read((each, records.urls(each, column)) for each in records):
            made = with_columns(batch, column, [*wanted, *extra], threads)
            yield records.extended(some, made.select(added)), made

    def _read(self, what: Iterable[Any]) -> Iterator[Any]:
        try:
            yield from what
        except _unreadable() as error:
            raise LocalFileError(f"{escape(self._path)} can't be read to its end: {_why(error)}.") from None


def _unreadable() -> tuple[type[Exception], ...]:
    return OSError, ValueError, arrow().ArrowException


def _why(error: Exception) -> str:
    """Why a file can't be read; an OSError of pyarrow without errno is about its content."""
    if type(error) is ValueError:  # of `anyurl.batch.records`
        return escape(str(error))
    is_known = error.errno if isinstance(error, OSError) else isinstance(error, arrow().ArrowException)
    return reason_of(error) if is_known else DAMAGED


def _chosen(path: str, names: list[str], column: str | None, reader: Reader) -> str:
    """The name of the column of URLs. Raises ValueError."""
    known = f"it has {', '.join(map(repr, names))}" if names else "it has no columns"
    if column is None and len(names) != 1:
        which = "are several columns" if names else "is no column"
        remedy = f"; {option('column', reader)} has to name that of the URLs" if names else ""
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


def _open_parquet(path: str, batch_rows: int, column: str | None = None) -> tuple[Any, Iterator[Any], str | None]:
    import pyarrow.parquet

    # Read ahead, a whole file would stay in memory: it is released only at the end.
    file = pyarrow.parquet.ParquetFile(_file(path), pre_buffer=False)
    compression = None
    if file.metadata.num_row_groups and file.metadata.num_columns:
        # Damaged metadata of a column is an error while rows are read, and ends the process elsewhere.
        next(file.iter_batches(1, row_groups=[0], columns=[file.schema.column(0).path]), None)
        compression = file.metadata.row_group(0).column(0).compression
    return file.schema_arrow, file.iter_batches(batch_rows, columns=None if column is None else [column]), compression


def _open_arrow(path: str, batch_rows: int, _column: str | None = None) -> tuple[Any, Iterator[Any], str | None]:
    import pyarrow.ipc

    source = _file(path)
    is_stream = source.read(len(STREAM)) == STREAM
    source.seek(0)
    if source.size() >= MAPPED_FROM:
        source = arrow().memory_map(os.fsdecode(path))
    file = (pyarrow.ipc.open_stream if is_stream else pyarrow.ipc.open_file)(source)

    def batches() -> Iterator[Any]:
        for batch in file if is_stream else map(file.get_batch, range(file.num_record_batches)):
            for first in range(0, batch.num_rows, batch_rows):
                rows = batch.slice(first, batch_rows)
                for column in rows.columns:
                    check_sound(column)
                yield rows

    return file.schema, batches(), None


_OPENERS: dict[str, Callable[..., tuple[Any, Iterator[Any], str | None]]] = {
    "parquet": _open_parquet, "arrow": _open_arrow,
}  # fmt: skip

_RECORDS: dict[str, Callable[[str, int], Records]] = {
    "csv": partial(CsvRecords, separator=","), "tsv": partial(CsvRecords, separator="\t"), "jsonl": JsonRecords,
}  # fmt: skip


def with_columns(batch: Any, column: str, fields: Iterable[str] = FIELDS, threads: int = 1) -> Any:
    """Append the components of a column to a record batch, each as ``COLUMN_FIELD``.

    Raises:
        ValueError: The batch already has a column of such a name.
    """
    made = columns(batch, fields, layout="string", threads=threads, column=column)
    return with_arrays(batch, column, dict(zip((field.name for field in made.type), made.flatten(), strict=True)))


def with_arrays(batch: Any, column: str, made: Mapping[str, Any]) -> Any:
    """Append arrays to a record batch or a table, each as ``COLUMN_NAME``.

    Raises:
        ValueError: There already is a column of such a name.
    """
    schema = batch.schema  # with its metadata of each column and of all
    for name, array in made.items():
        whole = f"{column}_{name}"
        if whole in schema.names:
            raise ValueError(f"there is a column {whole!r} already, where the field {name} would go")
        schema = schema.append(arrow().field(whole, array.type))
    return type(batch).from_arrays([*batch.columns, *made.values()], schema=schema)


def write_carried(pieces: Iterable[bytes], path: str) -> None:
    """Write octets to a file, which gets its name when it is complete. Raises LocalFileError."""
    with whole_file(path) as file:
        for piece in pieces:
            file.write(piece)


def count_faults(batch: Any, column: str) -> int:
    """The number of rows that are not URLs, in a batch with the field ``fault``."""
    from pyarrow.compute import call_function

    count: int = call_function("sum", [_faulty(batch, column)]).as_py() or 0
    return count


def only(batch: Any, column: str, which: str) -> Any:
    """The rows that are URLs (``valid``), or are not (``faulty``); null ones are neither. A batch has a ``fault``."""
    from pyarrow.compute import call_function

    faulty = _faulty(batch, column)
    return batch.filter(faulty if which == "faulty" else call_function("invert", [faulty]))


def _faulty(batch: Any, column: str) -> Any:
    from pyarrow.compute import call_function

    return call_function("greater", [batch.column(f"{column}_fault"), 0])


def write_table(batches: Iterable[Any], schema: Any, path: str, compression: str | None = None) -> int:
    """Write record batches to a file, which gets its name when it is complete; returns the number of rows.

    Args:
        batches: The batches, all with this schema.
        schema: An Arrow schema.
        path: The file; its name determines the format.
        compression: That of a Parquet file; None for the usual one.

    Raises:
        ValueError: The format is unknown.
        LocalFileError: It can't be written.
    """
    form = format_of(path)
    pa = arrow()
    rows = 0
    with whole_file(path) as file:
        try:
            write, close = _WRITERS[form](file, schema, compression)
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
            lacks = f"{form} cannot hold the values of a column (a list, or octets that are not text)"
            raise LocalFileError(f"{escape(path)} can't be written: {lacks}.") from None
    return rows


Writer = tuple[Callable[[Any], object], Callable[[], object]]


def _write_parquet(file: Any, schema: Any, compression: str | None) -> Writer:
    import pyarrow.parquet

    name = "none" if compression == "UNCOMPRESSED" else compression or "snappy"
    writer = pyarrow.parquet.ParquetWriter(file, schema, compression=name)
    return writer.write_batch, writer.close


def _write_arrow(file: Any, schema: Any, _: str | None) -> Writer:
    import pyarrow.ipc

    writer = pyarrow.ipc.new_file(file, schema)
    return writer.write_batch, writer.close


def _write_csv(file: Any, schema: Any, _: str | None, separator: str = ",") -> Writer:
    import pyarrow.csv

    writer = pyarrow.csv.CSVWriter(file, schema, write_options=pyarrow.csv.WriteOptions(delimiter=separator))
    return writer.write_batch, writer.close


def _write_jsonl(file: Any, _schema: Any, _: str | None) -> Writer:
    def write(batch: Any) -> None:
        for line in json_lines(batch):
            file.write(line.encode("utf-8") + b"\n")

    return write, lambda: None


_WRITERS: dict[str, Callable[[Any, Any, str | None], Writer]] = {
    "parquet": _write_parquet, "arrow": _write_arrow, "csv": _write_csv, "jsonl": _write_jsonl,
    "tsv": partial(_write_csv, separator="\t"),
}  # fmt: skip
