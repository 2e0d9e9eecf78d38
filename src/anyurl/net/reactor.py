"""Reactor: it steps dialogues and answers their asks; there is one for each (thread, policy).

Rules. A dialogue runs until it asks for something that can't be answered at once; then it is parked, and the loop goes on.
`Emit` and `Relay` park while the consumer has unread pieces, `Describe` parks until the consumer wants the content. No
dialogue is stepped inside a libcurl callback. What a dialogue opened and did not keep is closed when it ends, fails or is
dropped (RFC 1738 section 6 is the reason that everything passes the policy first).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from anyurl.dialogue import (
    Ask, AskSecret, Channel, Close, Commit, Connect, ConnectData, Describe, Dialogue, Emit, Keep, ListFolder, LocalName,
    Now, OpenFile, Random, Receive, Relay, Remark, Request, Secure, Send, StatFile, Take,
)  # fmt: skip
from anyurl.errors import (
    AccessError, AnyURLError, ConnectionLost, LimitError, LocalProtocolError, RefusedError, TransferTimeout,
)  # fmt: skip
from anyurl.net import files
from anyurl.net.addresses import Scope, scope
from anyurl.net.channel import WANT_READ, Want, Wire
from anyurl.net.connector import Connector, Dial, Network
from anyurl.net.files import FileChannel
from anyurl.net.loop import READ, WRITE, Loop
from anyurl.net.policy import Policy
from anyurl.net.pool import Pool
from anyurl.net.task import AskForSecret, Piece, Source, Task
from anyurl.net.trust import Trust
from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.net.curl import CurlEngine

RELAY_AT_MOST = 128 * 1024
"""Octets of one piece: beyond malloc's mapping threshold (128 KiB) each piece is faulted in anew."""

MAX_JUDGED = 4096
"""Endpoints whose verdict is remembered: it depends on nothing else, and a crawler asks for the same ones again."""

PARKED: Final = object()
"""What a handler answers when the answer comes later."""

Handler = Callable[[Task, Any], Any]


