"""Room: descriptors for connections. A transfer that gets none waits until another transfer of its client has ended.

Rule: some descriptors are left to the rest of the process, which would otherwise fail; and half of the others are
reserved for connections: if loops took them all, each thread would wait for a connection forever.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Callable
from threading import Condition, RLock
from time import monotonic
from typing import Any, Protocol
from weakref import WeakSet

from anyurl.reasons import EXHAUSTED

LEFT_TO_OTHERS = 32
"""Descriptors left for output files, look-ups and short-lived ones of libcurl; a quarter of a small limit."""

UNLIMITED_BELOW = 64
"""Descriptor number below which the limit is not queried, which takes as long as to open one."""

NAP = 0.5
"""Longest single wait of a thread; it also polls, since other code of the process closes descriptors unnoticed."""

FOR_LOOPS = 0.5
"""The share of the descriptors that loops may use; each loop has three."""

SHORT_NAP = 0.02
"""Seconds until a busy scheduler is asked again to close what it does not need."""

ALONE_SECONDS = 1.0
"""How long a transfer is retried if no other one will make room, and what room there is was not enough."""

NO_LIMIT = float("inf")
"""In place of a number or a share of descriptors: as many as the system gives."""

LOOPS_BELOW = 16
"""The same for the descriptors of loops: enough for the first threads."""

NO_ROOM = (
    "Connecting to {host} could not begin within {seconds:g} seconds: this process can't open any more connections, "
    "and none of this client's others ended."
)


def check_room(descriptor: int, share: float = 1.0) -> None:
    """Raises OSError (EMFILE) if a new descriptor is one of those left to the rest of the process.

    The system assigns the lowest free number, so that the number shows how many are open.

    Args:
        share: The share of the descriptors that may be used for this purpose.
    """
    if descriptor >= (UNLIMITED_BELOW if share == 1.0 else LOOPS_BELOW) and descriptor >= _room() * share:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def most_idle(most: int) -> int:
    """How many idle connections may be kept: `most`, but at most an eighth of the descriptors (macOS often has 256)."""
    return int(max(1, min(most, _limit() // 8)))


def _limit() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return NO_LIMIT
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return NO_LIMIT if limit == resource.RLIM_INFINITY else limit


def _room() -> float:
    limit = _limit()
    return limit - min(LEFT_TO_OTHERS, limit // 4)


class RoomLoop(Protocol):
    """What a room needs of a `Loop`."""

    def soon(self, callback: Callable[[], None], /) -> None:
        """Call it in the next turn."""
        ...

    def after(self, seconds: float, callback: Callable[[], None], /) -> Any:
        """Call it after a delay in seconds."""
        ...

    def wake(self) -> None:
        """Make a waiting turn return."""
        ...


class Member(Protocol):
    """What a room needs of a `Scheduler`."""

    @property
    def loop(self) -> RoomLoop:
        """Its loop."""
        ...

    def under_way(self) -> int:
        """Number of transfers that have not ended."""
        ...

    def rest(self) -> bool | None:
        """Close what no task uses, from any thread; whether there was anything, or None if that is unknown."""
        ...


class Room:
    """The queue of transfers that wait for a descriptor, from all threads of one client, in order of arrival.

    Attributes:
        wanted: Number of waiting transfers and threads.
        process: The process that it belongs to; a forked child makes its own.
    """

    __slots__ = ("wanted", "process", "_members", "_waiting", "_claiming", "_lock", "_left")

    def __init__(self) -> None:
        self.wanted: int = 0
        self.process: int = os.getpid()
        self._members: WeakSet[Member] = WeakSet()
        self._waiting: deque[Waiting] = deque()
        self._claiming: list[Member] = []
        self._lock = RLock()
        self._left: Condition | None = None  # of the lock, once a thread has waited for it

    def join(self, member: Member) -> None:
        """Add the scheduler of another thread."""
        with self._lock:
            self._members.add(member)

    def most_idle(self, most: int) -> int:
        """How many connections each of several members may keep for later."""
        count = len(self._members)
        return most if count <= 1 else max(1, most_idle(most) // count)

    # --- transfers -------------------------------------------------------------------------------------------------

    def wait(self, member: Member, again: Callable[[], None], since: float | None = None) -> Waiting | None:
        """Call `again` in a turn of the member once there may be room; None if no transfer here will make any.

        Args:
            since: When it was first called again because there seemed to be room (`monotonic`); None if never.
        """
        waiting = Waiting(self, member.loop, again)
        made = self._make()
        if made:
            member.loop.soon(waiting.call)
            return waiting
        with self._lock:
            # In this order: a transfer that ends from now on sees this one, and one that ended before has closed all.
            self._waiting.append(waiting)
            self.wanted += 1
            if self._others() > 0:
                return waiting
            self._forget(waiting)
        if made is None:
            member.loop.after(SHORT_NAP, waiting.call)
        elif not _is_there() or (since is not None and monotonic() - since > ALONE_SECONDS):
            return None
        elif since is None:
            member.loop.soon(waiting.call)
        else:  # one was there and did not do: pycurl needs two for each connection
            member.loop.after(SHORT_NAP, waiting.call)
        return waiting

    def leave(self) -> None:
        """A transfer has ended: the one that has waited longest may retry."""
        with self._lock:
            if self._left is not None:
                self._left.notify()
            if self._waiting:
                waiting = self._waiting[0]
                self._forget(waiting)
                waiting.loop.soon(waiting.call)
                waiting.loop.wake()

    def forget(self, waiting: Waiting) -> None:
        """Remove a transfer from the queue."""
        with self._lock:
            self._forget(waiting)

    def _forget(self, waiting: Waiting) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            self.wanted -= 1

    # --- threads ---------------------------------------------------------------------------------------------------

    def claim(self, member: Member, seconds: float, open_it: Callable[[float], None]) -> None:
        """Open what a thread needs before it can wait for anything; retried while other transfers are under way.

        Args:
            seconds: How long to retry.
            open_it: Called with the share of the descriptors that it may use (`check_room`), or infinity if it may also
                use those left to the rest of the process. Raises OSError if there are none.
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
                open_it(NO_LIMIT)
                return

    def _nap(self, member: Member, made: bool | None, until: float) -> bool:
        """Wait until a transfer ends; False if none will."""
        with self._lock:
            self._claiming.append(member)
            self.wanted += 1
            try:
                others = self._others()
                if monotonic() > until or (others <= 0 and made is False):
                    return False
                left = self._left or Condition(self._lock)
                self._left = left
                left.wait(NAP if others > 0 else SHORT_NAP)
                return True
            finally:
                self._claiming.remove(member)
                self.wanted -= 1

    # --- members and their descriptors --------------------------------------------------------------------------------

    def _make(self) -> bool | None:
        """Let all members close what no task uses; whether there was anything, or None if that is unknown."""
        with self._lock:
            members = [each for each in self._members if each not in self._claiming]
        made = [each.rest() for each in members]
        return True if True in made else None if None in made else False

    def _others(self) -> int:
        """Number of transfers that will end by themselves: without those that wait, or whose thread waits."""
        return sum(each.under_way() for each in self._members if each not in self._claiming) - len(self._waiting)


def _is_there() -> bool:
    """Whether a descriptor is available now."""
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
    """One transfer that waits for a descriptor."""

    __slots__ = ("loop", "_again", "_room")

    def __init__(self, room: Room, loop: RoomLoop, again: Callable[[], None]) -> None:
        self.loop: RoomLoop = loop
        self._again: Callable[[], None] | None = again
        self._room = room

    def call(self) -> None:
        """Let it retry, unless it was closed."""
        again, self._again = self._again, None
        if again is not None:
            again()

    def close(self) -> None:
        """Stop waiting."""
        self._again = None
        self._room.forget(self)
