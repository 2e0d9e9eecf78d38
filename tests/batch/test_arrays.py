"""What a column comes in: tables, structs, and what other libraries give."""

from __future__ import annotations

from ctypes import c_int32, c_int64
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from anyurl.batch import columns
from anyurl.batch.arrays import memory


def test_a_column_of_several() -> None:
    table = pa.table({"a": [1], "url": ["http://h/"]})
    expected = [{"host": "h"}]
    batch = table.to_batches()[0]
    for data in (table, batch, batch.to_struct_array(), pa.chunked_array([batch.to_struct_array()])):
        assert columns(data, ["host"], column="url").to_pylist() == expected
    alone = table.select(["url"])
    for data in (alone, alone.to_batches()[0], alone.to_batches()[0].to_struct_array()):  # it needs no name
        assert columns(data, ["host"]).to_pylist() == expected
    with pytest.raises(ValueError, match=r"`column` has to name one: 'a', 'url'"):
        columns(table)
    with pytest.raises(ValueError, match=r"no one column 'b'; there are 'a', 'url'"):
        columns(table, column="b")
    with pytest.raises(TypeError, match=r"the column 'a' is of type int64; it has to be string"):
        columns(table, column="a")


class Stream:
    """A thing of another library that gives its column as Arrow's stream."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __arrow_c_stream__(self, schema: object = None) -> object:
        return self.data.__arrow_c_stream__(schema)


class Single:
    """The same, of one array."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __arrow_c_array__(self, schema: object = None) -> object:
        return self.data.__arrow_c_array__(schema)


def test_what_other_libraries_give() -> None:
    given = Stream(pa.chunked_array([["http://h/"], ["x:"]]))
    assert columns(given, ["scheme"]).to_pylist() == [{"scheme": "http"}, {"scheme": "x"}]
    assert columns(Single(pa.array(["http://h/"])), ["host"]).to_pylist() == [{"host": "h"}]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary_view()], ids=str)
def test_a_dictionary_of_any_text(kind: Any) -> None:
    """Categories and enums of polars are dictionaries of views, which Arrow does not decode."""
    texts = pa.array(["http://h/", None, "x:"], kind)
    given = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1, 0], pa.int8()), texts)
    expected = [{"scheme": scheme} if scheme else None for scheme in ("x", "http", None, None, "http")]
    assert columns(given, ["scheme"]).to_pylist() == expected
    assert columns(given[1:3], ["scheme"]).to_pylist() == expected[1:3]
    nothing = pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.nulls(0))
    assert columns(nothing, ["scheme"]).to_pylist() == [None]


@pytest.mark.parametrize(("kind", "offset"), [(pa.string(), c_int32), (pa.large_string(), c_int64)], ids=str)
def test_the_rows_of_a_slice_lie_where_its_first_one_does(kind: Any, offset: type[c_int32 | c_int64]) -> None:
    rows = [None if n % 7 == 3 else "x" * n for n in range(40)]
    for first in (0, 1, 9):
        array = pa.array(rows, kind)[first:]
        at = memory(array)
        offsets = (offset * (at.rows + 1)).from_address(at.offsets)
        ends = pairwise(offsets)
        assert [stop - start for start, stop in ends] == [len(row or "") for row in rows[first:]]
        assert (at.rows, at.nulls) == (40 - first, sum(row is None for row in rows[first:]))
