"""The connections that a client may have open at once (`Limits.open_connections`), over all of its threads.

Rules. A task counts from its beginning to its end, whatever it opens; those beyond the limit get their slots as others
end, in the order in which they joined the queue. There is no lock: whatever two may do at the same moment (threads, or
a signal or the collector in the middle of either) is one step that only one of them can make.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
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
    """The part of a task's `Loop` that a queue uses."""

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
        ended_at: When the last one ended that others waited for (`time.monotonic`).
        process: The process that it belongs to; a forked child makes its own.
    """

    __slots__ = ("most", "schedulers", "ended_at", "process", "_unused", "_given_back", "_queue")

    def __init__(self, most: int) -> None:
        descriptors = descriptor_limit()
        self.most: int = most if descriptors is None else max(1, min(most, descriptors // SHARE))
        self.schedulers: int = 0
        self.ended_at: float = monotonic()
        self.process: int = os.getpid()
        # Slots are items: to take one, or to give it back, is then one step for all threads, and each task does both.
        self._unused = iter(range(self.most))
        self._given_back: deque[None] = deque()
        self._queue: deque[Waiting] = deque()

    def enter(self) -> bool:
        """Take a slot, if one is free and nobody waits; a task that gets none waits for it (`wait`)."""
        return not self._queue and self._take()

    def _take(self) -> bool:
        try:
            self._given_back.pop()
        except IndexError:
            return next(self._unused, None) is not None
        return True

    def leave(self) -> None:
        """Give a slot back; the task that has waited longest gets it."""
        self._given_back.append(None)
        if self._queue:
            self.ended_at = monotonic()
            self._serve()

    def wait(self, caller: Caller, begin: Callable[[], None]) -> Waiting:
        """Wait for a slot; then `begin` is called in a turn of the caller's loop."""
        waiting = Waiting(self, caller, begin)
        self._queue.append(waiting)
        self._serve()  # one may have been given back meanwhile
        return waiting

    def _serve(self) -> None:
        """Give the free slots to those that wait.

        In this order, the slot and then the first in the queue: two at the same moment serve the first two.
        """
        while self._queue and self._take():
            try:
                taken = self._queue.popleft().take()
            except IndexError:  # it was served meanwhile
                taken = False
            if not taken:  # it had ended: to look for it in the queue then would take a turn for each
                self._given_back.append(None)

    def most_idle(self, most: int) -> int:
        """How many idle connections each thread may keep: `most`, or fewer of few descriptors (macOS has 256)."""
        descriptors = descriptor_limit()
        return most if descriptors is None else max(1, min(most, descriptors // IDLE_SHARE // max(1, self.schedulers)))


class Waiting:
    """A task in the queue for a slot; it has the slot then until it ends (`Task.hold`)."""

    __slots__ = ("_open", "_undecided", "_limit", "_caller", "_begin")

    def __init__(self, limit: ConnectionLimit, caller: Caller, begin: Callable[[], None]) -> None:
        self._open = iter((True,))  # the item is for the first call of `close`
        # Whoever gets this item decides whether it has a slot: the queue, or the end of the task.
        self._undecided = iter((True,))
        self._limit = limit
        self._caller = caller
        self._begin = begin

    def take(self) -> bool:
        """It is its turn; whether it takes the slot."""
        if not next(self._undecided, False):
            return False
        self._caller.soon(self._begin)
        self._caller.wake()
        return True

    def close(self) -> None:
        """Leave the queue, or give the slot back."""
        if next(self._open, False) and not next(self._undecided, False):
            self._limit.leave()


def descriptor_limit() -> int | None:
    """The most descriptors that this process may open; None if the system sets no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit
