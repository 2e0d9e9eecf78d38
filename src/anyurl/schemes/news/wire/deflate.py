"""COMPRESS DEFLATE: both directions of an NNTP connection as raw deflate streams (RFC 8054).

Rule: only as much is decompressed as the reader requests, which bounds the cost of a decompression bomb; a stream with
an implausible ratio is refused, and so is one that ends: RFC 8054 2.2.2 has no way back to a plain connection.
"""

from __future__ import annotations

import zlib

from anyurl.errors import LimitError, RemoteProtocolError

MAX_RATIO = 200
"""The highest compression ratio: overview lines have 4 to 10, deflate bombs 1,030."""

FREE_BYTES = 8 * 1024 * 1024
"""Decompressed octets to which the ratio does not apply: a short repetitive listing is not an attack."""

MAX_BARREN = 8 * 1024 * 1024
"""Compressed octets in a row without any output. Attack: an endless series of empty blocks."""

_RAW_DEFLATE = -15


class Deflate:
    """The two streams of one connection."""

    __slots__ = ("_deflate", "_inflate", "_rest", "_coded", "_decoded", "_barren", "_more")

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(wbits=_RAW_DEFLATE)
        self._inflate = zlib.decompressobj(_RAW_DEFLATE)
        self._rest = b""
        self._coded = 0
        self._decoded = 0
        self._barren = 0
        self._more = False

    def encode(self, data: bytes) -> bytes:
        """These octets compressed and flushed: the server waits for complete commands (RFC 8054 2.2.2)."""
        return self._deflate.compress(data) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def feed(self, data: bytes) -> None:
        """Add received octets."""
        self._rest += data
        self._coded += len(data)
        self._barren += len(data)
        self._more = self._more or bool(data)

    @property
    def has_more(self) -> bool:
        """Whether `decode` may return octets without further input."""
        return self._more

    def decode(self, at_most: int) -> bytes:
        """The next decompressed octets, at most `at_most`; ``b""`` if more must be fed.

        Raises:
            RemoteProtocolError: The data is not a deflate stream, or the stream ends.
            LimitError: The ratio exceeds `MAX_RATIO`, or there is no output for more than `MAX_BARREN` octets.
        """
        try:
            data = self._inflate.decompress(self._rest, at_most)
        except zlib.error as error:
            raise RemoteProtocolError(
                "The news server agreed to compress, but its octets are not compressed."
            ) from error
        self._rest = self._inflate.unconsumed_tail
        # zlib may hold more output even after consuming all of its input, if the output buffer was full.
        self._more = bool(self._rest) or len(data) == at_most
        if self._inflate.eof:
            raise RemoteProtocolError("The news server ended its compressed stream, which has no end (RFC 8054 2.2.2).")
        self._decoded += len(data)
        if data:
            self._barren = 0
        elif self._barren > MAX_BARREN:
            text = f"More than {MAX_BARREN:,} octets that the news server sent decompress to nothing."
            raise LimitError(text, limit="MAX_BARREN")
        if self._decoded > FREE_BYTES and self._decoded > MAX_RATIO * self._coded:
            raise LimitError(
                f"Data from the news server grows more than {MAX_RATIO} times when it is decompressed, and is over "
                f"{FREE_BYTES:,} octets: it may be a bomb.",
                limit="MAX_RATIO",
            )
        return data
