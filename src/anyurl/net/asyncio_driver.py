"""Pump: turns a reactor from asyncio.

Rule: the reactor's selector is one descriptor of the event loop, its next timer one of the event loop's timers; a
turn never waits. That is the proof that nothing in the reactor blocks.
"""

from __future__ import annotations

import asyncio
import math
import weakref

from anyurl.net.scheduler import Reactor


class Pump:
    """Turns a reactor whenever asyncio's loop finds its selector readable, or one of its timers is due."""

    def __init__(self, reactor: Reactor) -> None:
        self.reactor = reactor
        self.loop = loop = asyncio.get_running_loop()
        reactor.loop.patience = math.inf  # between two turns asyncio waits for the peers
        self._timer: asyncio.TimerHandle | None = None
        self._due: asyncio.Handle | None = None
        # Forgotten with its event loop: there is nothing left to be removed from. Not by __del__, which garbage gets
        # in any order: the sockets would be finalized first, and complain.
        weakref.finalize(self, reactor.close)
        loop.add_reader(reactor.loop.fileno(), self.turn)

    def turn(self) -> None:
        """Do what is to be done now, without waiting."""
        self._due = None
        try:
            self.reactor.loop.turn(0)
        finally:  # whatever one callback raised, the others' timers go on
            self.rearm()

    def rearm(self) -> None:
        """Be called again when the reactor's next timer is due."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        timeout = None if self.reactor.loop.closed else self.reactor.loop.timeout()
        if timeout is None:
            return
        if timeout > 0:
            self._timer = self.loop.call_later(timeout, self.turn)
        elif self._due is None:
            self._due = self.loop.call_soon(self.turn)

    def is_here(self) -> bool:
        """Whether the running event loop is the one that this pump belongs to."""
        return self.loop is asyncio.get_running_loop()

    async def change(self, bell: Bell) -> None:
        """Wait until the bell rings."""
        self.rearm()
        future = bell.future = self.loop.create_future()
        try:
            await future
        finally:
            bell.future = None

    async def breathe(self) -> None:
        """Do what is due, here and in the event loop."""
        self.turn()
        await asyncio.sleep(0)

    def close(self) -> None:
        """Stop turning."""
        if not self.reactor.loop.closed and not self.loop.is_closed():
            self.loop.remove_reader(self.reactor.loop.fileno())
        for handle in (self._timer, self._due):
            if handle is not None:
                handle.cancel()
        self.reactor.close()


class Bell:
    """Rung by a task when it has something new; wakes the one coroutine that waits for it."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[None] | None = None

    def __call__(self) -> None:
        if self.future is not None and not self.future.done():
            self.future.set_result(None)
