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
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeAlias

from anyurl.dialogue import Ask, Dialogue, Follow, Input, Ready
from anyurl.errors import (
    AccessError,
    AnyURLError,
    ConnectionLost,
    LocalFileError,
    LocalProtocolError,
    TransferTimeout,
    UnavailableError,
    without_frames,
)  # fmt: skip
from anyurl.errors.reasons import in_the_tree
from anyurl.files.closing import Closeable, close_all
from anyurl.guard.decisions import LOG, Decisions
from anyurl.guard.policy import Policy
from anyurl.net.http.request_lines import USER_AGENT
from anyurl.net.loop.clocks import Clocks
from anyurl.net.loop.connection_limit import ConnectionLimit
from anyurl.net.loop.judged import Judged
from anyurl.net.loop.loop import READ, WRITE, Loop
from anyurl.net.loop.relays import Relays
from anyurl.net.loop.task import PARKED, AskForConsent, Crowd, FindSecret, Piece, RequestBudget, Source, Task
from anyurl.net.wire.channel import WANT_READ, WANT_TIME, Connection, Want
from anyurl.net.wire.connector import Connector, Network
from anyurl.net.wire.pool import Pool
from anyurl.net.wire.proxies.table import Proxies
from anyurl.net.wire.tls import TLSConfig
from anyurl.url import URL, syntax
from anyurl.values import USER, Provenance, Who

if TYPE_CHECKING:
    from anyurl.net.loop.manners import Manners
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

