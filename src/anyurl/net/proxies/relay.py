"""Relay: TLS to the proxy itself, so that what goes through it is a plain socket again.

Rule: the octets of the tunnel are carried, a piece at a time in each direction, and never read. A tunnel within TLS may
hold TLS again: two layers of Python's TLS don't go onto one socket, and libcurl takes a socket and nothing else.
"""

from __future__ import annotations

import socket

from anyurl.errors import AnyURLError
from anyurl.net.channel import WANT_READ, Connection, Want
from anyurl.net.loop import READ, WRITE, Loop

PIECE_OCTETS = 64 * 1024
"""Carried at once in each direction: what one TLS connection holds for a peer that does not read."""


def relayed(loop: Loop, secured: Connection) -> Connection:
    """A plain connection whose octets go through this one over TLS."""
    ours, theirs = socket.socketpair()
    for sock in (ours, theirs):
        sock.setblocking(False)
    _Carrier(loop, secured, theirs)
    assert secured.peer is not None
    return Connection(ours, secured.endpoint, secured.peer)


class _Carrier:
    """Carries octets until one of both ends closes; the loop keeps it alive."""

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
        """Carry what can be carried now, then wait for what is missing."""
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
        """From the proxy to the plain side; the descriptor that is waited for, and for what of it."""
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
        """From the plain side to the proxy."""
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
            self._secured.end()  # all that was given is out; TLS's own end mark says so
        except AnyURLError:
            pass
        for fd in (self._secured.fd, self._plain.fileno()):
            self._loop.unwatch(fd)
        self._plain.close()
        self._secured.close()
