"""Scheduler: steps dialogues and answers their asks; there is one for each thread and policy.

Rules. A dialogue runs until it asks for something that cannot be answered at once; then it is parked, and the loop
continues. `Emit` parks while the consumer has unread pieces, `Relay` while the consumer reads from its channel,
`Describe` until the consumer wants the content. No dialogue is stepped inside a libcurl callback. Everything that a
dialogue opened and did not keep is closed when it ends, fails or is dropped. Everything passes the policy first (RFC
1738 6).
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeAlias

from anyurl.dialogue import Ask, Dialogue, Follow, Ready
from anyurl.errors import (
    AccessError,
    AnyURLError,
    ConnectionLost,
    LocalFileError,
    LocalProtocolError,
    TransferTimeout,
    UnavailableError,
    without_frames,
)
from anyurl.errors.reasons import in_the_tree
from anyurl.files.closing import Closeable, close_all
from anyurl.guard.decisions import LOG, Decisions
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Reader
from anyurl.net.http.request_lines import USER_AGENT
from anyurl.net.loop.clocks import Clocks
from anyurl.net.loop.connection_limit import ConnectionLimit
from anyurl.net.loop.judged import Judged
from anyurl.net.loop.loop import READ, WRITE, Loop
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.stream import CLOSED_EARLY, PARKED, Stream, no_answer
from anyurl.net.loop.task import AskForConsent, Crowd, FindSecret, RequestBudget, Source, Task
from anyurl.net.wire.channel import WANT_READ, WANT_TIME, Connection, Want
from anyurl.net.wire.connector import Connector, Network
from anyurl.net.wire.pool import Pool
from anyurl.net.wire.proxies.table import Proxies
from anyurl.net.wire.tls import TLSConfig
from anyurl.url import syntax

if TYPE_CHECKING:
    from anyurl.net.loop.manners import Manners
    from anyurl.net.loop.rests import Rests
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

if TYPE_CHECKING:
    from anyurl.net.loop.step import step
elif cython.compiled:
    from cython.cimports.anyurl.net.loop.step import step
else:
    from anyurl.net.loop.step import step

SECONDS_AT_ONCE = 0.005
"""Most time for one dialogue before the loop turns: data that is available at once may still take long to process."""

STEPS_UNTIMED = 3
"""Asks of one dialogue answered before the time is checked, which costs as much as a small ask."""

STEPS_AT_ONCE = 100
"""Most asks of one dialogue answered before the loop turns: a flooding peer must not keep it from its timers."""

TRY_AGAIN_SECONDS = 0.02
"""Interval of polling where no event reports progress (`WANT_TIME`)."""

Handler: TypeAlias = Callable[[Task, Any], Any]
"""Answers one kind of ask: returns the answer, or PARKED and calls `Scheduler.resume` later."""

CLOSED = "The client was closed during the transfer."

_INHERITED: list[Scheduler] = []
"""Schedulers inherited by a forked child, kept alive: freeing them would end TLS on the parent's connections."""


