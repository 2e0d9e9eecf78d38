"""Sockets: which connections libcurl has open, what watches them, and what is known of each.

Rule: a connection that libcurl keeps is looked at before it is used again, and its number belongs to nobody else while
it is watched.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from anyurl.errors import AnyURLError
from anyurl.net.channel import translate
from anyurl.net.http.certificates import Nameless
from anyurl.net.libcurl import pycurl
from anyurl.net.loop import READ, WRITE, Poller
from anyurl.net.room import EXHAUSTED
from anyurl.net.scheduler import Scheduler

_MASKS = {
    pycurl.POLL_IN: READ,
    pycurl.POLL_OUT: WRITE,
    pycurl.POLL_INOUT: READ | WRITE,
}

_FIONREAD, _NONE = 0x541B, bytes(4)
"""Of asm-generic/ioctls.h: how much there is to read."""

_RECEIVED, _INFO_BYTES = 128, 136
"""Where tcpi_bytes_received stands in the tcp_info of linux/tcp.h, and where it ends."""

_REMOVE = int(pycurl.POLL_REMOVE)

_UNWATCHED: tuple[int, Callable[[int], None] | None] = (0, None)


def taken(fd: int) -> int | None:
    """Octets that were read from a connection so far; None where the system can't tell."""
    if sys.platform != "linux":
        return None
    import fcntl

    try:
        sock = socket.socket(fileno=fd)
    except OSError:  # libcurl has closed it, and asked once more on another one
        return None
    try:
        while True:
            unread = fcntl.ioctl(fd, _FIONREAD, _NONE)
            info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
            if fcntl.ioctl(fd, _FIONREAD, _NONE) == unread:  # else some came in between
                break
    except OSError:  # what leads through a proxy may be no connection of TCP
        return None
    finally:
        sock.detach()
    if len(info) < _INFO_BYTES:  # Linux before 4.1
        return None
    return int.from_bytes(info[_RECEIVED:], sys.byteorder) - int.from_bytes(unread, sys.byteorder)


class Sockets:
    """The connections of one libcurl engine.

    Args:
        on_event: Called with a descriptor and what it is ready for.

    Attributes:
        salt: What the names that stand for logins are made with; of this engine alone.
        nameless: Which certificates name no host.
        parked: The descriptors that libcurl listens to no more, but may again.
        timed: How many requests libcurl may have a timer for: those that are connecting, send a content or have TLS.
        crowded: Transfers for whose connection there was no room.
        interruption: What a callback was interrupted with (KeyboardInterrupt): libcurl would print and forget it.
    """

    def __init__(self, scheduler: Scheduler, on_event: Callable[[int, int], None]) -> None:
        self.scheduler = scheduler
        self.loop = scheduler.loop
        self.salt = os.urandom(16)
        self.nameless = Nameless()
        self.parked: set[int] = set()
        self.timed = 0
        self.crowded: set[object] = set()
        self.interruption: BaseException | None = None
        self._on_event = on_event
        self._watched: dict[int, tuple[int, Callable[[int], None]]] = {}
        self._probes: dict[int, Any] = {}
        self._latest: dict[int, tuple[int, Any]] = {}
        self._descriptors: dict[int, int] = {}

    def on_socket(self, what: int, fd: int, _multi: Any, _data: Any) -> None:
        """libcurl wants to know when a descriptor is ready, or does not any more."""
        # A connection that becomes idle stays watched: to unwatch it and watch it again costs as much as libcurl needs
        # for a small request. It is unwatched when it wakes us, and before any new socket may get its number.
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
        """Watch a connection no more that libcurl has left idle."""
        self.parked.discard(fd)
        _, callback = self._watched.pop(fd, _UNWATCHED)
        if callback is not None and self.loop.is_watched_by(fd, callback):
            self.loop.unwatch(fd)

    def unpark_all(self) -> None:
        """A new socket is made: what libcurl has closed meanwhile may have had its number."""
        for fd in list(self.parked):
            self.unpark(fd)

    def not_opened(self, transfer: object, error: OSError, where: str) -> AnyURLError:
        """The error of a transfer whose socket could not be opened."""
        if error.errno in EXHAUSTED:
            self.crowded.add(transfer)
        from anyurl.net.http.errors import connecting_to

        return translate(error, connecting_to(where), stage="connect")

    def not_duplicated(self, transfer: object, where: str) -> AnyURLError:
        """The error of a transfer whose socket could not be duplicated."""
        return self.not_opened(transfer, OSError(errno.EMFILE, os.strerror(errno.EMFILE)), where)

    def know(self, local_port: int, fd: int) -> None:
        """Remember how to look at a connection that libcurl has made, if it keeps it."""
        self._probes.pop(local_port, None)
        self._descriptors.pop(local_port, None)
        if fd >= 0:
            # Another connection had the descriptor once, and is closed: there are as many probes as descriptors.
            closed = self._latest.get(fd)
            if closed is not None and self._probes.get(closed[0]) is closed[1]:
                del self._probes[closed[0]], self._descriptors[closed[0]]
            probe = select.poll() if hasattr(select, "poll") else Poller()
            probe.register(fd, READ)
            self._probes[local_port], self._latest[fd] = probe, (local_port, probe)
            self._descriptors[local_port] = fd

    def is_quiet(self, local_port: int) -> bool:
        """Whether nothing has come on the connection that libcurl is about to use again; it looks but once a second.

        Attack: an answer that nobody asked for would pass as the answer to the next question.
        """
        probe = self._probes.get(local_port)
        return probe is None or not probe.poll(0)

    def ask(self, local_port: int) -> tuple[int, int] | None:
        """A request goes out on a connection that was kept: what `is_early` tells its answer by, if anything can.

        Attack: TLS is read ahead (libcurl 8.15). An answer that nobody asked for, and that came with the one before,
        has left the socket and waits inside of OpenSSL, where nobody sees it. HTTP/2 says whose an answer is.
        """
        fd = self._descriptors.get(local_port, -1)
        before = None if fd < 0 else taken(fd)
        return None if before is None else (fd, before)

    def is_early(self, asked: tuple[int, int]) -> bool:
        """Whether what is read now was there before the question: since then nothing was taken from the socket."""
        fd, before = asked
        return taken(fd) == before
