"""Manners: how many simultaneous transfers a host accepts, learned from its refusals, and when to retry it.

Rule: additive increase, multiplicative decrease (RFC 5681 3.1), for each host and port, and shared by all names of one
address. While a task waits because of the caller's limits, its clock is stopped; while it waits because its host has
refused since its last success, the clock runs, so that a host that always refuses leads to a timeout; a task that can't
begin in its time any more is given up at once. The tasks of a `map` begin with one request at a host, and with one more
after each quick answer (`Host.note_answer`). For all others, a host that never refused and has no limit or delay, of
the caller or of its scheme, costs nothing.

Waiting tasks are counted only here: a task keeps its place in a queue until it begins or ends (`Turn`). A task that
waited begins when its host accepts it and its `Crowd` has room for it.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol, TypeAlias

from anyurl.errors import AnyURLError, ConnectError, ConnectionLost, ReplyError, TransferTimeout, UnavailableError
from anyurl.guard.verdict import Reader, aside
from anyurl.net.loop.clocks import server_of
from anyurl.net.loop.judged import endpoint_of
from anyurl.net.loop.loop import Timer
from anyurl.net.loop.rests import Rests
from anyurl.net.loop.task import Task
from anyurl.net.loop.turns import SHRINK, Host, Interval, Turn
from anyurl.url import URL, syntax

Endpoint: TypeAlias = tuple[str, int]

GROW_AFTER_AT_MOST = 4096
"""Most successes in a row required to grow: a fixed cap is then probed once in thousands of transfers."""

FIRST_PAUSE = 0.2
"""Seconds to wait after a first refusal: a server needs about that long to notice that a connection was closed."""

NOTICED = 2.0
"""Seconds after which a server has surely noticed that a connection was closed."""

LONGEST_PAUSE = 30.0
"""Longest doubled pause between two attempts, if the server sends no Retry-After: wget has 10, lftp 300."""

LONGEST_WAIT = 300.0
"""Longest Retry-After that is waited for; if a server wants more, all that wait for it are given up, and it is left
alone for as long as it wants. The total time of the policy may allow less."""

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
"""The same limit for hosts that are left alone for a while, because of the caller's delay or of their Retry-After."""


def doubled_pause(attempts: int) -> float:
    """Seconds before the next attempt, each time twice as many.

    Args:
        attempts: The number of retries so far.
    """
    return min(FIRST_PAUSE * 2.0**attempts, LONGEST_PAUSE)


