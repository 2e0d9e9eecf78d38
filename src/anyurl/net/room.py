"""Room: descriptors for connections. A transfer that finds none waits until another one of its client has ended.

Rule: some descriptors are left to the rest of the process, which would otherwise fail at what it does meanwhile; and
half of the others to connections: threads that have a loop each, and wait for a connection each, would wait for ever.
"""

from __future__ import annotations

import errno
import math
import os
import threading
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any, Protocol
from weakref import WeakSet

LEFT_TO_OTHERS = 32
"""Descriptors: files that are written, look-ups, what libcurl opens for a moment. Of a small limit, a quarter."""

UNLIMITED_BELOW = 64
"""Descriptors below which the limit is not asked for: it takes as long as to open one."""

NAP = 0.5
"""Seconds of one wait of a thread: it looks for itself, too, since others than ours close what they have open."""

FOR_LOOPS = 0.5
"""The share of the descriptors in which threads may have their loops, each of which has three."""

SHORT_NAP = 0.02
"""Seconds until a scheduler that was just at work is asked again for what it does not need."""

LOOPS_BELOW = 16
"""The same for the descriptors of loops: those of the first threads."""

NO_ROOM = (
    "Connecting to {host} could not begin within {seconds:g} seconds: this process can't open any more connections, "
    "and none of this client's others ended."
)

EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of a system that has no more to give."""


def check_room(descriptor: int, share: float = 1.0) -> None:
    """Raises OSError (EMFILE) for a new descriptor that is among those that are left to others.

    The system gives out the lowest number that is free, so that it says how many there are.

    Args:
        share: The part of them that may be used for this.
    """
    if descriptor >= (UNLIMITED_BELOW if share == 1.0 else LOOPS_BELOW) and descriptor >= _room() * share:
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


class RoomLoop(Protocol):
    """What a room needs of a `Loop`."""

    def soon(self, callback: Callable[[], None], /) -> None:
        """Call it in the next turn."""
        ...

    def after(self, seconds: float, callback: Callable[[], None], /) -> Any:
        """Call it in so many seconds."""
        ...

    def wake(self) -> None:
        """Let it turn."""
        ...


class Member(Protocol):
    """What a room needs of a `Scheduler`."""

    @property
    def loop(self) -> RoomLoop:
        """Its loop."""
        ...

    def under_way(self) -> int:
        """Transfers that have begun and not ended."""
        ...

    def rest(self) -> bool | None:
        """Close what is open for nobody, in any thread; whether there was anything, or None if that can't be said."""
        ...


class Room:
    """Who waits for a descriptor, in the order in which they came: transfers of all threads of one client.

    Attributes:
        wanted: How many wait.
        process: That it belongs to; a child of fork has another one.
    """

    __slots__ = ("wanted", "process", "_members", "_waiting", "_claiming", "_left")

    def __init__(self) -> None:
        self.wanted: int = 0
        self.process: int = os.getpid()
        self._members: WeakSet[Member] = WeakSet()
        self._waiting: deque[Waiting] = deque()
        self._claiming: list[Member] = []
        self._left = threading.Condition()

    def join(self, member: Member) -> None:
        """One more scheduler: that of another thread."""
        with self._left:
            self._members.add(member)

    def most_idle(self, most: int) -> int:
        """How many connections each of several members may keep for later."""
        count = len(self._members)
        return most if count <= 1 else max(1, most_idle(most) // count)

    # --- transfers -------------------------------------------------------------------------------------------------

    def wait(self, member: Member, again: Callable[[], None]) -> Waiting | None:
        """Call `again` in a turn of the member's when there may be room; None when nobody of ours will make any."""
        waiting = Waiting(self, member.loop, again)
        made = self._make()
        if made:
            member.loop.soon(waiting.call)
            return waiting
        with self._left:
            # In this order: who ends now sees who waits, and who has ended has closed all that it had.
            self._waiting.append(waiting)
            self.wanted += 1
            if self._others() > 0:
                return waiting
            self._forget(waiting)
        if made is None:
            member.loop.after(SHORT_NAP, waiting.call)
        elif _is_there():
            member.loop.soon(waiting.call)
        else:
            return None
        return waiting

    def leave(self) -> None:
        """A transfer has ended: who has waited longest may try again."""
        with self._left:
            self._left.notify()
            if self._waiting:
                waiting = self._waiting[0]
                self._forget(waiting)
                waiting.loop.soon(waiting.call)
                waiting.loop.wake()

    def forget(self, waiting: Waiting) -> None:
        """It waits no more."""
        with self._left:
            self._forget(waiting)

    def _forget(self, waiting: Waiting) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            self.wanted -= 1

    # --- threads ---------------------------------------------------------------------------------------------------

    def claim(self, member: Member, seconds: float, open_it: Callable[[float], None]) -> None:
        """Open what a thread needs before it can wait for anything: again and again, while others are under way.

        Args:
            seconds: That it may take.
            open_it: Is given the share of the room that it may use (`check_room`), or infinity if it may use what is
                left to others. Raises OSError when there is none.
        """
        until = monotonic() + seconds
        while True:
            try:
                open_it(FOR_LOOPS)
                return
            except OSError as error:
                if error.errno not in EXHAUSTED:
                    raise
            made = self._make()
            if not made and not self._nap(member, made, until):
                open_it(math.inf)
                return

    def _nap(self, member: Member, made: bool | None, until: float) -> bool:
        """Wait until somebody ends; False when nobody will."""
        with self._left:
            self._claiming.append(member)
            self.wanted += 1
            try:
                others = self._others()
                if monotonic() > until or (others <= 0 and made is False):
                    return False
                self._left.wait(NAP if others > 0 else SHORT_NAP)
                return True
            finally:
                self._claiming.remove(member)
                self.wanted -= 1

    # --- who has what ------------------------------------------------------------------------------------------------

    def _make(self) -> bool | None:
        """Close what is open for nobody; whether there was anything, or None if that can't be said."""
        with self._left:
            members = [each for each in self._members if each not in self._claiming]
        made = [each.rest() for each in members]
        return True if True in made else None if None in made else False

    def _others(self) -> int:
        """Transfers of all threads that will end by themselves: none that waits, or whose thread does."""
        return sum(each.under_way() for each in self._members if each not in self._claiming) - len(self._waiting)


def _is_there() -> bool:
    """Whether there is room by now."""
    try:
        found = os.dup(0)
    except OSError:
        return False
    try:
        check_room(found)
    except OSError:
        return False
    finally:
        os.close(found)
    return True


class Waiting:
    """One that waits for room."""

    __slots__ = ("loop", "_again", "_room")

    def __init__(self, room: Room, loop: RoomLoop, again: Callable[[], None]) -> None:
        self.loop: RoomLoop = loop
        self._again: Callable[[], None] | None = again
        self._room = room

    def call(self) -> None:
        """Let it try again, if it still wants to."""
        again, self._again = self._again, None
        if again is not None:
            again()

    def close(self) -> None:
        """It does not want to any more."""
        self._again = None
        self._room.forget(self)
