"""Text tables row by row: CSV, TSV and JSON lines, whose rows are carried as they are written.

Rule: nothing is guessed. A record keeps its octets, and is written with the new fields after them. For another format
each value is text: that of its field in CSV, that of its string or else its JSON text in JSON lines. A column is one of
integers only if the whole file was read, and each of its values is written as an integer of 64 bits would be.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, KeysView
from typing import Any, Protocol

from anyurl.batch.arrays import arrow, as_octets

MAX_RECORD = 1 << 27
"""Octets of a record: after a quotation mark that nothing closes, the rest of the file would be one."""

Record = bytes
"""A row as it is written, with its line end."""

INTEGER = "^(0|-?[1-9][0-9]{0,17})?$"
"""How an integer of 64 bits is written, or none."""

MOST_DIGITS = 19
"""Digits from which on, its sign included, an integer may exceed 64 bits."""

NOT_TEXT = {bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
"""JSON's names of the types that are not text (RFC 8259 3)."""


class Records(Protocol):
    """An open text table.

    Attributes:
        names: The names of its columns.
    """

    names: list[str]

    def __iter__(self) -> Iterator[list[Record]]:
        """The records after the header, some at a time. Raises ValueError or OSError if it can't be read."""
        ...

    def kinds(self) -> dict[str, Any]:
        """The Arrow type of each column: the file is read for it, if it can be read twice. Raises as `values`."""
        ...

    def values(self, records: list[Record], kinds: dict[str, Any]) -> Any:
        """A record batch of these columns. Raises ValueError or ArrowInvalid if a row is damaged."""
        ...

    def urls(self, records: list[Record], name: str) -> Any:
        """The same, of the column of URLs alone, before `extended` is called with these records."""
        ...

    def check(self, column: str) -> None:
        """Read the URLs in the first records. Raises as `values`."""
        ...

    def header(self, fields: list[str]) -> bytes:
        """The octets before the first record, with the names of more columns."""
        ...

    def extended(self, records: list[Record], fields: Any) -> bytes:
        """The records, each followed by its row of a record batch."""
        ...


