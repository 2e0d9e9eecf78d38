"""A conversation in lines with a server that speaks first (RFC 959 5.4, RFC 3977 5.1, RFC 5321 3.1).

Rule: one command, one reply; what is here before the question is no answer to it. Silence is the idle limit's business,
and a reply that has begun has its own clock, which starts with its first octets: a server that thinks for long is
waited for, one that drips is not. A kept connection that fails before its first reply is replaced by a fresh one, once.
Whoever is asked in the wrong protocol waits for us as we wait for it: that is told soon, and with where it was.
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
    RefusedError,
    RemoteProtocolError,
    ReplyError,
    TransferTimeout,
    Truncated,
)  # fmt: skip
from anyurl.schemes.kit import meanings
from anyurl.schemes.kit.replies import Reply, ReplyForm, ReplyReader
from anyurl.schemes.kit.scheme import REPLY_SECONDS
from anyurl.url.host import bracketed

GREETING_SECONDS = 30.0
"""Seconds for the first octet of a greeting. A server that looks up our name before it speaks takes up to 30 for three
name servers that don't answer (resolv.conf(5): 5 seconds, 2 attempts each); one that is silent longer waits for us."""

QUIT = b"QUIT\r\n"
"""RFC 959 4.1.1, RFC 3977 5.4, RFC 5321 4.1.1.10: the same for all three."""

_HALF_HELLO = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"
"""A ClientHello that is broken: whoever speaks TLS answers with an alert (RFC 8446 6), and nobody else does."""

HALF_HELLO_SECONDS = 2.0
"""Seconds for that alert: it takes no more than a way there and back."""

_TLS_RECORDS = (b"\x15\x03", b"\x16\x03")
"""How an alert and a handshake begin in every version of TLS (RFC 8446 5.1); no reply begins so."""


