"""Pour: octets from a connection, a body or a file to the consumer, as many as it has room for at a time.

Rule: it is one object and no closures, so that a small transfer leaves nothing for the garbage collector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyurl.errors import AnyURLError
from anyurl.net.channel import Connection, Want
from anyurl.net.task import PARKED, RELAY_AT_MOST, Task

if TYPE_CHECKING:
    from anyurl.net.files.channel import FileChannel
    from anyurl.net.http.body import Body
    from anyurl.net.scheduler import Scheduler


class Pour:
    """One `Relay` under way; its answer is the number of octets."""

    __slots__ = ("_scheduler", "_task", "_channel", "_limit", "_moved")

    def __init__(
        self, scheduler: Scheduler, task: Task, channel: Connection | FileChannel | Body, limit: int | None
    ) -> None:
        self._scheduler = scheduler
        self._task = task
        self._channel = channel
        self._limit = limit
        self._moved = 0

    def begin(self) -> Any:
        """The answer at once, or PARKED."""
        if isinstance(self._channel, Connection):
            return self._scheduler.perform(self._task, self._channel, self._attempt)
        return self._attempt()

    def _attempt(self) -> Any:
        task, limit, read = self._task, self._limit, self._channel.receive
        while limit is None or self._moved < limit:
            if not task.has_room():
                task.waits_until = task.listens_to = None
                task.on_demand = self._go_on
                return PARKED
            data = read(RELAY_AT_MOST if limit is None else min(RELAY_AT_MOST, limit - self._moved))
            if data is None:  # a body that has not come yet
                self._channel.waiter = self._go_on  # type: ignore[union-attr]
                self._scheduler.clocks.awaits_peer(task, None, "idle", self._channel)
                return PARKED
            if isinstance(data, Want):
                return data
            if not data:
                break
            task.put(data)
            self._moved += len(data)
        return self._moved

    def _go_on(self) -> None:
        if self._task.done:
            return
        try:
            value = self.begin()
        except AnyURLError as error:
            self._scheduler.resume(self._task, None, error)
            return
        if value is not PARKED:
            self._scheduler.resume(self._task, value, None)
