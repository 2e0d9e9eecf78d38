"""Columns of text in any Arrow form, and their memory.

Rules: memory is read in place; views are converted once by Arrow, and of a dictionary each text is read once. Arrow
itself trusts the numbers in an array, and so does the kernel: `check_sound` compares all of them first, for a file's
batches and for every column that is read. It trusts an array only for the place and length of its buffers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from anyurl.errors import MissingExtraError

WIDE_FROM = 1 << 31
"""Octets from which on the offsets of a column take 64 bits."""


def arrow() -> Any:
    """The package pyarrow.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError(
            "Columns need pyarrow: in a clone of anyurl, pip install '.[batch]'.", extra="batch"
        ) from None
    return pyarrow


class Texts(NamedTuple):
    """The rows of an array.

    Attributes:
        array: Texts, of an Arrow text or binary type with offsets.
        indices: Which of them each row is (null for none), if the array is a dictionary; else None.
    """

    array: Any
    indices: Any

    def plain(self) -> Any:
        """One array of all rows."""
        if self.indices is None:
            return self.array
        return _wide(self.array).take(self.indices)  # of narrow ones `take` may exceed their offsets


def text_column(data: Any, column: str | None = None) -> tuple[list[Texts], bool]:
    """The arrays of a column, and whether it was given as several arrays.

    Args:
        data: A pyarrow array, chunked array, record batch or table; anything with ``__arrow_c_array__`` or
            ``__arrow_c_stream__``; a list or tuple of texts.
        column: The column's name, where `data` has several.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: It is not a column of text.
        ValueError: It has several columns, and `column` names none of them; or its offsets do not fit its octets.
    """
    pa = arrow()
    if isinstance(data, (pa.RecordBatch, pa.Table)):
        data = data.column(_index(data.schema.names, column))
    elif not isinstance(data, (pa.Array, pa.ChunkedArray)):
        if hasattr(data, "__arrow_c_stream__"):
            data = pa.chunked_array(data)
        elif hasattr(data, "__arrow_c_array__"):
            data = pa.array(data)
        elif isinstance(data, (list, tuple)):
            try:
                data = pa.array(data, pa.string() if not any(isinstance(one, bytes) for one in data) else pa.binary())
            except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError):
                raise TypeError(f"{_named(column)} has to hold text, and {_not_text(data)}") from None
        else:
            raise TypeError(f"{_named(column)} is an Arrow column of text or a list, not {type(data).__name__}")
    if pa.types.is_struct(data.type):
        index = _index([field.name for field in data.type], column)
        chunks = data.chunks if isinstance(data, pa.ChunkedArray) else [data]
        flat = [chunk.flatten()[index] for chunk in chunks]  # flatten() heeds the nulls of the struct
        kind = data.type[index].type
        data = pa.chunked_array(flat, kind) if isinstance(data, pa.ChunkedArray) else flat[0]
    if not isinstance(data, pa.ChunkedArray):
        return [_texts(data, column)], False
    # Of a column without a chunk, as that of an empty file, `Table.from_struct_array` makes no table.
    return [_texts(chunk, column) for chunk in data.chunks or [pa.nulls(0, data.type)]], True


def as_table(data: Any) -> Any:
    """A record batch or table as it is, and a frame of another library as a table.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: It is no table.
    """
    pa = arrow()
    if isinstance(data, (pa.RecordBatch, pa.Table)):
        return data
    if not isinstance(data, (pa.Array, pa.ChunkedArray)) and hasattr(data, "__arrow_c_stream__"):
        try:
            return pa.table(data)
        except pa.ArrowException:
            pass  # a stream of one array, as a series is
    raise TypeError(f"a table is a record batch or table of pyarrow, or a data frame, not {type(data).__name__}")


def _not_text(rows: list[Any] | tuple[Any, ...]) -> str:
    """Which row of a list Arrow does not accept as text, and why."""
    for row, one in enumerate(rows):
        if isinstance(one, str):
            if any("\ud800" <= character <= "\udfff" for character in one):
                return f"row {row} of the list has a lone surrogate, which has no UTF-8 octets (RFC 3629 3)"
        elif one is not None and not isinstance(one, bytes):
            return f"row {row} of the list is of type {type(one).__name__}"
    return "an item of the list is None"


def _named(column: str | None) -> str:
    return "a column of URLs" if column is None else f"the column {column!r}"


