"""Loop: one selector, its timers, and a queue of what to do next.

Rule: nothing happens in the background. Whoever wants something turns the loop (the consumer's own thread, asyncio
through `fileno`, a test), and every callback runs in that thread. Only `wake` may be called from another one.
"""

from __future__ import annotations

import heapq
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any

READ = selectors.EVENT_READ
WRITE = selectors.EVENT_WRITE


class Timer:
    """A callback that is still to come."""

    __slots__ = ("when", "callback")

    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.when = when
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Don't call it any more."""
        self.callback = None

    def __lt__(self, other: Timer) -> bool:
        return self.when < other.when


class Loop:
    """The turning part of a reactor."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[Timer] = []
        self._soon: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._selector.register(self._wake_reader, READ, self._drain)
        self.on_wake: Callable[[], None] = lambda: None
        self.closed = False

    def fileno(self) -> int:
        """The selector's own descriptor: readable when a turn has something to do (epoll, kqueue)."""
        return int(self._selector.fileno())

    def watch(self, fd: int, events: int, callback: Callable[[int], None]) -> None:
        """Call `callback(events)` whenever `fd` is ready, until `unwatch`."""
        try:
            self._selector.register(fd, events, callback)
        except KeyError:
            self._selector.modify(fd, events, callback)

    def unwatch(self, fd: int) -> None:
        """Stop watching; a descriptor that is not watched may be given."""
        try:
            self._selector.unregister(fd)
        except (KeyError, ValueError):
            pass

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` once, in `seconds` (monotonic clock)."""
        timer = Timer(time.monotonic() + seconds, callback)
        heapq.heappush(self._timers, timer)
        return timer

    def soon(self, callback: Callable[..., None], *arguments: Any) -> None:
        """Call `callback` in this turn or the next, outside of whatever is running now."""
        self._soon.append((callback, arguments))

    def wake(self) -> None:
        """Let a turn that waits return; may be called from any thread."""
        try:
            self._wake_writer.send(b"\0")
        except OSError:  # full: it wakes anyway; closed: nobody waits any more
            pass

    def _drain(self, events: int) -> None:
        try:
            while self._wake_reader.recv(4096):
                pass
        except BlockingIOError:
            pass
        self.on_wake()

    def timeout(self) -> float | None:
        """Seconds until something is to be done without any descriptor being ready; None for never."""
        if self._soon:
            return 0.0
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        if not self._timers:
            return None
        return max(0.0, self._timers[0].when - time.monotonic())

    def turn(self, at_most: float | None = None) -> None:
        """Wait for something to happen (at most so many seconds), and do all that is to be done."""
        wait = self.timeout()
        if at_most is not None and (wait is None or wait > at_most):
            wait = at_most
        for key, events in self._selector.select(wait):
            key.data(events)
        now = time.monotonic()
        while self._timers and self._timers[0].when <= now:
            callback = heapq.heappop(self._timers).callback
            if callback is not None:
                callback()
        # Only what is queued now: what these calls queue waits for the next turn, so that no dialogue starves a
        # timer.
        for _ in range(len(self._soon)):
            callback_soon, arguments = self._soon.popleft()
            callback_soon(*arguments)

    def close(self) -> None:
        """Close the loop's own descriptors."""
        if not self.closed:
            self.closed = True
            self._soon.clear()
            self._timers.clear()
            self._selector.close()
            self._wake_reader.close()
            self._wake_writer.close()
