"""Relay: TLS to the proxy itself, with a plain socket as the other end of the tunnel.

Rule: the octets of the tunnel are copied, a piece at a time in each direction, and never interpreted. The relay is
needed because a tunnel inside TLS may contain TLS again: Python cannot put two layers of TLS on one socket, and libcurl
accepts only sockets.
"""

from __future__ import annotations

import socket

from anyurl.errors import AnyURLError
from anyurl.net.loop.loop import READ, WRITE, Loop
from anyurl.net.wire.channel import WANT_READ, Connection, Want

PIECE_OCTETS = 64 * 1024
"""Most octets buffered in each direction for a peer that does not read."""


def relayed(loop: Loop, secured: Connection) -> Connection:
    """A plain connection whose octets go through this TLS connection."""
    ours, theirs = socket.socketpair()
    for sock in (ours, theirs):
        sock.setblocking(False)
    _Carrier(loop, secured, theirs)
    assert secured.peer is not None
    return Connection(ours, secured.endpoint, secured.peer)


class _Carrier:
    """Copies octets until either end closes; the loop keeps it alive."""

    def __init__(self, loop: Loop, secured: Connection, plain: socket.socket) -> None:
        self._loop = loop
        self._secured = secured
        self._plain = plain
        self._inward = b""
        self._outward = False
        self._plain_ended = self._secured_ended = False
        self._over = False
        self._work(0)

    def _work(self, _events: int) -> None:
        """Copy all available octets, then wait for either side."""
        if self._over:
            return
        try:
            ways = self._carry_in(), self._carry_out()
        except (AnyURLError, OSError):
            self._end()
            return
        if self._plain_ended or (self._secured_ended and not self._inward):
            self._end()
            return
        for fd in (self._secured.fd, self._plain.fileno()):
            events = 0
            for waits_for, event in ways:
                events |= event if waits_for == fd else 0
            if events:
                self._loop.watch(fd, events, self._work)
            else:
                self._loop.unwatch(fd)

    def _waits(self, want: Want) -> tuple[int, int]:
        return self._secured.fd, READ if want is WANT_READ else WRITE

    def _carry_in(self) -> tuple[int, int]:
        """Copy from the proxy to the plain side; the descriptor and the event to wait for."""
        while True:
            if self._inward:
                try:
                    sent = self._plain.send(self._inward)
                except BlockingIOError:
                    return self._plain.fileno(), WRITE
                self._inward = self._inward[sent:]
                continue
            if self._secured_ended:
                return 0, 0
            data = self._secured.receive(PIECE_OCTETS)
            if isinstance(data, Want):
                return self._waits(data)
            self._inward = data
            self._secured_ended = not data

    def _carry_out(self) -> tuple[int, int]:
        """Copy from the plain side to the proxy; as `_carry_in`."""
        while True:
            if self._outward:
                want = self._secured.send_rest()
                if want is not None:
                    return self._waits(want)
                self._outward = False
            try:
                data = self._plain.recv(PIECE_OCTETS)
            except BlockingIOError:
                return self._plain.fileno(), READ
            if not data:
                self._plain_ended = True
                return 0, 0
            self._outward = True
            want = self._secured.send(data)
            if want is None:
                self._outward = False
            else:
                return self._waits(want)

    def __del__(self) -> None:
        if not self._over:  # the loop is gone
            self._end()

    def _end(self) -> None:
        self._over = True
        try:
            self._secured.end()  # everything was sent; close_notify says so
        except AnyURLError:
            pass
        for fd in (self._secured.fd, self._plain.fileno()):
            self._loop.unwatch(fd)
        self._plain.close()
        self._secured.close()
