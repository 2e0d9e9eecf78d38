"""Sockets: libcurl's open connections, how they are watched, and their state.

Rule: a connection that libcurl keeps is checked before it is reused, and while it is watched, its descriptor number
belongs to no other connection.
"""

from __future__ import annotations

import select
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from anyurl.net.http.certificates import Nameless
from anyurl.net.http.libcurl import PinLabels, pycurl
from anyurl.net.loop.loop import READ, WRITE, Poller
from anyurl.net.loop.scheduler import Scheduler

_MASKS = {
    pycurl.POLL_IN: READ,
    pycurl.POLL_OUT: WRITE,
    pycurl.POLL_INOUT: READ | WRITE,
}

_FIONREAD, _NONE = 0x541B, bytes(4)
"""asm-generic/ioctls.h: the number of unread octets."""

_RECEIVED, _INFO_BYTES = 128, 136
"""Begin and end of tcpi_bytes_received in the tcp_info of linux/tcp.h."""

_REMOVE = int(pycurl.POLL_REMOVE)

_UNWATCHED: tuple[int, Callable[[int], None] | None] = (0, None)


def connecting_to(where: str) -> str:
    """The beginning of a sentence, as in the errors of other schemes."""
    host, _, port = where.rpartition(":")
    return f"Connecting to {host.strip('[]')} port {port}"


def taken(fd: int) -> int | None:
    """Octets read from a connection so far; None if the system cannot tell."""
    if sys.platform != "linux":
        return None
    try:
        import fcntl

        sock = socket.socket(fileno=fd)
    # No descriptor is left to load that with; or libcurl has closed it, and repeated the request on another one.
    except (OSError, ImportError):
        return None
    try:
        while True:
            unread = fcntl.ioctl(fd, _FIONREAD, _NONE)
            info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
            if fcntl.ioctl(fd, _FIONREAD, _NONE) == unread:  # else data arrived in between
                break
    except OSError:  # the socket to a relay is not a TCP connection
        return None
    finally:
        sock.detach()
    if len(info) < _INFO_BYTES:  # Linux before 4.1
        return None
    return int.from_bytes(info[_RECEIVED:], sys.byteorder) - int.from_bytes(unread, sys.byteorder)


class Sockets:
    """The connections of one libcurl engine.

    Args:
        on_event: Called with a descriptor and its events.

    Attributes:
        labels: The names of approved addresses for libcurl.
        nameless: Connections whose certificate names no host.
        parked: Descriptors that libcurl does not watch now, but may watch again.
        timed: Number of requests that libcurl may have a timer for: those that connect, send a content or use TLS.
        interruption: The exception that interrupted a callback (KeyboardInterrupt): libcurl would print and drop it.
    """

    def __init__(self, scheduler: Scheduler, on_event: Callable[[int, int], None]) -> None:
        self.scheduler = scheduler
        self.loop = scheduler.loop
        self.labels = PinLabels()
        self.nameless = Nameless()
        self.parked: set[int] = set()
        self.timed = 0
        self.interruption: BaseException | None = None
        self._on_event = on_event
        self._watched: dict[int, tuple[int, Callable[[int], None]]] = {}
        self._probes: dict[int, Any] = {}
        self._latest: dict[int, tuple[int, Any]] = {}
        self._descriptors: dict[int, int] = {}

    def on_socket(self, what: int, fd: int, _multi: Any, _data: Any) -> None:
        """libcurl's request to watch a descriptor, or to stop."""
        # An idle connection stays watched: to unwatch and watch it again costs as much as libcurl needs for a small
        # request. It is unwatched when it has an event, and before a new socket could get its number.
        try:
            if what == _REMOVE:
                self.parked.add(fd)
                return
            mask = _MASKS[what]
            known, callback = self._watched.get(fd, _UNWATCHED)
            if fd in self.parked:
                self.parked.discard(fd)
                if mask == known and callback is not None and self.loop.is_watched_by(fd, callback):
                    return
            callback = partial(self._on_event, fd)
            self._watched[fd] = (mask, callback)
            self.loop.watch(fd, mask, callback)
        except BaseException as error:  # Ctrl-C finds us anywhere
            self.interruption = error

    def unpark(self, fd: int) -> None:
        """Stop watching a connection that libcurl has left idle."""
        self.parked.discard(fd)
        _, callback = self._watched.pop(fd, _UNWATCHED)
        if callback is not None and self.loop.is_watched_by(fd, callback):
            self.loop.unwatch(fd)

    def unpark_all(self) -> None:
        """Stop watching all of them before a new socket is made, which may get the number of one closed meanwhile."""
        for fd in list(self.parked):
            self.unpark(fd)

    def know(self, local_port: int, fd: int) -> None:
        """Remember how to check a connection that libcurl has made, in case it keeps it."""
        self._probes.pop(local_port, None)
        self._descriptors.pop(local_port, None)
        if fd >= 0:
            # Drop the probe of a closed connection that had the same descriptor: one probe for each descriptor.
            closed = self._latest.get(fd)
            if closed is not None and self._probes.get(closed[0]) is closed[1]:
                del self._probes[closed[0]], self._descriptors[closed[0]]
            probe = select.poll() if hasattr(select, "poll") else Poller()
            probe.register(fd, READ)
            self._probes[local_port], self._latest[fd] = probe, (local_port, probe)
            self._descriptors[local_port] = fd

    def is_quiet(self, local_port: int) -> bool:
        """Whether nothing has arrived on a connection that libcurl is about to reuse; libcurl checks once a second.

        Attack: an unsolicited response would be taken for the response to the next request.
        """
        probe = self._probes.get(local_port)
        return probe is None or not probe.poll(0)

    def ask(self, local_port: int) -> tuple[int, int] | None:
        """Called before a request on a kept connection; the state for `is_early`, or None if unknown.

        Attack: TLS is read ahead (libcurl 8.15). An unsolicited response that came together with the previous one has
        left the socket and waits inside OpenSSL, where it cannot be seen. HTTP/2 ties each response to its request.
        """
        fd = self._descriptors.get(local_port, -1)
        before = None if fd < 0 else taken(fd)
        return None if before is None else (fd, before)

    def is_early(self, asked: tuple[int, int]) -> bool:
        """Whether the data read now arrived before the request: nothing was read from the socket since."""
        fd, before = asked
        return taken(fd) == before
