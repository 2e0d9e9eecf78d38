"""A session of a line-based protocol in which the server speaks first (RFC 959 5.4, RFC 3977 5.1, RFC 5321 3.1).

Rule: one command, one reply; data that arrived before the command is not its reply. The idle limit bounds silence; once
a reply has begun, a timer that starts with its first octets bounds the rest, so a slow server is waited for, but one
that drips octets is not. If a kept connection fails before its first reply, the command is retried once on a fresh one.
A server of another protocol and anyurl would wait for each other: this is detected early, and the message says where.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from typing import Any

from anyurl.dialogue import Channel, Close, Connect, Keep, Monotonic, Receive, Secret, Secure, Send, Steps
from anyurl.errors import (
    AccessError,
    ConnectError,
    ConnectionLost,
    LimitError,
    PolicyError,
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
)
from anyurl.schemes.kit import meanings
from anyurl.schemes.kit.replies import Reply, ReplyForm, ReplyReader
from anyurl.schemes.kit.scheme import REPLY_SECONDS
from anyurl.url.host import bracketed

PROBE_SECONDS = 3.0
"""Seconds of silence before the question: nearly all servers greet sooner."""

ANSWER_SECONDS = 2.0
"""Seconds for the alert: it takes no longer than a round trip."""

_HALF_HELLO = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"
"""A malformed ClientHello: only a TLS server answers it with an alert (RFC 8446 6)."""

TLS_RECORDS = (b"\x15\x03", b"\x16\x03")
"""The first octets of alerts and handshakes in every version of TLS (RFC 8446 5.1); no reply begins with them."""


def speaks_tls(host: str, port: int) -> Steps[bool]:
    """Whether the server answers half a handshake as TLS servers do.

    Its own connection is used: a server that is only slow can still greet on the first one.
    """
    said = b""
    try:
        beside: Channel = yield Connect(host, port, fresh=True)
        yield from Send(beside, _HALF_HELLO)
        said = yield from Receive(beside, within=ANSWER_SECONDS)
        yield from Close(beside)
    except (AccessError, PolicyError):  # then nothing is known; the channel is closed with the dialogue
        pass
    return said[:2] in TLS_RECORDS


GREETING_SECONDS = 30.0
"""Seconds for the first octet of a greeting. A server that looks up the client's name needs up to 30 if its three name
servers don't answer (resolv.conf(5): 5 seconds, 2 attempts each); one silent for longer expects the client to begin."""

QUIT = b"QUIT\r\n"
"""RFC 959 4.1.1, RFC 3977 5.4, RFC 5321 4.1.1.10: the same for all three."""


