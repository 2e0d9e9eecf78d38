"""Handlers: carry out each ask of a dialogue.

Rule: one method for each ask. It returns the answer, or PARKED and resumes the task later; everything that would leave
this process has passed the policy first (RFC 1738 section 6).
"""

from __future__ import annotations

import os
import time
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from anyurl.dialogue import (
    Ask,
    AskSecret,
    Channel,
    Close,
    Commit,
    Connect,
    ConnectData,
    Consent,
    Describe,
    Emit,
    GiveWay,
    Keep,
    ListFolder,
    LocalName,
    Monotonic,
    Note,
    Now,
    OpenFile,
    OpenFolder,
    Random,
    Receive,
    Relay,
    Request,
    Rewind,
    Secure,
    Send,
    StatFile,
    Take,
    Wait,
)  # fmt: skip
from anyurl.errors import AnyURLError, ConnectError, LocalProtocolError, RefusedError
from anyurl.errors.log import record
from anyurl.errors.reasons import exhaustion_translated
from anyurl.guard.addresses import scope
from anyurl.net.http.body import Body
from anyurl.net.loop.prompts import Prompts
from anyurl.net.loop.provenance import may_use_secrets, named_by, provenance, tls_terms
from anyurl.net.loop.scheduler import Handler, Scheduler
from anyurl.net.loop.stream import PARKED
from anyurl.net.loop.task import Task
from anyurl.net.wire.channel import Connection, Want
from anyurl.net.wire.resolver import literal
from anyurl.url import syntax
from anyurl.values import Provenance

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyurl.files.channel import FileChannel
    from anyurl.files.folder import FolderChannel
    from anyurl.net.wire.attempt import ConnectAttempt

REMEMBERED = 256
"""Addresses whose scope is cached; the scope depends on nothing else."""

_scope = lru_cache(REMEMBERED)(scope)


def handlers(scheduler: Scheduler) -> dict[type[Ask[Any]], Handler]:
    """The handler of each kind of ask, for one scheduler."""
    return Handlers(scheduler).table()