class Scheduler:
    """Steps the dialogues of one thread under one policy.

    Args:
        policy: Judges every URL and every address.
        handlers: Makes the table of handlers (`anyurl.net.loop.handlers.handlers`).
        network: The network to reach; tests pass a smaller one.
        tls_config: Which certificates are trusted.
        configured: The server that the user configured, for schemes whose URLs may have no host.
        ask_consent: Asks the user for consent; with None nothing is sent in the user's name.
        user_agent: The User-Agent for http servers.
        per_host: Most simultaneous transfers for each host.
        delay: Least seconds between the beginnings of two transfers at one host.
        proxies: The proxies for connections; None for direct connections.
        zone: The interface that link-local addresses are reached through; None if the user named none.
        connections: How many connections may be open at once, shared with the schedulers of other threads; None for the
            policy's number, for this one alone.
        decisions: Reports the decisions of the guard.
        rests: The hosts that want to be left alone, remembered beyond this scheduler; None to forget them with it.

    Attributes:
        manners: The state of hosts; None while none has refused, no limit is set, and no `map` was begun.
        clocks: The time limits of tasks.
        max_bytes: The most octets of one transfer, or None.
        max_entries: The most entries of one.
        reader: Who reads the remedies of errors.
        shared: Objects that handlers keep open for all tasks; closed after the last task.
        await_answer: Inside an event loop: awaits the result of a caller's callback, then calls back with a function
            that returns the answer; else None.
    """

    def __init__(
        self,
        policy: Policy,
        handlers: Callable[[Scheduler], dict[type[Ask[Any]], Handler]],
        *,
        network: Network | None = None,
        tls_config: TLSConfig | None = None,
        configured: Mapping[str, tuple[str, int]] | None = None,
        ask_consent: AskForConsent | None = None,
        user_agent: str = USER_AGENT,
        per_host: int | None = None,
        delay: float = 0.0,
        proxies: Proxies | None = None,
        zone: str | None = None,
        connections: ConnectionLimit | None = None,
        decisions: Decisions = LOG,
        rests: Rests | None = None,
    ) -> None:
        is_mannerly = per_host is not None or delay > 0 or rests is not None
        self.policy: Policy = policy
        self.decisions: Decisions = decisions
        self.connections: ConnectionLimit = connections or ConnectionLimit(policy.limits.open_connections)
        self.connections.schedulers += 1
        self.loop: Loop = Loop()
        self.loop.on_closing = self.close
        self.network: Network = network or Network()
        self.tls_config: TLSConfig = tls_config or TLSConfig()
        self.configured: dict[str, tuple[str, int]] = dict(configured or {})
        self.ask_consent: AskForConsent | None = ask_consent
        self.user_agent: str = user_agent
        self.connector: Connector = Connector(
            self.loop, policy, self.network, self.tls_config, proxies, zone, decisions
        )
        self.pool: Pool = Pool()
        self.process: int = os.getpid()
        self.thread: int = get_ident()
        self.max_bytes: int | None = policy.limits.max_bytes
        self.max_entries: int = policy.limits.listing_entries
        self.reader: Reader = policy.remedies
        self.clocks: Clocks = Clocks(self.loop, policy.limits, self.connections, self.reader, self._over)
        self.shared: list[Closeable] = []
        self.await_answer: Callable[[Awaitable[Any], Callable[[Callable[[], Any]], None]], Closeable] | None = None
        self._judged = Judged(policy, decisions)
        self._handlers = handlers(self)
        self.manners: Manners | None = None
        if is_mannerly:
            self.be_mannerly(per_host, delay, rests)

    # --- tasks -----------------------------------------------------------------------------------------------------

    def start(
        self,
        parties: Parties,
        begin: Callable[[], Dialogue],
        source: Source | None = None,
        ask_secret: FindSecret | None = None,
        eager: bool = False,
        notify: Callable[[], None] | None = None,
        notes: Sequence[str] = (),
        patient: bool = False,
        crowd: Crowd | None = None,
        budget: RequestBudget | None = None,
        after: Stream | None = None,
    ) -> Stream:
        """Begin a dialogue, after the policy has judged its URL.

        Args:
            parties: Its URL, and who named it.
            begin: Makes the dialogue; not called when the URL is refused.
            eager: Read the content before the consumer asks for it.
            notify: Called whenever there is something new for the consumer; it must not step anything itself.
            notes: The first notes of the stream.
            patient: It may wait until its host accepts one more transfer (`Manners`).
            crowd: The `map` that it belongs to.
            budget: The requests that it may send; None for any number.
            after: The transfer that it goes on with, of whose time it has the rest.

        Raises:
            RefusedError: The policy refuses the URL; the dialogue was not begun.
            ConnectionLost: The scheduler was closed.
            AnyURLError: Whatever `begin` raises.
        """
        loop = self.loop
        if loop.closed:
            raise ConnectionLost(CLOSED)
        place = self._judged.check(parties.url, parties.came_from)
        try:
            dialogue = begin()
        except AnyURLError as error:
            without_frames(error)
            raise
        stream = Stream(self, parties, notify, notes)
        task = Task(dialogue, stream, place, source, ask_secret, eager, patient, crowd, budget)
        loop.enter()
        try:
            if loop.closed:  # meanwhile, by another thread
                raise ConnectionLost(CLOSED)
            stream.begin(task)
            self.clocks.add(task, None if after is None else after.deadline)
            if self._may_begin(task) and self._may_connect(task):  # else it waits for its turn
                self._resume(task, None, None)
        except KeyboardInterrupt:  # raised inside libcurl: the caller has no stream yet that it could close
            self._end(task, LocalProtocolError(CLOSED_EARLY), False)
            raise
        finally:
            loop.leave()
        return stream

    def _may_begin(self, task: Task) -> bool:
        patient, manners = task.patient, self.manners
        if patient and manners is None:
            row = syntax.ROWS.get(task.parties.url.scheme)
            if task.crowd is not None or (row is not None and row.at_once is not None):
                manners = self.be_mannerly()
        return manners is None or manners.admit(task, patient=patient)

    def _may_connect(self, task: Task) -> bool:
        """Whether its client may have one more connection; if not, it begins when another one ends."""
        if task.place.endpoint is None and task.parties.url.scheme not in self.configured:  # a file: no connection
            return True
        task.counted = self.connections.enter()
        if not task.counted:
            task.hold(self.connections.wait(self.loop, partial(self._begin_late, task)))
            self.clocks.hold(task)
            self.clocks.awaits_peer(task, None, "pool")
        return task.counted

    def _begin(self, task: Task) -> None:
        """Step a dialogue that has waited for its host."""
        if self._may_connect(task):
            self._resume(task, None, None)

    def _begin_late(self, task: Task) -> None:
        if not task.stream.done:
            self.clocks.release(task)
            self._resume(task, None, None)

    def resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        """Answer the ask that a task is parked at, and step on until it parks again or ends."""
        self._resume(task, value, error)

    def fail(self, task: Task, problem: Exception) -> None:
        """End a task with an exception that is not an AnyURLError, without passing it to the dialogue."""
        self._end(task, problem)

    def _resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        stream = task.stream
        if stream.done:
            if isinstance(value, Connection):
                value.close()
            return
        if task.connection is not None:
            task.unpark(self.loop)
        task.timing.answered()
        stream.resumed()
        until = 0.0
        result: list[Follow | None] = []
        for number in range(STEPS_AT_ONCE):
            try:
                if error is not None:
                    ask = task.dialogue.throw(error)
                else:  # uncompiled, `step` would only be one more call
                    ask = step(task.dialogue, value, result) if cython.compiled else task.dialogue.send(value)
            except StopIteration as stop:
                self._end(task, None, True, True, stop.value)
                return
            except Exception as problem:
                self._end(task, problem, True, True)
                return
            if result:
                self._end(task, None, True, True, result[0])
                return
            value = error = None
            try:
                value = self._handlers[type(ask)](task, ask)
            except AnyURLError as problem:
                error = problem
            except Exception as problem:  # the caller's source or secret callback may raise anything
                self._end(task, problem)
                return
            if value is PARKED:
                return
            if number >= STEPS_UNTIMED:
                now = time.monotonic()
                until = until or now + SECONDS_AT_ONCE
                if now > until:
                    break
        self.loop.soon(self.resume, task, value, error)

    def streams(self) -> list[Stream]:
        """The streams of the transfers that have not ended."""
        return [task.stream for task in list(self.clocks.tasks) if not task.stream.done]

    def may_end(self) -> bool:
        """Whether a task may be ended in this thread and at this moment: not while others are stepped or looked at."""
        return self.thread == get_ident() and not self.loop.at_work

    def end(self, task: Task, error: AnyURLError | None) -> None:
        """End a task early, and keep no connection."""
        self._end(task, error, False)

    def _end(
        self,
        task: Task,
        error: BaseException | None,
        keep: bool = True,
        closed: bool = False,
        follow: Follow | None = None,
    ) -> None:
        stream = task.stream
        if stream.done:
            return
        if error is not None:
            error = without_frames(error) if isinstance(error, AnyURLError) else in_the_tree(error)
        self.clocks.release(task)  # a retry has the time that is left
        stream.end(error, task.timing.deadline, follow)
        if task.connection is not None:
            task.unpark(self.loop)
        if error is None:
            if keep and not stream.unproved and task.kept is not None:
                for connection, key in task.kept:
                    task.release(connection)
                    self.pool.put(connection, key)
            if task.eager and stream.is_unanswered:
                self._learn(task, no_answer(task.parties))
        elif isinstance(error, AnyURLError):
            if not task.parties.came_from.own:
                error.strange = (task.parties.url,)
            if isinstance(error, AccessError):
                if error.url is None:
                    error.url = task.parties.url.masked
                self._learn(task, error)
        task.close_all()
        if task.counted:
            self.connections.leave()
        self.clocks.drop(task)
        if not closed:  # the generator has neither returned nor raised
            task.dialogue.close()
        stream.tell()

    def _learn(self, task: Task, error: AccessError) -> None:
        """Learn from an error whether the host accepts no more transfers now."""
        if isinstance(error, (UnavailableError, ConnectionError, ConnectionLost)) and not self.loop.closing:
            way_made = False
            try:
                if not self.be_mannerly().learn(task, error):
                    return
            except LocalFileError:  # no descriptor is left to learn more; the error of the task is reported
                return
            for each in task.open:
                if isinstance(each, Connection) and each.key is not None:
                    way_made = self.pool.make_way(each.endpoint[0], each.key) or way_made
            task.stream.refuse(way_made)

    def be_mannerly(self, per_host: int | None = None, delay: float = 0.0, rests: Rests | None = None) -> Manners:
        """The `Manners` of this scheduler, made for the first `map`, or when the first host refuses."""
        if self.manners is None:
            from anyurl.net.loop.manners import Manners

            self.manners = Manners(
                self.loop, self.clocks, self._begin, per_host, delay, self.configured, self.reader, rests
            )
        return self.manners

    def _over(self, task: Task, error: AnyURLError) -> None:
        """The time of a task is over. If the peer was silent, the dialogue gets the error; otherwise it just ends."""
        if isinstance(error, TransferTimeout) and error.clock != "total":
            self._resume(task, None, error)
        else:
            self._end(task, error)

    # --- parking ---------------------------------------------------------------------------------------------------

    def perform(
        self, task: Task, connection: Connection, attempt: Callable[[], Any], within: float | None = None
    ) -> Any:
        """Try an operation; if the socket is not ready, park the task and retry when it is."""
        value = attempt()
        if type(value) is not Want:
            return value
        task.park(connection, attempt)
        self._watch(task, connection, value)
        self.clocks.awaits_peer(task, within, "idle", connection)
        return PARKED

    def _watch(self, task: Task, connection: Connection, want: Want) -> None:
        """Retry when the socket is ready, or after a moment for `WANT_TIME`."""
        ready = partial(self._ready, task, connection)
        if want is WANT_TIME:
            self.loop.after(TRY_AGAIN_SECONDS, partial(ready, 0))
        else:
            self.loop.watch(connection.fd, READ if want is WANT_READ else WRITE, ready)

    def wait(self, task: Task, connection: Connection, at_most: int) -> Any:
        """Octets from the peer, or the caller's input to the session, whichever comes first."""

        stream = task.stream

        def attempt() -> Any:
            if stream.inputs:
                return Ready(None, stream.take_inputs() or ())
            data = connection.receive(at_most)
            return data if isinstance(data, Want) else Ready(data)

        if stream.inputs:
            task.timing.renew()  # a new question
            return attempt()
        left = None if stream.attended else self.clocks.left(task)
        value = attempt()
        stream.hear()
        if type(value) is not Want:
            # In the next turn: a peer that sends endlessly without any content to emit must not stop the clocks.
            self.loop.soon(self.resume, task, value, None)
            return PARKED
        task.park(connection, attempt)
        self._watch(task, connection, value)
        if not stream.attended:
            self.clocks.awaits_peer(task, left)
        return PARKED

    def hear_input(self, task: Task) -> None:
        """The consumer has given a session something; the dialogue takes it at once if it waits for it."""
        if task.connection is not None:
            self._ready(task, task.connection, 0)

    def _ready(self, task: Task, connection: Connection, _events: int) -> None:
        if task.connection is not connection or task.attempt is None:  # another callback has ended the wait
            return
        timing = task.timing
        try:
            value = task.attempt()
        except AnyURLError as error:
            self.resume(task, None, error)
            return
        if type(value) is Want:
            self._watch(task, connection, value)
            if timing.within is None and timing.waits_until is not None:
                self.clocks.awaits_peer(task, None, "idle", timing.listens_to)
        elif value is PARKED:
            task.unpark(self.loop)
        else:
            self.resume(task, value, None)

    def listen(self, task: Task, channel: Any, want: Want | None) -> None:
        """Tell the consumer when a channel has more; `want` is None for a body, which calls its waiter itself."""
        if task.timing.waits_until is None:
            task.timing.rest(self.loop.now())
        has_come = partial(self._has_come, task, channel)
        if want is None:
            channel.waiter = has_come
        else:
            task.park(channel, None)
            self.loop.watch(channel.fd, READ if want is WANT_READ else WRITE, has_come)
        self.clocks.awaits_peer(task, None, "idle", channel)

    def _has_come(self, task: Task, channel: Any, _events: int = 0) -> None:
        if task.stream.channel is channel:
            self.clocks.heard(task, channel)
            task.unpark(self.loop)
            task.stream.tell()

    # --- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End every task and close everything; may be called twice, and from any thread."""
        if self.loop.closed:
            return
        if self.process != os.getpid():
            _INHERITED.append(self)
            self.loop.close()
            return
        # While another thread turns the loop, it must not be closed from here: that thread closes it (`Loop.leave`).
        self.loop.closing = True
        if not self.loop.enter(wait=False):
            self.loop.soon(self.close)
            self.loop.wake()
            return
        try:
            if not self.loop.closed:
                self._close()
        finally:
            self.loop.leave()

    def _close(self) -> None:
        with ExitStack() as rest:  # backwards, and to the loop, whatever raises on the way
            rest.callback(self._close_loop)
            rest.callback(self.connector.close)
            rest.callback(close_all, *self.shared)
            rest.callback(self.pool.close)
            for task in list(self.clocks.tasks):
                rest.callback(self.end, task, ConnectionLost(CLOSED))

    def _close_loop(self) -> None:
        if not self.loop.closed:  # the owner of one of the tasks may have closed it
            self.loop.close()
            self.connections.schedulers -= 1
