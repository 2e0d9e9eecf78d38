"""Clocks: the total time limit of each task, and how long its peer may be silent.

Rule: one timer for all tasks, set to the earliest deadline and moved lazily: one timer for each wait would cost a small
request a tenth of its time. The scheduler decides what happens to a task whose time is up.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from anyurl.errors import AnyURLError, TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.guard.verdict import aside
from anyurl.net.loop.connection_limit import NO_SLOT, ConnectionLimit
from anyurl.net.loop.loop import Loop, Timer
from anyurl.net.loop.task import Clock, Moving, Task
from anyurl.url import URL


class Clocks:
    """The clocks of one scheduler's tasks.

    Args:
        connections: The queue of tasks that wait for others of their client to end.
        over: Called with a task whose time is up, and an error that says why, as which clock ran out.

    Attributes:
        tasks: The tasks under way, and those that wait for their turn.
    """

    def __init__(
        self,
        loop: Loop,
        limits: Limits,
        connections: ConnectionLimit,
        over: Callable[[Task, AnyURLError], None],
    ) -> None:
        self.tasks: set[Task] = set()
        self._held: dict[Task, float | None] = {}
        self._loop = loop
        self._limits = limits
        self._connections = connections
        self._over = over
        self._watch: Timer | None = None
        self._idle, self._total, self._lowest_rate = limits.idle, limits.total, limits.lowest_rate

    def add(self, task: Task) -> None:
        """Start the clock of the whole transfer, if the policy limits it."""
        self.tasks.add(task)
        if self._total is not None:
            task.deadline = self._loop.now() + self._total
            self._watch_over(task.deadline)

    def drop(self, task: Task) -> None:
        """Forget a task that has ended."""
        self.tasks.discard(task)
        if self._held:
            self._held.pop(task, None)

    def stop(self, task: Task) -> float | None:
        """Stop the clocks while the task waits for its caller; the rest of its total time, for `go_on`."""
        left = None if task.deadline is None else task.deadline - self._loop.now()
        task.deadline = task.waits_until = task.listens_to = None
        return left

    def go_on(self, task: Task, left: float | None) -> None:
        """Continue the total clock with the time left: the caller has answered, or another dialogue takes over."""
        if task in self._held:
            self._held[task] = left
        elif left is not None:
            task.deadline = self._loop.now() + left
            self._watch_over(task.deadline)

    def hold(self, task: Task) -> None:
        """Stop the clock of a task that has not begun and waits for its turn because of the caller's own limits."""
        self._held[task] = self.stop(task)

    def release(self, task: Task) -> None:
        """Continue the clock if `hold` stopped it: the task begins, or it is now the host that makes it wait."""
        if task in self._held:
            self.go_on(task, self._held.pop(task))

    def give_up(self, task: Task, error: AnyURLError) -> None:
        """End a task that can't begin in its time any more."""
        self._over(task, error)

    def awaits_peer(
        self, task: Task, seconds: float | None = None, clock: Clock = "idle", channel: Moving | None = None
    ) -> None:
        """Start the idle clock (or another): the task now waits for its peer, at most `seconds`.

        Args:
            seconds: More than the idle limit where a protocol allows a peer more (RFC 5321 4.5.3.2).
            channel: The channel that it reads from: a peer that sends next to nothing times out like a silent one.
        """
        now = self._loop.now()
        longest = self._idle if seconds is None else max(self._idle, seconds)
        if channel is not None:
            # Attack: a trickle that is read for a moment each time would never use the patience up.
            longest = task.patience(channel, now, longest, self._lowest_rate)
        seconds = longest if seconds is None else min(seconds, longest)
        task.waits_until = until = now + seconds
        task.clock = clock
        watch = self._watch
        if watch is None or watch.when > until:
            self._watch_over(until)

    def heard(self, task: Task, channel: Moving) -> None:
        """End a wait: the time that the peer was silent is subtracted from the patience."""
        task.patience(channel, self._loop.now(), self._idle, self._lowest_rate)

    def left(self, task: Task) -> float:
        """Seconds that the peer of a session may still continue without any content to emit.

        Only emitted content counts as progress, not commands and options, which a peer can send forever.

        Raises:
            TransferTimeout: None are left.
        """
        seconds = task.patience(task, self._loop.now(), self._idle, self._lowest_rate)
        if seconds <= 0.0:
            raise _too_late(task, self._limits, self._connections.most)
        return seconds

    def _watch_over(self, when: float) -> None:
        if self._watch is not None and self._watch.when <= when:
            return
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self._loop.after(max(0.0, when - self._loop.now()), self._look_round)

    def _look_round(self) -> None:
        """Report the tasks whose time is up, and set the timer to the earliest deadline left."""
        self._watch = None
        now = self._loop.now()
        for task in list(self.tasks):
            if task.deadline is not None and task.deadline <= now:
                self._over(task, _out_of_time(task, self._total))
            elif task.waits_until is not None and task.waits_until <= now and not self._drains(task, now):
                self._over(task, _too_late(task, self._limits, self._connections.most))
        ends = [end for task in self.tasks for end in (task.deadline, task.waits_until) if end is not None]
        if ends:
            self._watch_over(min(ends))

    def _drains(self, task: Task, now: float) -> bool:
        """Whether something went on that no event reports, which extends its time.

        The peer has accepted octets; or another task has ended meanwhile, so that the queue moves.
        """
        if task.clock == "pool":
            left = self._idle - (monotonic() - self._connections.ended_at)
            task.waits_until = now + left
            return left > 0.0
        channel = task.listens_to
        if task.clock != "idle" or task.within is not None or channel is None:
            return False
        left = task.patience(channel, now, self._idle, self._lowest_rate)
        task.waits_until = now + left
        return left > 0.0