def _pieces(path: str, size: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while piece := file.read(size):
            yield piece


def _check_length(record: bytes) -> None:
    if len(record) > MAX_RECORD:
        raise ValueError(f"a row has more than {MAX_RECORD >> 20} MiB")


# --- CSV -------------------------------------------------------------------------------------------------------------


class CsvRecords:
    """The records of a CSV file (RFC 4180): a line break between quotation marks does not end one."""

    def __init__(self, path: str, block: int, separator: str) -> None:
        self._path, self._block, self._separator = path, block, separator
        self._blocks = self._read(path, block)
        first = next(self._blocks, [])
        while first and not _is_row(first[0]):
            first = first[1:]
        if not first:
            raise ValueError("it is empty")
        self._header, self._first = first[0], first[1:]
        if self._header.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise ValueError("it is UTF-16; CSV is read as UTF-8")
        text = self._header.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")
        try:
            self.names: list[str] = next(csv.reader([text], delimiter=separator))
        except csv.Error:
            raise ValueError("its first row is not CSV") from None

    def __iter__(self) -> Iterator[list[Record]]:
        if self._first:
            yield self._first
        yield from self._blocks

    def _read(self, path: str, block: int) -> Iterator[list[Record]]:
        separator, rest, begun, is_open = self._separator.encode(), b"", b"", False
        for piece in _pieces(path, block):
            lines = (rest + piece).splitlines(keepends=True)
            rest = b"" if lines[-1].endswith(b"\n") else lines.pop()  # its end may be in the next piece, or half of it
            records, begun, is_open = _joined(lines, begun, is_open, separator)
            _check_length(begun or rest)
            if records:
                yield records
        records, begun, is_open = _joined([rest] if rest else [], begun, is_open, separator)
        if begun:
            raise ValueError("it ends between quotation marks")
        if records:
            yield records

    def kinds(self) -> dict[str, Any]:
        """See `Records.kinds`."""
        from pyarrow.compute import MatchSubstringOptions as Matches
        from pyarrow.compute import call_function

        pa = arrow()
        kinds = dict.fromkeys(self.names, pa.string())
        left = set(self.names) if os.path.isfile(self._path) else set()
        there: set[str] = set()
        for records in CsvRecords(self._path, self._block, self._separator) if left else ():
            for name, column in zip(
                sorted(left), self.values(records, dict.fromkeys(sorted(left), pa.string())), strict=True
            ):
                fits = call_function("match_substring_regex", [as_octets(column)], Matches(INTEGER))
                if not call_function("all", [fits]).as_py():
                    left.discard(name)
                elif call_function("max", [call_function("binary_length", [column])]).as_py():
                    there.add(name)
            if not left:
                break
        return kinds | dict.fromkeys(left & there, pa.int64())

    def values(self, records: list[Record], kinds: dict[str, Any]) -> Any:
        """See `Records.values`."""
        import pyarrow.csv

        pa = arrow()
        if not any(map(_is_row, records)):
            return pa.RecordBatch.from_pylist([], pa.schema(kinds))
        octets = b"".join(records)
        read_as = {name: pa.int64() if kind == pa.int64() else pa.binary() for name, kind in kinds.items()}
        options = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(self.names, pa.binary()) | read_as, include_columns=list(kinds),
            null_values=[""], strings_can_be_null=False,
        )  # fmt: skip
        read = pyarrow.csv.ReadOptions(column_names=self.names, block_size=len(octets) + 1, use_threads=False)
        parse = pyarrow.csv.ParseOptions(delimiter=self._separator, newlines_in_values=True)
        rows = pyarrow.csv.read_csv(
            pa.py_buffer(octets), read_options=read, parse_options=parse, convert_options=options
        )
        if rows.num_rows != sum(map(_is_row, records)):
            raise ValueError("its quotation marks are not those of CSV (RFC 4180 2)")
        made = [column.combine_chunks().view(kind) for column, kind in zip(rows.columns, kinds.values(), strict=True)]
        return pa.RecordBatch.from_arrays(made, names=list(kinds))

    def check(self, column: str) -> None:
        """See `Records.check`."""
        self.urls(self._first[:1], column)

    def urls(self, records: list[Record], name: str) -> Any:
        """See `Records.urls`."""
        return self.values(records, {name: arrow().string()})

    def header(self, fields: list[str]) -> bytes:
        """See `Records.header`."""
        row, end = _cut(self._header)
        names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in fields]
        return self._separator.join(["", *names]).encode().join([row, end or b"\n"])

    def extended(self, records: list[Record], fields: Any) -> bytes:
        """See `Records.extended`."""
        import pyarrow.csv

        made = arrow().BufferOutputStream()
        write = pyarrow.csv.WriteOptions(include_header=False, delimiter=self._separator)
        pyarrow.csv.write_csv(fields, made, write_options=write)
        separator = self._separator.encode()
        lines = made.getvalue().to_pybytes().splitlines(keepends=True)
        if len(lines) != fields.num_rows:  # a line break is in a component, decoded
            lines = _joined(lines, b"", False, separator)[0]
        rows = iter(lines)
        pieces: list[bytes] = []
        for record in records:
            if _is_row(record):
                row, end = _cut(record)
                pieces += (row, separator, _cut(next(rows))[0], end)
            else:
                pieces.append(record)
        return b"".join(pieces)


def _is_row(record: Record) -> bool:
    """Whether it is not an empty line."""
    return record not in (b"\n", b"\r\n", b"\r")


def _cut(record: Record) -> tuple[bytes, bytes]:
    """A record without its line end, and that."""
    row = record[:-1] if record.endswith(b"\n") else record
    row = row.removesuffix(b"\r")
    return row, record[len(row) :]


