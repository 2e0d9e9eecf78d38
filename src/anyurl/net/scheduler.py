"""Scheduler: it steps dialogues and answers their asks; there is one for each (thread, policy).

Rules. A dialogue runs until it asks for something that can't be answered at once; then it is parked, and the loop
goes on. `Emit` parks while the consumer has unread pieces, `Relay` while the consumer reads from its channel,
`Describe` until the consumer wants the content. No dialogue is stepped inside a libcurl callback. What a dialogue
opened and did not keep is closed when it ends, fails or is dropped. Everything passes the policy first (RFC 1738 6).
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from anyurl.dialogue import Ask, Dialogue, Follow, Input, Ready
from anyurl.errors import (
    AccessError,
    AnyURLError,
    ConnectionLost,
    LocalProtocolError,
    TransferTimeout,
    UnavailableError,
    without_frames,
)  # fmt: skip
from anyurl.guard.policy import Policy
from anyurl.net.channel import WANT_READ, WANT_TIME, Connection, Want
from anyurl.net.clocks import Clocks
from anyurl.net.closing import Closeable, close_all
from anyurl.net.connector import Connector, Network
from anyurl.net.judged import Judged
from anyurl.net.loop import READ, WRITE, Loop, no_descriptors
from anyurl.net.pool import Pool
from anyurl.net.proxies.table import Proxies
from anyurl.net.relays import Relays
from anyurl.net.request_lines import USER_AGENT
from anyurl.net.room import Room
from anyurl.net.task import PARKED, AskForConsent, FindSecret, Piece, Source, Task
from anyurl.net.tls import TLSConfig
from anyurl.url import URL, syntax
from anyurl.values import USER, Provenance, Who

if TYPE_CHECKING:
    from anyurl.kernel import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.kernel import _cython as cython

if TYPE_CHECKING:
    from anyurl.net.manners import Manners
    from anyurl.net.step import step
elif cython.compiled:
    from cython.cimports.anyurl.net.step import step
else:
    from anyurl.net.step import step

SECONDS_AT_ONCE = 0.005
"""Of one dialogue before the loop turns: octets may be there at once, and yet take long to be read."""

STEPS_UNTIMED = 3
"""Asks of one dialogue that are answered before a clock is looked at, which costs as much as a small ask."""

STEPS_AT_ONCE = 100
"""Asks of one dialogue that are answered before the loop turns: a peer that floods must not keep it from its timers."""

TRY_AGAIN_SECONDS = 0.02
"""Until it is looked again at what nobody tells of."""

Handler: TypeAlias = Callable[[Task, Any], Any]
"""What answers one kind of ask: with the answer, or with PARKED and a call of `Scheduler.resume` later."""

CLOSED = "The client was closed during the transfer."

CLOSED_EARLY = "This resource was closed before all of it had come."

_INHERITED: list[Scheduler] = []
"""What a child process has of its parent: even to free it would end TLS on connections that the parent still uses."""


class Scheduler:
    """Steps the dialogues of one thread under one policy.

    Args:
        policy: Judges every URL and every address.
        handlers: Makes the table of what is done for each ask (`anyurl.net.handlers.handlers`).
        network: The world; tests give a smaller one.
        tls_config: Which certificates are believed.
        configured: For a scheme whose URLs may name no host, the server that the user configured.
        ask_consent: Asks a person; with None nothing is sent in anybody's name.
        user_agent: What http servers are told who asks.
        per_host: Transfers at once for each host, at most.
        delay: Seconds between two that begin at one host, at least.
        proxies: What connections go through; None for nothing.
        zone: The interface by which addresses of one link are reached; None where the user named none.
        room: What it shares with the schedulers of other threads, which may put it to sleep; None for one of its own.

    Attributes:
        manners: What hosts have refused, or None while none has, and none has a limit.
        clocks: Say when a task's time is over.
        relays: What dialogues hand on as it is.
        shared: What handlers have open for all tasks; closed after the last of them.
        await_answer: Where an event loop turns the scheduler: awaits what a question of the caller's was answered with,
            and calls with what then gives it; None elsewhere.
        busy: A library is running that must not be called now (libcurl, in its callbacks).
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
        room: Room | None = None,
    ) -> None:
        self.policy: Policy = policy
        self.room: Room = Room() if room is None else room
        self._may_sleep = room is not None
        self.loop: Loop = Loop(self.claim)
        self.loop.on_closing = self.close
        self.network: Network = network or Network()
        self.tls_config: TLSConfig = tls_config or TLSConfig()
        self.configured: dict[str, tuple[str, int]] = dict(configured or {})
        self.ask_consent: AskForConsent | None = ask_consent
        self.user_agent: str = user_agent
        self.connector: Connector = Connector(self.loop, policy, self.network, self.tls_config, proxies, zone)
        self.pool: Pool = Pool()
        self.process: int = os.getpid()
        self.thread: int = threading.get_ident()
        self.clocks: Clocks = Clocks(self.loop, policy.limits, self._over)
        self.relays: Relays = Relays(self.loop, self.clocks, self.resume)
        self.connector.wait_for_room = partial(self.room.wait, self)
        self.shared: list[Closeable] = []
        self.await_answer: Callable[[Awaitable[Any], Callable[[Callable[[], Any]], None]], Closeable] | None = None
        self.busy: bool = False
        self._judged = Judged(policy)
        self._handlers = handlers(self)
        self.manners: Manners | None = None
        if per_host is not None or delay:
            self.be_mannerly(per_host, delay)
        self._max_bytes, self._max_entries = policy.limits.max_bytes, policy.limits.listing_entries
        self.room.join(self)

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
    ) -> Task:
        """Begin a dialogue, after the policy has judged its URL.

        Args:
            begin: Makes the dialogue; not called when the URL is refused.
            came_from: Who named the URL.
            eager: Begin to read the content before the consumer asks for it.
            notify: Called whenever the task has something new for the consumer; it must not step anything itself.
            patient: It may wait until its host takes one more transfer (`Manners`).
            asked_by: On whose word a URL of the user's own is asked for (a gateway); None for who named it.

        Raises:
            RefusedError: The policy refuses the URL; the dialogue was not begun.
            ConnectionLost: The scheduler was closed.
            AnyURLError: What `begin` raises.
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
        task.notify = notify
        task.place = place
        loop.lock.acquire()
        try:
            if loop.closed:  # meanwhile, by another thread
                raise ConnectionLost(CLOSED)
            if loop.asleep:
                loop.rouse()
            self.clocks.add(task)
            if self._may_begin(task, patient):
                self._resume(task, None, None)
        except KeyboardInterrupt:  # out of libcurl: there is nobody yet who could drop the task
            self._end(task, LocalProtocolError(CLOSED_EARLY), False)
            raise
        finally:
            loop.lock.release()
        if loop.closing:
            loop.see_off()
        return task

    def _may_begin(self, task: Task, patient: bool) -> bool:
        """Whether it need not wait for its turn at its host."""
        if patient and self.manners is None:
            row = syntax.ROWS.get(task.url.scheme)
            if row is not None and row.at_once is not None:
                self.be_mannerly()
        return self.manners is None or self.manners.admit(task, patient=patient)

    def resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        """Answer the ask that a task is parked at, and step on until it parks again or ends."""
        self._resume(task, value, error)

    def fail(self, task: Task, problem: Exception) -> None:
        """End a task with what is no error of ours, which its dialogue knows nothing of."""
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
                ask = step(task.dialogue, value, result) if error is None else task.dialogue.throw(error)
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
            AnyURLError: What the transfer ended with, after all that came before it was read.
        """
        while True:
            if task.outbox:
                return task.take()
            if task.done:
                if task.error is not None:
                    raise task.error
                return None
            if self.loop.is_behind():  # a peer that is always ahead must not keep the clocks from ringing
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
        """The consumer does not want the rest: close everything the task has open. May be called twice.

        Whoever reads on, or reads at that moment, gets an error: what came before must not pass for all of it. A
        session has no whole.
        """
        if self.process != os.getpid():
            return  # a child process must not touch what its parent still uses
        with self.loop.lock:
            if not task.done or task.outbox:
                is_session = task.described is not None and task.described.kind == "service"
                error = None if is_session else LocalProtocolError(CLOSED_EARLY)
                self._end(task, error, False)
                task.error = task.error or error  # it has come, and was not read
        task.outbox.clear()
        self.loop.see_off()

    def forget(self, task: Task) -> None:
        """Drop a task whose consumer was garbage: that is found out in any thread, and in the middle of anything."""
        if task.done or self.process != os.getpid():
            return
        here = self.thread == threading.get_ident() and not getattr(task.dialogue, "gi_running", False)
        if here and not self.busy:
            self.drop(task)
        else:
            self.loop.soon(self.drop, task)
            self.loop.wake()

    def _end(self, task: Task, error: BaseException | None, keep: bool = True, closed: bool = False) -> None:
        if task.done:
            return
        # In this order: another thread that finds it done must not take it for whole.
        if error is not None:
            task.error = without_frames(error) if isinstance(error, AnyURLError) else error
        task.done = True
        if task.connection is not None:
            task.unpark(self.loop)
        task.held = False
        task.channel = None
        if error is None:
            if keep and task.kept is not None:
                for connection, key in task.kept:
                    task.release(connection)
                    self.pool.put(connection, key)
        elif isinstance(error, AccessError):
            self._learn(task, error)
        task.close_all()
        self.clocks.tasks.discard(task)
        if self.room.wanted:
            self.room.leave()
        if not closed:  # it has neither returned nor raised
            task.dialogue.close()
        if task.notify is not None:
            task.notify()

    def _learn(self, task: Task, error: AccessError) -> None:
        if error.url is None:
            error.url = task.url.masked
        if isinstance(error, (UnavailableError, ConnectionError, ConnectionLost)) and not self.loop.closing:
            task.refused = self.be_mannerly().learn(task, error)
            for each in task.open if task.refused else ():
                if isinstance(each, Connection) and each.key is not None:
                    task.way_made = self.pool.make_way(each.endpoint[0], each.key)

    def be_mannerly(self, per_host: int | None = None, delay: float = 0.0) -> Manners:
        """What is known of hosts that refuse; made when the first of them does."""
        if self.manners is None:
            from anyurl.net.manners import Manners

            self.manners = Manners(self.loop, self.clocks, self.resume, per_host, delay, self.configured)
        return self.manners

    def _over(self, task: Task, error: TransferTimeout) -> None:
        """One of a task's clocks has run out: the dialogue is told of a silent peer, and of a deadline no more."""
        task.unpark(self.loop)
        if error.clock == "total":
            self._end(task, error)
        else:
            self._resume(task, None, error)

    # --- parking ---------------------------------------------------------------------------------------------------

    def perform(
        self, task: Task, connection: Connection, attempt: Callable[[], Any], within: float | None = None
    ) -> Any:
        """Try; when the socket is not ready, park the task and try again when it is."""
        value = attempt()
        if type(value) is not Want:
            return value
        task.connection, task.attempt = connection, attempt
        self._watch(task, connection, value)
        task.within = within
        self.clocks.awaits_peer(task, within, "idle", connection)
        return PARKED

    def _watch(self, task: Task, connection: Connection, want: Want) -> None:
        """Try again when what is wanted may be there."""
        ready = partial(self._ready, task, connection)
        if want is WANT_TIME:
            self.loop.after(TRY_AGAIN_SECONDS, partial(ready, 0))
        else:
            self.loop.watch(connection.fd, READ if want is WANT_READ else WRITE, ready)

    def wait(self, task: Task, connection: Connection, at_most: int) -> Any:
        """What comes first: octets of the peer, or what the caller gives to the session."""

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
            # In the next turn: a peer that talks without end and says nothing to hand out must not stop the clocks.
            self.loop.soon(self.resume, task, value, None)
            return PARKED
        task.connection, task.attempt = connection, attempt
        self._watch(task, connection, value)
        task.within = None
        if not task.attended:
            self.clocks.awaits_peer(task, left)
        return PARKED

    def give(self, task: Task, given: Input) -> None:
        """Hand something of the caller to a session; it is taken as soon as the dialogue waits for it."""
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
        # Nobody may close what its own thread is working with: that one is told, and does it itself (`Loop.see_off`).
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

    def under_way(self) -> int:
        """Tasks that have begun and not ended."""
        return len(self.clocks.tasks)

    def claim(self, open_it: Callable[[float], None]) -> None:
        """Open what all tasks need; a thread that shares its room waits until it can (`Room.claim`).

        Raises:
            LocalFileError: There are no descriptors for it.
        """
        try:
            if self._may_sleep:
                self.room.claim(self, self.policy.limits.idle, open_it)
            else:
                open_it(math.inf)
        except OSError as error:
            raise no_descriptors(error) from error

    def rest(self) -> bool | None:
        """Close what is open for no task, in any thread; whether there was anything, or None if that can't be said."""
        if self.loop.closed or self.process != os.getpid():
            return False
        if not self.loop.lock.acquire(blocking=False):
            return False if self.clocks.tasks else None
        try:
            made = self.pool.empty()
            if self._may_sleep and not self.clocks.tasks and not self.connector.resolver.is_busy():
                close_all(*self.shared)
                made = self.loop.sleep() or made
            return made
        finally:
            self.loop.lock.release()

    def _close(self) -> None:
        for task in list(self.clocks.tasks):
            self._end(task, ConnectionLost(CLOSED), False)
        self.pool.close()
        close_all(*self.shared)
        self.connector.close()
        self.loop.close()
