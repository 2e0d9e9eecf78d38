"""The cut of columns: each way of looking gives the same, no octet beyond the text is read, long text is in slices."""

from __future__ import annotations

import ctypes
import importlib
import mmap
from typing import Any

import pyarrow as pa
import pytest

from anyurl.batch.arrays import memory, row_texts
from anyurl.url.cut.columns import FIELDS
from tests.batch.test_columns import KNOWN, said
from tests.batch.texts import WRITTEN, rows

Columns = importlib.import_module("anyurl.batch.columns").Columns

pytestmark = pytest.mark.kernel("compiled")


def filled(array: Any, **options: Any) -> Any:
    made = Columns(memory(array), KNOWN, **options)
    made.fill(row_texts(array))
    return made


def table(made: Any) -> list[dict[str, object]]:
    kinds = {"fault": pa.int16(), "port": pa.int32(), "explicit_port": pa.int32(), "fault_at": pa.int32()}
    arrays = [made.array(field, kinds.get(field, pa.string_view())) for field in KNOWN]
    for array in arrays:
        array.validate(full=True)
    rows: list[dict[str, object]] = pa.RecordBatch.from_arrays(arrays, list(KNOWN)).to_pylist()
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_vectors_and_single_octets_give_the_same(seed: int) -> None:
    """On a processor without AVX2 both are the second."""
    texts = [text for text in rows(50 + seed, 2_000) if text is not None]
    array = pa.array(texts)
    assert table(filled(array)) == table(filled(array, vectors=False)) == [said(text) for text in texts]


@pytest.mark.parametrize("length", [*range(14), 31, 32, 33, 63, 64, 65])
def test_pieces_of_every_length_are_copied_right(length: int) -> None:
    """A view holds up to twelve octets itself; text that ends with the memory is copied another way."""
    texts = [f"http://{'h' * max(length, 1)}/{'p' * length}?{'q' * length}#{'f' * length}"] * 3
    assert table(filled(pa.array(texts))) == [said(text) for text in texts]


@pytest.mark.parametrize("end", ["", "?", "?q", "#f", "?q#f", "%41"])
def test_a_row_lies_anywhere_between_words_of_bits(end: str) -> None:
    """What is looked for stands in this word, in the next, beyond it, or nowhere before the next row."""
    texts = [f"http{'s' * (length % 2)}://{'h' * (length % 67 + 1)}/{'p' * length}{end}" for length in range(140)]
    assert table(filled(pa.array(texts))) == [said(text) for text in texts]


@pytest.mark.parametrize("wide", [False, True])
def test_no_octet_beyond_the_text_is_read(wide: bool) -> None:
    """The text ends where the memory does: to read one octet more is a segmentation fault."""
    library = ctypes.CDLL(None, use_errno=True)
    for count in range(1, len(WRITTEN)):
        source = pa.array(WRITTEN[:count], pa.large_string() if wide else pa.string())
        _, offsets, data = source.buffers()
        pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        first = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        place = mmap.PAGESIZE - data.size
        pages[place : mmap.PAGESIZE] = data.to_pybytes()
        assert library.mprotect(ctypes.c_void_p(first + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
        lent = pa.foreign_buffer(first + place, data.size, pages)
        array = pa.Array.from_buffers(source.type, count, [None, offsets, lent])
        made = Columns(memory(array), KNOWN)
        assert len(made.cut(1)) < count
        assert library.mprotect(ctypes.c_void_p(first + mmap.PAGESIZE), mmap.PAGESIZE, 3) == 0


def test_long_text_is_given_in_slices() -> None:
    """Beyond 2 GiB a view's place needs several buffers; here they begin every KiB."""
    texts = [text for text in rows(9, 3_000) if text is not None and len(text.encode()) < 500]
    array = pa.array(texts, pa.large_string())
    made = Columns(memory(array), KNOWN)
    made.shift = 10
    made.fill(row_texts(array))
    assert len(made.slices()) > 50
    assert table(made) == [said(text) for text in texts]


def test_what_is_written_aside_goes_to_several_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("anyurl.batch.columns"), "SIDE_OCTETS", 64)
    texts = [f"http://h\u00e9.dom/{'p' * length}" for length in range(60)]
    made = filled(pa.array(texts))
    assert len(made.side) > 20
    assert table(made) == [said(text) for text in texts]


def test_the_fields_are_attributes_of_a_url() -> None:
    assert KNOWN[:7] == FIELDS
