"""The rows of a column that have an anchor: none is left out in which something is found, and none reaches over."""

from __future__ import annotations

import ctypes
import mmap
from itertools import islice
from typing import Any

import pyarrow as pa
import pytest

import anyurl
from anyurl.batch.arrays import memory
from anyurl.text.scan import rows
from anyurl.text.scan.anchors import Anchored
from tests.text.soup import soups

pytestmark = pytest.mark.kernel("compiled")

FLAGS = {"emails": rows.FIND_EMAILS, "www": rows.FIND_WWW}


def anchored(array: Any, flags: int = 0) -> list[tuple[int, bytes]]:
    given = memory(array)
    valid = 0 if given.valid is None else given.valid.address
    rows = Anchored(given.data.address, given.offsets, given.is_wide, valid, flags)
    return list(zip(*rows.run(0, given.rows), strict=True))


@pytest.mark.parametrize(
    ("text", "flags", "expected"),
    [
        ("http://h", 0, True),
        ("a:b", 0, True),
        ("a:", 0, False),  # nothing stands behind the colon
        (":b", 0, False),  # nothing stands before it
        ("see: h", 0, False),
        ("see:\nh", 0, False),
        ("std::list", 0, False),
        ("12:30", 0, True),  # what is a name is for the search to say
        ("a:: b: http://h", 0, True),  # the third colon
        ("http\\://h", 0, True),  # of Java's properties
        ("<URL: http>", 0, True),
        ("<URL:", 0, False),
        ("URL: h", 0, False),
        ("me@e.dom", 0, False),
        ("me@e.dom", rows.FIND_EMAILS, True),
        ("www.e.dom", rows.FIND_EMAILS, False),
        ("www.e.dom", rows.FIND_WWW, True),
        ("a.b WwW.e.dom", rows.FIND_WWW, True),
        ("ww.e.dom", rows.FIND_WWW, False),
        ("", rows.FIND_WWW | rows.FIND_EMAILS, False),
    ],
)
def test_what_is_an_anchor(text: str, flags: int, expected: bool) -> None:
    """A row is judged by its own octets: its neighbours would make an anchor of each of its ends."""
    array = pa.array(["<www", text, ":/.www.h"])
    assert (1 in dict(anchored(array, flags))) is expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("options", [{}, {"emails": True}, {"www": True}, {"emails": True, "www": True}], ids=str)
def test_nothing_is_found_in_a_row_that_is_left_out(seed: int, options: dict[str, bool]) -> None:
    texts = [text for text, _ in islice(soups(seed, 400), 400)]
    array = pa.array(texts, pa.large_string() if seed % 2 else pa.string())
    there = anchored(array, sum(FLAGS[name] for name in options))
    assert there == [(row, texts[row].encode()) for row, _ in there]
    left_out = set(range(len(texts))) - {row for row, _ in there}
    assert [texts[row] for row in left_out if list(anyurl.find(texts[row], **options))] == []


def test_a_null_row_is_left_out_whatever_lies_there() -> None:
    array = pa.Array.from_buffers(
        pa.string(), 3,
        [pa.py_buffer(b"\x05"), pa.py_buffer(bytes([0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0])),
         pa.py_buffer(b"x://y://z://")],
    )  # fmt: skip
    assert anchored(array) == [(0, b"x://"), (2, b"z://")]
    assert anchored(array[1:]) == [(1, b"z://")]


@pytest.mark.parametrize("end", ["", ":", "a:", "<URL:", "@", "www", "www.", "."])
def test_no_octet_beyond_the_text_is_read(end: str) -> None:
    """The text ends where the memory does: to read one octet more is a segmentation fault."""
    library = ctypes.CDLL(None, use_errno=True)
    _, offsets, data = pa.array(["see: that", end]).buffers()
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    first = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    place = mmap.PAGESIZE - data.size
    pages[place : mmap.PAGESIZE] = data.to_pybytes()
    assert library.mprotect(ctypes.c_void_p(first + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    array = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.foreign_buffer(first + place, data.size, pages)])
    found = anchored(array, rows.FIND_EMAILS | rows.FIND_WWW)
    assert [row for row, _ in found] == ([1] if end in ("@", "www.") else [])
    assert library.mprotect(ctypes.c_void_p(first + mmap.PAGESIZE), mmap.PAGESIZE, 3) == 0