class LineSession(ABC):
    """One conversation; its methods are steps of a dialogue: ``yield from`` them.

    Args:
        form: What the server's replies look like.
        host: Of the server.
        port: Of the server.
        tls: TLS begins with the connection.
        patience: Seconds that the caller lets any peer be silent.
        session: What a kept connection must share with this one, or None where none is kept.
        secret: The password of its login.
        fresh: Take no kept connection: what is done on this one may not be done twice, and a kept one may be closed
            behind the server's back.

    Attributes:
        channel: The connection.
        secure: TLS has begun.
    """

    __slots__ = (
        "host", "port", "channel", "secure", "_form", "_tls", "_patience", "_session", "_secret",
        "_replies", "_secrets", "_greeted", "_unproven", "_begun",
        "_fresh",
    )  # fmt: skip

    noun = "connection"
    table: Sequence[meanings.Case] = ()
    """What the server's no means in this protocol."""

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
        self._greeted = self._unproven = self._begun = False
        self._replies: ReplyReader

    # --- what a protocol brings --------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def _tls_hint(self) -> str:
        """What to do where TLS should have begun with the connection."""

    def _make_reader(self) -> ReplyReader:
        """A reader for a connection that has just been made."""
        return ReplyReader(self._form)

    @abstractmethod
    def _enter(self) -> Steps[None]:
        """Everything that stands between a fresh connection and the first command of a verb."""

    def _feed(self, data: bytes) -> bytes:
        """Take in what the server sent; what has to be answered to it below the lines."""
        self._replies.feed(data)
        return b""

    def _encode(self, data: bytes) -> bytes:
        """The octets as they go out."""
        return data

    def _has_pending(self) -> bool:
        """Whether octets are here that nobody took."""
        return self._replies.pending > 0

    # --- the connection ----------------------------------------------------------------------------------------------

    def converse(self, *steps: Steps[object]) -> Steps[None]:
        """Open the session and take these steps; a server that says no to one is told good-bye before that is raised.

        Raises:
            ReplyError: The server's no.
        """
        try:
            yield from self.open()
            for part in steps:
                yield from part
            return
        except ReplyError as error:
            refused = error
        if refused.code != self._form.closing:
            yield from self.say_goodbye()
        raise refused

    def open(self) -> Steps[None]:
        """Connect, and come to where a verb begins."""
        yield from self.connect()
        yield from self._begin()

    def _begin(self) -> Steps[None]:
        yield from self._enter()
        self._begun = True

    def connect(self, *, fresh: bool = False) -> Steps[Any]:
        """Connect; what an earlier dialogue kept with the connection, or None when it is new."""
        self.channel: Channel = yield Connect(
            self.host,
            self.port,
            tls=self._tls,
            session=self._session,
            secret=self._secret,
            fresh=fresh or self._fresh,
        )
        self.secure = self._tls
        self._replies = self._make_reader()
        self._greeted = self._unproven = self._begun = self.channel.kept is not None
        return self.channel.kept

    def _begin_again(self) -> Steps[None]:
        """Begin on a fresh connection, and come to where this one was."""
        yield from Close(self.channel)
        yield from self.connect(fresh=True)
        yield from self._begin()

    def start_tls(self, name: str, line: bytes, yes: Container[int]) -> Steps[None]:
        """Begin TLS in the middle of the session (RFC 4217 4, RFC 4642 2.2, RFC 3207 4).

        Args:
            name: What the command is called.
            yes: The codes of replies that grant it.

        Raises:
            ConnectError: The server says no, or TLS is not agreed.
            RemoteProtocolError: More came than the reply.
        """
        reply = yield from self.exchange(line)
        if reply.code not in yes:
            raise ConnectError(f"{self.host} refuses {name}, without which nothing more is sent: {reply}", stage="tls")
        if self._has_pending():
            # Attack: what came before TLS began was not the server's to say; read after it, it would pass as such.
            raise RemoteProtocolError(f"{self.host} sent more than its reply to {name} before TLS began.", stage="tls")
        yield from Secure(self.channel, self.host)
        self.secure = True

    def keep(self, state: object, goodbye: bytes = QUIT) -> Steps[None]:
        """End well: keep the connection for the next dialogue, or say good-bye where none is kept.

        Args:
            goodbye: What ends the session if no other dialogue comes.
        """
        if self._session is None:
            yield from self.say_goodbye()
        else:
            yield Keep(self.channel, self._session, state, goodbye)

    def say_goodbye(self) -> Steps[None]:
        """End the session: a courtesy, whose reply nobody waits for."""
        try:
            yield from self.send(QUIT)
        except AccessError:  # nothing else was wanted
            pass

    # --- commands and replies ----------------------------------------------------------------------------------------

    def ask(self, line: bytes) -> Steps[Reply]:
        """As `exchange`; a kept connection that breaks before its first reply is replaced by a fresh one, once."""
        return self._ask_kept(line) if self._unproven else self.reply(to=line)

    def _ask_kept(self, line: bytes) -> Steps[Reply]:
        self._unproven = False
        try:
            return (yield from self.exchange(line))
        except ConnectionLost:
            pass
        yield from self._begin_again()
        return (yield from self.exchange(line))

    def exchange(self, line: bytes) -> Steps[Reply]:
        """Send a command; its first reply, preliminary or not.

        Args:
            line: The command as its codec encoded it.

        Raises:
            ConnectionLost: The server closed the connection, or said so.
            RemoteProtocolError: There is a reply that nobody asked for, or one that is none.
            TransferTimeout: A reply does not come, or not to its end.
        """
        return self.reply(to=line)

    def send(self, data: bytes) -> Steps[None]:
        """Send octets that no reply answers yet."""
        yield Send(self.channel, self._encode(data))

    def reply(self, seconds: float | None = None, *, to: bytes = b"") -> Steps[Reply]:
        """The next reply. Raises as `exchange`.

        Args:
            seconds: How long the server may be silent, and how long a reply may take from its first octets to its last;
                the policy's idle limit and `REPLY_SECONDS` when None.
            to: What it answers, which is sent first, alone or with what later replies answer; else it was said before.
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
            if not self._greeted and self._replies.head in _TLS_RECORDS:
                raise self._tls_where_none_was_meant()
            reply = self._next_reply()
        self._greeted = True
        if reply.code == self._form.closing:
            raise self._ended(reply)
        return reply

    def _hear_greeting(self) -> Steps[bytes]:
        seconds = min(GREETING_SECONDS, self._patience)
        try:
            heard: bytes = yield Receive(self.channel, within=seconds)
            return heard
        except TransferTimeout as error:
            silent = error
        if silent.clock != "idle":
            raise silent
        if not self._tls and (yield from self._speaks_tls()):
            raise self._tls_where_none_was_meant()
        also = "" if self._tls else f", or TLS ({self._tls_hint})"
        message = f"{self._where} sent nothing for {seconds:g} s. Does it speak {self._form.protocol} there{also}?"
        raise TransferTimeout(message, stage="login")

    def _speaks_tls(self) -> Steps[bool]:
        """Whether who is silent waits for TLS to begin."""
        try:
            yield from Send(self.channel, _HALF_HELLO)
            return (yield from Receive(self.channel, within=HALF_HELLO_SECONDS))[:2] in _TLS_RECORDS
        except AccessError:
            return False

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
        # A server that lets nobody in now, or not so.
        return self.no_greeting(reply)

    def no_greeting(self, reply: Reply) -> AccessError:
        """The error for a first reply that is none to go on with: the server's no, or another protocol's greeting."""
        if reply.kind in (4, 5):
            return self.refusal(reply, f"{self.host} refuses the connection")
        protocol = self._form.protocol
        text = f"{self._where} does not greet as a server of {protocol}: {reply}. Does it speak {protocol} there?"
        return RemoteProtocolError(text, sample=str(reply), stage="login")

    def _hung_up(self, reply: Reply) -> ConnectionLost:
        return ConnectionLost(f"{self.host} ends the session: {reply}", stage="request")

    def refusal(
        self, reply: Reply, what: str, *where: str, table: Sequence[meanings.Case] = (), stage: str = "reply"
    ) -> AccessError:
        """The error for a reply that does not let a dialogue go on.

        Args:
            what: What did not work, as the beginning of the sentence.
            where: What was going on, in the words of the table. ``login`` and ``clear`` are said of themselves.
            table: Rows that come before those of the protocol.
        """
        facts = {*where}
        if not self._begun:
            facts.add("login")
            stage = "login"
        if not self.secure:
            facts.add("clear")
        return meanings.reply_error((*table, *self.table), reply, what, facts, stage=stage)

    def _unasked(self) -> AccessError:
        # What is here before the question is no answer to it: a stale reply, or one to somebody else's command.
        reply = self._next_reply()
        if reply is not None and reply.code == self._form.closing:
            return self._hung_up(reply)
        shown = "the beginning of a reply" if reply is None else str(reply)
        return RemoteProtocolError(f"{self.host} sent an unexpected reply: {shown}", sample=shown, stage="request")

    def _next_reply(self) -> Reply | None:
        """The next whole reply; a server that says a password again does not get it into a message of ours."""
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
        # Raised out here: within, it would keep the other error, which shows what the server said, as its context.
        message = (
            f"{self.host} sent no {self._form.protocol} reply; what it sent may hold the password, and is not shown."
        )
        raise RemoteProtocolError(message) if limit is None else LimitError(message, limit=limit)


def check_said(text: str, what: str) -> str:
    """The text, if it can go out in a line.

    Raises:
        RefusedError: It holds what would end the line.
    """
    # Attack: a password with a line end would be a command of its own (RFC 1738 section 6).
    if "\r" in text or "\n" in text or "\0" in text:
        raise RefusedError(f"The {what} holds CR, LF or NUL, which would end the command: it is never sent.")
    return text