CLOSED_EARLY = "This resource was closed before all of it arrived."

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

    Attributes:
        manners: The state of hosts; None while none has refused, no limit is set, and no `map` was begun.
        clocks: The time limits of tasks.
        relays: Content that dialogues pass on unchanged.
        shared: Objects that handlers keep open for all tasks; closed after the last task.
        await_answer: Inside an event loop: awaits the result of a caller's callback, then calls back with a function
            that returns the answer; else None.
        busy: A library is running that must not be called now (libcurl, during its callbacks).
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
    ) -> None:
        is_mannerly = per_host is not None or delay > 0
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
        self.clocks: Clocks = Clocks(self.loop, policy.limits, self.connections, self._over)
        self.relays: Relays = Relays(self.loop, self.clocks, self.resume)
        self.shared: list[Closeable] = []
        self.await_answer: Callable[[Awaitable[Any], Callable[[Callable[[], Any]], None]], Closeable] | None = None
        self.busy: bool = False
        self._judged = Judged(policy, decisions)
        self._handlers = handlers(self)
        self.manners: Manners | None = None
        if is_mannerly:
            self.be_mannerly(per_host, delay)
        self._max_bytes, self._max_entries = policy.limits.max_bytes, policy.limits.listing_entries

    # --- tasks -----------------------------------------------------------------------------------------------------

    def start(
        self,
        url: URL,
        begin: Callable[[], Dialogue],
        came_from: Provenance = USER,
        source: Source | None = None,
        ask_secret: FindSecret | None = None,
        eager: bool = False,
        notify: Callable[[], None] | None = None,
        lists: Who = "listing",
        patient: bool = False,
        asked_by: Provenance | None = None,
        crowd: Crowd | None = None,
        budget: RequestBudget | None = None,
    ) -> Task:
        """Begin a dialogue, after the policy has judged its URL.

        Args:
            begin: Makes the dialogue; not called when the URL is refused.
            eager: Read the content before the consumer asks for it.
            notify: Called whenever the task has something new for the consumer; it must not step anything itself.
            patient: It may wait until its host accepts one more transfer (`Manners`).
            asked_by: Who caused the request, if `url` is the user's own gateway; None for `came_from`.
            crowd: The `map` that it belongs to.
            budget: The requests that it may send; None for any number.

        Raises:
            RefusedError: The policy refuses the URL; the dialogue was not begun.
            ConnectionLost: The scheduler was closed.
            AnyURLError: Whatever `begin` raises.
        """
        loop = self.loop
        if loop.closed:
            raise ConnectionLost(CLOSED)
        place = self._judged.check(url, came_from)
        try:
            dialogue = begin()
        except AnyURLError as error:
            without_frames(error)
            raise
        task = Task(
            url, dialogue, came_from, source, ask_secret, eager, self._max_bytes, self._max_entries, lists, asked_by
        )
        task.notify, task.place, task.reader = notify, place, self.policy.remedies
        task.patient, task.crowd, task.budget = patient, crowd, budget
        loop.lock.acquire()
        try:
            if loop.closed:  # meanwhile, by another thread
                raise ConnectionLost(CLOSED)
            self.clocks.add(task)
            if self._may_begin(task) and self._may_connect(task):  # else it waits for its turn
                self._resume(task, None, None)
        except KeyboardInterrupt:  # raised inside libcurl: the caller has no task yet that it could drop
            self._end(task, LocalProtocolError(CLOSED_EARLY), False)
            raise
        finally:
            loop.lock.release()
        if loop.closing:
            loop.see_off()
        return task

    def _may_begin(self, task: Task) -> bool:
        patient, manners = task.patient, self.manners
        if patient and manners is None:
            row = syntax.ROWS.get(task.url.scheme)
            if task.crowd is not None or (row is not None and row.at_once is not None):
                manners = self.be_mannerly()
        return manners is None or manners.admit(task, patient=patient)

    def _may_connect(self, task: Task) -> bool:
        """Whether its client may have one more connection; if not, it begins when another one ends."""
        url = task.url
        if url.port is None and url.scheme not in self.configured:  # a file, for instance: nothing to connect to
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
        if not task.done:
            self.clocks.release(task)
            self._resume(task, None, None)

    def resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        """Answer the ask that a task is parked at, and step on until it parks again or ends."""
        self._resume(task, value, error)

    def fail(self, task: Task, problem: Exception) -> None:
        """End a task with an exception that is not an AnyURLError, without passing it to the dialogue."""
        self._end(task, problem)

    def _resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        if task.done:
            if isinstance(value, Connection):
                value.close()
            return
        task.waits_until = task.channel = None
        task.hears = False
        until = 0.0
        result: list[Follow | None] = []
        for number in range(STEPS_AT_ONCE):
            try:
                if error is not None:
                    ask = task.dialogue.throw(error)
                else:  # uncompiled, `step` would only be one more call
                    ask = step(task.dialogue, value, result) if cython.compiled else task.dialogue.send(value)
            except StopIteration as stop:
                task.follow = stop.value
                self._end(task, None, True, True)
                return
            except Exception as problem:
                self._end(task, problem, True, True)
                return
            if result:
                task.follow = result[0]
                self._end(task, None, True, True)
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

    def next_piece(self, task: Task) -> Piece | None:
        """Turn the loop until there is another piece; None at the end.

        Raises:
            AnyURLError: The error of the transfer, once all that arrived before it has been read.
        """
        while True:
            if task.outbox:
                return task.take()
            if task.done:
                if task.error is not None:
                    raise task.error
                return None
            if self.loop.is_behind():  # a peer that always has data must not keep the timers from firing
                self.loop.turn(0.0)
            elif task.channel is not None:
                piece: bytes | None = self.relays.pull(task)
                if piece is PARKED:
                    self.loop.turn()
                elif piece is not None:
                    return piece
            elif task.held:
                self.relays.go_on(task)
            else:
                self.loop.turn()

    def drop(self, task: Task) -> None:
        """The consumer does not want the rest: close everything that the task has open. May be called twice.

        A read that follows, or runs at that moment in another thread, gets an error: partial content must not pass for
        all of it. This does not apply to sessions, which have no complete content.
        """
        if self.process != os.getpid():
            return  # a child process must not touch resources that its parent still uses
        with self.loop.lock:
            if not task.done or task.outbox:
                is_session = task.described is not None and task.described.kind == "service"
                error = None if is_session else LocalProtocolError(CLOSED_EARLY)
                self._end(task, error, False)
                task.error = task.error or error  # for content that arrived and was not read
        task.outbox.clear()
        self.loop.see_off()

    def forget(self, task: Task) -> None:
        """Drop a task whose consumer was garbage-collected, which may happen in any thread and at any point."""
        if task.done or self.process != os.getpid():
            return
        here = self.thread == get_ident() and not getattr(task.dialogue, "gi_running", False)
        if here and not self.busy:
            self.drop(task)
        else:
            self.loop.soon(self.drop, task)
            self.loop.wake()

    def _end(self, task: Task, error: BaseException | None, keep: bool = True, closed: bool = False) -> None:
        if task.done:
            return
        # In this order: another thread that sees `done` must not take the content for complete.
        if error is not None:
            task.error = without_frames(error) if isinstance(error, AnyURLError) else in_the_tree(error)
        task.done = True
        if task.connection is not None:
            task.unpark(self.loop)
        task.held = False
        task.channel = None
        if error is None:
            if keep and not task.unproved and task.kept is not None:
                for connection, key in task.kept:
                    task.release(connection)
                    self.pool.put(connection, key)
        elif isinstance(error, AnyURLError):
            if not task.came_from.own:
                error.strange = (task.url,)
            if isinstance(error, AccessError):
                self._learn(task, error)
        task.close_all()
        if task.counted:
            self.connections.leave()
        self.clocks.drop(task)
        if not closed:  # the generator has neither returned nor raised
            task.dialogue.close()
        if task.notify is not None:
            task.notify()

    def _learn(self, task: Task, error: AccessError) -> None:
        if error.url is None:
            error.url = task.url.masked
        if isinstance(error, (UnavailableError, ConnectionError, ConnectionLost)) and not self.loop.closing:
            try:
                task.refused = self.be_mannerly().learn(task, error)
            except LocalFileError:  # no descriptor is left to learn more; the error of the task is reported
                return
            for each in task.open if task.refused else ():
                if isinstance(each, Connection) and each.key is not None:
                    task.way_made = self.pool.make_way(each.endpoint[0], each.key)

    def be_mannerly(self, per_host: int | None = None, delay: float = 0.0) -> Manners:
        """The `Manners` of this scheduler, made for the first `map`, or when the first host refuses."""
        if self.manners is None:
            from anyurl.net.loop.manners import Manners

            self.manners = Manners(self.loop, self.clocks, self._begin, per_host, delay, self.configured)
        return self.manners

    def _over(self, task: Task, error: AnyURLError) -> None:
        """The time of a task is over. If the peer was silent, the dialogue gets the error; otherwise it just ends."""
        task.unpark(self.loop)
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
        task.connection, task.attempt = connection, attempt
        self._watch(task, connection, value)
        task.within = within
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

        def attempt() -> Any:
            if task.inputs:
                inputs, task.inputs = task.inputs, None
                return Ready(None, inputs)
            data = connection.receive(at_most)
            return data if isinstance(data, Want) else Ready(data)

        if task.inputs:
            task.listens_to = None  # a new question
            return attempt()
        left = None if task.attended else self.clocks.left(task)
        value = attempt()
        task.hears = True
        if type(value) is not Want:
            # In the next turn: a peer that sends endlessly without any content to emit must not stop the clocks.
            self.loop.soon(self.resume, task, value, None)
            return PARKED
        task.connection, task.attempt = connection, attempt
        self._watch(task, connection, value)
        task.within = None
        if not task.attended:
            self.clocks.awaits_peer(task, left)
        return PARKED

    def give(self, task: Task, given: Input) -> None:
        """Pass the caller's input to a session; the dialogue takes it as soon as it waits for it."""
        with self.loop.lock:
            if task.inputs is None:
                task.inputs = []
            task.inputs.append(given)
            if task.hears and task.connection is not None:
                self._ready(task, task.connection, 0)

    def _ready(self, task: Task, connection: Connection, _events: int) -> None:
        if task.connection is not connection or task.attempt is None:  # another callback has ended the wait
            return
        try:
            value = task.attempt()
        except AnyURLError as error:
            task.unpark(self.loop)
            self.resume(task, None, error)
            return
        if type(value) is Want:
            self._watch(task, connection, value)
            if task.within is None and task.waits_until is not None:
                self.clocks.awaits_peer(task, None, "idle", task.listens_to)
            return
        task.unpark(self.loop)
        if value is not PARKED:
            self.resume(task, value, None)

    # --- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End every task and close everything; may be called twice, and from any thread."""
        if self.loop.closed:
            return
        if self.process != os.getpid():
            _INHERITED.append(self)
            self.loop.close()
            return
        # While another thread turns the loop, it must not be closed from here: that thread closes it (`Loop.see_off`).
        self.loop.closing = True
        if not self.loop.lock.acquire(blocking=False):
            self.loop.soon(self.close)
            self.loop.wake()
            return
        try:
            if not self.loop.closed:
                self._close()
        finally:
            self.loop.lock.release()

    def _close(self) -> None:
        for task in list(self.clocks.tasks):
            self._end(task, ConnectionLost(CLOSED), False)
        self.connections.schedulers -= 1
        self.pool.close()
        close_all(*self.shared)
        self.connector.close()
        self.loop.close()