class Handlers:
    """The handlers of one scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._engine: Any = None  # a CurlEngine, after the first request
        self._prompts = Prompts(scheduler)
        self._closed_beside: set[tuple[str, int]] = set()
        scheduler.shared.append(self)

    def close(self) -> None:
        """Close the objects that all tasks share; the next task that needs one opens it again."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def table(self) -> dict[type[Ask[Any]], Handler]:
        """The method for each kind of ask."""
        return {
            Connect: self._connect, ConnectData: self._connect_data, Secure: self._secure, Send: self._send,
            Receive: self._receive, Relay: self._relay, Keep: self._keep, Close: self._close, Request: self._request,
            OpenFile: self._open_file, OpenFolder: self._open_folder,
            Commit: self._commit, StatFile: self._stat_file, ListFolder: self._list_folder,
            LocalName: self._local_name, Take: self._take, Rewind: self._rewind,
            AskSecret: self._prompts.secret, Consent: self._prompts.consent,
            Now: self._now, Monotonic: self._monotonic, Random: self._random, Describe: self._describe,
            Emit: self._emit, Note: self._note, Wait: self._wait, GiveWay: self._give_way,
        }  # fmt: skip

    # --- connections -----------------------------------------------------------------------------------------------

    def _connect(self, task: Task, ask: Connect, waited: bool = False) -> Any:
        if task.has_asked() and not waited:
            again = partial(self._connect, task, ask, True)
            if not self._may_go_on(task, (ask.host, ask.port), again):
                return PARKED
        scheduler, parties = self._scheduler, task.parties
        task.count_connection(scheduler.policy.limits.connections)
        how = None
        if ask.tls:
            how = tls_terms(
                parties, ask.host, ask.port, ask, scheduler.tls_config, scheduler.configured, scheduler.reader
            )
        came_from = provenance(parties, ask.host, ask.port, scheduler.configured, ask.named_by)
        key = None
        if ask.session is not None:
            secrets = may_use_secrets(parties, ask.host, scheduler.configured)
            proxy = scheduler.connector.proxy_for(parties.url.scheme, ask.host, ask.port)
            key = scheduler.pool.key(ask.host, ask.port, how, ask.session, ask.secret, secrets, proxy)
            kept = None if ask.fresh else scheduler.pool.take(key)
            if kept is not None and kept.peer is not None:
                task.hold(kept)
                self._judge_kept(parties.url.scheme, ask, kept, came_from)
                record("net", "The connection to %s port %d is used again.", ask.host, ask.port)
                parties.meet(kept.peer[0], _scope(kept.peer[0]) if kept.scope is None else kept.scope)
                return kept
        from anyurl.net.wire.attempt import ConnectAttempt  # libcurl connects by itself

        attempt = ConnectAttempt(
            scheduler.connector, (ask.host, ask.port), scheme=parties.url.scheme, transport=ask.transport,
            tls=how, came_from=came_from, skip=ask.skip,
            then=lambda end: self._connected(task, key, attempt, end, ask.until_close),
        )  # fmt: skip
        task.hold(attempt)
        attempt.start()
        return PARKED

    def _judge_kept(self, scheme: str, ask: Connect, kept: Connection, came_from: Provenance) -> None:
        """Judge an open connection as if it were a new one."""
        assert kept.peer is not None
        address, policy, connector = kept.peer[0], self._scheduler.policy, self._scheduler.connector
        known = connector.known(scheme, ask.host, ask.port, came_from)
        if known is not None and address in known[1]:
            return
        named = address == ask.host and kept.proxy is not None and literal(ask.host) is None
        key = (scheme, syntax.ROWS.get(scheme), ask.host, ask.port, came_from.key, None if named else address)
        if connector.was_judged(key):
            return
        keep, place = self._scheduler.decisions.keep, f"{ask.host} port {ask.port}"
        keep(policy.judge_endpoint(scheme, ask.host, ask.port, came_from), place, origin=came_from)
        if named:
            keep(policy.judge_unseen(ask.host, came_from), f"{ask.host}, unseen", origin=came_from)
        else:
            verdict = policy.judge_address(address, ask.port, scheme, came_from, ask.host)
            keep(verdict, f"{place} at {address}", address=address, origin=came_from)
        connector.remember(key)

    def _connect_data(self, task: Task, ask: ConnectData) -> Any:
        control = ask.control
        if not isinstance(control, Connection) or control.peer is None:
            raise LocalProtocolError("A data connection needs a control connection, which this channel is not.")
        parties = task.parties
        task.count_connection(self._scheduler.policy.limits.connections)
        verdict = self._scheduler.policy.judge_data_port(ask.port)
        self._scheduler.decisions.keep(verdict, f"The data port {ask.port}", origin=parties.came_from)
        from anyurl.net.wire.attempt import connect_data

        then, connector = partial(self._connected, task, None, until_close=True), self._scheduler.connector
        if ask.within is not None:
            if control.peer in self._closed_beside:
                raise ConnectError(f"No data port of {control.peer[0]} could be reached before.")
            then = partial(self._tried_beside, control.peer, then)
        made = connect_data(connector, control, ask.port, parties.url.scheme, parties.came_from, then, ask.within)
        task.hold(made)
        if isinstance(made, Connection):
            made.scope, made.until_close = control.scope, True
            return made
        return PARKED

    def _tried_beside(
        self,
        peer: tuple[str, int],
        then: Callable[[ConnectAttempt, Connection | AnyURLError], None],
        attempt: ConnectAttempt,
        result: Connection | AnyURLError,
    ) -> None:
        if isinstance(result, AnyURLError):
            if len(self._closed_beside) >= REMEMBERED:
                self._closed_beside.clear()
            self._closed_beside.add(peer)
        then(attempt, result)

    def _connected(
        self,
        task: Task,
        key: tuple[object, ...] | None,
        attempt: ConnectAttempt,
        result: Connection | AnyURLError,
        until_close: bool = False,
    ) -> None:
        task.release(attempt)
        if isinstance(result, AnyURLError):
            self._scheduler.loop.soon(self._scheduler.resume, task, None, result)
            return
        result.key, result.until_close = key, until_close
        task.hold(result)
        assert result.peer is not None
        result.scope = _scope(result.peer[0])
        task.parties.meet(result.peer[0], result.scope)
        # Not at once: the connection may succeed before the task that asked for it is parked.
        self._scheduler.loop.soon(self._scheduler.resume, task, result, None)

    def _secure(self, task: Task, ask: Secure) -> Any:
        connection = self._connection(task, ask.channel)
        resume = ask.resume if isinstance(ask.resume, Connection) else None
        scheduler = self._scheduler
        host, port = connection.endpoint
        how = tls_terms(task.parties, host, port, ask, scheduler.tls_config, scheduler.configured, scheduler.reader)
        connection.begin_tls(scheduler.tls_config, ask.server_name, how, resume)
        return scheduler.perform(task, connection, connection.handshake, scheduler.policy.limits.connect)

    def _connection(self, task: Task, channel: Channel) -> Connection:
        if isinstance(channel, Connection):
            for each in task.open:
                if each is channel:
                    return channel
        raise LocalProtocolError("This channel is closed, or is not a connection of this dialogue.")

    def _send(self, task: Task, ask: Send) -> Any:
        if not isinstance(ask.channel, Connection) and (file := _as_file(ask.channel)) is not None:
            file.write(ask.data)
            return None
        connection = self._connection(task, ask.channel)
        if task.timing.listens_to is not task.stream:  # a new request; in a session it may be a mere reply to the peer
            task.timing.renew()
        unsent = connection.send(ask.data)
        if unsent is None:
            return None
        return self._scheduler.perform(task, connection, connection.send_rest)

    def _receive(self, task: Task, ask: Receive) -> Any:
        channel = ask.channel
        if isinstance(channel, Connection):
            receive = partial(channel.receive, ask.at_most)
            return self._scheduler.perform(task, self._connection(task, channel), receive, ask.within)
        if type(channel) is not Body and (file := _as_file(channel)) is not None:
            return file.receive(ask.at_most)
        return (self._engine or self._curl()).receive(task, channel, ask.at_most, ask.within)

    def _wait(self, task: Task, ask: Wait) -> Any:
        return self._scheduler.wait(task, self._connection(task, ask.channel), ask.at_most)

    def _relay(self, task: Task, ask: Relay) -> Any:
        channel: Any = ask.channel
        if type(channel) is Body and ask.limit is None:
            data = channel.take_whole()
            if data is not None:  # it has arrived completely, and is small
                task.stream.put(data)
                return len(data)
        if isinstance(channel, Connection):
            self._connection(task, channel)
        elif not hasattr(channel, "receive"):
            raise LocalProtocolError("This channel gives no octets.")
        task.stream.relay(channel, ask.limit)
        return PARKED

    def _keep(self, task: Task, ask: Keep) -> None:
        connection = self._connection(task, ask.channel)
        if connection.key is None:
            raise LocalProtocolError("Only a connection that was made for a session can be kept for it.")
        connection.kept, connection.goodbye = ask.state, ask.goodbye
        task.keep(connection, connection.key)

    def _close(self, task: Task, ask: Close) -> Any:
        channel: Any = ask.channel

        def end() -> Want | None:
            wanted: Want | None = channel.end()
            if wanted is None:
                channel.close()
                task.release(channel)
            return wanted

        if isinstance(channel, Connection):
            return self._scheduler.perform(task, channel, end)
        channel.close()
        task.release(channel)
        return None

    # --- http ------------------------------------------------------------------------------------------------------

    @exhaustion_translated()
    def _curl(self) -> Any:
        from anyurl.net.http.engine import CurlEngine

        self._engine = CurlEngine(self._scheduler)
        return self._engine

    def _request(self, task: Task, ask: Request, waited: bool = False) -> Any:
        url = ask.url
        if task.has_asked() and not waited:
            again = partial(self._request, task, ask, True)
            if not self._may_go_on(task, (url.host or "", url.port or 0), again):
                return PARKED
        return (self._engine or self._curl()).request(task, ask)

    def _may_go_on(self, task: Task, endpoint: tuple[str, int], send: Callable[[], Any]) -> bool:
        """Whether a task may send one more request now; if not, `send` sends it when its host accepts the next request.

        Raises:
            UnavailableError: The host wants more rest than is waited for.
        """
        manners = self._scheduler.manners
        return manners is None or manners.go_on(task, endpoint, partial(self._go_on, task, send))

    def _go_on(self, task: Task, send: Callable[[], Any], error: AnyURLError | None) -> None:
        value = None
        if error is None:
            try:
                value = send()
            except AnyURLError as problem:
                error = problem
        if value is not PARKED:
            self._scheduler.resume(task, value, error)

    # --- files -----------------------------------------------------------------------------------------------------

    def _may_touch_files(self, task: Task) -> None:
        # The policy judged the URL already; this stops even a scheme that should never ask for files.
        scheme = task.parties.url.scheme
        if not self._scheduler.policy.files or scheme != "file":
            raise RefusedError(
                f"A {scheme} URL does not reach the files of this machine; a file URL would.",
                code="file",
                subject=scheme,
            )

    def _open_file(self, task: Task, ask: OpenFile) -> FileChannel:
        self._may_touch_files(task)
        from anyurl.files import filesystem

        channel = filesystem.open_file(ask.path, ask.mode, ask.offset)
        task.hold(channel)
        return channel

    def _commit(self, task: Task, ask: Commit) -> None:
        file = _as_file(ask.channel)
        if file is None:
            raise LocalProtocolError("Only a file can be committed.")
        file.commit()

    def _stat_file(self, task: Task, ask: StatFile) -> Any:
        self._may_touch_files(task)
        from anyurl.files import filesystem

        return filesystem.stat_file(ask.path)

    def _open_folder(self, task: Task, ask: OpenFolder) -> FolderChannel:
        self._may_touch_files(task)
        from anyurl.files import filesystem

        channel = filesystem.open_listing(ask.path, self._scheduler.policy.limits.listing_entries)
        task.hold(channel)
        return channel

    def _list_folder(self, task: Task, ask: ListFolder) -> Any:
        from anyurl.files.folder import FolderChannel

        if not isinstance(ask.channel, FolderChannel):
            raise LocalProtocolError("Only a directory can be listed.")
        # In a separate turn: a large directory must not keep the loop from other tasks.
        self._scheduler.loop.soon(self._next_facts, task, ask.channel)
        return PARKED

    def _next_facts(self, task: Task, folder: FolderChannel) -> None:
        if task.stream.done:
            return
        try:
            facts = folder.advance()
        except AnyURLError as error:
            self._scheduler.resume(task, None, error)
            return
        if facts is None:
            self._scheduler.loop.soon(self._next_facts, task, folder)
        else:
            self._scheduler.resume(task, facts, None)

    def _local_name(self, _task: Task, _ask: LocalName) -> Any:
        from anyurl.files import filesystem

        return filesystem.local_names()

    # --- the caller ------------------------------------------------------------------------------------------------

    def _take(self, task: Task, ask: Take) -> bytes:
        return b"" if task.source is None else self._scheduler.loop.call_out(task.source.read, ask.at_most)

    def _rewind(self, task: Task, ask: Rewind) -> bool:
        source = task.source
        if source is not None and source.can_rewind:
            self._scheduler.loop.call_out(source.rewind, ask.offset)
        return source is None or source.can_rewind

    def _now(self, _task: Task, _ask: Now) -> float:
        return time.time()

    def _monotonic(self, _task: Task, _ask: Monotonic) -> float:
        return time.monotonic()

    def _random(self, _task: Task, ask: Random) -> bytes:
        return os.urandom(ask.count)

    def _describe(self, task: Task, ask: Describe) -> Any:
        stream = task.stream
        stream.describe(ask)
        if task.turn is not None:
            self._scheduler.be_mannerly().answered(task)
        # A service is for interactive use: a program that goes through many URLs must not open each one (RFC 1738 3.8).
        last = task.open[-1] if task.open else None
        if (task.eager and ask.kind != "service") or (type(last) is Body and last.is_here()):
            return None  # what is here needs no demand, and `put` will tell the consumer
        task.timing.renew()
        stream.hold()
        stream.tell()
        return PARKED

    def _emit(self, task: Task, ask: Emit) -> Any:
        content, stream = ask.content, task.stream
        if not isinstance(content, bytes):
            origin = named_by(task.parties, task.parties.lists)
            for entry in content:
                entry.origin = origin
        stream.put(content)
        if stream.has_room():
            return None
        task.timing.renew()
        stream.hold()
        return PARKED

    def _give_way(self, task: Task, _ask: GiveWay) -> Any:
        self._scheduler.loop.soon(self._scheduler.resume, task, None, None)
        return PARKED

    def _note(self, task: Task, ask: Note) -> None:
        task.stream.note(ask.text, ask.unproved)


def _as_file(channel: Channel) -> FileChannel | None:
    """The channel if it is a file, else None; imports the file code only when it is needed."""
    from anyurl.files.channel import FileChannel

    return channel if isinstance(channel, FileChannel) else None
