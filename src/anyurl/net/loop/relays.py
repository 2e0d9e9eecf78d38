"""Relays: content that a dialogue passes on unchanged, and that the consumer reads directly from the channel.

Rule: the dialogue is parked meanwhile, and nothing is read before the consumer wants it. Silence while the consumer was
not reading does not count against the peer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from anyurl.errors import AnyURLError
from anyurl.net.http.body import Body
from anyurl.net.loop.clocks import Clocks
from anyurl.net.loop.loop import READ, WRITE, Loop
from anyurl.net.loop.task import PARKED, RELAY_AT_MOST, Task
from anyurl.net.wire.channel import WANT_READ, Want


class Relays:
    """The relays of one scheduler.

    Args:
        resume: Resumes a dialogue: ``resume(task, octets, error)``.
    """

    def __init__(self, loop: Loop, clocks: Clocks, resume: Callable[[Task, Any, AnyURLError | None], None]) -> None:
        self._loop = loop
        self._clocks = clocks
        self._resume = resume

    def is_here(self, task: Task) -> bool:
        """Whether the whole body has arrived already, so that it can be passed on without waiting for demand."""
        last = task.open[-1] if task.open else None
        return type(last) is Body and last.is_here()

    def begin(self, task: Task, channel: Any, limit: int | None) -> Any:
        """Park a task while the consumer reads from its channel; it is resumed with the number of octets."""
        task.channel, task.relayed, task.relay_limit = channel, 0, limit
        if task.notify is not None:
            task.notify()
        return PARKED

    def demand(self, task: Task) -> None:
        """Resume a task that waits for its consumer, and read ahead as far as the outbox has room."""
        self.go_on(task)
        while task.channel is not None and task.has_room():
            piece = self.pull(task)
            if piece is PARKED:
                return
            if piece is not None:
                task.outbox.append(piece)
                task.unread += len(piece)

    def go_on(self, task: Task) -> None:
        """Resume a task that waits for its consumer."""
        if not task.held or not task.has_room():
            return
        self._loop.lock.acquire()  # as in `Loop.turn`
        try:
            working = self._loop.working(True)
            try:
                if task.held:  # another thread may have ended it meanwhile
                    task.held = False
                    self._resume(task, None, None)
            finally:
                self._loop.working(working)
        finally:
            self._loop.lock.release()
        if self._loop.closing:
            self._loop.see_off()

    def pull(self, task: Task) -> Any:
        """The next octets that a task relays; PARKED if there are none yet, None once the task has been resumed."""
        with self._loop.lock:
            working = self._loop.working(True)
            try:
                piece = self._receive(task, task.channel)
            finally:
                self._loop.working(working)
        if self._loop.closing:
            self._loop.see_off()
        return piece

    def _receive(self, task: Task, channel: Any) -> Any:
        if channel is None:  # another thread has ended it meanwhile
            return None
        limit, at_most = task.relay_limit, RELAY_AT_MOST
        if limit is not None and limit - task.relayed < at_most:
            at_most = limit - task.relayed
        try:
            if limit is None and type(channel) is Body:
                size = channel.buffered
                pieces = channel.take_pieces()
                if pieces is not None:
                    self._hand_on(task, pieces, size)
                    return None
            data = channel.receive(at_most) if at_most else b""
            if data is None or type(data) is Want:
                return self._listen(task, channel, data)
            if data:
                size = len(data)
                task.emitted += size
                task.relayed += size
                if task.byte_limit is not None:
                    task.check_emitted()
                return data
        except AnyURLError as error:
            task.unpark(self._loop)
            self._resume(task, None, error)
            return None
        task.unpark(self._loop)
        self._resume(task, task.relayed, None)
        return None

    def _hand_on(self, task: Task, pieces: list[bytes], size: int) -> None:
        """Give the consumer several pieces at once; whether it joins them is up to it."""
        task.emitted += size
        task.relayed += size
        if task.byte_limit is not None:
            task.check_emitted()
        task.outbox.extend(pieces)
        task.unread += size

    def _listen(self, task: Task, channel: Any, want: Want | None) -> Any:
        """Notify the consumer when there is more; `want` is None for a body, which calls its waiter itself."""
        if task.waits_until is None:
            task.rest(self._loop.now())
        has_come = partial(self._has_come, task, channel)
        if want is None:
            channel.waiter = has_come
        else:
            task.connection = channel
            self._loop.watch(channel.fd, READ if want is WANT_READ else WRITE, has_come)
        self._clocks.awaits_peer(task, None, "idle", channel)
        return PARKED

    def _has_come(self, task: Task, channel: Any, _events: int = 0) -> None:
        if task.channel is channel:
            self._clocks.heard(task, channel)
            task.unpark(self._loop)
            if task.notify is not None:
                task.notify()
