"""COMPRESS DEFLATE: both directions of an NNTP connection as raw deflate streams (RFC 8054).

Rule: no more is decoded at a time than is asked for, so that a bomb costs what its reader reads; a stream that grows
beyond all reason is refused, and so is one that ends: RFC 8054 2.2.2 knows no way back to a plain connection.
"""

from __future__ import annotations

import zlib

from anyurl.errors import LimitError, RemoteProtocolError

MAX_RATIO = 200
"""Octets that one compressed octet may become: overview lines shrink 4 to 10 times, deflate's bombs 1,030 times."""

FREE_BYTES = 8 * 1024 * 1024
"""Decompressed octets before the ratio counts: a listing of one group over and over is no attack while it is small."""

MAX_BARREN = 8 * 1024 * 1024
"""Compressed octets in a row that nothing comes out of: empty blocks are octets, and could go on for ever."""

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
        """These octets as they are sent, all of them: the server waits for whole commands (RFC 8054 2.2.2)."""
        return self._deflate.compress(data) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def feed(self, data: bytes) -> None:
        """Take in what the server sent."""
        self._rest += data
        self._coded += len(data)
        self._barren += len(data)
        self._more = self._more or bool(data)

    @property
    def has_more(self) -> bool:
        """Whether `decode` may give octets without more being fed."""
        return self._more

    def decode(self, at_most: int) -> bytes:
        """The next octets that the server meant, no more than `at_most`; ``b""`` when more must be fed.

        Raises:
            RemoteProtocolError: This is no deflate stream, or it ends.
            LimitError: It grows more than `MAX_RATIO` times, or nothing comes out of it for long.
        """
        try:
            data = self._inflate.decompress(self._rest, at_most)
        except zlib.error as error:
            raise RemoteProtocolError("The news server compresses, and what it sends is not compressed.") from error
        self._rest = self._inflate.unconsumed_tail
        # zlib may hold more even when it has taken all of its input: the output was full.
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
