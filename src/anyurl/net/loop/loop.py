"""Loop: one selector, its timers, and a queue of calls for the next turn.

Rule: nothing runs in the background. The caller turns the loop (the consumer's own thread, asyncio through `fileno`, a
test), and every callback runs in that thread. Only `wake` may be called from another thread. A loop that watches
nothing can sleep: it then has no descriptors, and opens them again when it is next used.
"""

from __future__ import annotations

import heapq
import select
import socket
from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from anyurl.errors import LocalFileError
from anyurl.errors.reasons import no_descriptors, reason_of
from anyurl.files.closing import close_all
from anyurl.net.loop.signals import hear

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

if TYPE_CHECKING:
    from time import monotonic
elif cython.compiled:
    from cython.cimports.cpython.time import monotonic
else:
    from time import monotonic

T = TypeVar("T")

AWAY = 0.1
"""Seconds between two turns from which on the consumer counts as away: peers are not blamed for that time."""

BEHIND = 0.05
"""Seconds without a turn after which timers and other connections are overdue."""

LONGEST_NAP = 0.5
"""Longest single wait: Python notices a signal (Ctrl-C) that arrives just before it only when it is over."""

TIMERS_AT_LEAST = 1000
"""Number of timers below which the cancelled ones are not worth removing."""

READ = 1
WRITE = 4
"""Readiness in epoll's numbers; an error or hang-up counts as both, so that the waiting operation runs into it."""


class Timer:
    """A callback that is due later."""

    __slots__ = ("when", "callback")

    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.when: float = when
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Don't call it any more."""
        self.callback = None


class Poller:
    """The interface of `select.epoll` for other systems, by `selectors`; its bookkeeping is a tenth of a request."""

    def __init__(self) -> None:
        from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector  # which no Linux needs

        self._selector = DefaultSelector()
        self._theirs: dict[int, int] = {READ: EVENT_READ, WRITE: EVENT_WRITE, READ | WRITE: EVENT_READ | EVENT_WRITE}
        self._ours: dict[int, int] = {events: ours for ours, events in self._theirs.items()}
        self.fileno: Callable[[], int] = self._selector.fileno  # type: ignore[attr-defined,unused-ignore]
        self.close = self._selector.close

    def register(self, fd: int, events: int) -> None:
        """Raises KeyError if `fd` is registered already."""
        self._selector.register(fd, self._theirs[events])

    def modify(self, fd: int, events: int) -> None:
        """Raises KeyError when it is not registered."""
        self._selector.modify(fd, self._theirs[events])

    def unregister(self, fd: int) -> None:
        """Raises KeyError when it is not registered."""
        self._selector.unregister(fd)

    def poll(self, timeout: float | None) -> list[tuple[int, int]]:
        """Ready descriptors, each with its events."""
        return [(key.fd, self._ours[events]) for key, events in self._selector.select(timeout)]


