"""The script player: a server each of whose connections plays a list of steps, and steps to make such lists of.

Rule: a step never sleeps longer than the client stays; whatever comes in is kept octet for octet (`Player.received`);
what a script finds wrong is kept in `Player.complaints` and fails the cell.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tests.servers import PATIENCE, Connection, Server

STREAM_OCTETS = int(os.environ.get("ANYURL_EVIL_STREAM", 128 * 1024 * 1024))
"""Of the stream whose memory is measured: ANYURL_EVIL_STREAM=4294967297 is the long run."""

STREAM_SECONDS = 90.0 + STREAM_OCTETS / 10_000_000
"""After which a stream hangs: the slowest, of wais, did 34 MB/s where fifteen processes shared two cores."""

FOR_EVER = 2**30 + STREAM_OCTETS
"""Octets after which a script that sends for ever has an end: far beyond every limit that is tried."""

Step: TypeAlias = "Callable[[Link], None]"
Steps: TypeAlias = "Sequence[Step] | Step"


class Over(Exception):
    """The script ends here: the connection is closed by whoever plays it."""


class Link(Connection):
    """One connection of a `Player`, with what steps are made of (`line`, `until`, `take`, `send`, `drain` too)."""

    def __init__(self, sock: socket.socket, received: bytearray, server: Player) -> None:
        super().__init__(sock, received)
        self.server = server

    def is_open(self, seconds: float = 0.0) -> bool:
        """Whether the client is still there after so many seconds; what it sent meanwhile is not read."""
        poll = select.poll()
        poll.register(self.sock, select.POLLRDHUP)  # a hang-up and an error are always told
        return not poll.poll(seconds * 1000)

    def run(self, steps: Steps) -> None:
        """Play steps (a single one, too)."""
        for step in steps if isinstance(steps, Sequence) else (steps,):
            step(self)


class Player(Server):
    """A server whose connections play scripts, one after the other; the last one goes on for all that follow.

    Attributes:
        complaints: What scripts found wrong with the client.
        marks: The names that `mark` has reached, in order.
    """

    def __init__(self, *scripts: Steps, host: str = "127.0.0.1", context: ssl.SSLContext | None = None) -> None:
        super().__init__(lambda connection: None, host=host, context=context)
        self.scripts: list[Steps] = list(scripts) or [()]
        self.complaints: list[str] = []
        self.marks: list[str] = []
        self.on_mark: Callable[[str], None] = lambda name: None
        self._count = 0
        self._lock = threading.Lock()

    @property
    def hits(self) -> int:
        """Connections that were accepted."""
        return len(self.received)

    def become(self, *scripts: Steps) -> None:
        """What every connection plays that is accepted from now on."""
        with self._lock:
            self.scripts, self._count = list(scripts), 0

    def _next(self) -> Steps:
        with self._lock:
            script = self.scripts[min(self._count, len(self.scripts) - 1)]
            self._count += 1
            return script

    def _play(self, sock: socket.socket, received: bytearray) -> None:
        sock.settimeout(PATIENCE)
        link = Link(sock, received, self)
        script = self._next()
        with contextlib.suppress(OSError, Over):
            if self._context is not None:
                link.sock = self._context.wrap_socket(sock, server_side=True)
            link.run(script)
        link.sock.close()


# --- steps -----------------------------------------------------------------------------------------------------------


def expect(pattern: bytes = b"", until: bytes = b"\n") -> Step:
    """Read to the end of the next line (or to `until`); complain when it does not match the pattern."""

    def step(link: Link) -> None:
        got = link.until(until)
        if not got:
            raise Over
        if not re.search(pattern, got, re.DOTALL):
            link.server.complaints.append(f"expected {pattern!r}, got {got!r}")
            raise Over

    return step


def head() -> Step:
    """Read the head of an HTTP request."""
    return expect(until=b"\r\n\r\n")


def expect_no_more() -> Step:
    """Wait until the client closes; complain when it says anything more."""

    def step(link: Link) -> None:
        if rest := link.drain():
            link.server.complaints.append(f"expected no more, got {rest!r}")

    return step


def send(data: bytes) -> Step:
    """Send octets."""
    return lambda link: link.send(data)


def send_slow(data: bytes, gap: float) -> Step:
    """Send octet after octet, with so many seconds between them."""

    def step(link: Link) -> None:
        for index in range(len(data)):
            link.send(data[index : index + 1])
            if not link.is_open(gap):
                return

    return step


def send_forever(chunk: bytes, gap: float = 0.0, cap: int = FOR_EVER) -> Step:
    """Send the same octets again and again, until the client goes away (or to so many octets)."""

    def step(link: Link) -> None:
        sent = 0
        while sent < cap and (not gap or link.is_open(gap)):
            link.send(chunk)
            sent += len(chunk)

    return step


def hold(seconds: float = PATIENCE) -> Step:
    """Say nothing and read nothing until the client goes away (or so long)."""

    def step(link: Link) -> None:
        link.is_open(seconds)

    return step


def read_all() -> Step:
    """Read and say nothing until the client closes."""
    return lambda link: link.wait_for_close()


def half_close() -> Step:
    """Say that nothing more comes, and keep the connection."""
    return lambda link: link.sock.shutdown(socket.SHUT_WR)


def close() -> Step:
    """Close at once (what follows the last step anyway)."""

    def step(link: Link) -> None:
        raise Over

    return step


def reset() -> Step:
    """Close so that the client sees a reset."""

    def step(link: Link) -> None:
        link.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Over

    return step


def pause(seconds: float) -> Step:
    """Go on after so many seconds: for races that a step can't wait for."""
    return lambda link: time.sleep(seconds)


def mark(name: str) -> Step:
    """Tell the test that the script has come here (the signal rig acts on it)."""

    def step(link: Link) -> None:
        link.server.marks.append(name)
        link.server.on_mark(name)

    return step


def tls(context: ssl.SSLContext) -> Step:
    """Go on over TLS."""

    def step(link: Link) -> None:
        link.sock = context.wrap_socket(link.sock, server_side=True)

    return step


def branch(answers: Mapping[bytes, Steps], otherwise: Steps = ()) -> Step:
    """Answer line after line by its first word, in capitals, until the client closes: FTP, NNTP.

    An answer that is `close()` or `reset()` ends it.
    """

    def step(link: Link) -> None:
        while line := link.line():
            link.run(answers.get(line.partition(b" ")[0].upper(), otherwise))

    return step


def again(*steps: Step) -> Step:
    """The same steps until the client closes: a server that answers any number of requests on one connection."""

    def step(link: Link) -> None:
        while True:
            link.run(steps)

    return step
