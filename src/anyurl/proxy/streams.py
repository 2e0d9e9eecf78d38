"""Relaying a body from one connection to another: of known length, chunked, or to the end (RFC 9112 7.1).

Rule: only one piece is buffered, so a slow writer slows the reader down. A connection is ended when no octet has moved
in either direction for the time that its role allows.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from anyurl.errors import LimitError, RemoteProtocolError, TransferTimeout
from anyurl.proxy.sockets import PIECE, StreamSocket

SLACK = 0.05
"""The fraction of the idle time by which a connection may end late, so that the timer is not reset for each piece."""

OCTETS_IN_A_ROW = 4 * PIECE
"""Octets relayed before other connections get a turn: with both sides always ready, this one would never wait."""

CHUNK_LINE_AT_MOST = 1_024
"""Octets of a chunk's size line with extensions; nginx accepts no extensions, Apache 8 KiB."""

TRAILERS_AT_MOST = 100
"""Trailers of a chunked body, which are read and dropped: as many as Apache accepts fields."""

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[\t\x20-\x7e]*)?\r\n")


class Flow:
    """The relayed octets of one connection; a context manager for the time it is served.

    Args:
        idle: Seconds without an octet after which it ends.
        most: The maximum number of octets in both directions together; None means no limit.

    Attributes:
        octets: Octets relayed so far, in both directions.
    """

    def __init__(self, idle: float, most: int | None) -> None:
        self.octets = 0
        self._idle = idle
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._moved = self._loop.time()
        self._clock = asyncio.timeout(idle * (1 + SLACK))

    async def __aenter__(self) -> Flow:
        await self._clock.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        """Raises TransferTimeout when nothing has moved for too long."""
        try:
            await self._clock.__aexit__(*exception)
        except TimeoutError:
            raise TransferTimeout(f"Nothing moved for {self._idle:g} seconds.", clock="idle") from None

    def count(self, octets: int) -> None:
        """Count octets that moved. Raises LimitError."""
        now = self._loop.time()
        if now - self._moved > self._idle * SLACK and not self._clock.expired():
            self._moved = now
            self._clock.reschedule(now + self._idle * (1 + SLACK))
        self.octets += octets
        if self._most is not None and self.octets > self._most:
            raise LimitError(
                f"The connection had {self._most:,} octets, as many as its role allows.", limit="max_bytes"
            )

    def expect(self, octets: int) -> None:
        """Raises LimitError if so many octets more than have moved would be too many."""
        if self._most is not None and self.octets + octets > self._most:
            raise LimitError(
                f"The connection would have {self.octets + octets:,} octets, where its role allows {self._most:,}.",
                limit="max_bytes",
            )

    async def hand_on(
        self, source: StreamSocket, sink: StreamSocket, length: int | None = None, *, before: bytes = b""
    ) -> None:
        """Relay to the end, or `length` octets.

        Args:
            before: Written first, in one write with what has been read already, unless that is too much.

        Raises:
            LimitError: The source has more octets than may move; `before` is written.
            RemoteProtocolError: The source ends before that.
        """
        row = 0
        if before:
            ahead = source.ahead(length)
            try:
                self.count(len(ahead))
            except LimitError:
                await sink.write(before)
                raise
            await sink.write(before + ahead)
            if length is not None:
                length -= len(ahead)
        while length is None or length > 0:
            piece = await source.piece(PIECE if length is None else min(PIECE, length))
            size = len(piece)
            if not size:
                if length is not None:
                    raise RemoteProtocolError(f"The body ends {length:,} octets before its length.")
                return
            self.count(size)
            await sink.write(piece)
            if length is not None:
                length -= size
            row = await _give_way(row + size)

    async def hand_on_as_chunks(self, source: StreamSocket, sink: StreamSocket) -> None:
        """Relay to the end as a chunked body, so that the reader notices if this process is killed."""
        row = 0
        while size := len(piece := await source.piece()):
            self.count(size)
            await sink.write(b"".join((b"%x\r\n" % size, piece, b"\r\n")))
            row = await _give_way(row + size)
        await sink.write(b"0\r\n\r\n")

    async def hand_on_chunks(self, source: StreamSocket, sink: StreamSocket, *, bare: bool = False) -> None:
        """Relay a chunked body, without extensions and trailers.

        Args:
            bare: Write only the content of the chunks.

        Raises:
            RemoteProtocolError: It is malformed.
        """
        row = 0
        while True:
            match = _SIZE.fullmatch(await self.line(source))
            if match is None:
                raise RemoteProtocolError("A chunk begins with its size in hexadecimal digits.")
            size = int(match[1], 16)
            if size == 0:
                break
            await self.hand_on(source, sink, size, before=b"" if bare else match[1] + b"\r\n")
            if await self.line(source) != b"\r\n":
                raise RemoteProtocolError("A chunk ends with CR LF.")
            if not bare:
                await sink.write(b"\r\n")
            row = await _give_way(row + max(size, PIECE // 16))  # even a tiny chunk has a cost
        for _ in range(TRAILERS_AT_MOST + 1):  # and the empty line
            if await self.line(source) == b"\r\n":
                if not bare:
                    await sink.write(b"0\r\n\r\n")
                return
        raise RemoteProtocolError(f"A body has at most {TRAILERS_AT_MOST} trailers.")

    async def line(self, source: StreamSocket) -> bytes:
        """A line with its end."""
        try:
            line = await source.read_until(b"\n", CHUNK_LINE_AT_MOST)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise RemoteProtocolError("A chunked body has lines of at most 1,024 octets.") from None
        self.count(len(line))
        return line


async def _give_way(row: int) -> int:
    """Let other tasks run after `OCTETS_IN_A_ROW`; returns the number of octets since the last time."""
    if row < OCTETS_IN_A_ROW:
        return row
    await asyncio.sleep(0)
    return 0