class Reactor:
    """Steps the dialogues of one thread under one policy.

    Args:
        policy: Judges every URL and every address.
        network: The world; tests give a smaller one.
        trust: Which certificates are believed.
    """

    def __init__(self, policy: Policy, *, network: Network | None = None, trust: Trust | None = None) -> None:
        self.policy = policy
        self.loop = Loop()
        self.network = network or Network()
        self.trust = trust or Trust()
        self.connector = Connector(self.loop, policy, self.network, self.trust.context)
        self.pool = Pool()
        self.process = os.getpid()
        self._curl: CurlEngine | None = None
        self._tasks: set[Task] = set()
        self._judged: set[tuple[Any, ...]] = set()
        self._handlers: dict[type[Ask[Any]], Handler] = {
            Connect: self._connect, ConnectData: self._connect_data, Secure: self._secure, Send: self._send,
            Receive: self._receive, Relay: self._relay, Keep: self._keep, Close: self._close, Request: self._request,
            OpenFile: self._open_file, Commit: self._commit, StatFile: self._stat_file, ListFolder: self._list_folder,
            LocalName: self._local_name, Take: self._take, AskSecret: self._ask_secret, Now: self._now,
            Random: self._random, Describe: self._describe, Emit: self._emit, Remark: self._remark,
        }  # fmt: skip

    # --- tasks -----------------------------------------------------------------------------------------------------

    def start(
        self,
        url: URL,
        begin: Callable[[], Dialogue],
        *,
        came_from: Scope | None = None,
        source: Source | None = None,
        ask_secret: AskForSecret | None = None,
        eager: bool = False,
        notify: Callable[[], None] | None = None,
    ) -> Task:
        """Begin a dialogue, after the policy has judged its URL.

        Args:
            begin: Makes the dialogue; not called when the URL is refused.
            eager: Begin to read the content before the consumer asks for it.
            notify: Called whenever the task has something new for the consumer; it must not step anything itself.

        Raises:
            RefusedError: The policy refuses the URL; the dialogue was not begun.
            AnyURLError: What `begin` raises.
        """
        key = (url.scheme, url.host, url.port, came_from)
        if key not in self._judged:
            self.policy.judge_url(url, came_from).check()
            if len(self._judged) > MAX_JUDGED:
                self._judged.clear()
            self._judged.add(key)
        limits = self.policy.limits
        task = Task(
            url, begin(), came_from=came_from, source=source, ask_secret=ask_secret, eager=eager,
            byte_limit=limits.max_bytes, entry_limit=limits.listing_entries,
        )  # fmt: skip
        task.notify = notify
        self._tasks.add(task)
        if limits.total is not None:
            task.deadline = time.monotonic() + limits.total
            self._arm(task, task.deadline)
        self.resume(task, None, None)
        return task

    def resume(self, task: Task, value: Any, error: AnyURLError | None) -> None:
        """Answer the ask that a task is parked at, and step on until it parks again or ends."""
        if task.done:
            if isinstance(value, Wire):
                value.close()
            return
        task.waits_until = None
        while True:
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
                value = self._handlers[type(ask)](task, ask)
            except AnyURLError as problem:
                error = problem
            except Exception as problem:  # the caller's source or secret callback may raise anything
                self._end(task, problem)
                return
            if value is PARKED:
                return

    def demand(self, task: Task) -> None:
        """The consumer wants more: let a task go on that was waiting for that."""
        go_on = task.on_demand
        if go_on is not None and task.has_room():
            task.on_demand = None
            go_on()

    def describe(self, task: Task) -> None:
        """Turn the loop until the task has said what it brings, or has ended."""
        while task.described is None and not task.done:
            self.loop.turn()
        if task.error is not None and task.described is None:
            raise task.error

    def next_piece(self, task: Task) -> Piece | None:
        """Turn the loop until there is another piece; None at the end.

        Raises:
            AnyURLError: What the transfer ended with, after all that came before it was read.
        """
        while True:
            piece = task.take()
            if piece is not None:
                return piece
            if task.done:
                if task.error is not None:
                    raise task.error
                return None
            self.demand(task)
            if not task.outbox and not task.done:
                self.loop.turn()

    def drop(self, task: Task) -> None:
        """The consumer does not want the rest: close everything the task has open."""
        self._end(task, None, keep=False)
        task.outbox.clear()

    def _end(self, task: Task, error: BaseException | None, *, keep: bool = True) -> None:
        if task.done:
            return
        task.done = True
        task.error = error
        if isinstance(error, AccessError) and error.url is None:
            error.url = task.url.masked
        self._tasks.discard(task)
        self._unpark(task)
        if task.timer is not None:
            task.timer.cancel()
        if keep and error is None:
            for wire, key in task.kept:
                task.release(wire)
                self.pool.put(wire, key)
        task.close_all()
        task.dialogue.close()
        if task.notify is not None:
            task.notify()

    # --- clocks ----------------------------------------------------------------------------------------------------

    def awaits_peer(self, task: Task, seconds: float | None = None) -> None:
        """Start the idle clock: the task now waits for its peer, at most so long."""
        task.waits_until = time.monotonic() + (self.policy.limits.idle if seconds is None else seconds)
        if task.timer is None or task.timer.callback is None or task.timer.when > task.waits_until:
            self._arm(task, task.waits_until)

    def _arm(self, task: Task, when: float) -> None:
        # One timer a task, moved lazily: a timer for each wait would fill the heap with a million dead ones an hour.
        if task.timer is not None:
            task.timer.cancel()
        task.timer = self.loop.after(max(0.0, when - time.monotonic()), partial(self._ring, task))

    def _ring(self, task: Task) -> None:
        task.timer = None
        now = time.monotonic()
        limits = self.policy.limits
        if task.deadline is not None and task.deadline <= now:
            self._unpark(task)
            text = f"The whole transfer took longer than {limits.total:g} seconds (--timeout allows more)."
            self._end(task, TransferTimeout(text, clock="total"))
        elif task.waits_until is not None and task.waits_until <= now:
            self._unpark(task)
            error = TransferTimeout("The peer said nothing for too long: the idle limit ran out.", clock="idle")
            self.resume(task, None, error)
        else:
            times = [when for when in (task.deadline, task.waits_until) if when is not None]
            if times:
                self._arm(task, min(times))

    # --- parking ---------------------------------------------------------------------------------------------------

    def _perform(self, task: Task, wire: Wire, attempt: Callable[[], Any], within: float | None = None) -> Any:
        """Try; when the socket is not ready, park the task and try again when it is."""
        value = attempt()
        if type(value) is not Want:
            return value
        task.wire, task.attempt = wire, attempt
        self.loop.watch(wire.fd, READ if value is WANT_READ else WRITE, partial(self._ready, task, wire))
        self.awaits_peer(task, within)
        return PARKED

    def _ready(self, task: Task, wire: Wire, _events: int) -> None:
        if task.wire is not wire or task.attempt is None:  # another callback of this turn has ended the wait
            return
        try:
            value = task.attempt()
        except AnyURLError as error:
            self._unpark(task)
            self.resume(task, None, error)
            return
        if type(value) is Want:
            self.loop.watch(wire.fd, READ if value is WANT_READ else WRITE, partial(self._ready, task, wire))
            return
        self._unpark(task)
        if value is not PARKED:
            self.resume(task, value, None)

    def _unpark(self, task: Task) -> None:
        if task.wire is not None:
            self.loop.unwatch(task.wire.fd)
            task.wire = task.attempt = None
        task.waits_until = None

    # --- connections -----------------------------------------------------------------------------------------------

    def _count_connection(self, task: Task) -> None:
        task.connections += 1
        limit = self.policy.limits.connections
        if task.connections > limit:
            raise LimitError(f"One transfer wanted more than {limit} connections: the limit allows no more.", limit="connections")

    def _connect(self, task: Task, ask: Connect) -> Any:
        self._count_connection(task)
        came_from = self.provenance(task, ask.host, ask.port)
        key = None
        if ask.session is not None:
            key = self.pool.key(ask.host, ask.port, ask.tls, ask.session, ask.secret)
            kept = None if ask.fresh else self.pool.take(key)
            if kept is not None and kept.peer is not None:
                task.hold(kept)
                self.policy.judge_endpoint(task.url.scheme, ask.host, ask.port, came_from).check()
                self.policy.judge_address(kept.peer[0], ask.port, task.url.scheme, came_from).check()
                task.last_scope = scope(kept.peer[0])
                return kept
        dial = Dial(
            self.connector, (ask.host, ask.port), scheme=task.url.scheme, transport=ask.transport, tls=ask.tls,
            came_from=came_from, then=lambda result: self._connected(task, dial, result, key),
        )  # fmt: skip
        task.hold(dial)
        dial.start()
        return PARKED

    def _connect_data(self, task: Task, ask: ConnectData) -> Any:
        control = ask.control
        if not isinstance(control, Wire) or control.peer is None:
            raise LocalProtocolError("A data connection goes beside a control connection, and this channel is none.")
        self._count_connection(task)
        self.policy.judge_data_port(ask.port).check()
        address = control.peer[0]
        dial = Dial(
            self.connector, (address, ask.port), scheme=task.url.scheme, transport="tcp", tls=False,
            came_from=task.came_from, then=lambda result: self._connected(task, dial, result, None),
        )  # fmt: skip
        task.hold(dial)
        dial.start_approved(address)
        return PARKED

    def _connected(self, task: Task, dial: Dial, result: Wire | AnyURLError, key: tuple[object, ...] | None) -> None:
        task.release(dial)
        if isinstance(result, AnyURLError):
            self.loop.soon(self.resume, task, None, result)
            return
        result.key = key
        task.hold(result)
        assert result.peer is not None
        task.last_scope = scope(result.peer[0])
        # Not at once: the connection may have succeeded before the ask that wanted it was even parked.
        self.loop.soon(self.resume, task, result, None)

    def provenance(self, task: Task, host: str, port: int) -> Scope | None:
        """Who named this endpoint: None for the user (directly), else the scope of the peer that did.

        It is the reactor's to know: a scheme can't claim that an endpoint is the user's.
        """
        if host == task.url.host and port == task.url.port:
            return task.came_from
        return task.last_scope if task.last_scope is not None else Scope.PUBLIC

    def _secure(self, task: Task, ask: Secure) -> Any:
        wire = self._wire(task, ask.channel)
        resume = ask.resume if isinstance(ask.resume, Wire) else None
        wire.begin_tls(self.trust.context(), ask.server_name, resume)
        return self._perform(task, wire, wire.handshake, self.policy.limits.connect)

    def _wire(self, task: Task, channel: Channel) -> Wire:
        if isinstance(channel, Wire) and any(channel is each for each in task.open):
            return channel
        raise LocalProtocolError("This channel is closed, or is no connection of this dialogue.")

    def _send(self, task: Task, ask: Send) -> Any:
        if isinstance(ask.channel, FileChannel):
            ask.channel.write(ask.data)
            return None
        wire = self._wire(task, ask.channel)
        unsent = wire.send(ask.data)
        if unsent is None:
            return None
        return self._perform(task, wire, wire.send_rest)

    def _receive(self, task: Task, ask: Receive) -> Any:
        channel = ask.channel
        if isinstance(channel, Wire):
            return self._perform(task, self._wire(task, channel), partial(channel.receive, ask.at_most), ask.within)
        if isinstance(channel, FileChannel):
            return channel.read(ask.at_most)
        return self._curl_engine().receive(task, channel, ask.at_most, ask.within)

    def _relay(self, task: Task, ask: Relay) -> Any:
        channel = ask.channel
        if isinstance(channel, Wire):
            wire = self._wire(task, channel)
            return self._pour(task, wire.receive, ask.limit, wire)
        if isinstance(channel, FileChannel):
            return self._pour(task, channel.read, ask.limit, None)
        return self._curl_engine().relay(task, channel, ask.limit)

    def _pour(self, task: Task, read: Callable[[int], Any], limit: int | None, wire: Wire | None) -> Any:
        """Move octets from `read` to the consumer, as many as it has room for at a time."""
        moved = 0

        def attempt() -> Any:
            nonlocal moved
            while limit is None or moved < limit:
                if not task.has_room():
                    task.on_demand = go_on
                    return PARKED
                data = read(RELAY_AT_MOST if limit is None else min(RELAY_AT_MOST, limit - moved))
                if type(data) is Want:
                    return data
                if not data:
                    break
                task.put(data)
                moved += len(data)
            return moved

        def go_on() -> None:
            try:
                value = attempt() if wire is None else self._perform(task, wire, attempt)
            except AnyURLError as error:
                self.resume(task, None, error)
                return
            if value is not PARKED:
                self.resume(task, value, None)

        return attempt() if wire is None else self._perform(task, wire, attempt)

    def _keep(self, task: Task, ask: Keep) -> None:
        wire = self._wire(task, ask.channel)
        if wire.key is None:
            raise LocalProtocolError("Only a connection that was made for a session can be kept for it.")
        wire.kept = ask.state
        task.kept.append((wire, wire.key))

    def _close(self, task: Task, ask: Close) -> None:
        channel: Any = ask.channel
        channel.close()
        task.release(channel)

    # --- http ------------------------------------------------------------------------------------------------------

    def _curl_engine(self) -> CurlEngine:
        if self._curl is None:
            from anyurl.net.curl import CurlEngine

            self._curl = CurlEngine(self)
        return self._curl

    def _request(self, task: Task, ask: Request) -> Any:
        return self._curl_engine().request(task, ask)

    # --- files -----------------------------------------------------------------------------------------------------

    def _may_touch_files(self, task: Task) -> None:
        # The policy judged the URL already; this holds even for a scheme that should not ask for files at all.
        if not self.policy.files or task.url.scheme != "file":
            raise RefusedError(f"A {task.url.scheme} URL does not reach the files of this machine; a file URL would.")

    def _open_file(self, task: Task, ask: OpenFile) -> FileChannel:
        self._may_touch_files(task)
        channel = files.open_file(ask.path, ask.mode, ask.offset)
        task.hold(channel)
        return channel

    def _commit(self, task: Task, ask: Commit) -> None:
        if not isinstance(ask.channel, FileChannel):
            raise LocalProtocolError("Only a file can be committed.")
        ask.channel.commit()

    def _stat_file(self, task: Task, ask: StatFile) -> Any:
        self._may_touch_files(task)
        return files.stat_file(ask.path)

    def _list_folder(self, task: Task, ask: ListFolder) -> Any:
        self._may_touch_files(task)
        return files.list_folder(ask.path, self.policy.limits.listing_entries)

    def _local_name(self, _task: Task, _ask: LocalName) -> Any:
        return files.local_names()

    # --- the caller ------------------------------------------------------------------------------------------------

    def _take(self, task: Task, ask: Take) -> bytes:
        return b"" if task.source is None else task.source.read(ask.at_most)

    def _ask_secret(self, task: Task, ask: AskSecret) -> Any:
        return None if task.ask_secret is None else task.ask_secret(ask.host, ask.user, ask.kind)

    def _now(self, _task: Task, _ask: Now) -> float:
        return time.time()

    def _random(self, _task: Task, ask: Random) -> bytes:
        return os.urandom(ask.count)

    def _describe(self, task: Task, ask: Describe) -> Any:
        task.described = ask
        if task.notify is not None:
            task.notify()
        if task.eager:
            return None
        task.on_demand = partial(self.resume, task, None, None)
        return PARKED

    def _emit(self, task: Task, ask: Emit) -> Any:
        task.put(ask.content)
        if task.has_room():
            return None
        task.on_demand = partial(self.resume, task, None, None)
        return PARKED

    def _remark(self, task: Task, ask: Remark) -> None:
        task.remarks.append(ask.text)

    def close(self) -> None:
        """End every task and close everything."""
        for task in list(self._tasks):
            self._end(task, ConnectionLost("The client was closed during the transfer."), keep=False)
        self.pool.close()
        if self._curl is not None:
            self._curl.close()
        self.connector.close()
        self.loop.close()
