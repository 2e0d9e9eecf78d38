"""The components of a column of URLs, as a struct of columns.

Rules: each row has the same result as `URL`. For most rows the kernel splits the text and the result points into it;
for the others a `URL` is made, and its values are written to separate memory. Null is not '': a missing component is
null, an empty one is ''. If a row has a fault, all its components are null.
"""

from __future__ import annotations

import struct
from array import array as numbers_of
from collections.abc import Callable, Iterable
from typing import Any, Literal

from anyurl.batch.arrays import WIDE_FROM, Memory, Texts, arrow, memory, row_texts, text_column
from anyurl.batch.derived import KNOWN as DERIVED
from anyurl.batch.derived import derived, is_derived
from anyurl.batch.faults import number_and_place
from anyurl.errors import URLSyntaxError
from anyurl.url import URL, syntax
from anyurl.url.arguments import checked
from anyurl.url.cut import columns as kernel
from anyurl.url.grammars import find_grammar

Layout = Literal["view", "string"]

TEXTS = kernel.FIELDS
"""The text components."""

FIELDS = (*TEXTS, "port", "fault", "fault_at")
"""The default fields of `columns`."""

KNOWN = (*FIELDS, "explicit_port")
"""All fields."""

NORMAL = "normal"
"""The column of whole URLs in normal form; it is never combined with other fields."""

SLICE_SHIFT = 30
"""The offset of a view has 31 bits: longer text is passed as several buffers, one starting at each GiB."""

SIDE_OCTETS = 1 << 30
"""The size of a buffer of separate memory beyond which another one is started."""


@checked
def columns(
    data: Any,
    fields: Iterable[str] = FIELDS,
    *,
    layout: Layout = "view",
    threads: int = 1,
    column: str | None = None,
    grammar: str = "current",
) -> Any:
    """Parse the URLs of a column into columns of components.

    Args:
        data: A pyarrow array, chunked array, record batch or table of text; anything with ``__arrow_c_array__`` or
            ``__arrow_c_stream__`` (a polars Series); a list of texts. Octets that are not text are read as `URL` reads
            bytes.
        fields: Of ``scheme``, ``user``, ``password``, ``host``, ``path``, ``query``, ``fragment`` (text), ``port`` and
            ``explicit_port`` (int32), ``fault`` (int16: 0 for none, else a number of `fault_names`), ``fault_at``
            (int32: the character at which it is). Also, made of the `URL` of each row: ``registered_domain``,
            ``public_suffix``, ``origin``, ``name``, ``suffix``, ``normal`` (`URL.normalize`), ``key`` (the same
            without the fragment), ``query:NAME`` (the first value of that name), ``query_map`` (a map of text to text).
        layout: ``view`` gives text as string_view, which points into `data`; ``string`` copies it, for readers that
            know no views, as large_string if `data` is so or the text takes 2 GiB.
        threads: How many cut at once.
        column: The column's name, where `data` has several.
        grammar: By which the rows are read; every other than ``current`` is read row by row.

    Returns:
        A struct array; a chunked one when `data` came as several arrays. Text is as the attributes of `URL` give it:
        scheme and host in lower case, user and password decoded (but as written where that is not UTF-8), the rest
        encoded. A null row is a null struct. Each text of a dictionary is parsed once.

    Raises:
        MissingExtraError: pyarrow is not installed, or publicsuffixlist is not, and a domain is wanted.
        TypeError: `data` is not a column of text.
        ValueError: A field, layout or column is not known, `threads` is below 1, or an array is damaged: its offsets
            do not fit its octets.
        UnsupportedError: There is no such grammar.

    >>> columns(["http://host.dom/a?b"], ["host", "query"]).to_pylist()
    [{'host': 'host.dom', 'query': 'b'}]
    """
    wanted = _checked(fields, layout, threads)
    pa = arrow()
    arrays, several = text_column(data, column)
    read = URL if grammar == "current" else find_grammar(grammar).read
    cut = [field for field in wanted if field in KNOWN]
    filled = [_filled(one, cut, threads, read) for one in arrays]
    is_wide = any(one.is_wide() for one in filled)
    others = [derived(one, [field for field in wanted if field not in KNOWN], layout, read) for one in arrays]
    more = {field: [one[field] for one in others] for field in wanted if field not in KNOWN}
    kind = _type(wanted, layout, is_wide, {field: _common(made) for field, made in more.items()})
    made = [
        _struct(one, kind, {field: arrays[number] for field, arrays in more.items()})
        for number, one in enumerate(filled)
    ]
    return pa.chunked_array(made, kind) if several else made[0]


