"""What a column comes in: tables, structs, and what other libraries give."""

from __future__ import annotations

import sys
from ctypes import c_int32, c_int64
from itertools import pairwise
from struct import pack
from typing import Any

import pyarrow as pa
import pytest

from anyurl.batch import columns, find, join, normalize, registered_domain
from anyurl.batch.arrays import memory
from anyurl.batch.columns import FIELDS, Columns
from tests.rows import each_row

FILL = Columns.fill


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


@each_row("offsets", [(0, 2_000_000_000, 9), (0, -5, 9), (0, 12, 9)], ids=str)
@each_row("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
def test_offsets_that_do_not_fit_the_octets_are_told(kind: Any, offsets: tuple[int, ...]) -> None:
    """The kernel would read memory that is not the column's."""
    width = 4 if kind in (pa.string(), pa.binary()) else 8
    numbers = b"".join(n.to_bytes(width, "little", signed=True) for n in offsets)
    bent = pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(numbers), pa.py_buffer(b"http://h/")])
    for data in (bent, pa.chunked_array([bent]), Single(bent), bent[1:], pa.table({"url": bent})):
        for read in (lambda data: columns(data, ["host"]), normalize, find, lambda data: join(data, "http://h/")):
            with pytest.raises(ValueError, match=r"is damaged: its offsets do not fit its octets"):
                read(data)


def test_indices_and_views_that_lead_out_of_their_texts_are_told() -> None:
    texts = pa.array(["http://h/"])
    index = pa.DictionaryArray.from_arrays(pa.array([0, 5], pa.int8()), texts, safe=False)
    view = pa.Array.from_buffers(
        pa.string_view(), 1, [None, pa.py_buffer(pack("=i4sii", 20, b"http", 3, 0)), pa.py_buffer(b"http://h/")]
    )
    for bent in (index, view):
        with pytest.raises(ValueError, match="is damaged"):
            columns(bent, ["host"])


@pytest.mark.parametrize("layout", ["view", "string"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_each_text_of_a_dictionary_is_read_once(kind: Any, layout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = ["http://h:8/a-long-path-of-more-than-12", None, "HTTP://[::1]/x", "no url", "http://h/", ""]
    given = pa.DictionaryArray.from_arrays(
        pa.array([n % 7 for n in range(7)] * 20, pa.int8()), pa.array(urls * 2, kind)
    )
    given = pa.concat_arrays([given, pa.DictionaryArray.from_arrays(pa.nulls(3, pa.int8()), given.dictionary)])
    plain = [urls[n % 7 % 6] for n in range(140)] + [None] * 3
    fields = [*FIELDS, "explicit_port"]
    asked = []
    monkeypatch.setattr(Columns, "fill", lambda self, *rest: (asked.append(self.given.rows), FILL(self, *rest))[1])
    for first, last in ((0, 143), (3, 30), (139, 143), (5, 5)):
        made = columns(given[first:last], fields, layout=layout)
        made.validate(full=True)
        assert made.to_pylist() == columns(plain[first:last], fields).to_pylist()
        assert normalize(given[first:last], layout=layout).to_pylist() == normalize(plain[first:last]).to_pylist()
        assert join(given[first:last], "http://b/").to_pylist() == join(plain[first:last], "http://b/").to_pylist()
        assert find(given[first:last]).to_pylist() == find(plain[first:last]).to_pylist()
        domains = registered_domain(given[first:last]).to_pylist()
        assert domains == registered_domain(plain[first:last]).to_pylist()
    assert asked[0] == len(urls * 2)


@pytest.mark.parametrize("several", [False, True])
def test_text_that_offsets_of_32_bits_can_not_count_is_large(several: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow casts more than 2 GiB to string without an error, and its offsets become negative."""
    for name in ("arrays", "columns", "rows"):
        monkeypatch.setattr(sys.modules[f"anyurl.batch.{name}"], "WIDE_FROM", 100)
    few, grows = pa.array(["http://h.co.uk/"]), pa.array(["http://h.co.uk/" + "\u65e5" * 12])
    often = pa.DictionaryArray.from_arrays(pa.array([0] * 20), few)
    for data in (grows, often):
        given = pa.chunked_array([data]) if several else data
        made = columns(given, ["path", "host"], layout="string")
        assert [field.type for field in made.type] == [pa.large_string()] * 2
        assert normalize(given, layout="string").type == pa.large_string()
        assert join(given, "http://h/").type == pa.large_string()
    assert columns(few, ["host"], layout="string").type[0].type == pa.string()
    assert registered_domain(often).type == pa.large_string()