def _joined(lines: list[bytes], begun: bytes, is_open: bool, separator: bytes) -> tuple[list[Record], bytes, bool]:
    """Records made of lines; then the one that is not complete, and whether it ends between quotation marks."""
    records: list[Record] = []
    held = [begun] if begun else []
    for line in lines:
        if not held and b'"' not in line:
            records.append(line)
            continue
        is_open = _ends_open(line, is_open, separator, not held)
        held.append(line)
        if not is_open:
            records.append(b"".join(held))
            held = []
    return records, b"".join(held), is_open


def _ends_open(line: bytes, is_open: bool, separator: bytes, is_first: bool) -> bool:
    """Whether a line of a record ends between quotation marks.

    Args:
        is_open: Whether it begins so.
        is_first: Whether it is the first line of its record.
    """
    at = 0
    if is_first and line.startswith(b'"'):
        at, is_open = 1, True
    while True:
        if is_open:
            at = line.find(b'"', at)
            while at >= 0 and line.startswith(b'"', at + 1):
                at = line.find(b'"', at + 2)
            if at < 0:
                return True
            at += 1
        at = line.find(separator + b'"', at)  # elsewhere in a field a quotation mark is a character like others
        if at < 0:
            return False
        at, is_open = at + 2, True


# --- JSON lines ------------------------------------------------------------------------------------------------------


class JsonRecords:
    """The records of a file with a JSON object on each line."""

    def __init__(self, path: str, block: int) -> None:
        self._path, self._block = path, block
        self._blocks = self._read(path, block)
        self._added: frozenset[str] = frozenset()
        self._keys: list[KeysView[str]] = []
        self._first = next(self._blocks, None)
        if self._first is None:
            raise ValueError("it is empty")
        keys: dict[str, None] = {}
        for record in self._first:
            if record.strip():
                keys.update(dict.fromkeys(_object(record)))
        self.names: list[str] = list(keys)
        self._has_text = False

    def __iter__(self) -> Iterator[list[Record]]:
        yield self._first or []
        yield from self._blocks

    def _read(self, path: str, block: int) -> Iterator[list[Record]]:
        rest = b""
        for piece in _pieces(path, block):
            lines = (rest + piece).split(b"\n")
            rest = lines.pop()
            _check_length(rest)
            if lines:
                yield [line + b"\n" for line in lines]
        if rest:
            yield [rest]

    def kinds(self) -> dict[str, Any]:
        """See `Records.kinds`."""
        pa = arrow()
        found: dict[str, set[type]] = {name: set() for name in self.names}
        for records in JsonRecords(self._path, self._block) if os.path.isfile(self._path) else ():
            for record in records:
                for name, value in _object(record).items() if record.strip() else ():
                    found.get(name, set()).add(type(value))
        integers = {name for name, types in found.items() if int in types and types <= {int, type(None)}}
        return {name: pa.int64() if name in integers else pa.string() for name in self.names}

    def values(self, records: list[Record], kinds: dict[str, Any]) -> Any:
        """See `Records.values`."""
        pa = arrow()
        columns: list[list[Any]] = [[] for _ in kinds]
        for record in records:
            if not record.strip():
                continue
            row = _members(record)
            if not row.keys() <= kinds.keys():
                raise ValueError("a row has a field that the first rows lack")
            for name, column in zip(kinds, columns, strict=True):
                column.append(row.get(name))
        made = []
        for kind, column in zip(kinds.values(), columns, strict=True):
            if kind == pa.int64():
                made.append(pa.array([None if value is None else int(value) for value in column], kind))
            else:
                made.append(pa.array(column, pa.binary()).view(kind))
        return pa.RecordBatch.from_arrays(made, names=list(kinds))

    def urls(self, records: list[Record], name: str) -> Any:
        """See `Records.urls`."""
        pa = arrow()
        values = []
        self._keys = []
        key = json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")
        for record in records:
            if record.strip():
                row = _object(record)
                if record.count(key) > 1:  # readers differ in which of two members they take (RFC 8259 4)
                    _members(record)
                values.append(row.get(name))
                self._keys.append(row.keys())
        texts = pa.array(self._texts(values, name), pa.binary()).view(pa.string())
        return pa.RecordBatch.from_arrays([texts], names=[name])

    def _texts(self, values: list[Any], name: str) -> list[bytes | None]:
        for value in values:
            if isinstance(value, str):
                self._has_text = True
            elif value is not None:
                kind = NOT_TEXT[type(value)]
                if self._has_text:
                    raise ValueError(f"{name!r} is of type string in one row, and {kind} in another")
                raise ValueError(f"{name!r} is of type {kind} in a row, not a string")
        return [None if value is None else _octets(value) for value in values]

    def check(self, column: str) -> None:
        """See `Records.check`."""
        self.urls(self._first or [], column)

    def header(self, fields: list[str]) -> bytes:
        """See `Records.header`."""
        self._added = frozenset(fields)
        return b""

    def extended(self, records: list[Record], fields: Any) -> bytes:
        """See `Records.extended`."""
        rows, keys = iter(json_lines(fields)), iter(self._keys)
        pieces: list[bytes] = []
        for record in records:
            body = record.rstrip()
            if not body:
                pieces.append(record)
                continue
            known = next(keys)
            for name in self._added & known:
                raise ValueError(f"there is a column {name!r} already, where a field would go")
            comma = b", " if known else b""
            pieces += (body[:-1], comma, next(rows)[1:].encode(), record[len(body) :])
        return b"".join(pieces)


