"""Room: descriptors for connections. A transfer that finds none waits until another one of its client has ended.

Rule: some descriptors are left to the rest of the process, which would otherwise fail at what it does meanwhile.
"""

from __future__ import annotations

import errno
import math
import os
from collections import deque
from collections.abc import Callable
from typing import Any

LEFT_TO_OTHERS = 32
"""Descriptors: files that are written, look-ups, what libcurl opens for a moment. Of a small limit, a quarter."""

UNLIMITED_BELOW = 64
"""Descriptors below which the limit is not asked for: it takes as long as to open one."""

NO_ROOM = (
    "Connecting to {host} could not begin within {seconds:g} seconds: this process can't open any more connections, "
    "and none of this client's others ended."
)

EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of a system that has no more to give."""


def check_room(descriptor: int) -> None:
    """Raises OSError (EMFILE) for a new descriptor that is among those that are left to others.

    The system gives out the lowest number that is free, so that it says how many there are.
    """
    if descriptor >= UNLIMITED_BELOW and descriptor >= _room():
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def most_idle(most: int) -> int:
    """How many connections may be kept for later: `most`, and of few descriptors (256 are usual on macOS) an eighth."""
    return int(max(1, min(most, _limit() // 8)))


def _limit() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit


def _room() -> float:
    limit = _limit()
    return limit - min(LEFT_TO_OTHERS, limit // 4)


class Room:
    """Who waits for a descriptor, in the order in which they came.

    Args:
        others: How many transfers are under way, those that wait included.
        make: Close what is open for nobody; whether there was anything.
        soon: Calls something in the next turn.
    """

    __slots__ = ("waiting", "_others", "_make", "_soon")

    def __init__(
        self, others: Callable[[], int], make: Callable[[], bool], soon: Callable[[Callable[[], None]], Any]
    ) -> None:
        self.waiting: deque[Waiting] = deque()
        self._others = others
        self._make = make
        self._soon = soon

    def wait(self, again: Callable[[], None]) -> Waiting | None:
        """Call `again` when there may be room; None when nobody of ours will make any."""
        waiting = Waiting(again)
        if self._make():
            self._soon(waiting.call)
            return waiting
        if self._others() - len(self.waiting) <= 1:
            return None
        self.waiting.append(waiting)
        return waiting

    def leave(self) -> None:
        """A transfer has ended: who has waited longest may try again."""
        while self.waiting:
            waiting = self.waiting.popleft()
            if waiting.again is not None:
                self._soon(waiting.call)
                return


class Waiting:
    """One that waits for room."""

    __slots__ = ("again",)

    def __init__(self, again: Callable[[], None]) -> None:
        self.again: Callable[[], None] | None = again

    def call(self) -> None:
        """Let it try again, if it still wants to."""
        again, self.again = self.again, None
        if again is not None:
            again()

    def close(self) -> None:
        """It does not want to any more."""
        self.again = None
