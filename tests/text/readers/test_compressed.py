"""Compressed texts: every kind, damage, padding, bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable, Iterator

import pytest

from anyurl.errors import LimitError, MissingExtraError
from anyurl.text import Budget, find
from anyurl.text.limits import FREE_OCTETS, MAX_BARREN
from anyurl.text.readers import compressed
from anyurl.text.readers.registry import find_reader
from tests.rows import each_row

zstd = pytest.importorskip(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
    reason="backports.zstd is not installed (the extra codings)",
)
KINDS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress, "zstd": zstd.compress,
}  # fmt: skip
TEXT = b"\n http://h/a http://i/\n"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_compressed_is_read_with_its_own_places(kind: str) -> None:
    data = KINDS[kind](TEXT)
    places = [("http://h/a", (2, 12)), ("http://i/", (13, 22))]
    assert [(str(item), item.octet_span) for item in find(data, format="auto")] == places
    twice = list(find(data + KINDS[kind](TEXT), format="auto"))  # several streams, one behind the other
    assert [str(item) for item in twice] == ["http://h/a", "http://i/"] * 2
    pieces = [data[at : at + 3] for at in range(0, len(data), 3)]
    assert list(find(pieces, format=kind)) == list(find(TEXT))
    assert list(find(data + b"\0\0padding", format="auto")) == list(find(TEXT))


def test_the_name_without_the_suffix_tells_the_format() -> None:
    (found,) = find(gzip.compress(b'a,http://h/,"b"'), format="auto", name="x.csv.gz")
    assert str(found) == "http://h/"


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_says_none_at_its_end(kind: str) -> None:
    class File(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(size) or None  # type: ignore[return-value]  # as files that wait for nobody do

        read1 = read

    assert [str(item) for item in find(File(KINDS[kind](TEXT)), format="auto")] == ["http://h/a", "http://i/"]
    with pytest.raises(OSError, match="ends too early"):
        list(find(File(KINDS[kind](TEXT)[:-3]), format="auto"))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_damaged_is_told(kind: str) -> None:
    data = KINDS[kind](TEXT * 1000)
    with pytest.raises(OSError, match="ends too early"):
        list(find(data[: len(data) // 2], format="auto"))
    with pytest.raises(OSError, match=r"damaged|too early"):
        list(find(data[:12] + bytes(20) + data[12:], format="auto"))
    with pytest.raises(OSError, match="not compressed so"):
        list(find(b"http://h/", format=kind))


@pytest.mark.cpython
@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_is_refused_when_it_has_hardly_begun(kind: str) -> None:
    small = KINDS[kind](bytes(40 << 20))
    import tracemalloc

    tracemalloc.start()
    try:
        with pytest.raises(LimitError):
            list(find(small, format="auto", budget=Budget(ratio=100)))
        assert tracemalloc.get_traced_memory()[1] < 16_000_000  # the dictionary of xz -6 has 8 MiB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_is_refused_by_either_limit(kind: str) -> None:
    small = KINDS[kind](bytes(40 << 20))
    with pytest.raises(LimitError) as caught:
        list(find(small, format="auto", budget=Budget(ratio=100)))
    assert caught.value.limit == "MAX_RATIO"
    with pytest.raises(LimitError) as caught:
        list(find(small, format="auto", budget=Budget(octets=FREE_OCTETS // 2)))
    assert caught.value.limit == "MAX_OCTETS"


def _on_and_on(first: bytes, again: bytes) -> Iterator[bytes]:
    yield first
    for _ in range(3 * MAX_BARREN // len(again)):
        yield again


ENDLESS: dict[str, tuple[bytes, bytes]] = {
    "empty streams of gzip": (b"", gzip.compress(b"") * 3000),
    "empty blocks of gzip": (gzip.compress(b"")[:10], b"\0\0\0\xff\xff" * 13_000),
    "a gzip head that does not end": (b"\x1f\x8b\x08\x08" + bytes(6), b"a" * 65_536),
    "empty streams of xz": (b"", lzma.compress(b"") * 2000),
    "empty streams of bzip2": (b"", bz2.compress(b"") * 4000),
    "empty streams of zstd": (b"", zstd.compress(b"") * 7000),
    "a text, and then empty streams": (gzip.compress(TEXT), gzip.compress(b"") * 3000),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_unpacks_to_nothing_does_not_go_on_for_ever(name: str) -> None:
    with pytest.raises(LimitError, match="continues without producing data") as caught:
        list(find(_on_and_on(*ENDLESS[name]), format="auto"))
    assert caught.value.limit == "MAX_BARREN"


def test_many_streams_are_no_fault() -> None:
    """What counts is what brought nothing since something came: a log has a stream for each line."""
    line = gzip.compress(b"http://h/a \n")
    named = line[:3] + b"\x08" + line[4:10] + b"a" * 60_000 + b"\0" + line[10:] + gzip.compress(b"") * 10
    assert sum(1 for _ in find(named * 150, format="auto")) == 150
    assert len(named) * 150 > MAX_BARREN


def test_without_a_package_for_zstd_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def import_module(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(compressed, "import_module", import_module)
    with pytest.raises(MissingExtraError) as caught:
        compressed._zstd.__wrapped__()
    assert caught.value.extra == "codings"


def test_what_is_compressed_three_times_is_too_deep() -> None:
    data = gzip.compress(gzip.compress(b"http://h/"))
    assert [str(item) for item in find(data, format="auto")] == ["http://h/"]
    with pytest.raises(LimitError) as caught:
        list(find(gzip.compress(data), format="auto"))
    assert caught.value.limit == "MAX_NESTING"


def test_nothing_more_is_unpacked_than_is_read() -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        data = gzip.compress(b"".join(b"http://h/%d " % i for i in range(200_000)))
        for at in range(0, len(data), 1000):
            read += 1
            yield data[at : at + 1000]

    found = find(pieces(), format="auto")
    assert str(next(found)) == "http://h/0"
    assert read < 40


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_unpacked_is_read_as_any_file(kind: str) -> None:
    reader = find_reader(kind)
    assert reader is not None
    assert reader.unpack is not None
    text = b"0123456789" * 10
    ((name, file),) = reader.unpack(io.BytesIO(KINDS[kind](text)), Budget())
    assert (name, file.seekable()) == ("", False)
    assert file.read(0) == b""
    assert file.read(1) == b"0"
    assert (file.read(0), file.read(3)) == (b"", b"123")
    rest = b"".join(iter(lambda: file.read(-1), b""))
    assert b"0123" + rest == text
    assert file.read() == b""


@each_row("kind", KINDS)
@each_row("size", [7, 1000, 32_768])
def test_what_fills_a_read_to_the_octet_may_have_more_behind_it(kind: str, size: int) -> None:
    """All that was packed has been taken by then, and what it stands for has not."""
    reader = find_reader(kind)
    assert reader is not None
    assert reader.unpack is not None
    text = bytes(size * 20)
    ((_, file),) = reader.unpack(io.BytesIO(KINDS[kind](text)), Budget())
    assert b"".join(iter(lambda: file.read(size), b"")) == text
