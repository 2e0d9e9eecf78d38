"""Compressed texts: gzip (RFC 1952), xz, bzip2, zstd (RFC 8878).

Rule: files are unpacked piece by piece, and the output is counted. Octets after the last stream are padding.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any

from anyurl.errors import LimitError, MissingExtraError
from anyurl.text.limits import MAX_BARREN, Budget
from anyurl.text.readers.registry import Reader
from anyurl.text.source import PIECE

MAX_MEMORY = 256 << 20
"""Octets of memory for unpacking xz: four times the dictionary of xz -9, its largest preset."""
MAX_WINDOW_LOG = 27
"""128 MiB: the window of zstd --long, beyond which its own command requires an explicit option."""

SLICE = 4096
"""Octets of one read after the first stream of a file: the unused rest is copied for each stream."""

STREAM = 256
"""Octets that an empty stream counts for: beginning one of 13 octets takes zstd 15 microseconds."""

_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\0"
_BZIP2 = b"BZh"
_ZSTD = b"\x28\xb5\x2f\xfd"


class _Gzip:
    """gzip with the interface of the other decompressors."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        """The octets after the end of the stream."""
        return self._inner.unused_data

    def decompress(self, data: bytes, size: int) -> bytes:
        """Decompress; returns at most `size` octets."""
        out = self._inner.decompress(self._inner.unconsumed_tail + data, size)
        self.needs_input = not self._inner.unconsumed_tail and len(out) < size
        return out


@cache
def _zstd() -> Any:
    for name in ("compression.zstd", "backports.zstd"):  # Python 3.14 has its own module
        try:
            return import_module(name)
        except ImportError:
            pass
    raise MissingExtraError(
        "Texts in zstd need a package: in a clone of anyurl, pip install '.[codings]'.", extra="codings"
    )


def _new_zstd() -> Any:
    options = {_zstd().DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
    return _zstd().ZstdDecompressor(options=options)


class Unpacking:
    """A compressed file, unpacked as it is read.

    Args:
        file: The file.
        begin: Makes a decompressor for one stream.
        mark: The first octets of a stream.
        budget: The budget of unpacking.
    """

    def __init__(self, file: Any, begin: Callable[[], Any], mark: bytes, budget: Budget) -> None:
        self._file = file
        self._begin = begin
        self._mark = mark
        self._budget = budget
        self._inner: Any = None
        self._rest = b""
        self._streams = 0
        self._in = 0
        self._out = 0
        self._barren = 0  # packed octets since the last output

    def seekable(self) -> bool:
        """Never."""
        return False

    def read(self, size: int = PIECE) -> bytes:
        """The next octets, at most `size`; none at the end.

        Raises:
            OSError: The file is damaged, or ends too early.
            LimitError: There is too much output, or none for too long.
        """
        size = PIECE if size < 0 else size
        while size:
            if self._inner is None and not self._next_stream():
                return b""
            inner: Any = self._inner
            if not self._rest and inner.needs_input:
                self._rest = self._more()
                if not self._rest:
                    raise OSError("the compressed file ends too early")
            try:
                out: bytes = inner.decompress(self._rest, size)
            except Exception as error:  # each library raises its own errors
                raise OSError("the compressed file is damaged") from error
            self._rest = b""
            if inner.eof:
                self._rest, self._inner = inner.unused_data, None
            if out:
                self._out += len(out)
                self._barren = 0
                self._budget.take(len(out), self._out, self._in)
                return out
        return b""

    def _more(self) -> bytes:
        data: bytes = self._file.read(PIECE if self._streams < 2 else SLICE) or b""
        self._in += len(data)
        self._barren += len(data)
        if self._barren > MAX_BARREN:
            text = "The compressed file continues without producing data: the limit allows no more."
            raise LimitError(text, limit="MAX_BARREN")
        return data

    def _next_stream(self) -> bool:
        """Begin the next stream; returns whether there is one."""
        while len(self._rest) < len(self._mark) and (more := self._more()):
            self._rest += more
        if not self._rest.startswith(self._mark):
            if not self._streams:
                raise OSError("the file is not compressed so")
            return False
        self._inner = self._begin()
        self._streams += 1
        self._barren += STREAM
        return True


def _unpack(begin: Callable[[], Any], mark: bytes, file: Any, budget: Budget) -> Iterator[tuple[str, Any]]:
    yield "", Unpacking(file, begin, mark, budget)


def _reader(name: str, mark: bytes, begin: Callable[[], Any], *suffixes: str) -> Reader:
    return Reader(
        name=name,
        summary=f"what {name} has compressed",
        suffixes=suffixes,
        begins=lambda head: head.startswith(mark),
        unpack=partial(_unpack, begin, mark),
    )


READERS = (
    _reader("gzip", _GZIP, _Gzip, ".gz", ".tgz"),
    _reader("xz", _XZ, partial(lzma.LZMADecompressor, memlimit=MAX_MEMORY), ".xz", ".txz"),
    _reader("bzip2", _BZIP2, bz2.BZ2Decompressor, ".bz2", ".tbz2"),
    _reader("zstd", _ZSTD, _new_zstd, ".zst", ".tzst"),
)
