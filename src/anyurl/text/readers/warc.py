"""Web archives (WARC, ISO 28500): the contents that were received, each with the URL that it came from as its base.

Rule: a record has as many octets as it says, and is never searched for; the head of an HTTP response is not content,
and chunks are joined. Content codings are undone like any compressed text, if recognised; br and deflate have no mark
and are unpacked here. Contents in other codings are counted, and reported at the end.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from anyurl.errors import LimitError, MissingExtraError, escape
from anyurl.text.limits import Budget
from anyurl.text.readers.registry import Reader, of_type
from anyurl.text.source import PIECE

MAX_HEAD = 1 << 16
"""Octets of the fields of a record or of a response."""

KINDS = frozenset((b"response", b"resource", b"conversion"))
"""Records with a content that was received, or a text made of it (WET)."""

RECOGNISED = frozenset((b"", b"identity", b"gzip", b"x-gzip", b"zstd"))
"""The identity codings, and those that the first octets of the content reveal."""

MARKLESS = frozenset((b"br", b"deflate"))
"""Content codings that the first octets do not reveal (RFC 7932, RFC 9110 8.4.1.2)."""

MISSING = b"br without its package"
"""The report of contents in br without a package that reads them."""

_FIELD = re.compile(rb"^([!-9;-~]+):[ \t]*(.*?)[ \t]*\r?$", re.M)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[^\r\n]*\r?\n")


class _RecordOctets:
    """Octets that are read in order from a file, or from pieces."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self.held = b""

    def fill(self) -> bool:
        """Hold some more; False at the end."""
        piece = next(self._pieces, b"")
        self.held += piece
        return bool(piece)

    def head(self) -> bytes | None:
        """The octets before an empty line, which is read as well; None at the end. Raises OSError if it is too long."""
        while (found := _HEAD_END.search(self.held)) is None:
            if len(self.held) > MAX_HEAD:
                raise OSError("a record of the archive has no end of its fields")
            if not self.fill():
                return None
        head, self.held = self.held[: found.start()], self.held[found.end() :]
        return head

    def take(self, count: int) -> Iterator[bytes]:
        """So many octets, in pieces; fewer at the end."""
        while count > 0 and (self.held or self.fill()):
            piece, self.held = self.held[:count], self.held[count:]
            count -= len(piece)
            yield piece

    def rest(self) -> Iterator[bytes]:
        """All octets that are left."""
        while self.held or self.fill():
            piece, self.held = self.held, b""
            yield piece

    def chunks(self) -> Iterator[bytes]:
        """The content of chunks (RFC 9112 7.1); the octets as they are, if some writer has joined them already."""
        is_first = True
        while True:
            while (found := _CHUNK.match(self.held)) is None and len(self.held) < MAX_HEAD and self.fill():
                pass
            if found is None:
                yield from self.rest() if is_first else ()
                return
            is_first, self.held = False, self.held[found.end() :]
            if not (size := int(found[1], 16)):
                return
            yield from self.take(size)
            while len(self.held) < 2 and self.fill():
                pass
            self.held = self.held.removeprefix(b"\r").removeprefix(b"\n")


class _WarcContent:
    """A content as an open file.

    Attributes:
        format: The format that its media type says; "" if it says none.
    """

    def __init__(self, pieces: Iterator[bytes], format: str) -> None:
        self._octets = _RecordOctets(pieces)
        self.format = format

    def seekable(self) -> bool:
        """Never."""
        return False

    def read(self, size: int = PIECE) -> bytes:
        """The next octets; none at the end."""
        return next(self._octets.take(PIECE if size < 0 else size), b"")


def _fields(head: bytes) -> dict[bytes, bytes]:
    return {name.lower(): value for name, value in _FIELD.findall(head)}


class _Unbrotli:
    """brotli with the interface of zlib's decompressors. Raises MissingExtraError."""

    def __init__(self) -> None:
        try:
            brotli: Any = import_module("brotli")
        except ImportError:
            text = "Contents in br need a package: in a clone of anyurl, pip install '.[codings]'."
            raise MissingExtraError(text, extra="codings") from None
        self._inner: Any = brotli.Decompressor()
        self.unconsumed_tail = b""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return bool(self._inner.is_finished())

    def decompress(self, data: bytes, size: int) -> bytes:
        """Decompress; returns about `size` octets at most."""
        made: bytes = self._inner.process(data, output_buffer_limit=size)
        return made