class Loop:
    """The event loop of a scheduler.

    Attributes:
        turning: A turn is under way.
        at_work: How many times it was entered and not left (`enter`); while it is 0, the scheduler's state is at rest.
    """

    def __init__(self) -> None:
        """Raises LocalFileError if the process has run out of descriptors."""
        self.closed: bool = False
        self._callbacks: dict[int, Callable[[int], None]] = {}
        self._timers: list[tuple[float, int, Timer]] = []
        self._count = 0
        self._soon: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self.on_wake: Callable[[], None] = lambda: None
        self.on_closing: Callable[[], None] = lambda: None
        self.lock: RLock = RLock()
        self.closing: bool = False
        self.turning: bool = False
        self.at_work: int = 0
        self.patience = AWAY
        self._seen = monotonic()
        self._away = 0.0
        self._working = False
        self._polled = True
        self._turned = self._seen
        self._sweep_at = TIMERS_AT_LEAST
        self._open()

    def _open(self) -> None:
        opened: list[Any] = []
        try:
            opened.append(select.epoll() if hasattr(select, "epoll") else Poller())
            opened += socket.socketpair()
            poller, reader, writer = opened
            reader.setblocking(False)
            writer.setblocking(False)
            poller.register(reader.fileno(), READ)
        except OSError as error:
            close_all(*opened)
            raise no_descriptors(error) from error
        self._poller, self._wake_reader, self._wake_writer = poller, reader, writer
        self._callbacks[reader.fileno()] = self._drain

    def fileno(self) -> int:
        """The selector's own descriptor: readable when a turn has something to do (epoll, kqueue)."""
        return int(self._poller.fileno())

    def watch(self, fd: int, events: int, callback: Callable[[int], None]) -> None:
        """Call `callback(events)` whenever `fd` is ready, until `unwatch`.

        Raises:
            LocalFileError: The system lets this user watch no more descriptors.
        """
        known = fd in self._callbacks
        self._callbacks[fd] = callback
        try:
            try:
                (self._poller.modify if known else self._poller.register)(fd, events)
            except (FileExistsError, FileNotFoundError, KeyError):
                # The descriptor was closed and its number reused: register instead of modify, or the reverse.
                (self._poller.register if known else self._poller.modify)(fd, events)
        except OSError as error:
            del self._callbacks[fd]
            raise LocalFileError(f"This process can't watch any more connections: {reason_of(error)}.") from error

    def unwatch(self, fd: int) -> None:
        """Stop watching; does nothing for a descriptor that is not watched."""
        if self._callbacks.pop(fd, None) is not None:
            try:
                self._poller.unregister(fd)
            except (OSError, KeyError, ValueError):  # closed: the kernel has removed it already
                pass

    def is_watched_by(self, fd: int, callback: Callable[[int], None]) -> bool:
        """Whether this callback is the one that waits for the descriptor."""
        return self._callbacks.get(fd) is callback

    def now(self) -> float:
        """Seconds on the loop's clock: monotonic, and stopped while the loop is not turned.

        Peers must not time out because the consumer takes a minute for each piece.
        """
        now = monotonic()
        if not self._working:
            gone = now - self._seen
            if gone > self.patience:
                self._away += gone
            self._seen = now
        return now - self._away

    def working(self, ours: bool) -> bool:
        """Set whose time passes from now on: the loop's (`ours`), which always counts, or the consumer's. Returns the
        old value.

        Otherwise a peer whose data takes long to process would stop the clocks.
        """
        before = self._working
        now = monotonic()
        if not before and now - self._seen > self.patience:
            self._away += now - self._seen
        self._working, self._seen = ours, now
        return before

    def is_behind(self) -> bool:
        """Whether the loop is overdue for a turn, even if the current work (`working`) does not need one."""
        return self._seen - self._turned > BEHIND

    def call_out(self, call: Callable[..., T], *arguments: Any) -> T:
        """Call a function of the consumer (a source, a question); its time does not count against the peers."""
        working = self.working(False)
        try:
            return call(*arguments)
        finally:
            self.working(working)

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` once, in `seconds` (on the loop's clock)."""
        timer = Timer(self.now() + seconds, callback)
        timers = self._timers
        if len(timers) >= self._sweep_at:
            # Each transfer leaves a cancelled timer, which would stay until it is due: up to a million in a minute.
            timers[:] = [each for each in timers if each[2].callback is not None]
            heapq.heapify(timers)
            self._sweep_at = max(TIMERS_AT_LEAST, 2 * len(timers))
        self._count += 1  # a tie-breaker: Timer objects cannot be compared
        heapq.heappush(timers, (timer.when, self._count, timer))
        return timer

    def soon(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Call `callback` in this turn or the next, in the loop's thread, not from within the current call."""
        self._soon.append((callback, arguments))

    def wake(self) -> None:
        """Make a waiting turn return; may be called from any thread."""
        try:
            self._wake_writer.send(b"\0")
        except OSError:  # full: it will wake anyway; closed: there is nothing to wake
            pass

    def _drain(self, events: int) -> None:
        try:
            while self._wake_reader.recv(4096):
                pass
        except BlockingIOError:
            pass
        self.on_wake()

    def timeout(self) -> float | None:
        """Seconds until a timer or a queued call is due; None if there is none."""
        if self._soon:
            return 0.0
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        if not self._timers:
            return None
        # Within a turn the time is that of its beginning: the work since then takes a negligible time.
        return max(0.0, self._timers[0][0] - (self._seen - self._away if self._working else self.now()))

    def enter(self, wait: bool = True) -> bool:
        """Begin to work on the scheduler's state; whether it was entered. Followed by `leave`; may be nested.

        Meanwhile no other thread does so, and nothing ends at the collector's whim (`Stream.abandon`).

        Args:
            wait: Until another thread leaves; else it is not entered.
        """
        if not self.lock.acquire(wait):
            return False
        self.at_work += 1
        return True

    def leave(self) -> None:
        """End the work that `enter` began, and close if another thread asked for it meanwhile, once all of it ends."""
        self.at_work -= 1
        at_rest = self.at_work == 0
        self.lock.release()
        if at_rest and self.closing and not self.closed:  # in this order: who asks now may have been refused the lock
            self.on_closing()

    def turn(self, at_most: float | None = None) -> None:
        """Wait for events (at most `at_most` seconds), and do everything that is due; does nothing if closed."""
        self.enter()
        try:
            if self.closed:
                return
            turning = self.turning
            working = self.working(True)
            try:
                self.turning = True
                if self._soon and self._polled:
                    # The caller may wait only for a queued call. Never twice in a row: it would starve the rest.
                    self._polled = False
                    self._run_queued()
                else:
                    self._polled = True
                    wait = self.timeout()
                    if at_most is None:
                        at_most = LONGEST_NAP
                    self._turn(at_most if wait is None or wait > at_most else wait)
            finally:
                self.working(working)
                self.turning = turning
                self._turned = self._seen
        finally:
            self.leave()
        hear()

    def _turn(self, wait: float | None) -> None:
        callbacks = self._callbacks
        ready = self._poller.poll(wait)
        now = monotonic()
        # An earlier callback of this turn may have ended a wait, and the descriptor's number may belong to another
        # connection by now: so each event goes only to the callback that was waiting when it was reported.
        if len(ready) == 1:
            fd, events = ready[0]
            callback = callbacks.get(fd)
            if callback is not None:
                callback(events)
        elif ready:
            waiting = []
            for fd, events in ready:
                waiting.append((callbacks.get(fd), events, fd))
            for callback, events, fd in waiting:
                if callback is not None and callbacks.get(fd) is callback:
                    callback(events)
        now -= self._away
        while self._timers and self._timers[0][0] <= now:
            due = heapq.heappop(self._timers)[2].callback
            if due is not None:
                due()
        self._run_queued()

    def _run_queued(self) -> None:
        # Only calls that are queued now: those that they queue wait for the next turn, so that no dialogue starves a
        # timer. A call may turn the loop itself (a source that is another resource) and so empty the queue.
        for _ in range(len(self._soon)):
            if not self._soon:
                return
            callback_soon, arguments = self._soon.popleft()
            callback_soon(*arguments)

    def close(self) -> None:
        """Close the loop's own descriptors."""
        if not self.closed:
            self.closed = True
            self._soon.clear()
            self._timers.clear()
            self._callbacks.clear()
            close_all(self._poller, self._wake_reader, self._wake_writer)
