"""The finder piece by piece: cut anywhere, the same is found; memory and work are bounded."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anyurl
from anyurl.text import find
from tests.text.cases import rows, unescaped
from tests.text.soup import soups, told

HOSTILE = (
    "http://", "<URL:", "(", "http://x/(", "<http://x ", "<a://x\n", "http://a,", "mailto:", "mailto:a@", "a@",
    "www.a.", "urn:a:", "http://x/?[", "http://x/?a|", "&lt;", "http://aあ", "%", "a:", "<URL:\n", "<URL:a\n> ", "http://x....",
    "](<http://x ", "http://a@", "http://x/;http://", "> <URL:", "http://x/*/", "http://x/a:", "ab:///", "about:",
)  # fmt: skip
"""What a hostile text repeats: each begins something, and ends nothing."""


@pytest.mark.parametrize("size", [1, 2, 3, 5, 13])
def test_pieces_of_any_size_find_the_same(size: int) -> None:
    for text, options in soups(size, 600):
        whole = [told(item) for item in find(text, **options)]
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert [told(item) for item in find(pieces, **options)] == whole, (text, options)
        octets = text.encode()
        cut = [octets[at : at + size] for at in range(0, len(octets), size)]
        assert [told(item) for item in find(cut, **options)] == whole, (text, options)


def test_every_place_is_that_of_its_piece() -> None:
    for text, options in soups(0, 3000):
        octets = text.encode()
        end = 0
        for item in find(text, **options):
            start, stop = item.span
            assert text[start:stop] == item.raw, (text, options)
            assert octets[slice(*item.octet_span)] == item.raw.encode(), (text, options)
            assert item.line == text.count("\n", 0, start) + 1
            assert item.column == start - text.rfind("\n", 0, start)
            assert start >= end, (text, options)
            end = stop


def test_the_labelled_cases_are_found_in_any_pieces() -> None:
    for row in (*rows("links.txt", 3), *rows("not_links.txt", 2)):
        options = dict.fromkeys(row[-1].split(), True)
        text = unescaped(row[0])
        whole = [told(item) for item in find(text, **options)]  # type: ignore[arg-type]
        for size in (1, 7):
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            assert [told(item) for item in find(pieces, **options)] == whole, text  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [65_527, 65_528, 65_536, 131_072])
@pytest.mark.parametrize("unit", ["a", "aあ", "(a", "http://", "%41"])
def test_long_runs_are_found_in_any_pieces(length: int, unit: str) -> None:
    text = f"x http://h/{unit * (length // len(unit))}) http://y/ <http://z/>"
    whole = [told(item) for item in find(text)]
    for size in (1000, 65_536):
        assert [told(item) for item in find([text[at : at + size] for at in range(0, len(text), size)])] == whole


def peak(pieces: Iterator[str]) -> tuple[int, int]:
    """URLs in pieces, and octets of memory at the most."""
    import tracemalloc

    tracemalloc.start()
    try:
        count = sum(1 for _ in find(pieces, emails=True, www=True))
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.cpython
@pytest.mark.parametrize(
    "unit", [f"a http://h/b {'c' * 1000}\n", "http://", "<URL:", "<URL:a\n> ", "x", "é", "http://h/("]
)
def test_memory_does_not_grow_with_the_text(unit: str) -> None:
    piece = unit * (20_000 // len(unit))
    few = peak(piece for _ in range(8))
    many = peak(piece for _ in range(16))
    assert many[0] in (few[0], few[0] * 2)
    assert many[1] < few[1] * 1.25 + 100_000
    assert many[1] < 3_000_000  # a candidate of 131,072 octets, twice, decoded and encoded


@pytest.mark.kernel("pure")
@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    """Lines of Python that are run, for a text and one four times as long: the compiled kernel is the same code."""

    def lines(size: int) -> int:
        count = 0

        def trace(frame: object, event: str, argument: object) -> object:
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            for _ in find(unit * (size // len(unit)), emails=True, www=True):
                pass
        finally:
            sys.settrace(before)
        return count

    assert lines(8_000) < 4.5 * lines(2_000) + 2_000


DIGEST = """
import hashlib, sys
from tests.text.soup import soups, told
from anyurl.text.scan import scan
from anyurl.text import find
told = repr([[told(item) for item in find(text, **options)] for text, options in soups(7, 4000)])
print(scan.COMPILED, hashlib.sha256(told.encode()).hexdigest())
"""


@pytest.mark.kernel("compiled")
def test_the_pure_kernel_finds_the_same(tmp_path: Path) -> None:
    """The same files without their compiled twins, in another process."""
    package = Path(anyurl.__file__).parent
    shutil.copytree(package, tmp_path / "anyurl", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__"))
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join((str(tmp_path), str(root)))
    done = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    mine = repr([[told(item) for item in find(text, **options)] for text, options in soups(7, 4000)])
    assert done.stdout.split() == ["False", hashlib.sha256(mine.encode()).hexdigest()]