class LineSession(ABC):
    """One session; its methods are steps of a dialogue: ``yield from`` them.

    Args:
        form: The format of the server's replies.
        host: The host of the server.
        port: The port of the server.
        tls: Whether TLS begins with the connection.
        patience: The caller's idle limit in seconds.
        session: The key of kept connections that this session may share; None if connections are not kept.
        secret: The password of its login.
        fresh: Do not use a kept connection: its commands must not be sent twice, and a kept connection may turn out to
            be closed.

    Attributes:
        channel: The connection.
        secure: Whether TLS has begun.
    """

    __slots__ = (
        "host", "port", "channel", "secure", "_form", "_tls", "_patience", "_session", "_secret",
        "_replies", "_secrets", "_greeted", "_unproven", "_begun",
        "_fresh", "_connected", "_dropped",
    )  # fmt: skip

    noun = "connection"
    table: Sequence[meanings.Case] = ()
    """The meanings of this protocol's negative replies."""

    probe_seconds: float = PROBE_SECONDS

    def __init__(
        self,
        form: ReplyForm,
        host: str,
        port: int,
        *,
        tls: bool,
        patience: float,
        session: str | None = None,
        secret: Secret | None = None,
        fresh: bool = False,
    ) -> None:
        self.host: str = host
        self.port: int = port
        self.secure: bool = tls
        self._form = form
        self._tls = tls
        self._patience = patience
        self._session = session
        self._secret = secret
        self._fresh = fresh
        self._secrets: tuple[bytes, ...] = ()
        self._greeted = self._unproven = self._begun = self._connected = self._dropped = False
        self._replies: ReplyReader

    # --- for subclasses ----------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def _tls_hint(self) -> str:
        """Advice for a server that expects TLS from the start of the connection."""

    def _make_reader(self) -> ReplyReader:
        """The reply reader for a new connection."""
        return ReplyReader(self._form)

    @abstractmethod
    def _enter(self) -> Steps[None]:
        """Everything between connecting and the first command of a verb: greeting, TLS, login."""

    def _feed(self, data: bytes) -> bytes:
        """Feed received octets to the reader; returns octets to answer below the line protocol (telnet options)."""
        self._replies.feed(data)
        return b""

    def _encode(self, data: bytes) -> bytes:
        """The octets as they are sent."""
        return data

    def _has_pending(self) -> bool:
        """Whether there are received octets that were not read yet."""
        return self._replies.pending > 0

    # --- the connection ----------------------------------------------------------------------------------------------

    def converse(self, *steps: Steps[object]) -> Steps[None]:
        """Open the session and run these steps; after a negative reply the session is ended before the error is raised.

        Raises:
            ReplyError: The negative reply.
        """
        try:
            yield from self.open()
            for part in steps:
                yield from part
            return
        except ReplyError as error:
            refused = error
        if self._connected and refused.code != self._form.closing:  # not if it was a proxy that refused
            yield from self.say_goodbye()
        raise refused

    def open(self) -> Steps[None]:
        """Connect, and do everything that comes before the first command of a verb."""
        yield from self.connect()
        yield from self._begin()

    def _begin(self) -> Steps[None]:
        yield from self._enter()
        self._begun = True

    def connect(self, *, fresh: bool = False) -> Steps[Any]:
        """Connect; returns the state that an earlier dialogue kept with the connection, None if it is new."""
        self._connected = False
        self.channel: Channel = yield Connect(
            self.host,
            self.port,
            tls=self._tls,
            session=self._session,
            secret=self._secret,
            fresh=fresh or self._fresh,
        )
        self._connected, self._dropped, self.secure = True, False, self._tls
        self._replies = self._make_reader()
        self._greeted = self._unproven = self._begun = self.channel.kept is not None
        return self.channel.kept

    def _begin_again(self) -> Steps[None]:
        """Replace the connection by a fresh one, and bring that into the same state."""
        yield from Close(self.channel)
        yield from self.connect(fresh=True)
        yield from self._begin()

    def drop(self) -> Steps[None]:
        """Close the connection, on which nothing can be relied on any more; the next command gets a fresh one."""
        yield from Close(self.channel)
        self._dropped = True

    def start_tls(self, name: str, line: bytes, yes: Container[int]) -> Steps[None]:
        """Begin TLS in the middle of the session (RFC 4217 4, RFC 4642 2.2, RFC 3207 4).

        Args:
            name: The name of the command.
            line: The encoded command.
            yes: The reply codes that accept it.

        Raises:
            ConnectError: The server refuses, or the TLS handshake fails.
            RemoteProtocolError: The server sent more than the reply.
        """
        reply = yield from self.exchange(line)
        if reply.code not in yes:
            raise ConnectError(f"{self.host} refuses {name}, so that nothing more was sent: {reply}", stage="tls")
        if self._has_pending():
            # Attack: plain text injected before the handshake would be read after it, as if the server had sent it.
            raise RemoteProtocolError(f"{self.host} sent more than its reply to {name} before TLS began.", stage="tls")
        yield from Secure(self.channel, self.host)
        self.secure = True

    def keep(self, state: object, goodbye: bytes = QUIT) -> Steps[None]:
        """End the session: keep the connection for the next dialogue, or send QUIT if connections are not kept.

        Args:
            goodbye: The command that ends the session if no other dialogue follows.
        """
        if self._session is None:
            yield from self.say_goodbye()
        else:
            yield Keep(self.channel, self._session, state, goodbye)

    def say_goodbye(self) -> Steps[None]:
        """Send QUIT, as a courtesy: its reply is not waited for."""
        if self._dropped:
            return
        try:
            yield from self.send(QUIT)
        except AccessError:  # the session is over anyway
            pass

    # --- commands and replies ----------------------------------------------------------------------------------------

    def ask(self, line: bytes) -> Steps[Reply]:
        """As `exchange`, but if a kept connection breaks before its first reply, retry once on a fresh connection."""
        return self._ask_kept(line) if self._unproven or self._dropped else self.reply(to=line)

    def _ask_kept(self, line: bytes) -> Steps[Reply]:
        if self._dropped:
            yield from self._begin_again()
        self._unproven = False
        try:
            return (yield from self.exchange(line))
        except ConnectionLost:
            pass
        yield from self._begin_again()
        return (yield from self.exchange(line))

    def exchange(self, line: bytes) -> Steps[Reply]:
        """Send a command and return its first reply, preliminary or not.

        Args:
            line: The encoded command.

        Raises:
            ConnectionLost: The server closed the connection, or announced that it does.
            RemoteProtocolError: The server sent an unexpected or malformed reply.
            TransferTimeout: The reply does not come in time, or not completely.
        """
        return self.reply(to=line)

    def send(self, data: bytes) -> Steps[None]:
        """Send octets without waiting for a reply."""
        yield Send(self.channel, self._encode(data))

    def reply(self, seconds: float | None = None, *, to: bytes = b"") -> Steps[Reply]:
        """The next reply. Raises as `exchange`.

        Args:
            seconds: How long the server may be silent, and how long a reply may take from its first octets to its last;
                the policy's idle limit and `REPLY_SECONDS` when None.
            to: The command to send first, perhaps with further commands; empty if it was already sent.
        """
        started: float | None = None
        data = b""
        if to:
            if self._replies.pending:
                raise self._unasked()
            try:
                yield Send(self.channel, self._encode(to))
            except Truncated as error:
                raise self._broken() from error
        reply = None if to or not self._replies.pending else self._next_reply()
        while reply is None:
            if data:
                now = yield from Monotonic()
                started = now if started is None else started
                if now - started > (seconds or REPLY_SECONDS):
                    raise TransferTimeout(f"A reply of {self.host} took more than {seconds or REPLY_SECONDS:g} s.")
            try:
                if self._greeted or data:
                    heard: bytes = yield Receive(self.channel, within=seconds)
                    data = heard
                else:
                    data = yield from self._hear_greeting()
            except Truncated as error:
                raise self._broken() from error
            if not data:
                raise ConnectionLost(f"{self.host} closed the {self.noun} without a reply.", stage="request")
            if answer := self._feed(data):
                yield from Send(self.channel, answer)
            if not self._greeted and self._replies.head in TLS_RECORDS:
                raise self._tls_where_none_was_meant()
            reply = self._next_reply()
        self._greeted = True
        if reply.code == self._form.closing:
            raise self._ended(reply)
        return reply

    def _hear_greeting(self) -> Steps[bytes]:
        seconds = left = min(GREETING_SECONDS, self._patience)
        probed = self._tls
        while left > 0:
            within = left if probed else min(self.probe_seconds, left)
            try:
                heard: bytes = yield Receive(self.channel, within=within)
                return heard
            except TransferTimeout as error:
                if error.clock != "idle":
                    raise
            if not probed and (yield from speaks_tls(self.host, self.port)):
                raise self._tls_where_none_was_meant()
            probed = True
            left -= within
        also = "" if self._tls else f", or TLS ({self._tls_hint})"
        message = f"{self._where} sent nothing for {seconds:g} s. Does it speak {self._form.protocol} there{also}?"
        raise TransferTimeout(message, stage="login")

    def _tls_where_none_was_meant(self) -> RemoteProtocolError:
        return RemoteProtocolError(f"{self._where} speaks TLS: {self._tls_hint}.", stage="login")

    @property
    def _where(self) -> str:
        return f"{bracketed(self.host)}:{self.port}"

    def _broken(self) -> ConnectionLost:
        return ConnectionLost(f"The {self.noun} to {self.host} broke.", stage="request")

    def _ended(self, reply: Reply) -> AccessError:
        if self._begun:
            return self._hung_up(reply)
        # before the session began: the server is closed or full, or refuses this client
        return self.no_greeting(reply)

    def no_greeting(self, reply: Reply) -> AccessError:
        """The error for an unusable first reply: a refusal, or the greeting of another protocol."""
        if reply.kind in (4, 5):
            return self.refusal(reply, f"{self.host} refuses the connection")
        protocol = self._form.protocol
        text = f"{self._where} does not greet as a server of {protocol}: {reply}. Does it speak {protocol} there?"
        return RemoteProtocolError(text, sample=reply.said, stage="login")

    def _hung_up(self, reply: Reply) -> ConnectionLost:
        return ConnectionLost(f"{self.host} ends the session: {reply}", stage="request")

    def refusal(
        self, reply: Reply, what: str, *where: str, table: Sequence[meanings.Case] = (), stage: str = "reply"
    ) -> AccessError:
        """The error for a reply with which the dialogue can't continue.

        Args:
            what: The action that failed, as the beginning of the sentence.
            where: The step of the dialogue, in the words of the table; ``login`` and ``clear`` are added here.
            table: Rows to be tried before those of the protocol.
        """
        facts = {*where}
        if not self._begun:
            facts.add("login")
            stage = "login"
        if not self.secure:
            facts.add("clear")
        return meanings.reply_error((*table, *self.table), reply, what, facts, stage=stage)

    def _unasked(self) -> AccessError:
        # Data that arrived before the command can't be its reply: it is stale, or answers another client's command.
        reply = self._next_reply()
        if reply is not None and reply.code == self._form.closing:
            return self._hung_up(reply)
        said = "the beginning of a reply" if reply is None else reply.said
        return RemoteProtocolError(f"{self.host} sent an unexpected reply: {said}", sample=said, stage="request")

    def _next_reply(self) -> Reply | None:
        """The next complete reply, if there is one; passwords that a server repeats are kept out of messages."""
        try:
            reply = self._replies.next_reply()
        except (LimitError, RemoteProtocolError) as error:
            if not self._secrets:
                raise
            limit = error.limit if isinstance(error, LimitError) else None
        else:
            if reply is not None:
                reply.secrets = self._secrets
            return reply
        # Raised outside the except clause: inside, the other error, which quotes the server, would be its context.
        message = f"{self.host} sent no {self._form.protocol} reply; it may hold the password, and is not shown."
        raise RemoteProtocolError(message) if limit is None else LimitError(message, limit=limit)


def check_said(text: str, what: str) -> str:
    """The text, if it can be sent as part of a line.

    Raises:
        RefusedError: It holds CR, LF or NUL, which would end the line.
    """
    # Attack: a password with a line end would be a command of its own (RFC 1738 section 6).
    if "\r" in text or "\n" in text or "\0" in text:
        raise RefusedError(
            f"The {what} holds CR, LF or NUL, which would end the command: it is never sent.",
            code="octets",
            subject=what,
        )
    return text