class Clock(Protocol):
    """The part of a `Loop` that manners use.

    Attributes:
        turning: A turn is under way, after which its timers are looked at.
    """

    turning: bool

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
    """The part of `Clocks` that manners use."""

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

    def give_up(self, task: Task, error: AnyURLError) -> None:
        """End it: it can't begin in its time any more."""
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
        reader: Who reads the remedies of errors.
        rests: The hosts that want to be left alone, of earlier clients; None to remember them here alone.

    Attributes:
        waiting: Tasks that have not begun.
        blocked: Hosts that would accept a waiting task whose crowd has no room.
    """

    def __init__(
        self,
        clock: Clock,
        clocks: TurnClocks,
        begin: Callable[[Task], None],
        per_host: int | None = None,
        delay: float = 0.0,
        configured: Mapping[str, Endpoint] | None = None,
        reader: Reader = "arguments",
        rests: Rests | None = None,
    ) -> None:
        self.waiting: int = 0
        self.blocked: dict[Host, None] = {}
        self._clock = clock
        self._clocks = clocks
        self._begin = begin
        self._per_host = per_host
        self._delay = delay
        self._configured = configured or {}
        self._reader: Reader = reader
        self._kept = rests
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
            is_counted = most is not None or self._delay or task.crowd is not None or self._kept is not None
            if endpoint is None or not is_counted:
                return True
            host = self._remember(endpoint, most)
        elif host.is_free and not self._delay:
            return True
        if not patient or (not host.waiting and self._has_room(host)):
            self._let(host, self._give_turn(host, task))
            return True
        self._queue(host, task)
        if self._is_hopeless(host, task):
            self._clocks.give_up(task, self._rests(host, task))
        self._see_to(host)
        return False

    def _queue(self, host: Host, task: Task) -> None:
        host.waiting[task] = None
        self.waiting += 1
        if task.crowd is not None:
            task.crowd.waiting += 1
        self._give_turn(host, task).waits = True
        if not host.refusals:
            self._clocks.hold(task)

    def _leave(self, turn: Turn) -> None:
        """Take a task out of its queue."""
        task = turn.task
        del turn.host.waiting[task]
        self.waiting -= 1
        if task.crowd is not None:
            task.crowd.waiting -= 1
        turn.waits = False
        self._clocks.release(task)

    def _let(self, host: Host, turn: Turn) -> None:
        """Let a task begin."""
        turn.let_at = now = self._clock.now()
        self._count(host, now)
        if turn.task.crowd is not None:
            host.unanswered.add(turn.task)
        host.turns.add(turn)

    def _give_turn(self, host: Host, task: Task) -> Turn:
        task.turn = turn = Turn(self._over, host, task)
        task.hold(turn)
        return turn

    def _over(self, turn: Turn) -> None:
        """A task has ended."""
        turn.task.turn = None
        if turn.waits:
            self._leave(turn)
        elif turn in turn.host.turns:
            turn.host.turns.discard(turn)
            self._left(turn)

    def _has_room(self, host: Host) -> bool:
        return (
            (host.limit is None or len(host.turns) < host.limit)
            and (host.start is None or len(host.unanswered) < host.start)
            and self._clock.now() >= host.quiet_until
        )

    def _see_to(self, host: Host) -> None:
        """Set the timer to when the first waiting task may begin."""
        if not host.waiting or host.timer is not None:
            return
        pause = host.quiet_until - self._clock.now()
        if pause > 0.0:
            self._set_timer(host, pause)
        elif self._has_room(host):
            self._set_timer(host, 0.0)
        else:
            self._set_timer(host, STALL, host.read_of_held())

    def _look_again(self, host: Host) -> None:
        """Set the timer anew if there is room: something has ended or was answered."""
        timer = host.timer
        if timer is None:
            self._see_to(host)
        elif timer.when > self._clock.now() and self._has_room(host):
            timer.cancel()
            self._set_timer(host, 0.0)

    def _set_timer(self, host: Host, pause: float, read: int | None = None) -> None:
        host.read = read
        host.timer = self._clock.after(pause, lambda: self._give(host))
        if not self._clock.turning:  # in asyncio a transfer may have ended between two turns
            self._clock.wake()

    def _give(self, host: Host) -> None:
        host.timer = None
        is_stalled = host.read is not None and host.read == host.read_of_held()
        beyond = 0 if not is_stalled else 1 if host.remembered else host.most or 1
        while host.waiting and (self._has_room(host) or beyond):
            task = self._next(host)
            if task is None:
                self.blocked[host] = None
                return
            beyond = max(0, beyond - 1)
            turn = task.turn
            self._leave(turn)
            self._let(host, turn)
            self._begin(task)
        self._see_to(host)

    def _next(self, host: Host) -> Task | None:
        """The first waiting task whose crowd has room for it."""
        for task in host.waiting:
            if task.crowd is None or task.crowd.has_room():
                return task
            if task.crowd.waiting == self.waiting:  # there is no other crowd: to ask for each of hundreds takes longest
                return None
        return None

    def give_blocked(self) -> None:
        """Begin tasks that only waited for room in their crowd."""
        for host in list(self.blocked):
            del self.blocked[host]
            if host.timer is not None:
                host.timer.cancel()
            self._give(host)

    def answered(self, task: Task) -> None:
        """The host of a task has answered it: another one may begin."""
        turn: Turn | None = task.turn
        if turn is not None and task in turn.host.unanswered:
            host = turn.host
            host.unanswered.remove(task)
            host.note_answer(self._clock.now() - turn.let_at)
            if host.waiting:
                self._look_again(host)

    def _left(self, turn: Turn) -> None:
        """A task that was under way has ended."""
        host, task = turn.host, turn.task
        error = task.stream.error
        host.left_at = self._clock.now()
        if task in host.unanswered:
            host.unanswered.remove(task)
            is_answer = error is None or isinstance(error, ReplyError)
            host.note_answer(host.left_at - turn.let_at if is_answer else None)
        if error is None and not task.stream.is_unanswered:
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
            self._look_again(host)
        elif not host.turns and not host.remembered and host.start == 1 and host.quiet_until <= host.left_at:
            endpoint = self._endpoint(task)
            if endpoint is not None and self._hosts.get(endpoint) is host:
                del self._hosts[endpoint]

    def go_on(self, task: Task, endpoint: Endpoint, then: Callable[[AnyURLError | None], None]) -> bool:
        """Whether a task that has its turn may send one more request now; if not, `then` is called when it may.

        A task that is not patient may, but it counts: the next ones keep the delay.

        Args:
            then: Called with the reason if the host wants more rest than is waited for, else with None.

        Raises:
            UnavailableError: It wants more rest than that already.
        """
        host = self._hosts.get(endpoint)
        if host is None:
            if not self._delay and self._kept is None:
                return True
            host = self._remember(endpoint, self._most(task))
        if task.patient and self._is_hopeless(host, task):
            raise self._rests(host, task)
        now = self._clock.now()
        if not task.patient:
            self._count(host, now)
            return True
        at = self._reserve(host)
        if at <= now:
            return True
        pause = Interval(partial(self._clocks.release, task))
        task.hold(pause)
        if not host.refusals:
            self._clocks.hold(task)
        self._pause_until(host, at, task, pause, then)
        return False

    def _count(self, host: Host, at: float) -> None:
        """A request is sent: the next one keeps the delay."""
        if self._delay:
            host.next_at = max(host.next_at, at + self._delay)

    def _reserve(self, host: Host) -> float:
        """The time of the next request to the host, which is then reserved."""
        at = max(self._clock.now(), host.quiet_until)
        self._count(host, at)
        return at

    def _pause_until(
        self, host: Host, at: float, task: Task, pause: Interval, then: Callable[[AnyURLError | None], None]
    ) -> None:
        def over() -> None:
            now, error = self._clock.now(), None
            if now < host.rests_until:  # it has refused another one meanwhile
                if not self._is_hopeless(host, task):
                    self._pause_until(host, self._reserve(host), task, pause, then)
                    return
                error = self._rests(host, task)
            task.release(pause)
            pause.close()
            then(error)

        pause.timer = self._clock.after(at - self._clock.now(), over)
        self._clock.wake()

    # --- refusals ----------------------------------------------------------------------------------------------------

    def learn(self, task: Task, error: BaseException) -> bool:
        """Learn from the error of a task, before its turn is given back; whether the host refused one more transfer."""
        endpoint = self._endpoint(task)
        if endpoint is None or not was_begun(error):
            return False
        let_at = 0.0 if task.turn is None else task.turn.let_at
        host = self._hosts.get(endpoint)
        turns = None if host is None or host.is_free else host.turns
        under_way = self._clocks.tasks if turns is None else [turn.task for turn in turns]
        others = [each for each in under_way if each is not task and (turns or self._endpoint(each) == endpoint)]
        now = self._clock.now()
        was_busy = host is not None and (
            (host.remembered and now - host.left_at < NOTICED)
            or (host.has_answered and host.left_at >= let_at > 0.0)  # the other one was quick, and is gone
        )
        if not _is_refusal(error, task, was_busy or any(other.parties.peer_scope is not None for other in others)):
            return False
        if host is None or host.is_free:
            host = host or self._remember(endpoint, self._most(task))
            counted = {turn.task for turn in host.turns}
            for other in others:
                if other not in counted:
                    host.turns.add(self._give_turn(host, other))
        host = self._share(host, endpoint, task)
        host.refusal = str(error)
        wished = _wished(error)
        if not wished and host.doubts(task.parties.url):
            return True
        self._shrink(host, let_at, sum(1 for turn in host.turns if turn.task is not task), now)
        if wished:
            host.wish(now + wished, host.refusal)
        for waiting in host.waiting:
            self._clocks.release(waiting)
        self._give_up_hopeless(host)
        if wished and self._kept is not None:
            self._kept.keep(*endpoint, wished, host.refusal)
        return True

    def _is_hopeless(self, host: Host, task: Task) -> bool:
        """Whether a task can't begin in time, because its host wants more rest than that."""
        rest = host.rests_until - self._clock.now()
        return rest > LONGEST_WAIT or (rest > 0.0 and task.timing.is_over(host.rests_until))

    def _give_up_hopeless(self, host: Host) -> None:
        for task in [each for each in host.waiting if self._is_hopeless(host, each)]:
            self._clocks.give_up(task, self._rests(host, task))

    def _rests(self, host: Host, task: Task) -> UnavailableError:
        """The error of a task that is not begun since its host wants to be left alone."""
        rest = host.rests_until - self._clock.now()
        way = "" if rest > LONGEST_WAIT else aside("timeout", self._reader, then=" allows more")
        error = UnavailableError(
            f"{server_of(task.parties.url)} refused transfers and is left alone for another {rest:,.0f} s, so that "
            f"this one was not begun{way}. Its last refusal: {host.refusal}",
            meaning="busy", stage="request",
        )  # fmt: skip
        error.retry_after, error.begun = rest, False
        return error

    def _shrink(self, host: Host, began: float, others: int, now: float) -> None:
        """Lower the limit: one transfer more than `others` was too many."""
        limit = others if host.limit is None else min(host.limit, others)
        # Tasks that began before the last refusal belong to the same burst: they only show how many are still served.
        if began > host.shrunk or not host.remembered:
            if host.limit is not None:
                limit = min(limit, int(host.limit * SHRINK))
            host.rests_until = max(host.rests_until, now + self._backoff(host.refusals))
            if host.remembered:
                host.grow_after = min(host.grow_after * 2, GROW_AFTER_AT_MOST)
            host.refusals += 1
            host.shrunk = now
        host.limit = max(1, limit)
        host.succeeded = 0
        host.remembered = True

    def pause(self, url: URL, error: BaseException, attempts: int) -> float | None:
        """Seconds until a failed transfer may be retried; None if its host refuses everything, or for too long.

        Args:
            attempts: Number of retries so far.
        """
        endpoint = endpoint_of(url) or self._configured.get(url.scheme)
        host = None if endpoint is None else self._hosts.get(endpoint)
        wished = _wished(error)
        pause = max(wished, self._backoff(attempts))
        if host is not None:
            pause = max(pause, host.quiet_until - self._clock.now())
        is_refused = host is not None and (
            host.refusals > REFUSALS_IN_A_ROW or host.rests_until - self._clock.now() > LONGEST_WAIT
        )
        return None if is_refused or wished > LONGEST_WAIT else pause

    def _backoff(self, attempts: int) -> float:
        return doubled_pause(attempts) * (0.5 + self.random() / 2)

    def random(self) -> float:
        """From 0 to 1: clients refused together must not come back together (RFC 9110 10.2.3 defines no jitter)."""
        return int.from_bytes(os.urandom(4), "big") / 2**32

    # --- memory ------------------------------------------------------------------------------------------------------

    def _endpoint(self, task: Task) -> Endpoint | None:
        return task.place.endpoint or self._configured.get(task.parties.url.scheme)

    def _most(self, task: Task) -> int | None:
        return self._per_host if self._per_host is not None else syntax.row(task.parties.url.scheme).at_once

    def _remember(self, endpoint: Endpoint, most: int | None) -> Host:
        host = self._hosts[endpoint] = Host(most)
        if self._kept is not None:
            rest, refusal = self._kept.rest(*endpoint)
            if rest > 0.0:
                host.wish(self._clock.now() + rest, refusal)
        self._forget_idle(self._hosts)
        return host

    def _share(self, host: Host, endpoint: Endpoint, task: Task) -> Host:
        """Share one `Host` among all names of the address that refused: a server counts addresses, not names."""
        self._hosts.move_to_end(endpoint)
        if task.parties.last_address is None:
            return host
        address = task.parties.last_address, endpoint[1]
        known = self._addresses.setdefault(address, host)
        self._addresses.move_to_end(address)
        self._forget_idle(self._addresses)
        if known is not host:
            for turn in (*host.turns, *(waiting.turn for waiting in host.waiting)):
                turn.host = known
            known.turns.update(host.turns)
            host.turns.clear()
            known.waiting.update(host.waiting)
            host.waiting.clear()
            known.next_at = max(known.next_at, host.next_at)
            known.rests_until = max(known.rests_until, host.rests_until)
            self._hosts[endpoint] = known
            self._see_to(known)
        return known

    def _forget_idle(self, hosts: OrderedDict[Endpoint, Host]) -> None:
        """Drop the least recently used host, unless it has tasks or must be left alone."""
        for _ in range(2 if len(hosts) > MAX_HOSTS else 0):
            endpoint, oldest = next(iter(hosts.items()))
            is_quiet = oldest.quiet_until > self._clock.now() and (self._delay or oldest.wishes)
            if oldest.turns or oldest.waiting or (is_quiet and len(hosts) <= MAX_DELAYED_HOSTS):
                hosts.move_to_end(endpoint)
            else:
                del hosts[endpoint]


def was_begun(error: BaseException) -> bool:
    """Whether anything was sent: False for a transfer that only waited for its turn."""
    return not isinstance(error, TransferTimeout | UnavailableError) or error.begun


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
    if has_served and not task.stream.emitted and not task.stream.entries:
        return isinstance(error, ConnectionLost) or (isinstance(error, ConnectError) and error.stage == "connect")
    return False
