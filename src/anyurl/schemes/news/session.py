"""A session with a news server, as asks: greeting, capabilities, TLS, login, compression, the selected group.

Rule: the server is the URL's, or the configured one for a news URL without a server (RFC 1738 3.6). A password goes out
over TLS only, or to this machine itself (RFC 4643 2.3.2 sends it in the clear). A kept session serves every URL of its
server; the group that it has selected is its state.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.dialogue import (
    AskSecret,
    Channel,
    Close,
    Connect,
    Keep,
    Monotonic,
    Options,
    Receive,
    Secure,
    Send,
    Steps,
)  # fmt: skip
from anyurl.errors import (
    AccessError,
    AuthRequiredError,
    ConnectError,
    ConnectionLost,
    RefusedError,
    RemoteProtocolError,
    SecretNeededError,
    TransferTimeout,
    Truncated,
    escape,
)  # fmt: skip
from anyurl.schemes.kit.greeting import hear_greeting
from anyurl.schemes.kit.scheme import REPLY_SECONDS, is_this_machine, quoted
from anyurl.schemes.news.replies import reply_error
from anyurl.schemes.news.server import login_line, next_reply, server_of, without
from anyurl.schemes.news.wire import commands
from anyurl.schemes.news.wire.commands import MAX_REPLY_BYTES, Reply, ReplyReader
from anyurl.schemes.news.wire.deflate import Deflate
from anyurl.schemes.news.wire.lists import MAX_CAPABILITIES, Group, ListingReader, read_capabilities, read_selected
from anyurl.url import URL, syntax

BLOCK_AT_MOST = 32 * 1024
"""Octets of a block, received or unpacked, that are read in one step: the shortest overviews take some 25 ms."""

COMPRESS_FROM_LINES = 200
"""Lines of a listing from which asking for compression is worth its round trip: some 60 KB."""


class SessionState:
    """What a kept session remembers; it never changes while nobody uses it.

    Attributes:
        capabilities: What the server can do.
        group: The selected group, or None.
        deflate: The streams of a compressed connection, or None.
        may_post: Whether the greeting allowed it.
        tls: Whether TLS began after STARTTLS.
    """

    __slots__ = ("capabilities", "group", "deflate", "may_post", "tls")

    def __init__(
        self,
        capabilities: Mapping[str, tuple[str, ...]],
        group: Group | None = None,
        deflate: Deflate | None = None,
        may_post: bool = True,
        tls: bool = False,
    ) -> None:
        self.capabilities = capabilities
        self.group = group
        self.deflate = deflate
        self.may_post = may_post
        self.tls = tls


class Session:
    """One session; its methods are steps of a dialogue: ``yield from`` them.

    Attributes:
        host: Of the server.
        port: Of the server.
        capabilities: What it can do, arguments by label; empty for a server older than RFC 3977.
        group: The group that is selected, or None.
        may_post: Whether its greeting allowed posting.
    """

    __slots__ = (
        "url", "host", "port", "capabilities", "group", "may_post", "channel", "_user", "_secure", "_implicit", "_tls",
        "_replies", "_deflate", "_may_compress", "_keepable", "_unproven", "_logged_in", "_session", "_said", "_idle",
    )  # fmt: skip

    def __init__(self, url: URL, options: Options) -> None:
        server = server_of(url, options)
        self.url = url
        self.host, self.port, self._user = server.host, server.port, server.user
        plain, secure = syntax.row("news").port, syntax.row("snews").port
        # RFC 8143 2: on the port of nntps TLS begins at once; on that of nntp it begins after STARTTLS.
        self._secure = url.scheme in ("snews", "nntps") or self.port == secure
        self._implicit = self._secure and self.port != plain
        self._session = "nntp over TLS" if self._secure else "nntp"
        self._keepable = self._may_compress = True
        self._logged_in, self._said, self._idle = False, "", options.patience
        self._adopt(SessionState({}))

    def _adopt(self, state: SessionState) -> None:
        self.capabilities = state.capabilities
        self.group = state.group
        self.may_post = state.may_post
        self._deflate = state.deflate
        self._replies = ReplyReader()
        self._tls = self._implicit or state.tls

    # --- connection --------------------------------------------------------------------------------------------------

    def open(self) -> Steps[None]:
        """Connect and be greeted, or go on with a kept session."""
        channel = yield from self._connect(fresh=False)
        if isinstance(channel.kept, SessionState):
            self.channel = channel
            self._adopt(channel.kept)
            self._unproven = True
            return
        yield from self._begin(channel)

    def _connect(self, *, fresh: bool) -> Steps[Channel]:
        return (yield from Connect(self.host, self.port, tls=self._implicit, session=self._session, fresh=fresh))

    def _begin(self, channel: Channel) -> Steps[None]:
        self.channel, self._unproven = channel, False
        self._adopt(SessionState({}))
        self._replies.feed((yield from hear_greeting(channel, self.host, self.port, "NNTP", self._idle)))
        reply = yield from self._reply()
        if reply.code not in (200, 201):
            raise reply_error(reply, f"{self.host} does not let us in", stage="login")
        self.may_post = reply.code == 200
        yield from self._learn()
        if "READER" not in self.capabilities:
            yield from self._become_reader()
        if self._secure and not self._tls:
            yield from self._start_tls()

    def _learn(self) -> Steps[None]:
        """CAPABILITIES; a server older than RFC 3977 does not know the command, and has none."""
        reply = yield from self._exchange(commands.encode_command("CAPABILITIES"))
        if reply.code != 101:
            self.capabilities = {}
            return
        self._replies.begin_block(reply)
        lines: list[bytes] = []
        listing = ListingReader(MAX_CAPABILITIES * MAX_REPLY_BYTES, MAX_CAPABILITIES)
        while data := (yield from self.octets()):
            lines += listing.feed(data)
        self.capabilities = read_capabilities(lines)

    def _become_reader(self) -> Steps[None]:
        """MODE READER, for a server that talks to other servers first (RFC 3977 5.3); others need not know it."""
        reply = yield from self.command("MODE", b"READER")
        if reply.code in (200, 201):
            self.may_post = reply.code == 200
            if self.capabilities:
                yield from self._learn()
        elif reply.code == 502 or "MODE-READER" in self.capabilities:
            raise reply_error(reply, f"{self.host} serves no readers", stage="login")

    def _start_tls(self) -> Steps[None]:
        """STARTTLS (RFC 4642 2.2)."""
        reply = yield from self._exchange(commands.encode_command("STARTTLS"))
        if reply.code != 382:
            raise ConnectError(
                f"{self.host} refuses STARTTLS, and what needs TLS never goes on without: {reply}", stage="tls"
            )
        if self._replies.pending:
            # Attack: what came before TLS began was not the server's to say; read after it, it would pass as such.
            raise RemoteProtocolError(f"{self.host} sent more than its reply to STARTTLS before TLS began", stage="tls")
        yield from Secure(self.channel, self.host)
        self._tls = True
        yield from self._learn()

    def compress(self, lines: int) -> Steps[None]:
        """COMPRESS DEFLATE, where the server offers it and so many lines are worth it (RFC 8054 2.2)."""
        offered = "DEFLATE" in self.capabilities.get("COMPRESS", ())
        if self._deflate is not None or lines < COMPRESS_FROM_LINES or not (offered and self._may_compress):
            return
        reply = yield from self.command("COMPRESS", b"DEFLATE")
        if reply.code != 206:
            return
        if self._replies.pending:
            raise RemoteProtocolError(f"{self.host} sent more than its reply before its compressed stream began")
        self._deflate = Deflate()

    # --- login -------------------------------------------------------------------------------------------------------

    def _log_in(self, asked: Reply) -> Steps[None]:
        """AUTHINFO USER and PASS (RFC 4643 2.3).

        Raises:
            AuthRequiredError: The server does not take the login, or it was not enough.
            RefusedError: The password would go over a plain connection to another machine.
            SecretNeededError: Nobody knows a login.
        """
        if self._logged_in:
            raise reply_error(asked, f"the login is not enough for {self.host}", stage="login")
        if self._deflate is not None:
            # RFC 8054 2.2.2: no AUTHINFO on a compressed connection.
            self._may_compress = False
            yield from self._begin_again()
        yield from self._protect_password()
        user = self._user or ""
        secret = yield from AskSecret(self.host, user, "news password")
        if secret is None or not (user or secret.user):
            raise SecretNeededError(
                f"{self.host} asks for a login ({asked}), and neither netrc nor a terminal can give it"
            )
        # Whoever gave it may not be who comes next: such a session is not kept for others.
        self._keepable = False
        self._said = secret.reveal()
        reply = yield from self._exchange_safely(login_line(b"USER", user or secret.user))
        if reply.code == 381:
            reply = yield from self._exchange(login_line(b"PASS", self._said))
            reply = without(reply, self._said)
        if reply.code != 281:
            raise AuthRequiredError(
                f"{self.host} does not take the login of {escape(user or secret.user)!r}: {reply}",
                code=reply.code, text=reply.text, stage="login",
            )  # fmt: skip
        self._logged_in = True
        yield from self._learn()

    def _protect_password(self) -> Steps[None]:
        if self._tls or is_this_machine(self.channel.peer):
            return
        if "STARTTLS" not in self.capabilities:
            raise RefusedError(
                f"{self.host} wants a password and offers no TLS on this port: a password is never sent in the clear "
                "to another machine; an nntps or snews URL would be encrypted"
            )
        yield from self._start_tls()

    # --- commands and replies ----------------------------------------------------------------------------------------

    def command(self, verb: str, *arguments: bytes) -> Steps[Reply]:
        """Send a command and get its reply, logging in or beginning TLS if that is what the server wants first.

        A kept session that breaks before its first reply is replaced by a fresh one, once.

        Raises:
            ConnectionLost: The server closed the connection, or said so (400).
            RemoteProtocolError: There is a reply that nobody asked for, or one that is none.
            AuthRequiredError, SecretNeededError, RefusedError: It wants a login.
        """
        line = commands.encode_command(verb, *arguments)
        try:
            reply = yield from self._exchange_safely(line)
        except ConnectionLost:
            if not self._unproven:
                raise
            yield from self._begin_again()
            reply = yield from self._exchange_safely(line)
        self._unproven = False
        if reply.code == 480:
            yield from self._log_in(reply)
            reply = yield from self._exchange(line)
            if reply.code == 480:
                yield from self._log_in(reply)  # which says that it was not enough
        return reply

    def _begin_again(self) -> Steps[None]:
        """Connect afresh, and come to where the session was."""
        group = self.group
        yield from Close(self.channel)
        channel = yield from self._connect(fresh=True)
        yield from self._begin(channel)
        if group is not None:
            yield from self.select(group.name)

    def select(self, name: bytes, *, anew: bool = True) -> Steps[Group]:
        """GROUP (RFC 3977 6.1.1).

        Args:
            anew: Even if it is selected already: its numbers may have changed.

        Raises:
            NotFoundError: The server has no such group.
        """
        if self.group is not None and self.group.name == name and not anew:
            return self.group
        reply = yield from self.command("GROUP", name)
        if reply.code != 211:
            raise reply_error(reply, f"{self.host} does not select the group {quoted(name)}")
        found = read_selected(reply.arguments)
        if found is None:
            raise RemoteProtocolError(f"{self.host} answers GROUP with no numbers: {reply}", sample=str(reply))
        found.name = name
        self.group = found
        return found

    def send(self, data: bytes) -> Steps[None]:
        """Send octets of an article."""
        yield from Send(self.channel, data if self._deflate is None else self._deflate.encode(data))

    def _exchange(self, line: bytes) -> Steps[Reply]:
        if self._replies.pending:
            raise self._unasked()
        try:
            yield from self.send(line)
        except Truncated as error:
            raise ConnectionLost(f"the connection to {self.host} broke", stage="request") from error
        return (yield from self._reply())

    def _exchange_safely(self, line: bytes) -> Steps[Reply]:
        """The same, over TLS if the server wants it there (483, RFC 3977 3.2.1)."""
        reply = yield from self._exchange(line)
        if reply.code == 483 and not self._tls and self._deflate is None:
            yield from self._start_tls()
            reply = yield from self._exchange(line)
        return reply

    def _unasked(self) -> AccessError:
        # What is here before the question is no answer to it: a stale reply, or one to somebody else's command.
        reply = next_reply(self._replies, self.host, self._said)
        if reply is not None and reply.code == 400:
            return ConnectionLost(f"{self.host} ends the session: {reply}", stage="request")
        said = "the beginning of a reply" if reply is None else str(without(reply, self._said))
        return RemoteProtocolError(f"{self.host} said what nobody asked for: {said}", sample=said, stage="request")

    def _reply(self) -> Steps[Reply]:
        """The next reply, to a command or of the greeting."""
        started: float | None = None
        while (reply := next_reply(self._replies, self.host, self._said)) is None:
            now = yield from Monotonic()
            started = now if started is None else started
            if now - started > REPLY_SECONDS:
                raise TransferTimeout(f"a reply of {self.host} took more than {REPLY_SECONDS:g} seconds")
            try:
                more = yield from self._more()
            except Truncated as error:
                raise ConnectionLost(f"the connection to {self.host} broke", stage="request") from error
            if not more:
                raise ConnectionLost(f"{self.host} closed the connection without a reply", stage="request")
        if reply.code == 400:
            raise ConnectionLost(f"{self.host} ends the session: {reply}", stage="request")
        return reply

    def final_reply(self) -> Steps[Reply]:
        """The reply to what was sent by `send`."""
        return (yield from self._reply())

    def _more(self) -> Steps[bool]:
        """Take in more of what the server sends; False at its end."""
        deflate = self._deflate
        if deflate is None:
            self._replies.feed(data := (yield from Receive(self.channel, BLOCK_AT_MOST)))
            return bool(data)
        if not deflate.has_more:
            if not (data := (yield from Receive(self.channel, BLOCK_AT_MOST))):
                return False
            deflate.feed(data)
        yield from Monotonic()  # a little may unpack to much: the clocks are looked at meanwhile
        self._replies.feed(deflate.decode(BLOCK_AT_MOST))
        return True

    # --- blocks ------------------------------------------------------------------------------------------------------

    def begin_block(self, reply: Reply) -> None:
        """The reply just given is followed by a block."""
        self._replies.begin_block(reply)

    def octets(self) -> Steps[bytes]:
        """The next octets of the block, without their dots; ``b""`` at its end.

        Raises:
            Truncated: The connection ended before the lone dot.
            RemoteProtocolError: More came than the block.
        """
        while True:
            if data := self._replies.block():
                return data
            if self._replies.ended:
                if self._replies.pending:
                    raise RemoteProtocolError(f"{self.host} sends more than it was asked for, behind the lone dot")
                return b""
            if not (yield from self._more()):
                raise Truncated(f"{self.host} closed the connection before the lone dot that ends what it sends")

    def leave(self) -> Steps[None]:
        """End well: keep the session for the next dialogue, or say good-bye."""
        if self._keepable:
            state = SessionState(self.capabilities, self.group, self._deflate, self.may_post, self._tls)
            yield from Keep(self.channel, self._session, state)
            return
        try:
            yield from self.send(commands.encode_command("QUIT"))
        except AccessError:  # a courtesy: everything that was wanted is here
            pass
