"""Manners: how many transfers at once a host takes, learned from its refusals, and when it may be asked again.

Rule: additive increase, multiplicative decrease (RFC 5681 3.1), for each host and port, and for all names of one
address. What waits because the caller wants it so does not spend its time on that; what waits because its host has
refused since it last served anybody does, so that a host that always refuses comes to an end. A host that never
refused anything and has no limit or delay, of the caller's or of its scheme, costs nothing.
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
"""What is left of a limit after a refusal: RFC 9438 4.6; TCP's own half loses more than a server's cap asks for."""

GROW_AFTER_AT_MOST = 4096
"""Successes in a row that are asked for at most: a cap that never moves is tested once in thousands of transfers."""

FIRST_PAUSE = 0.2
"""Seconds after a first refusal. A server needs that long to notice that a connection has been closed."""

NOTICED = 2.0
"""Seconds after which a server is sure to have noticed that a connection has been closed."""

LONGEST_PAUSE = 30.0
"""Seconds at most between two attempts, where the server does not say when: pauses double. wget has 10, lftp 300."""

LONGEST_WAIT = 300.0
"""Seconds of Retry-After that are waited for; the error says when a server wants more. A policy's total time, where it
has one, allows less."""

REFUSALS_IN_A_ROW = 6
"""Of one host without a success, after which nothing waits for it any longer: at doubling pauses some 13 seconds."""

TOO_MANY = frozenset((400, 421, 429, 503))
"""Codes that mean the same without words for it, of what is not available now: RFC 3977 3.2.1 (400), RFC 959 4.2 (421),
RFC 6585 4 (429), RFC 9110 15.6.4 (503)."""

STALL = 1.0
"""Seconds after which turns are given although all are taken, where the caller keeps them, and reads none of them."""

MAX_HOSTS = 10_000
"""Hosts remembered at once, beside those in use: some 3 MB. A crawl meets more, and few of them refuse anything."""

MAX_DELAYED_HOSTS = 100_000
"""The same, where the caller set a delay, of those that it holds for: they are remembered as long as it lasts."""


class Clock(Protocol):
    """What manners need of a `Loop`."""

    def now(self) -> float:
        """Seconds."""
        ...

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call it in so many seconds."""
        ...

    def wake(self) -> None:
        """Let whoever turns it look at its timers again."""
        ...


class TurnClocks(Protocol):
    """What manners need of `Clocks`."""

    @property
    def tasks(self) -> Iterable[Task]:
        """The tasks of the scheduler."""
        ...

    def hold(self, task: Task) -> None:
        """Its clock stands still."""
        ...

    def release(self, task: Task) -> None:
        """It goes on, if it stood still."""
        ...


class Manners:
    """The manners of one scheduler.

    Args:
        clock: Of the scheduler.
        clocks: Those of the scheduler's tasks.
        begin: Lets a task begin that had to wait.
        per_host: Transfers at once for each host, at most; None for what its scheme has (`Row.at_once`).
        delay: Seconds between two that begin at one host, at least.
        configured: For a scheme whose URLs may name no host, the server that they are looked up at.

    Attributes:
        waiting: Tasks that have not begun.
    """

    def __init__(
        self,
        clock: Clock,
        clocks: TurnClocks,
        begin: Callable[[Task, None, None], None],
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
            patient: It can wait. One that can't begins at once, and is counted.
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
        """Look at those that wait when the first of them may begin."""
        if not host.waiting or host.timer is not None:
            return
        pause = host.quiet_until - self._clock.now()
        if pause <= 0.0:
            pause = 0.0 if self._has_room(host) else STALL
        host.read = host.read_of_held()
        host.timer = self._clock.after(pause, lambda: self._give(host))
        self._clock.wake()  # in asyncio somebody may have ended a transfer between two turns

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
                self._begin(task, None, None)
        self._see_to(host)

    def left(self, host: Host, task: Task) -> None:
        """A task has ended, and with it its turn."""
        host.left_at = self._clock.now()
        if task.error is None and not is_unanswered(task):
            if host.refusals:  # what it refused is that one: nobody else's time goes by for it
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
        """Take in what a task ended with, before it gives its turn back; whether the host refused one more transfer."""
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
        """One transfer more than `others` was too many."""
        limit = others if host.limit is None else min(host.limit, others)
        # Those that began before the last refusal are of the same burst: each only says how many are still served.
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
        """Seconds until a transfer that failed may be begun again; None when its host refuses all, or for too long.

        Args:
            attempts: How often it was begun again before.
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
        """From 0 to 1: clients that were refused at once must not come back at once (RFC 9110 10.2.3 has no jitter)."""
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
        """The same for all names of the address that refused: a server counts addresses, not names."""
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
        """Make room: the host that was used longest ago goes, if nothing of it is under way and no delay holds."""
        for _ in range(2 if len(hosts) > MAX_HOSTS else 0):
            endpoint, oldest = next(iter(hosts.items()))
            is_delayed = self._delay and oldest.quiet_until > self._clock.now() and len(hosts) <= MAX_DELAYED_HOSTS
            if oldest.turns or oldest.waiting or is_delayed:
                hosts.move_to_end(endpoint)
            else:
                del hosts[endpoint]


def is_unanswered(task: Task) -> bool:
    """Whether nothing came at all, and that may be an empty document or a closed door."""
    return task.described is not None and task.described.attributes.get("answered") is False


def _wished(error: BaseException) -> float:
    """Seconds that a server wants not to be asked."""
    return (error.retry_after or 0.0) if isinstance(error, UnavailableError) else 0.0


def _is_refusal(error: BaseException, task: Task, has_served: bool) -> bool:
    """Whether a host said that it takes no more transfers now.

    Args:
        has_served: It has accepted other transfers. Only then does a connection that it closes or refuses mean that
            there are too many: a host that refuses all of them is down, and waiting does not help.
    """
    if isinstance(error, UnavailableError):
        return error.meaning == "connections" or error.code in TOO_MANY
    if has_served and not task.emitted and not task.entries:
        return isinstance(error, ConnectionLost) or (isinstance(error, ConnectError) and error.stage == "connect")
    return False