class _Inflation:
    """deflate as servers send it: with the head of zlib, or without."""

    def __init__(self) -> None:
        self._inner: Any = None

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._inner is not None and self._inner.eof

    def decompress(self, data: bytes, size: int) -> bytes:
        """Decompress; returns at most `size` octets."""
        if self._inner is None:
            if not data:
                return b""
            self._inner = zlib.decompressobj(15 if data[0] & 15 == 8 else -15)
        made: bytes = self._inner.decompress(self._inner.unconsumed_tail + data, size)
        return made


def _decoded(
    coding: bytes, decoder: _Unbrotli | _Inflation, pieces: Iterator[bytes], budget: Budget, passed: Counter[bytes]
) -> Iterator[bytes]:
    """A content without its coding, as far as it has one. Raises LimitError: there is too much of it."""
    read = out = 0
    for piece in pieces:
        read += len(piece)
        made = piece
        while made and not decoder.eof:
            try:
                made = decoder.decompress(piece, PIECE)
            except Exception:  # each library raises its own errors
                passed[coding] += 1
                return
            piece = b""
            out += len(made)
            budget.take(len(made), out, read)
            if made:
                yield made


def _unpack(file: Any, budget: Budget) -> Iterator[tuple[str, Any]]:
    passed: Counter[bytes] = Counter()
    octets = _RecordOctets(iter(lambda: file.read(PIECE), b""))
    while (head := octets.head()) is not None:
        if not head.strip():  # between two records
            continue
        fields = _fields(head)
        try:
            length = int(fields[b"content-length"])
        except (KeyError, ValueError):
            raise OSError("a record of the archive does not say how long it is") from None
        block = octets.take(length)
        url = fields.get(b"warc-target-uri", b"").strip(b"<>").decode("utf-8", "replace")
        if fields.get(b"warc-type") in KINDS and url:
            try:
                content = _content(fields, block, budget, passed)
            except MissingExtraError:
                passed[MISSING] += 1
                content = None
            if content is not None:
                yield url, content
        for _ in block:
            pass
    if passed:
        _tell(passed)


def _tell(passed: Counter[bytes]) -> None:
    """Raise an error that tells which contents were not read, after all others."""
    told = ", ".join(f"{escape(name.decode('latin-1'))} ({count:,})" for name, count in sorted(passed.items()))
    way = ": in a clone of anyurl, pip install '.[codings]'" if MISSING in passed else ""
    text = f"Contents of the archive were passed over for their coding, {told}{way}; all others were read."
    raise MissingExtraError(text, extra="codings") if way else LimitError(text, limit="codings")


def _content(
    fields: dict[bytes, bytes], block: Iterator[bytes], budget: Budget, passed: Counter[bytes]
) -> _WarcContent | None:
    kind = fields.get(b"content-type", b"")
    if not kind.lower().startswith(b"application/http"):
        return _WarcContent(block, _format(kind))
    octets = _RecordOctets(block)
    head = octets.head()
    if head is None:
        return None
    fields = _fields(head)
    pieces = octets.chunks() if b"chunked" in fields.get(b"transfer-encoding", b"").lower() else octets.rest()
    coding = fields.get(b"content-encoding", b"").strip().lower()
    if coding in MARKLESS:
        decoder = _Unbrotli() if coding == b"br" else _Inflation()
        told = _decoded(coding, decoder, pieces, budget, passed)
        return _WarcContent(told, _format(fields.get(b"content-type", b"")))
    if coding not in RECOGNISED:
        passed[coding] += 1
        return None
    return _WarcContent(pieces, "" if coding.strip(b"identity") else _format(fields.get(b"content-type", b"")))


def _format(kind: bytes) -> str:
    return of_type(kind.partition(b";")[0].strip().lower().decode("latin-1"))


READERS = (
    Reader(
        name="warc",
        summary="web archives: the contents of their records, with links resolved",
        suffixes=(".warc",),
        types=("application/warc",),
        begins=lambda head: head.startswith(b"WARC/"),
        unpack=_unpack,
        located=True,
    ),
)