def _checked(fields: Iterable[str], layout: str, threads: int) -> list[str]:
    wanted = list(fields)
    for field in wanted:
        if field not in KNOWN and not is_derived(field):
            raise ValueError(f"there is no field {field!r}; there are {', '.join((*KNOWN, *DERIVED))}")
    if len(set(wanted)) != len(wanted):
        raise ValueError("a field is named twice")
    if layout not in ("view", "string"):
        raise ValueError(f"a layout is 'view' or 'string', not {layout!r}")
    if threads < 1:
        raise ValueError(f"threads are 1 or more, not {threads}")
    return wanted


def _field_type(field: str, layout: str, is_wide: bool) -> Any:
    pa = arrow()
    if field == "fault":
        return pa.int16()
    if field not in TEXTS:
        return pa.int32()
    if layout == "view":
        return pa.string_view()
    return pa.large_string() if is_wide else pa.string()


def _type(fields: list[str], layout: str, is_wide: bool, more: dict[str, Any]) -> Any:
    pa = arrow()
    return pa.struct([(field, more.get(field) or _field_type(field, layout, is_wide)) for field in fields])


def _common(arrays: list[Any]) -> Any:
    """The type that all arrays of a field can have: the widest."""
    pa = arrow()
    kinds = {one.type for one in arrays}
    return pa.large_string() if pa.large_string() in kinds else next(iter(kinds), pa.string())


def _filled(texts: Texts, fields: list[str], threads: int, read: Callable[[bytes], URL]) -> Columns:
    made = Columns(memory(texts.array), fields, read)
    made.fill(row_texts(texts.array), threads)
    if texts.indices is not None:
        made.take(texts.indices)
    return made


def _struct(made: Columns, kind: Any, more: dict[str, Any]) -> Any:
    given = made.given
    children = [
        more[field.name].cast(field.type) if field.name in more else made.array(field.name, field.type)
        for field in kind
    ]
    return arrow().StructArray.from_buffers(kind, given.rows, [given.valid], given.nulls, children=children)


