"""AsyncioDriver: runs a scheduler inside an asyncio event loop.

Rule: the scheduler's selector is one descriptor of the event loop, its next timer is one timer of the event loop, and a
turn never waits. That proves that nothing in the scheduler blocks. In a forked child that continues with its parent's
event loop, the driver reads nothing and removes nothing: the data and the watched descriptors belong to the parent.
"""

from __future__ import annotations

import asyncio
import math
import os
import weakref
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar
from weakref import finalize

from anyurl.net.loop.loop import Loop


class Turned(Protocol):
    """An object with a loop to be driven: a scheduler."""

    loop: Loop

    def close(self) -> None:
        """Close it and its loop."""
        ...


T = TypeVar("T", bound=Turned)


class AsyncioDriver(Generic[T]):
    """Turns a scheduler whenever asyncio's loop finds its selector readable, or one of its timers is due."""

    def __init__(self, scheduler: T) -> None:
        self.scheduler: T = scheduler
        self._process = os.getpid()
        loop = asyncio.get_running_loop()
        self.loop: asyncio.AbstractEventLoop = loop
        scheduler.loop.patience = math.inf  # asyncio waits for the peers between two turns
        self._timer: asyncio.TimerHandle | None = None
        self._due: asyncio.Handle | None = None
        # For a driver that is collected together with its event loop: nothing is left to remove readers from. Not in
        # __del__, which runs in any order: the sockets could be finalized first, with a ResourceWarning.
        finalize(self, scheduler.close)
        loop.add_reader(scheduler.loop.fileno(), self.turn)

    def turn(self) -> None:
        """Run everything that is due now, without waiting."""
        self._due = None
        if not self.is_own():
            return
        try:
            self.scheduler.loop.turn(0)
        finally:  # even if a callback raised, the timers of the others continue
            self.rearm()

    def rearm(self) -> None:
        """Schedule the next turn for when the scheduler's next timer is due."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        timeout = None if self.scheduler.loop.closed else self.scheduler.loop.timeout()
        if timeout is None:
            return
        if timeout > 0:
            self._timer = self.loop.call_later(timeout, self.turn)
        elif self._due is None:
            self._due = self.loop.call_soon(self.turn)

    def is_own(self) -> bool:
        """Whether this is the process that made the driver, not a forked child."""
        return os.getpid() == self._process

    def is_here(self) -> bool:
        """Whether the running event loop is the one that this driver belongs to."""
        return self.loop is asyncio.get_running_loop()

    async def change(self, waker: Waker) -> None:
        """Wait until the waker is called."""
        self.rearm()
        future = waker.future = self.loop.create_future()
        try:
            await future
        finally:
            waker.future = None

    async def breathe(self) -> None:
        """Run everything that is due, here and in the event loop."""
        self.turn()
        await asyncio.sleep(0)

    def close(self) -> None:
        """Stop turning."""
        if self.is_own() and not self.scheduler.loop.closed and not self.loop.is_closed():
            self.loop.remove_reader(self.scheduler.loop.fileno())
        for handle in (self._timer, self._due):
            if handle is not None:
                handle.cancel()
        self.scheduler.close()


class Answers:
    """Awaits the results of the caller's async functions (`Scheduler.await_answer`); holds the driver only weakly."""

    __slots__ = ("_driver",)

    def __init__(self, driver: AsyncioDriver[Any]) -> None:
        self._driver = weakref.ref(driver)

    def await_answer(self, answer: Awaitable[Any], then: Callable[[Callable[[], Any]], None]) -> _Awaited:
        """Call `then` with a function that returns the answer or raises its error; not after the result was closed."""
        future = asyncio.ensure_future(answer)

        def done(_future: object) -> None:
            driver = self._driver()
            if driver is None or awaited.closed or driver.scheduler.loop.closed:
                return
            # A cancelled question is answered with None, which never means yes.
            driver.scheduler.loop.soon(then, (lambda: None) if future.cancelled() else future.result)
            driver.turn()

        awaited = _Awaited(future)
        future.add_done_callback(done)
        return awaited


class _Awaited:
    """A pending answer."""

    __slots__ = ("closed", "_future")

    def __init__(self, future: asyncio.Future[Any]) -> None:
        self.closed: bool = False
        self._future = future

    def close(self) -> None:
        """Cancel it."""
        self.closed = True
        self._future.cancel()


class Waker:
    """Called by a task when it has something new; wakes the one coroutine that waits for it."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[None] | None = None

    def __call__(self) -> None:
        if self.future is not None and not self.future.done():
            self.future.set_result(None)


async def give_way() -> None:
    """Let the event loop have its turn."""
    await asyncio.sleep(0)
