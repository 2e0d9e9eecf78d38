"""Octets between two streams: a body of known length, a chunked one, or all in both directions (RFC 9112 7.1).

Rule: nothing is held but a piece; what is slow on one side is read slowly on the other. A connection in which no octet
moves in either direction for as long as its role allows ends.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any

from anyurl.errors import LimitError, RemoteProtocolError, TransferTimeout

PIECE = 65_536
CHUNK_LINE_AT_MOST = 1_024
"""Octets of a chunk's size and its extensions; nginx takes none of them, Apache 8 KiB."""

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[\t\x20-\x7e]*)?\r\n")


class Flow:
    """What moves through one connection; it is entered while that is served.

    Args:
        idle: Seconds without an octet after which it ends.
        most: Octets in both directions together; None for any number.

    Attributes:
        octets: So far, in both directions.
    """

    def __init__(self, idle: float, most: int | None) -> None:
        self.octets = 0
        self._idle = idle
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._clock = asyncio.timeout(idle)

    async def __aenter__(self) -> Flow:
        await self._clock.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        """Raises TransferTimeout when nothing has moved for too long."""
        try:
            await self._clock.__aexit__(*exception)
        except TimeoutError:
            raise TransferTimeout(f"Nothing moved for {self._idle:g} seconds.", clock="idle") from None

    def count(self, data: bytes) -> None:
        """Count octets that moved. Raises LimitError."""
        if not self._clock.expired():
            self._clock.reschedule(self._loop.time() + self._idle)
        self.octets += len(data)
        if self._most is not None and self.octets > self._most:
            raise LimitError(
                f"The connection had {self._most:,} octets, as many as its role allows.", limit="max_bytes"
            )

    async def read(self, reader: asyncio.StreamReader, most: int = PIECE) -> bytes:
        """The next octets, at most so many; b"" at the end. Raises LimitError."""
        data = await reader.read(most)
        if data:
            self.count(data)
        return data

    async def hand_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int | None = None
    ) -> None:
        """Read and write to the end, or so many octets. Raises RemoteProtocolError when it ends before that."""
        while length is None or length > 0:
            data = await self.read(reader, PIECE if length is None else min(PIECE, length))
            if not data:
                if length is not None:
                    raise RemoteProtocolError(f"The body ends {length:,} octets before its length.")
                return
            writer.write(data)
            await writer.drain()
            if length is not None:
                length -= len(data)

    async def hand_on_chunks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a chunked body to its end and write it, without extensions and trailers. Raises RemoteProtocolError."""
        while True:
            match = _SIZE.fullmatch(await self.line(reader))
            if match is None:
                raise RemoteProtocolError("A chunk begins with its size in hexadecimal digits.")
            size = int(match[1], 16)
            if size == 0:
                break
            writer.write(match[1] + b"\r\n")
            await self.hand_on(reader, writer, size)
            if await self.line(reader) != b"\r\n":
                raise RemoteProtocolError("A chunk ends with CR LF.")
            writer.write(b"\r\n")
        for _ in range(100):
            if await self.line(reader) == b"\r\n":
                writer.write(b"0\r\n\r\n")
                await writer.drain()
                return
        raise RemoteProtocolError("A body has at most 100 trailers.")

    async def line(self, reader: asyncio.StreamReader) -> bytes:
        """A line with its end."""
        try:
            line = await reader.readuntil(b"\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            line = b""
        if not line or len(line) > CHUNK_LINE_AT_MOST:
            raise RemoteProtocolError("A chunked body has lines of at most 1,024 octets.")
        self.count(line)
        return line

    async def tunnel(
        self,
        one: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        other: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Hand on in both directions until both have ended, or one fails."""  # fmt: skip
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._one_way(one[0], other[1]))
            tasks.create_task(self._one_way(other[0], one[1]))

    async def _one_way(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.hand_on(reader, writer)
        if writer.can_write_eof():
            with suppress(OSError):
                writer.write_eof()


async def close(writer: asyncio.StreamWriter) -> None:
    """Close a stream, and don't mind how it goes."""
    writer.close()
    with suppress(OSError, TimeoutError, asyncio.CancelledError):
        async with asyncio.timeout(5):
            await writer.wait_closed()
