"""What every reader must do, whatever it reads; its test file says what there is to read.

Places are those of the source; pieces of any size say the same; memory is bounded, and work grows as the text does.
"""

from __future__ import annotations

import gc
import itertools
import random
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

import pytest

from anyurl.text import find
from anyurl.text.kinds import URLS_ALONE
from anyurl.text.search import TextSearch
from anyurl.values import STRANGER
from tests.text.soup import told

URLS = (b"http://h/a", b"https://i.org/b?c=d", b"mailto:a@b.org", b"http://", b"ftp://j/", b"http://h/\xc3\xa9")
SIZES = (1, 2, 3, 5, 11)
SEARCH = TextSearch(schemes=None, kinds=URLS_ALONE, base=None, parse=None, origin=STRANGER)


class Contract:
    """The tests of one reader.

    Attributes:
        format: Its name.
        samples: Texts, and for each URL in them the URL, what stands there (``*`` for what nobody can read) and how.
        pieces: What means something to it, to be thrown together with URLs.
        hostile: What a hostile text repeats.
    """

    format: str
    samples: list[tuple[bytes, list[tuple[str, str, str]]]]
    pieces: tuple[bytes, ...]
    hostile: tuple[bytes, ...]

    def test_what_is_in_a_sample_is_found_where_it_stands(self) -> None:
        for data, expected in self.samples:
            found = list(find(data, format=self.format))
            assert [(str(item), item.context) for item in found] == [(row[0], row[2]) for row in expected], data
            text = data.decode("utf-8", "surrogateescape")
            for item, (_, raw, _) in zip(found, expected, strict=True):
                start, stop = item.octet_span
                assert ascii(data[start:stop].decode("utf-8", "surrogateescape")) == ascii(item.raw)
                assert ascii(item.raw) == ascii(text[slice(*item.span)])
                assert raw == "*" or ascii(raw) == ascii(item.raw)
                assert item.line == data.count(b"\n", 0, start) + 1
                assert item.column == item.span[0] - text.rfind("\n", 0, item.span[0])

    def test_a_sample_in_pieces_is_the_same(self) -> None:
        for data, _ in self.samples:
            whole = [told(item) for item in find(data, format=self.format, emails=True)]
            for size in SIZES:
                pieces = [data[at : at + size] for at in range(0, len(data), size)]
                assert [told(item) for item in find(pieces, format=self.format, emails=True)] == whole
            for at in range(1, len(data), 1 + len(data) // 500):
                pieces = [data[:at], data[at:]]
                assert [told(item) for item in find(pieces, format=self.format, emails=True)] == whole, at

    def test_nonsense_in_pieces_is_the_same_and_stands_where_it_is_said_to(self) -> None:
        chance = random.Random(self.format)
        for _ in range(50):
            data = b"".join(chance.choice(self.pieces + URLS) for _ in range(chance.randrange(1, 40)))
            whole = list(find(data, format=self.format, base="http://base/"))
            for item in whole:
                start, stop = item.octet_span
                assert 0 <= start <= stop <= len(data)
                assert ascii(data[start:stop].decode("utf-8", "surrogateescape")) == ascii(item.raw)
            for size in (1, 3, 8):
                pieces = [data[at : at + size] for at in range(0, len(data), size)]
                assert list(find(pieces, format=self.format, base="http://base/")) == whole, data

    def test_any_octet_of_a_sample_may_be_one_that_is_nowhere_text(self) -> None:
        for data, _ in self.samples:
            for at in range(0, len(data), 1 + len(data) // 500):
                broken = data[:at] + b"\xff" + data[at + 1 :]
                for item in find(broken, format=self.format):
                    start, stop = item.octet_span
                    assert ascii(broken[start:stop].decode("utf-8", "surrogateescape")) == ascii(item.raw), broken

    @pytest.mark.kernel("compiled")  # the pure one is the same code, and slow under tracemalloc
    def test_memory_does_not_grow_with_the_text(self) -> None:
        unit = self.hostile[0]
        piece = unit * (10_000 // len(unit))
        few, many = (_peak(self.format, itertools.repeat(piece, count)) for count in (14, 21))
        assert many < few * 1.25 + 200_000
        assert many < 12_000_000  # a window of 65,536 octets, nearly each of them a run of its own

    @pytest.mark.kernel("pure")  # of what is compiled Python does not tell what it holds
    def test_nothing_is_waited_for_for_ever(self) -> None:
        for unit in self.hostile:
            stage, fed = SEARCH.stage(self.format, "surrogateescape"), 0
            while fed - _held(stage) < 10_000:  # all that came is still there
                assert fed < 200_000, unit
                piece = unit * (10_000 // len(unit))  # another one each time: one object would be held once
                stage.feed(piece, False)
                fed += len(piece)

    @pytest.mark.kernel("pure")
    def test_work_grows_no_faster_than_the_text(self) -> None:
        for unit in self.hostile:
            few, many = (_lines(self.format, unit * (size // len(unit))) for size in (1_500, 6_000))
            assert many < 6 * few + 2_000, unit  # what is quadratic has 16


def _held(thing: object) -> int:
    """Octets of memory in what an object refers to."""
    size, seen, rest = 0, {0}, [thing]
    while rest:
        one = rest.pop()
        if id(one) not in seen and not isinstance(one, type | ModuleType | FunctionType | CodeType):
            seen.add(id(one))
            size += len(one) if isinstance(one, bytes | bytearray | str) else 0
            rest += gc.get_referents(one)
    return size


def _peak(format: str, pieces: Iterator[bytes]) -> int:
    """Octets of memory that a search needs at the most."""
    import tracemalloc

    tracemalloc.start()
    try:
        for _ in find(pieces, format=format):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _lines(format: str, data: bytes) -> int:
    """Lines of Python that a search runs."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    for _ in find(data[:100], format=format):  # what is loaded at first is no work of the text
        pass
    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        for _ in find(data, format=format):
            pass
    finally:
        sys.settrace(before)
    return count
