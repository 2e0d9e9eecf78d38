"""Columns of text in any Arrow form, and their memory.

Rule: memory is read in place; other Arrow layouts (views, dictionaries) are converted once by Arrow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from anyurl.errors import MissingExtraError


def arrow() -> Any:
    """The package pyarrow.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("Columns need pyarrow: pip install 'anyurl[batch]'.", extra="batch") from None
    return pyarrow


def text_column(data: Any, column: str | None = None) -> tuple[list[Any], bool]:
    """The arrays of a column, each of an Arrow text or binary type, and whether it was given as several arrays.

    Args:
        data: A pyarrow array, chunked array, record batch or table; anything with ``__arrow_c_array__`` or
            ``__arrow_c_stream__``; a list or tuple of texts.
        column: The column's name, where `data` has several.

    Raises:
        MissingExtraError: pyarrow is not installed.
        TypeError: It is not a column of text.
        ValueError: It has several columns, and `column` names none of them.
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
    several = isinstance(data, pa.ChunkedArray)
    return [_plain(chunk, column) for chunk in (data.chunks if several else [data])], several


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


def _plain(array: Any, column: str | None) -> Any:
    """The array as a text or binary array with offsets."""
    pa = arrow()
    kind = array.type
    if pa.types.is_dictionary(kind):
        # Arrow can't decode a dictionary of views, such as a polars categorical.
        array = _plain(array.dictionary, column).take(array.indices)
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


def row_texts(array: Any) -> Any:
    """A sequence of the rows of an array as octets, without copying all of them."""
    pa = arrow()
    kinds = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
    return array.view(kinds[array.type]) if array.type in kinds else array
