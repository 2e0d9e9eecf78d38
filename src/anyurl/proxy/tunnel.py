"""Relaying between two connections in both directions, until both have ended (RFC 9110 9.3.6).

Rule: driven by callbacks of the event loop. Most tunnels are idle, and a task for each direction would be most of what
one takes. A piece that is not taken at once is kept, and nothing is read in its direction until it is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.proxy.sockets import StreamSocket
    from anyurl.proxy.streams import Flow


class TwoWayRelay:
    """Two connections, of which each gets what the other sends.

    Args:
        flow: Counts the octets, and may end the tunnel.
    """

    __slots__ = ("_flow", "_left", "_one", "_other", "_over")

    def __init__(self, one: StreamSocket, other: StreamSocket, flow: Flow) -> None:
        self._one = one
        self._other = other
        self._flow = flow
        self._left = 2  # directions
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def relay(self) -> None:
        """Relay until both sides have ended, or one fails. Raises OSError, LimitError."""
        ways = (_Way(self, self._one, self._other, self._flow), _Way(self, self._other, self._one, self._flow))
        try:
            for way in ways:
                way.start()
            await self._over
        finally:
            for way in ways:
                way.stop()

    def end_way(self) -> None:
        """A direction has ended."""
        self._left -= 1
        if not self._left and not self._over.done():
            self._over.set_result(None)

    def fail(self, error: Exception) -> None:
        """A direction has failed."""
        if not self._over.done():
            self._over.set_exception(error)


class _Way:
    """One direction."""

    __slots__ = ("_flow", "_rest", "_sink", "_source", "_tunnel")

    def __init__(self, tunnel: TwoWayRelay, source: StreamSocket, sink: StreamSocket, flow: Flow) -> None:
        self._tunnel = tunnel
        self._source = source
        self._sink = sink
        self._flow = flow
        self._rest = memoryview(b"")

    def start(self) -> None:
        """Begin, with what was read ahead."""
        self._source.watch_reading(self._read)
        self._read()

    def stop(self) -> None:
        """Relay nothing more."""
        self._source.watch_reading(None)
        self._sink.watch_writing(None)

    def _read(self) -> None:
        """Hand one piece on; others have their turn before the next."""
        try:
            piece = self._source.piece_now()
            if piece:
                self._flow.count(len(piece))
                sent = self._sink.write_now(piece)
                if sent < len(piece):
                    self._rest = memoryview(bytes(piece[sent:]))  # the buffer of the piece is shared
                    self._source.watch_reading(None)
                    self._sink.watch_writing(self._write_rest)
            elif piece is not None:
                self._source.watch_reading(None)
                self._sink.end()
                self._tunnel.end_way()
        except Exception as error:
            self._tunnel.fail(error)

    def _write_rest(self) -> None:
        try:
            self._rest = self._rest[self._sink.write_now(self._rest) :]
        except OSError as error:
            self._tunnel.fail(error)
            return
        if not self._rest:
            self._sink.watch_writing(None)
            self._source.watch_reading(self._read)