def _object(record: Record) -> dict[str, Any]:
    """Decode a record. Raises ValueError if it is not a JSON object."""
    try:
        row = _OBJECTS.decode(record.decode("utf-8", "surrogateescape"))
    except json.JSONDecodeError as error:
        raise ValueError(f"a row is not JSON from its character {error.pos + 1:,} on") from None
    except RecursionError:
        raise ValueError("a row is nested too deep") from None
    if not isinstance(row, dict):
        raise ValueError("a row is not a JSON object")
    return row


def _integer(digits: str) -> int | float:
    """A float if an integer of 64 bits may not be written so."""
    return int(digits) if len(digits) < MOST_DIGITS and digits != "-0" else 0.0


_OBJECTS = json.JSONDecoder(parse_int=_integer)


def _octets(text: str) -> bytes:
    """The octets that were read with surrogates for those that are not UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # an escape of a lone surrogate
        return text.encode("utf-8", "surrogatepass")


def _members(record: Record) -> dict[str, bytes | None]:
    """The members of an object, each as text: of a string the string, of null none, else its JSON text.

    Raises:
        ValueError: It is not an object, or has two members of one name.
    """
    text = record.decode("utf-8", "surrogateescape")
    decode = _OBJECTS.raw_decode
    found: dict[str, bytes | None] = {}
    at = _next(text, 0) + 1
    while text[_next(text, at)] != "}":
        key, at = decode(text, _next(text, at))
        start = _next(text, _next(text, at) + 1)
        value, at = decode(text, start)
        if key in found:
            raise ValueError(f"a row has {key!r} twice")
        found[key] = None if value is None else _octets(value if isinstance(value, str) else text[start:at])
        at = _next(text, at)
        at += text[at] == ","
    return found


def _next(text: str, at: int) -> int:
    """The next character that is not white space (RFC 8259 2)."""
    while text[at] in " \t\r\n":
        at += 1
    return at


# --- writing ---------------------------------------------------------------------------------------------------------


def json_lines(batch: Any) -> Iterator[str]:
    """Each row as a JSON object."""
    as_text = json.JSONEncoder(ensure_ascii=False, default=_as_text, allow_nan=False).encode
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:  # octets that are not UTF-8, in a column of text
        pa = arrow()
        rows = pa.RecordBatch.from_arrays([as_octets(each) for each in batch.columns], batch.schema.names).to_pylist()
    for row in rows:
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
