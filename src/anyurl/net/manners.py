"""Manners: how many simultaneous transfers a host accepts, learned from its refusals, and when to retry it.

Rule: additive increase, multiplicative decrease (RFC 5681 3.1), for each host and port, and shared by all names of one
address. While a task waits because of the caller's limits, its clock is stopped; while it waits because its host has
refused since its last success, the clock runs, so that a host that always refuses leads to a timeout. A host that never
refused and has no limit or delay, of the caller or of its scheme, costs nothing.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeAlias

from anyurl.errors import ConnectError, ConnectionLost, UnavailableError
from anyurl.net.loop import Timer
from anyurl.net.task import Task
from anyurl.net.turns import Host, Turn
from anyurl.url import syntax

Endpoint: TypeAlias = tuple[str, int]

SHRINK = 0.7
"""Factor of a limit after a refusal: RFC 9438 4.6; the half of classic TCP is lower than a server's cap requires."""

GROW_AFTER_AT_MOST = 4096
"""Most successes in a row required to grow: a fixed cap is then probed once in thousands of transfers."""

FIRST_PAUSE = 0.2
"""Seconds to wait after a first refusal: a server needs about that long to notice that a connection was closed."""

NOTICED = 2.0
"""Seconds after which a server has surely noticed that a connection was closed."""

LONGEST_PAUSE = 30.0
"""Longest doubled pause between two attempts, if the server sends no Retry-After: wget has 10, lftp 300."""

LONGEST_WAIT = 300.0
"""Longest Retry-After that is waited for; if a server wants more, the error says so. The total time of the policy may
allow less."""

REFUSALS_IN_A_ROW = 6
"""Refusals of one host without a success after which no transfer waits for it: some 13 seconds of doubling pauses."""

TOO_MANY = frozenset((400, 421, 429, 503))
"""Codes of `UnavailableError` that always mean too many transfers: RFC 3977 3.2.1 (400), RFC 959 4.2 (421), RFC 6585 4
(429), RFC 9110 15.6.4 (503)."""

STALL = 1.0
"""Seconds after which a turn is given beyond the limit, if the caller holds all turns without reading."""

MAX_HOSTS = 10_000
"""Most idle hosts remembered at once: some 3 MB. A crawl meets more, but few of them refuse anything."""

MAX_DELAYED_HOSTS = 100_000
"""The same limit for hosts whose delay (set by the caller) has not passed yet: they are remembered until it has."""