def _index(names: list[str], column: str | None) -> int:
    if column is None and len(names) == 1:
        return 0
    known = ", ".join(map(repr, names))
    if column is None:
        raise ValueError(f"there are several columns, so `column` has to name one: {known}")
    if names.count(column) != 1:
        raise ValueError(f"there is no one column {column!r}; there are {known}")
    return names.index(column)


def _texts(array: Any, column: str | None) -> Texts:
    pa = arrow()
    try:
        check_sound(array)
    except pa.ArrowException:
        raise ValueError(f"{_named(column)} is damaged: its offsets do not fit its octets") from None
    if pa.types.is_dictionary(array.type):
        return Texts(_plain(array.dictionary, column), array.indices)
    return Texts(_plain(array, column), None)


def check_sound(array: Any) -> None:
    """Check all numbers of an array (offsets, lengths, indices) against its buffers; octets need not be UTF-8.

    Raises:
        ArrowInvalid: One of them leads out of it.
    """
    pa = arrow()
    if pa.types.is_dictionary(array.type):
        check_sound(array.dictionary)
        # Of the texts only their number is compared with the indices: they need not be UTF-8.
        pa.DictionaryArray.from_arrays(array.indices, pa.nulls(len(array.dictionary)), safe=False).validate(full=True)
        return
    as_octets(array).validate(full=True)


def as_octets(array: Any) -> Any:
    """The same array with octets for text."""
    pa = arrow()
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, as_octets(array.dictionary), safe=False)
    kind = _octets(array.type)
    return array if kind == array.type else array.view(kind)


def _octets(kind: Any) -> Any:
    """The type with octets for text, whose UTF-8 is not validated."""
    pa = arrow()
    plain = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    if kind in plain:
        return plain[kind]
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_octets(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_octets(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_octets(kind.value_type)))
    return kind


def _wide(array: Any) -> Any:
    pa = arrow()
    return array.cast({pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(array.type, array.type))


def _plain(array: Any, column: str | None) -> Any:
    """The array as a text or binary array with offsets."""
    pa = arrow()
    kind = array.type
    if pa.types.is_null(kind):
        return array.cast(pa.string())
    if kind == pa.string_view():
        return array.cast(pa.large_string())
    if kind == pa.binary_view():
        return array.cast(pa.large_binary())
    if kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        return array
    raise TypeError(
        f"{_named(column)} is of type {kind}; it has to be string, large_string, string_view or a binary of these"
    )


class Memory(NamedTuple):
    """The memory of the rows of an array.

    Attributes:
        rows: The number of rows.
        data: The octets of all rows, an Arrow buffer or None.
        offsets: The address of the offset of the first row.
        is_wide: Whether an offset has 8 octets, not 4.
        valid: The bitmap of rows that are not null, from bit 0, an Arrow buffer; None if no row is null.
        nulls: The number of null rows.
    """

    rows: int
    data: Any
    offsets: int
    is_wide: bool
    valid: Any
    nulls: int


def memory(array: Any) -> Memory:
    """The memory of an array that `text_column` returned."""
    pa = arrow()
    is_wide = array.type in (pa.large_string(), pa.large_binary())
    _, offsets, data = array.buffers()
    valid = None
    if array.null_count:
        # A slice may begin within an octet of its bitmap; this makes a bitmap that begins at bit 0.
        valid = array.is_valid().buffers()[1]
    first = offsets.address + array.offset * (8 if is_wide else 4) if offsets is not None else 0
    return Memory(len(array), data, first, is_wide, valid, array.null_count)


def made_of(texts: list[str | None]) -> Any:
    """A column of these: large_string if they have more octets than the offsets of a string can count."""
    pa = arrow()
    size = sum(4 * len(text) for text in texts if text is not None)
    return pa.array(texts, pa.string() if size < WIDE_FROM else pa.large_string())


def together(made: list[Any], kind: Any) -> Any:
    """Arrays as a chunked array, of large_string if one of them is, else of `kind`."""
    pa = arrow()
    if any(one.type == pa.large_string() for one in made):
        kind = pa.large_string()
    return pa.chunked_array([one.cast(kind) for one in made], kind)


def row_texts(array: Any) -> Any:
    """A sequence of the rows of an array as octets, without copying all of them."""
    pa = arrow()
    kinds = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
    return array.view(kinds[array.type]) if array.type in kinds else array
