"""Scheduler: it steps dialogues and answers their asks; there is one for each (thread, policy).

Rules. A dialogue runs until it asks for something that can't be answered at once; then it is parked, and the loop
goes on. `Emit` and `Relay` park while the consumer has unread pieces, `Describe` parks until the consumer wants the
content. No dialogue is stepped inside a libcurl callback. What a dialogue opened and did not keep is closed when it
ends, fails or is dropped (RFC 1738 section 6 is the reason that everything passes the policy first).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import Dialogue, Input, Ready
from anyurl.errors import AccessError, AnyURLError, ConnectionLost, TransferTimeout, without_frames
from anyurl.guard.policy import Policy
from anyurl.net.channel import WANT_READ, Connection, Want
from anyurl.net.connector import Connector, Network
from anyurl.net.handlers import Handlers
from anyurl.net.judged import Judged
from anyurl.net.loop import READ, WRITE, Loop, Timer
from anyurl.net.pool import Pool
from anyurl.net.task import PARKED, AskForConsent, Clock, FindSecret, Moving, Piece, Source, Task, too_late
from anyurl.net.tls import TLSConfig
from anyurl.url import URL
from anyurl.values import USER, Provenance, Who

if TYPE_CHECKING:
    from anyurl.net.http.engine import CurlEngine

SECONDS_AT_ONCE = 0.005
"""Of one dialogue before the loop turns: octets may be there at once, and yet take long to be read."""

STEPS_UNTIMED = 3
"""Asks of one dialogue that are answered before a clock is looked at, which costs as much as a small ask."""

STEPS_AT_ONCE = 100
"""Asks of one dialogue that are answered before the loop turns: a peer that floods must not keep it from its timers."""

CLOSED = "The client was closed during the transfer."

_INHERITED: list[Scheduler] = []
"""What a child process has of its parent: even to free it would end TLS on connections that the parent still uses."""


class Scheduler:
    """Steps the dialogues of one thread under one policy.

    Args:
        policy: Judges every URL and every address.
        network: The world; tests give a smaller one.
        tls_config: Which certificates are believed.
        configured: For a scheme whose URLs may name no host, the server that the user configured.
        ask_consent: Asks a person; with None nothing is sent in anybody's name.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        network: Network | None = None,
        tls_config: TLSConfig | None = None,
        configured: Mapping[str, tuple[str, int]] | None = None,
        ask_consent: AskForConsent | None = None,
    ) -> None:
        self.policy: Policy = policy
        self.loop: Loop = Loop()
        self.loop.on_closing = self.close
        self.network: Network = network or Network()
        self.tls_config: TLSConfig = tls_config or TLSConfig()
        self.configured: dict[str, tuple[str, int]] = dict(configured or {})
        self.ask_consent: AskForConsent | None = ask_consent
        self.connector: Connector = Connector(self.loop, policy, self.network, self.tls_config.context)
        self.pool: Pool = Pool()
        self.process: int = os.getpid()
        self.thread: int = threading.get_ident()
        self._curl: CurlEngine | None = None
        self._tasks: set[Task] = set()
        self._judged = Judged(policy)
        self._watch: Timer | None = None
        self._answers = Handlers(self).table()
        self._idle, self._total, self._lowest_rate = policy.limits.idle, policy.limits.total, policy.limits.lowest_rate
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
    ) -> Task:
        """Begin a dialogue, after the policy has judged its URL.

        Args:
            begin: Makes the dialogue; not called when the URL is refused.
            came_from: Who named the URL.
            eager: Begin to read the content before the consumer asks for it.
            notify: Called whenever the task has something new for the consumer; it must not step anything itself.

        Raises:
            RefusedError: The policy refuses the URL; the dialogue was not begun.
            ConnectionLost: The scheduler was closed.
            AnyURLError: What `begin` raises.
        """
        if self.loop.closed:
            raise ConnectionLost(CLOSED)
        self._judged.check(url, came_from)
        try:
            dialogue = begin()
        except AnyURLError as error:
            without_frames(error)
            raise
        task = Task(url, dialogue, came_from, source, ask_secret, eager, self._max_bytes, self._max_entries, lists)
        task.notify = notify
        self.loop.lock.acquire()
        try:
            if self.loop.closed:  # meanwhile, by another thread
                raise ConnectionLost(CLOSED)
            self._tasks.add(task)
            if self._total is not None:
                task.deadline = self.loop.now() + self._total
                self._watch_over(task.deadline)
            self._resume(task, None, None)
        finally:
            self.loop.lock.release()
        self.loop.see_off()
        return task

    def resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        """Answer the ask that a task is parked at, and step on until it parks again or ends."""
        self._resume(task, value, error)

    def _resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        if task.done:
            if isinstance(value, Connection):
                value.close()
            return
        task.waits_until = None
        task.hears = False
        until = 0.0
        for step in range(STEPS_AT_ONCE):
            try:
                ask = task.step(value, error)
            except Exception as problem:
                self._end(task, problem)
                return
            if ask is None:
                self._end(task, None)
                return
            value = error = None
            try:
                value = self._answers[type(ask)](task, ask)
            except AnyURLError as problem:
                error = problem
            except Exception as problem:  # the caller's source or secret callback may raise anything
                self._end(task, problem)
                return
            if value is PARKED:
                return
            if step >= STEPS_UNTIMED:
                now = time.monotonic()
                if not until:
                    until = now + SECONDS_AT_ONCE
                elif now > until:
                    break
        self.loop.soon(self.resume, task, value, error)

    def demand(self, task: Task) -> None:
        """The consumer wants more: let a task go on that was waiting for that."""
        if task.on_demand is None or not task.has_room():
            return
        with self.loop.lock:
            go_on, task.on_demand = task.on_demand, None
            working = self.loop.working(True)
            try:
                if go_on is not None:
                    go_on()
            finally:
                self.loop.working(working)
        self.loop.see_off()

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
            self.demand(task)
            if not task.outbox and not task.done:
                self.loop.turn()
            elif self.loop.is_behind():  # a peer that is always ahead must not keep the clocks from ringing
                self.loop.turn(0.0)

    def drop(self, task: Task) -> None:
        """The consumer does not want the rest: close everything the task has open. May be called twice."""
        if self.process != os.getpid():
            return  # a child process must not touch what its parent still uses
        with self.loop.lock:
            self._end(task, None, False)
        task.outbox.clear()
        self.loop.see_off()

    def forget(self, task: Task) -> None:
        """Drop a task whose consumer was garbage: that is found out in any thread, and in the middle of anything."""
        if task.done or self.process != os.getpid():
            return
        here = self.thread == threading.get_ident() and not getattr(task.dialogue, "gi_running", False)
        if here and (self._curl is None or not self._curl.busy):
            self.drop(task)
        else:
            self.loop.soon(self.drop, task)
            self.loop.wake()

    def _end(self, task: Task, error: BaseException | None, keep: bool = True) -> None:
        if task.done:
            return
        # In this order: another thread that finds it done must not take it for whole.
        task.error = without_frames(error) if isinstance(error, AnyURLError) else error
        task.done = True
        if isinstance(error, AccessError) and error.url is None:
            error.url = task.url.masked
        self._tasks.discard(task)
        self._unpark(task)
        task.on_demand = None
        if keep and error is None:
            for connection, key in task.kept:
                task.release(connection)
                self.pool.put(connection, key)
        task.close_all()
        task.dialogue.close()
        if task.notify is not None:
            task.notify()

    # --- clocks ----------------------------------------------------------------------------------------------------

    def awaits_peer(
        self, task: Task, seconds: float | None = None, clock: Clock = "idle", channel: Moving | None = None
    ) -> None:
        """Start the idle clock (or another): the task now waits for its peer, at most so long.

        Args:
            channel: What it listens to: a peer that gives next to nothing runs out of time as a silent one does.
        """
        now = self.loop.now()
        if seconds is None:
            seconds = self._idle
            if channel is not None:
                seconds = task.patience(channel, now, seconds, self._lowest_rate)
        task.waits_until = now + seconds
        task.clock = clock
        self._watch_over(now + seconds)

    def _watch_over(self, when: float) -> None:
        # One timer for all tasks, at the earliest of their ends and moved lazily: one for each wait would cost a small
        # request a tenth of its time.
        if self._watch is not None and self._watch.when <= when:
            return
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self.loop.after(max(0.0, when - self.loop.now()), self._look_round)

    def _look_round(self) -> None:
        """Some task's time may be over: end those whose is, and look round again at the earliest end that is left."""
        self._watch = None
        now = self.loop.now()
        for task in list(self._tasks):
            if task.deadline is not None and task.deadline <= now:
                limit = self.policy.limits.total
                self._unpark(task)
                text = f"The whole transfer took longer than {limit:g} seconds (--timeout allows more)."
                self._end(task, TransferTimeout(text, clock="total"))
            elif task.waits_until is not None and task.waits_until <= now:
                self._unpark(task)
                self.resume(task, None, too_late(task, self.policy.limits))
        ends = [end for task in self._tasks for end in (task.deadline, task.waits_until) if end is not None]
        if ends:
            self._watch_over(min(ends))

    # --- parking ---------------------------------------------------------------------------------------------------

    def perform(
        self, task: Task, connection: Connection, attempt: Callable[[], Any], within: float | None = None
    ) -> Any:
        """Try; when the socket is not ready, park the task and try again when it is."""
        value = attempt()
        if type(value) is not Want:
            return value
        task.connection, task.attempt = connection, attempt
        self.loop.watch(connection.fd, READ if value is WANT_READ else WRITE, partial(self._ready, task, connection))
        task.within = within
        self.awaits_peer(task, within, "idle", connection)
        return PARKED

    def wait(self, task: Task, connection: Connection, at_most: int) -> Any:
        """What comes first: octets of the peer, or what the caller gives to the session."""

        def attempt() -> Any:
            if task.inputs:
                inputs, task.inputs = task.inputs, []
                return Ready(None, inputs)
            data = connection.receive(at_most)
            return data if isinstance(data, Want) else Ready(data)

        if task.inputs:
            return attempt()
        value = attempt()
        task.hears = True
        if type(value) is not Want:
            # In the next turn: a peer that talks without end and says nothing to hand out must not stop the clocks.
            self.loop.soon(self.resume, task, value, None)
            return PARKED
        task.connection, task.attempt = connection, attempt
        self.loop.watch(connection.fd, READ if value is WANT_READ else WRITE, partial(self._ready, task, connection))
        task.within = None
        if not task.attended:
            self.awaits_peer(task)
        return PARKED

    def give(self, task: Task, given: Input) -> None:
        """Hand something of the caller to a session; it is taken as soon as the dialogue waits for it."""
        with self.loop.lock:
            task.inputs.append(given)
            if task.hears and task.connection is not None:
                self._ready(task, task.connection, 0)

    def _ready(self, task: Task, connection: Connection, _events: int) -> None:
        if task.connection is not connection or task.attempt is None:  # another callback has ended the wait
            return
        try:
            value = task.attempt()
        except AnyURLError as error:
            self._unpark(task)
            self.resume(task, None, error)
            return
        if type(value) is Want:
            self.loop.watch(
                connection.fd, READ if value is WANT_READ else WRITE, partial(self._ready, task, connection)
            )
            if task.within is None and task.waits_until is not None:
                self.awaits_peer(task, None, "idle", connection)
            return
        self._unpark(task)
        if value is not PARKED:
            self.resume(task, value, None)

    def _unpark(self, task: Task) -> None:
        if task.connection is not None:
            self.loop.unwatch(task.connection.fd)
            task.connection = task.attempt = None
        task.waits_until = None

    # --- the end ---------------------------------------------------------------------------------------------------

    def curl(self) -> CurlEngine:
        """libcurl, loaded when the first request needs it."""
        if self._curl is None:
            from anyurl.net.http.engine import CurlEngine

            self._curl = CurlEngine(self)
        return self._curl

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

    def _close(self) -> None:
        for task in list(self._tasks):
            self._end(task, ConnectionLost(CLOSED), False)
        self.pool.close()
        if self._curl is not None:
            self._curl.close()
        self.connector.close()
        self.loop.close()