class Clock(Protocol):
    """What manners need of a `Loop`."""

    def now(self) -> float:
        """Seconds."""
        ...

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call it after a delay in seconds."""
        ...

    def wake(self) -> None:
        """Make a waiting turn look at its timers again."""
        ...


class TurnClocks(Protocol):
    """What manners need of `Clocks`."""

    @property
    def tasks(self) -> Iterable[Task]:
        """The tasks of the scheduler."""
        ...

    def hold(self, task: Task) -> None:
        """Stop its clock."""
        ...

    def release(self, task: Task) -> None:
        """Continue its clock, if it is stopped."""
        ...


class Manners:
    """The manners of one scheduler.

    Args:
        clock: The scheduler's loop.
        clocks: The clocks of the scheduler's tasks.
        begin: Begins a task that had to wait.
        per_host: Most simultaneous transfers for each host; None for the number of its scheme (`Row.at_once`).
        delay: Least seconds between the beginnings of two transfers at one host.
        configured: The server that the user configured, for schemes whose URLs may have no host.

    Attributes:
        waiting: Tasks that have not begun.
    """

    def __init__(
        self,
        clock: Clock,
        clocks: TurnClocks,
        begin: Callable[[Task], None],
        per_host: int | None = None,
        delay: float = 0.0,
        configured: Mapping[str, Endpoint] | None = None,
    ) -> None:
        self.waiting: int = 0
        self._clock = clock
        self._clocks = clocks
        self._begin = begin
        self._per_host = per_host
        self._delay = delay
        self._configured = configured or {}
        self._hosts: OrderedDict[Endpoint, Host] = OrderedDict()
        self._addresses: OrderedDict[Endpoint, Host] = OrderedDict()

    # --- turns -------------------------------------------------------------------------------------------------------

    def admit(self, task: Task, *, patient: bool) -> bool:
        """Whether a task may begin now; if not, it begins when its turn comes.

        Args:
            patient: It can wait. One that cannot begins at once, but counts.
        """
        endpoint = self._endpoint(task)
        host = None if endpoint is None else self._hosts.get(endpoint)
        if host is None:
            most = self._most(task)
            if endpoint is None or (most is None and not self._delay):
                return True
            host = self._remember(endpoint, most)
        if not patient or (not host.waiting and self._has_room(host)):
            self._let(host, task)
            return True
        host.waiting.append(task)
        self.waiting += 1
        task.queued_at = host
        if not host.refusals:
            self._clocks.hold(task)
        self._see_to(host)
        return False

    def _let(self, host: Host, task: Task) -> None:
        task.let_at = now = self._clock.now()
        task.queued_at = None
        if self._delay:
            host.quiet_until = max(host.quiet_until, now + self._delay)
        self._clocks.release(task)
        task.hold(Turn(self.left, host, task))

    def _has_room(self, host: Host) -> bool:
        return (host.limit is None or len(host.turns) < host.limit) and self._clock.now() >= host.quiet_until

    def _see_to(self, host: Host) -> None:
        """Set the timer to when the first waiting task may begin."""
        if not host.waiting or host.timer is not None:
            return
        pause = host.quiet_until - self._clock.now()
        if pause <= 0.0:
            pause = 0.0 if self._has_room(host) else STALL
        host.read = host.read_of_held()
        host.timer = self._clock.after(pause, lambda: self._give(host))
        self._clock.wake()  # in asyncio a transfer may have ended between two turns

    def _give(self, host: Host) -> None:
        host.timer = None
        is_stalled = host.read is not None and host.read == host.read_of_held()
        beyond = 0 if not is_stalled else 1 if host.remembered else host.most or 1
        while host.waiting and (self._has_room(host) or beyond):
            task = host.waiting.popleft()
            self.waiting -= 1
            if task.done:
                self._clocks.release(task)
            else:
                beyond = max(0, beyond - 1)
                self._let(host, task)
                self._begin(task)
        self._see_to(host)

    def left(self, host: Host, task: Task) -> None:
        """A task has ended and gives its turn back."""
        host.left_at = self._clock.now()
        if task.error is None and not is_unanswered(task):
            if host.refusals:  # the refusals are over: the clocks of waiting tasks stop again
                host.refusals = 0
                for waiting in host.waiting:
                    self._clocks.hold(waiting)
            host.succeeded += 1
            is_binding = host.waiting and host.limit is not None and (host.most is None or host.limit < host.most)
            if is_binding and host.limit is not None and host.succeeded >= host.grow_after * host.limit:
                host.succeeded = 0
                host.limit += 1
        if host.waiting:
            if host.timer is not None:
                host.timer.cancel()
                host.timer = None
            self._see_to(host)
        elif not host.turns and not host.remembered and host.quiet_until <= host.left_at:
            endpoint = self._endpoint(task)
            if endpoint is not None:
                self._hosts.pop(endpoint, None)

    # --- refusals ----------------------------------------------------------------------------------------------------

    def learn(self, task: Task, error: BaseException) -> bool:
        """Learn from the error of a task, before its turn is given back; whether the host refused one more transfer."""
        endpoint = self._endpoint(task)
        if endpoint is None:
            return False
        host = self._hosts.get(endpoint)
        turns = None if host is None else host.turns
        under_way = self._clocks.tasks if turns is None else [turn.task for turn in turns]
        others = [each for each in under_way if each is not task and (turns or self._endpoint(each) == endpoint)]
        now = self._clock.now()
        was_busy = host is not None and host.remembered and now - host.left_at < NOTICED
        if not _is_refusal(error, task, was_busy or any(other.peer_scope is not None for other in others)):
            return False
        if host is None:
            host = self._remember(endpoint, self._most(task))
            for other in others:
                other.hold(Turn(self.left, host, other))
        host = self._share(host, endpoint, task)
        host.refusal = str(error)
        wished = _wished(error)
        if not wished and host.doubts(task.url):
            return True
        self._shrink(host, task.let_at, sum(1 for turn in host.turns if turn.task is not task), now)
        for waiting in host.waiting:
            self._clocks.release(waiting)
        if wished <= LONGEST_WAIT:
            host.quiet_until = max(host.quiet_until, now + wished)
        return True

    def _shrink(self, host: Host, began: float, others: int, now: float) -> None:
        """Lower the limit: one transfer more than `others` was too many."""
        limit = others if host.limit is None else min(host.limit, others)
        # Tasks that began before the last refusal belong to the same burst: they only show how many are still served.
        if began > host.shrunk or not host.remembered:
            if host.limit is not None:
                limit = min(limit, int(host.limit * SHRINK))
            host.quiet_until = max(host.quiet_until, now + self._backoff(host.refusals))
            if host.remembered:
                host.grow_after = min(host.grow_after * 2, GROW_AFTER_AT_MOST)
            host.refusals += 1
            host.shrunk = now
        host.limit = max(1, limit)
        host.succeeded = 0
        host.remembered = True

    def pause(self, task: Task, error: BaseException, attempts: int) -> float | None:
        """Seconds until a failed transfer may be retried; None if its host refuses everything, or for too long.

        Args:
            attempts: Number of retries so far.
        """
        endpoint = self._endpoint(task)
        host = None if endpoint is None else self._hosts.get(endpoint)
        wished = _wished(error)
        if wished > LONGEST_WAIT or (host is not None and host.refusals > REFUSALS_IN_A_ROW):
            return None
        pause = max(wished, self._backoff(attempts))
        return pause if host is None else max(pause, host.quiet_until - self._clock.now())

    def _backoff(self, attempts: int) -> float:
        return min(FIRST_PAUSE * 2.0**attempts, LONGEST_PAUSE) * (0.5 + self.random() / 2)

    def random(self) -> float:
        """From 0 to 1: clients refused together must not come back together (RFC 9110 10.2.3 defines no jitter)."""
        return int.from_bytes(os.urandom(4), "big") / 2**32

    # --- memory ------------------------------------------------------------------------------------------------------

    def _endpoint(self, task: Task) -> Endpoint | None:
        url = task.url
        host, port = url.host, url.port
        return (host, port) if host and port is not None else self._configured.get(url.scheme)

    def _most(self, task: Task) -> int | None:
        return self._per_host if self._per_host is not None else syntax.row(task.url.scheme).at_once

    def _remember(self, endpoint: Endpoint, most: int | None) -> Host:
        host = self._hosts[endpoint] = Host(most)
        self._forget_idle(self._hosts)
        return host

    def _share(self, host: Host, endpoint: Endpoint, task: Task) -> Host:
        """Share one `Host` among all names of the address that refused: a server counts addresses, not names."""
        self._hosts.move_to_end(endpoint)
        if task.last_address is None:
            return host
        address = task.last_address, endpoint[1]
        known = self._addresses.setdefault(address, host)
        self._addresses.move_to_end(address)
        self._forget_idle(self._addresses)
        if known is not host:
            for turn in list(host.turns):
                turn.move(known)
            known.waiting.extend(host.waiting)
            host.waiting.clear()
            self._hosts[endpoint] = known
            self._see_to(known)
        return known

    def _forget_idle(self, hosts: OrderedDict[Endpoint, Host]) -> None:
        """Drop the least recently used host, unless it has tasks or its delay has not passed."""
        for _ in range(2 if len(hosts) > MAX_HOSTS else 0):
            endpoint, oldest = next(iter(hosts.items()))
            is_delayed = self._delay and oldest.quiet_until > self._clock.now() and len(hosts) <= MAX_DELAYED_HOSTS
            if oldest.turns or oldest.waiting or is_delayed:
                hosts.move_to_end(endpoint)
            else:
                del hosts[endpoint]


def is_unanswered(task: Task) -> bool:
    """Whether no octet came at all, which may mean an empty document or a refusal."""
    return task.described is not None and task.described.attributes.get("answered") is False


def _wished(error: BaseException) -> float:
    """The Retry-After of an error, in seconds; 0 if there is none."""
    return (error.retry_after or 0.0) if isinstance(error, UnavailableError) else 0.0


def _is_refusal(error: BaseException, task: Task, has_served: bool) -> bool:
    """Whether an error means that a host accepts no more transfers now.

    Args:
        has_served: It has accepted other transfers. Only then does a closed or refused connection mean that there are
            too many: a host that refuses all connections is down, and waiting does not help.
    """
    if isinstance(error, UnavailableError):
        return error.meaning == "connections" or error.code in TOO_MANY
    if has_served and not task.emitted and not task.entries:
        return isinstance(error, ConnectionLost) or (isinstance(error, ConnectError) and error.stage == "connect")
    return False
