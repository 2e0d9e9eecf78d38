"""The connections that a client may have open at once (`Limits.open_connections`), over all of its threads.

Rule: a task counts from its beginning to its end, whatever it opens; those beyond the limit begin in the order in which
they came, as others end.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from threading import RLock
from time import monotonic
from typing import Protocol

SHARE = 3
"""The part of the process's descriptors that a client may use, as a divisor: libcurl takes two to open a connection."""

IDLE_SHARE = 8
"""The same for idle connections, which are kept for later."""

NO_SLOT = (
    "Connecting to {host} could not begin within {seconds:g} seconds: this client may have {most} connections open at "
    "once{way}, and none of them ended. Read the others to their end, or close them."
)


class Caller(Protocol):
    """What a queue needs of the `Loop` of a task."""

    def soon(self, callback: Callable[[], None], /) -> None:
        """Call it in the next turn."""
        ...

    def wake(self) -> None:
        """Make a waiting turn return; from any thread."""
        ...


class ConnectionLimit:
    """Counts the tasks of a client that have connections, and keeps the others waiting.

    Attributes:
        most: The most of them at once.
        schedulers: Number of threads that have a scheduler, each with idle connections of its own.
        ended_at: When the last one ended (`time.monotonic`).
        process: The process that it belongs to; a forked child makes its own.
    """

    __slots__ = ("most", "schedulers", "ended_at", "process", "_open", "_waiting", "_lock")

    def __init__(self, most: int) -> None:
        descriptors = descriptor_limit()
        self.most: int = most if descriptors is None else max(1, min(most, descriptors // SHARE))
        self.schedulers: int = 0
        self.ended_at: float = monotonic()
        self.process: int = os.getpid()
        self._open = 0
        self._waiting: deque[Slot] = deque()
        self._lock = RLock()  # a task that is garbage-collected ends in any thread, and at any point

    def enter(self, caller: Caller, begin: Callable[[], None]) -> Slot:
        """A slot, taken or (`Slot.waits`) in the queue; then `begin` is called in a turn of the caller's loop."""
        slot = Slot(self, caller, begin)
        with self._lock:
            slot.waits = self._open >= self.most
            if slot.waits:
                self._waiting.append(slot)
            else:
                self._open += 1
        return slot

    def leave(self, slot: Slot) -> None:
        """Give a slot back, or leave the queue; the one that has waited longest takes it. May be called twice."""
        with self._lock:
            if slot.closed:
                return
            slot.closed = True
            if slot.waits:  # removed when its turn comes: to look for it now would take a turn for each that waits
                return
            self.ended_at = monotonic()
            while self._waiting:
                following = self._waiting.popleft()
                if not following.closed:
                    following.take()
                    return
            self._open -= 1

    def most_idle(self, most: int) -> int:
        """How many idle connections each thread may keep: `most`, or fewer of few descriptors (macOS has 256)."""
        descriptors = descriptor_limit()
        return most if descriptors is None else max(1, min(most, descriptors // IDLE_SHARE // max(1, self.schedulers)))


class Slot:
    """The slot of one task; given back when the task ends (`Task.hold`).

    Attributes:
        waits: It is in the queue.
        closed: It was given back.
    """

    __slots__ = ("waits", "closed", "_limit", "_caller", "_begin")

    def __init__(self, limit: ConnectionLimit, caller: Caller, begin: Callable[[], None]) -> None:
        self.waits: bool = False
        self.closed: bool = False
        self._limit = limit
        self._caller = caller
        self._begin = begin

    def take(self) -> None:
        """It is its turn."""
        self.waits = False
        self._caller.soon(self._begin)
        self._caller.wake()

    def close(self) -> None:
        """Give it back."""
        self._limit.leave(self)


def descriptor_limit() -> int | None:
    """The most descriptors that this process may open; None if the system sets no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit
