"""Clocks: the total time limit of each task, and how long its peer may be silent.

Rule: one timer for all tasks, set to the earliest deadline and moved lazily: one timer for each wait would cost a small
request a tenth of its time. The scheduler decides what happens to a task whose time is up.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from anyurl.errors import AnyURLError, TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.guard.verdict import Reader, aside
from anyurl.net.loop.connection_limit import NO_SLOT, ConnectionLimit
from anyurl.net.loop.loop import Loop, Timer
from anyurl.net.loop.task import Clock, Moving, Task, Timing
from anyurl.url import URL


class Clocks:
    """The clocks of one scheduler's tasks.

    Args:
        connections: The queue of tasks that wait for others of their client to end.
        reader: Who reads the remedies of errors.
        over: Called with a task whose time is up, and an error that says why, as which clock ran out.

    Attributes:
        tasks: The tasks under way, and those that wait for their turn.
    """

    def __init__(
        self,
        loop: Loop,
        limits: Limits,
        connections: ConnectionLimit,
        reader: Reader,
        over: Callable[[Task, AnyURLError], None],
    ) -> None:
        self.tasks: set[Task] = set()
        self._loop = loop
        self._limits = limits
        self._connections = connections
        self._reader: Reader = reader
        self._over = over
        self._watch: Timer | None = None
        self._idle, self._total, self._lowest_rate = limits.idle, limits.total, limits.lowest_rate

    def add(self, task: Task, deadline: float | None = None) -> None:
        """Start the clock of the whole transfer, if the policy limits it.

        Args:
            deadline: That of the transfer that it goes on with.
        """
        self.tasks.add(task)
        if deadline is None and self._total is not None:
            deadline = self._loop.now() + self._total
        if deadline is not None:
            task.timing.deadline = deadline
            self._watch_over(deadline)

    def drop(self, task: Task) -> None:
        """Forget a task that has ended."""
        self.tasks.discard(task)

    def hold(self, task: Task) -> None:
        """Stop the clocks: the caller has to answer, or its own limits make the task wait for its turn."""
        timing = task.timing
        if timing.stopped:
            return
        timing.stopped = True
        timing.left = None if timing.deadline is None else timing.deadline - self._loop.now()
        timing.deadline = timing.waits_until = timing.listens_to = None

    def release(self, task: Task) -> None:
        """Let the clocks go on if `hold` stopped them: it goes on, or it is now the host that makes it wait."""
        timing = task.timing
        if not timing.stopped:
            return
        timing.stopped = False
        if timing.left is not None:
            timing.deadline = self._loop.now() + timing.left
            self._watch_over(timing.deadline)

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
        timing = task.timing
        now = self._loop.now()
        longest = self._idle if seconds is None else max(self._idle, seconds)
        if channel is not None:
            # Attack: a trickle that is read for a moment each time would never use the patience up.
            longest = timing.patience(channel, now, longest, self._lowest_rate)
            timing.within = seconds
        else:
            timing.within = None
        seconds = longest if seconds is None else min(seconds, longest)
        timing.waits_until = until = now + seconds
        timing.clock = clock
        watch = self._watch
        if watch is None or watch.when > until:
            self._watch_over(until)

    def heard(self, task: Task, channel: Moving) -> None:
        """End a wait: the time that the peer was silent is subtracted from the patience."""
        task.timing.patience(channel, self._loop.now(), self._idle, self._lowest_rate)

    def left(self, task: Task) -> float:
        """Seconds that the peer of a session may still continue without any content to emit.

        Only emitted content counts as progress, not commands and options, which a peer can send forever.

        Raises:
            TransferTimeout: None are left.
        """
        seconds = task.timing.patience(task.stream, self._loop.now(), self._idle, self._lowest_rate)
        if seconds <= 0.0:
            raise self._too_late(task)
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
            timing = task.timing
            if timing.is_over(now):
                self._over(task, self._out_of_time(task))
            elif timing.waits_until is not None and timing.waits_until <= now and not self._drains(timing, now):
                self._over(task, self._too_late(task))
        ends = [
            end for task in self.tasks for end in (task.timing.deadline, task.timing.waits_until) if end is not None
        ]
        if ends:
            self._watch_over(min(ends))

    def _drains(self, timing: Timing, now: float) -> bool:
        """Whether something went on that no event reports, which extends its time.

        The peer has accepted octets; or another task has ended meanwhile, so that the queue moves.
        """
        if timing.clock == "pool":
            left = self._idle - (monotonic() - self._connections.ended_at)
            timing.waits_until = now + left
            return left > 0.0
        channel = timing.listens_to
        if timing.clock != "idle" or timing.within is not None or channel is None:
            return False
        left = timing.patience(channel, now, self._idle, self._lowest_rate)
        timing.waits_until = now + left
        return left > 0.0

    def _out_of_time(self, task: Task) -> TransferTimeout:
        """The error for a transfer whose total time is over."""
        total, way = self._total, aside("timeout", self._reader, then=" allows more")
        waiting = task.turn if task.turn is not None and task.turn.waits else None
        if waiting is not None and waiting.host.refusal:
            text = (
                f"{server_of(task.parties.url)} refused transfers, so that this one could not begin within {total:g} "
                f"seconds{way}. Its last refusal: {waiting.host.refusal}"
            )
        else:
            text = f"The whole transfer took longer than {total:g} seconds{way}."
        error = TransferTimeout(text, clock="total")
        error.begun = waiting is None
        return error

    def _too_late(self, task: Task) -> TransferTimeout:
        """The error for a task whose peer did not answer in time."""
        timing, parties, limits = task.timing, task.parties, self._limits
        if timing.clock == "idle":
            peer = server_of(parties.url) or parties.last_address or "the peer"  # a mailto URL names no server
            moved = f"Nothing, or next to nothing, moved to or from {peer}"
            text = f"{moved} for {limits.idle:g} seconds: the limit allows no more."
            error = TransferTimeout(text, clock="idle")
            error.early = timing.is_limited_by_ask()
            return error
        if timing.clock == "queue":
            text = f"The look-up of {parties.url.host} could not begin within {limits.idle:g} seconds"
            return _not_begun(f"{text}: too many others wait.", "look-up")
        if timing.clock == "pool":
            way, most = aside("open-connections", self._reader, then=" allows more"), self._connections.most
            text = NO_SLOT.format(host=parties.url.host, seconds=limits.idle, most=most, way=way)
            return _not_begun(text, "connect")
        doing = {"look-up": "The look-up of", "connect": "Connecting to"}[timing.clock]
        whom = server_of(parties.url, " port ") if timing.clock == "connect" else parties.url.host
        text = f"{doing} {whom} took longer than {limits.connect:g} seconds."
        return TransferTimeout(text, clock="connect", stage=timing.clock)


def server_of(url: URL, mark: str = ":") -> str:
    """Host and port of a URL; empty if it has no host."""
    host = url.host or ""
    if not host or url.port is None:
        return host
    return f"{f'[{host}]' if ':' in host and mark == ':' else host}{mark}{url.port}"


def _not_begun(text: str, stage: str) -> TransferTimeout:
    """The error for a task that waited in vain for something of this machine."""
    error = TransferTimeout(text, clock="connect", stage=stage)
    error.begun = False
    return error