class Columns:
    """The memory of the columns of one array, and the code that fills it.

    Args:
        given: The memory of the rows.
        fields: The columns to make.
        read: Parses the rows that the kernel leaves.
        vectors: Let the kernel use vector instructions.
    """

    def __init__(
        self, given: Memory, fields: Iterable[str], read: Callable[[bytes], URL] = URL, vectors: bool = True
    ) -> None:
        self.given: Memory = given
        self.read = read
        self.vectors = vectors
        self.is_cut: bool = kernel.COMPILED and read is URL
        self.values: dict[str, Any] = {}
        self.bits: dict[str, bytearray] = {}
        wanted = set(fields)
        if wanted & {"fault", "fault_at"}:  # the kernel writes both
            wanted |= {"fault", "fault_at"}
        for field in wanted:
            self.values[field] = _room(_width(field) * given.rows, self.is_cut)
            if field != "fault":
                self.bits[field] = bytearray((given.rows + 7) // 8)
        size = 0 if given.data is None else given.data.size
        self.shift = SLICE_SHIFT if size >= 1 << 31 else 62
        self.side: list[bytearray] = [bytearray()]
        self._copied: int | None = None  # the octets of the longest column of copied text, if rows are repeated

    def slices(self) -> list[Any]:
        """The text as buffers that a view can point into."""
        data = self.given.data
        if data is None:
            return []
        if self.shift == 62:
            return [data]
        step = 1 << self.shift
        return [data.slice(start, min(2 * step, data.size - start)) for start in range(0, data.size, step)]

    def fill(self, texts: Any, threads: int = 1) -> None:
        """Fill all columns: by the kernel, and with a `URL` for each row that it leaves."""
        rows = self.cut(threads) if self.is_cut else [i for i in range(self.given.rows) if texts[i].is_valid]
        for row in rows:
            self._ask(row, texts[row].as_py())

    def take(self, indices: Any) -> None:
        """Let each row be the one that its index names; null for none. The text is not copied: views are repeated."""
        pa = arrow()
        given = self.given
        self._copied = max((self._octets(field, indices) for field in self.values if _width(field) == 16), default=0)
        for field, values in self.values.items():
            each = pa.Array.from_buffers(pa.binary(_width(field)), given.rows, [None, pa.py_buffer(values)])
            self.values[field] = each.take(indices).buffers()[1] or pa.py_buffer(b"")
        for field, bits in self.bits.items():
            self.bits[field] = bytearray(_bits(bits, given.rows, indices))
        valid = None if given.valid is None and not indices.null_count else _bits(given.valid, given.rows, indices)
        rows = pa.Array.from_buffers(pa.bool_(), len(indices), [None, valid]) if valid is not None else None
        nulls = 0 if rows is None else len(rows) - rows.true_count
        self.given = given._replace(rows=len(indices), valid=valid, nulls=nulls)

    def is_wide(self) -> bool:
        """Whether a column of copied text needs offsets of 64 bits."""
        size = self._copied
        if size is None:
            size = (0 if self.given.data is None else self.given.data.size) + sum(map(len, self.side))
        return self.given.is_wide or size >= WIDE_FROM

    def _octets(self, field: str, indices: Any) -> int:
        """The octets of a column of text, if the row of each index had a copy of it."""
        from pyarrow.compute import call_function

        pa = arrow()
        lengths = pa.array(memoryview(self.values[field]).cast("i")[::4].tolist(), pa.int64())
        there = pa.Array.from_buffers(pa.bool_(), self.given.rows, [None, pa.py_buffer(self.bits[field])])
        known = call_function("if_else", [there, lengths, pa.scalar(0, pa.int64())])
        return call_function("sum", [known.take(indices)]).as_py() or 0

    def cut(self, threads: int) -> list[int]:
        """Let the kernel split the rows; returns the numbers of those that it leaves."""
        pa = arrow()
        given = self.given
        keep = self.values
        bits = {name: pa.py_buffer(value) for name, value in self.bits.items()}
        left = bytearray(8 * given.rows)
        left_at = pa.py_buffer(left).address

        def work(first: int, stop: int) -> list[int]:
            cut = kernel.Cut(
                0 if given.data is None else given.data.address, 0 if given.data is None else given.data.size,
                given.offsets, given.is_wide, 0 if given.valid is None else given.valid.address, self.shift,
                _schemes(), self.vectors,
            )  # fmt: skip
            for number, field in enumerate(TEXTS):
                if field in keep:
                    cut.give(number, keep[field].address, bits[field].address)
            if "port" in keep:
                cut.give_port(keep["port"].address, bits["port"].address)
            if "explicit_port" in keep:
                cut.give_explicit_port(keep["explicit_port"].address, bits["explicit_port"].address)
            if "fault" in keep:
                cut.give_faults(keep["fault"].address, keep["fault_at"].address, bits["fault_at"].address)
            if NORMAL in keep:
                cut.give_normal(keep[NORMAL].address, bits[NORMAL].address)
            count = cut.run(first, stop, left_at + 8 * first)
            return list(memoryview(left)[8 * first : 8 * (first + count)].cast("q"))

        # Eight rows share an octet of a bitmap.
        step = max((given.rows // threads + 7) // 8 * 8, 8)
        parts = [(first, min(first + step, given.rows)) for first in range(0, given.rows, step)]
        if len(parts) < 2:
            return [row for part in parts for row in work(*part)]
        return _together(work, parts)

    def _ask(self, row: int, text: bytes) -> None:
        """Fill one row from a `URL`: its components, or its normal form."""
        try:
            url = self.read(text)
            if NORMAL in self.values:
                self._put_text(NORMAL, row, str(url.normalize()), None)
                return
        except URLSyntaxError as error:
            if "fault" in self.values:
                number, place = number_and_place(error)
                struct.pack_into("=h", self.values["fault"], 2 * row, number)
                self._put_number("fault_at", row, place)
            return
        for field in TEXTS:
            if field in self.values:
                self._put_text(field, row, getattr(url, field), getattr(url, "raw_" + field, None))
        self._put_number("port", row, url.port)
        self._put_number("explicit_port", row, url.explicit_port)

    def _put_number(self, field: str, row: int, value: int | None) -> None:
        if value is not None and field in self.values:
            struct.pack_into("=i", self.values[field], 4 * row, value)
            self.bits[field][row >> 3] |= 1 << (row & 7)

    def _put_text(self, field: str, row: int, value: str | None, raw: str | None) -> None:
        if value is None:
            return
        try:
            octets = value.encode("utf-8")
        except UnicodeEncodeError:  # decoded octets that are not UTF-8: as written
            octets = (raw or "").encode("ascii")
        self.bits[field][row >> 3] |= 1 << (row & 7)
        if len(octets) <= 12:
            struct.pack_into("=i12s", self.values[field], 16 * row, len(octets), octets)
            return
        if len(self.side[-1]) + len(octets) > SIDE_OCTETS:
            self.side.append(bytearray())
        buffer = len(self.slices()) + len(self.side) - 1
        struct.pack_into("=i4sii", self.values[field], 16 * row, len(octets), octets[:4], buffer, len(self.side[-1]))
        self.side[-1] += octets

    def array(self, field: str, kind: Any) -> Any:
        """A column as an Arrow array."""
        pa = arrow()
        values = self.values[field]
        if field not in (*TEXTS, NORMAL):
            valid = pa.py_buffer(self.bits[field]) if field in self.bits else self.given.valid
            return pa.Array.from_buffers(kind, self.given.rows, [valid, values])
        side = [pa.py_buffer(one) for one in self.side if one]
        buffers = [pa.py_buffer(self.bits[field]), values, *self.slices(), *side]
        made = pa.Array.from_buffers(pa.string_view(), self.given.rows, buffers)
        return made if kind == pa.string_view() else made.cast(kind)


def _width(field: str) -> int:
    """The octets of each value of a column."""
    return 16 if field in (*TEXTS, NORMAL) else 2 if field == "fault" else 4


def _bits(bits: Any, rows: int, indices: Any) -> Any:
    """A bitmap (None: all are set) by indices; null clears a bit."""
    pa = arrow()
    if bits is None:
        bits = b"\xff" * ((rows + 7) // 8)
    each = pa.Array.from_buffers(pa.bool_(), rows, [None, pa.py_buffer(bits)])
    return each.take(indices).fill_null(False).buffers()[1] or pa.py_buffer(b"")


def _room(octets: int, is_cut: bool) -> Any:
    """Memory for a column: from Arrow's pool, which reuses pages, if the kernel zeroes it."""
    pa = arrow()
    return pa.allocate_buffer(octets) if is_cut else pa.py_buffer(bytearray(octets))


def _together(work: Callable[[int, int], list[int]], parts: list[tuple[int, int]]) -> list[int]:
    """The rows that several threads leave, in order."""
    from threading import Thread

    left: dict[int, list[int]] = {}

    def run(first: int, stop: int) -> None:
        left[first] = work(first, stop)

    crew = [Thread(target=run, args=part) for part in parts[1:]]
    for one in crew:
        one.start()
    run(*parts[0])
    for one in crew:
        one.join()
    return [row for first, _ in parts for row in left[first]]


def _schemes() -> tuple[bytes, bytes, bytes, bytes]:
    """The known schemes in the kernel's form; the first has no name and stands for every unknown scheme."""
    rows = [syntax.GENERIC, *syntax.ROWS.values()]
    names = [b"", *(name.encode("ascii") for name in syntax.ROWS)]
    ends, at = numbers_of("i"), 0
    for name in names:
        at += len(name)
        ends.append(at)
    flags = numbers_of("i", [row.flags for row in rows])
    ports = numbers_of("i", [-1 if row.port is None else row.port for row in rows])
    return b"".join(names), ends.tobytes(), flags.tobytes(), ports.tobytes()
