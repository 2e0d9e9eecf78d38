"""One connection, read and written directly when the event loop reports its socket as ready.

Rules: operations that can complete immediately do not wait, and only data read ahead of a mark is buffered. The streams
of asyncio take some ten turns of the event loop for each connection, and copy the data they relay.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from anyurl.net.accepting import BACKLOG

PIECE = 262_144
"""Octets that are relayed at once. All connections of a thread share one buffer, since each piece is written before
anything is awaited."""

HEAD_END = re.compile(rb"\r\n\r\n|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|(?<!\r)\n|\r(?=[^\n])")
"""The end of a head: its empty line, or an octet that is invalid in a head (RFC 9112 2.2): a control character, or a
bare CR or LF. After that the client may wait for a response without ever sending an empty line."""

LINGER_SECONDS = 1.0
"""Time to read the rest of a request after the response: closing with unread data could lose the response."""


def listener_at(host: str, port: int) -> socket.socket:
    """A listener at an address; port 0 is any free one. Raises OSError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL)) from None
    family, kind, protocol, _, place = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(place)
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


class _Scratch(threading.local):
    def __init__(self) -> None:
        self.piece: memoryview = memoryview(bytearray(PIECE))


_scratch = _Scratch()


class StreamSocket:
    """One connection.

    Args:
        sock: The socket, which the stream takes over.
    """

    __slots__ = ("_ahead", "_is_at_end", "_loop", "_sock")

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._loop = asyncio.get_running_loop()
        self._ahead = bytearray()
        self._is_at_end = False

    @property
    def ends(self) -> tuple[Any, Any]:
        """The addresses of the peer and of this side. Raises OSError."""
        return self._sock.getpeername(), self._sock.getsockname()

    async def piece(self, most: int = PIECE) -> memoryview:
        """The next octets, valid until something is awaited; empty at the end. Raises OSError."""
        while (piece := self.piece_now(most)) is None:
            # Not while the error is handled: a connection that waits would hold it, with its frames, a kilobyte.
            await self._ready(self._loop.add_reader, self._loop.remove_reader)
        return piece

    def piece_now(self, most: int = PIECE) -> memoryview | None:
        """The next octets if there are any yet, valid until anything else is read; empty at the end. Raises OSError."""
        if self._ahead:
            return memoryview(self._take(min(len(self._ahead), most, PIECE)))
        room = _scratch.piece
        try:
            size = self._sock.recv_into(room, min(most, PIECE))
        except BlockingIOError:
            return None
        self._is_at_end = not size
        return room[:size]

    async def _more(self) -> bool:
        """Read ahead; returns whether there was anything."""
        while True:
            with suppress(BlockingIOError):
                data = self._sock.recv(65_536)
                self._ahead += data
                return bool(data)
            await self._ready(self._loop.add_reader, self._loop.remove_reader)

    async def read_until(self, mark: bytes, most: int) -> bytes:
        """Read up to and including a mark.

        Raises:
            asyncio.IncompleteReadError: The connection ends before it.
            asyncio.LimitOverrunError: The first `most` octets are without it.
            OSError: The connection breaks.
        """
        seen = 0
        while (at := self._ahead.find(mark, seen)) < 0 and len(self._ahead) < most:
            seen = max(0, len(self._ahead) - len(mark) + 1)
            if not await self._more():
                raise asyncio.IncompleteReadError(bytes(self._ahead), None)
        if at < 0 or at + len(mark) > most:
            raise asyncio.LimitOverrunError("no mark", most)
        return self._take(at + len(mark))

    async def read_head(self, most: int) -> bytes:
        """An HTTP head with its empty line, or everything up to an invalid octet. Raises as `read_until`."""
        seen = 0
        while (found := HEAD_END.search(self._ahead, seen)) is None and len(self._ahead) < most:
            seen = max(0, len(self._ahead) - 3)
            if not await self._more():
                raise asyncio.IncompleteReadError(bytes(self._ahead), None)
        if found is None or found.end() > most:
            raise asyncio.LimitOverrunError("no end", most)
        return self._take(found.end())

    async def read_exactly(self, count: int) -> bytes:
        """Read exactly `count` octets. Raises asyncio.IncompleteReadError, OSError."""
        while len(self._ahead) < count:
            if not await self._more():
                raise asyncio.IncompleteReadError(bytes(self._ahead), count)
        return self._take(count)

    async def first(self) -> bytes:
        """Peek at the first octet; empty at the end. Raises OSError."""
        if not self._ahead:
            await self._more()
        return bytes(self._ahead[:1])

    def ahead(self, most: int | None) -> bytes:
        """The next octets that were read already, and are not waited for; at most `most`."""
        return self._take(len(self._ahead) if most is None else min(len(self._ahead), most))

    def _take(self, count: int) -> bytes:
        data = bytes(self._ahead[:count])
        del self._ahead[:count]
        return data

    async def write(self, data: bytes | memoryview) -> None:
        """Write all of it. Raises OSError."""
        sent = self.write_now(data)
        if sent == len(data):
            return
        rest = memoryview(bytes(data[sent:]))  # the shared buffer may be reused as soon as something is awaited
        while rest:
            await self._ready(self._loop.add_writer, self._loop.remove_writer)
            rest = rest[self.write_now(rest) :]

    def write_now(self, data: bytes | memoryview) -> int:
        """Write what is taken at once; returns the number of octets. Raises OSError."""
        try:
            return self._sock.send(data)
        except BlockingIOError:
            return 0

    def watch_reading(self, call: Callable[[], object] | None) -> None:
        """Call this whenever there is something to read; None ends it."""
        if self._sock.fileno() < 0:  # it was closed, and is watched no more
            return
        if call is None:
            self._loop.remove_reader(self._sock.fileno())
        else:
            self._loop.add_reader(self._sock.fileno(), call)

    def watch_writing(self, call: Callable[[], object] | None) -> None:
        """Call this whenever something can be written; None ends it."""
        if self._sock.fileno() < 0:
            return
        if call is None:
            self._loop.remove_writer(self._sock.fileno())
        else:
            self._loop.add_writer(self._sock.fileno(), call)

    async def _ready(self, add: Callable[..., object], remove: Callable[[int], object]) -> None:
        future = self._loop.create_future()
        number = self._sock.fileno()
        if number < 0:
            raise OSError("The connection was closed.")
        add(number, _ring, future)
        try:
            await future
        finally:
            remove(number)

    def end(self) -> None:
        """Shut down the writing side."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    async def finish(self) -> None:
        """Shut down, read for a moment so that the last data written is not lost (RFC 9112 9.6), and close."""
        if self._is_at_end:  # nothing more can come
            self.close()
            return
        self.end()
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while await self.piece():
                    await asyncio.sleep(0)
        except (OSError, TimeoutError):
            pass
        finally:
            self.close()

    def abort(self) -> None:
        """Close with a reset, so that the peer does not accept partial data as complete."""
        with suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Close; data already written is still sent."""
        self._ahead.clear()
        self._sock.close()


def _ring(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