def server_of(url: URL, mark: str = ":") -> str:
    """Host and port of a URL; empty if it has no host."""
    host = url.host or ""
    if not host or url.port is None:
        return host
    return f"{f'[{host}]' if ':' in host and mark == ':' else host}{mark}{url.port}"


def _out_of_time(task: Task, total: float | None) -> TransferTimeout:
    """The error for a transfer whose total time is over."""
    host, way = task.queued_at, aside("timeout", task.reader, then=" allows more")
    if host is not None and host.refusal:
        text = (
            f"{server_of(task.url)} refused transfers, so that this one could not begin within {total:g} seconds"
            f"{way}. Its last refusal: {host.refusal}"
        )
    else:
        text = f"The whole transfer took longer than {total:g} seconds{way}."
    error = TransferTimeout(text, clock="total")
    error.begun = host is None
    return error


def _too_late(task: Task, limits: Limits, most: int) -> TransferTimeout:
    """The error for a task whose peer did not answer in time."""
    if task.clock == "idle":
        peer = server_of(task.url) or task.last_address or "the peer"  # a mailto URL names no server
        moved = f"Nothing, or next to nothing, moved to or from {peer}"
        text = f"{moved} for {limits.idle:g} seconds: the limit allows no more."
        error = TransferTimeout(text, clock="idle")
        error.early = task.is_limited_by_ask()
        return error
    if task.clock == "queue":
        text = f"The look-up of {task.url.host} could not begin within {limits.idle:g} seconds: too many others wait."
        return _not_begun(text, "look-up")
    if task.clock == "pool":
        way = aside("open-connections", task.reader, then=" allows more")
        return _not_begun(NO_SLOT.format(host=task.url.host, seconds=limits.idle, most=most, way=way), "connect")
    doing = {"look-up": "The look-up of", "connect": "Connecting to"}[task.clock]
    whom = server_of(task.url, " port ") if task.clock == "connect" else task.url.host
    text = f"{doing} {whom} took longer than {limits.connect:g} seconds."
    return TransferTimeout(text, clock="connect", stage=task.clock)


def _not_begun(text: str, stage: str) -> TransferTimeout:
    """The error for a task that waited in vain for something of this machine."""
    error = TransferTimeout(text, clock="connect", stage=stage)
    error.begun = False
    return error
