"""A session with a news server, as asks: greeting, capabilities, TLS, login, compression, the selected group.

Rule: the server is the URL's, or the configured one for a news URL without a server (RFC 1738 3.6). Passwords are sent
only over TLS or to this machine, as RFC 4643 2.3.2 sends them in the clear. A kept session is used for all URLs of its
server; its state is the selected group.
"""

from __future__ import annotations

from collections.abc import Mapping

from anyurl.dialogue import AskSecret, Monotonic, Note, Options, Receive, Steps
from anyurl.errors import (
    RefusedError,
    RemoteProtocolError,
    SecretNeededError,
    TransferTimeout,
    Truncated,
    escape,
)
from anyurl.schemes.kit.blocks import SILENCE_SECONDS
from anyurl.schemes.kit.line_session import QUIT, LineSession
from anyurl.schemes.kit.meanings import FULL, TLS, Case
from anyurl.schemes.kit.replies import Reply, ReplyReader
from anyurl.schemes.kit.scheme import is_this_machine, octets, quoted
from anyurl.schemes.news.server import login_line, server_of
from anyurl.schemes.news.wire import commands
from anyurl.schemes.news.wire.commands import MAX_REPLY_LINE_BYTES, NewsReplyReader
from anyurl.schemes.news.wire.deflate import Deflate
from anyurl.schemes.news.wire.lists import MAX_CAPABILITIES, Group, GroupListReader, read_capabilities, read_selected
from anyurl.url import URL, syntax
from anyurl.values import Value

USE_TLS = "The server wants TLS: use nntps:// (snews:// for a news URL) with the same host."

FULL_UP = Case(
    "connections", (400, 480, 481, 482, 502), FULL, advice="Fewer connections at a time, or later, may succeed."
)
NO_TLS = Case("tls", (483,), advice=USE_TLS)
REFUSED_LOGIN = Case("login", (481, 482), r"fail|attempt|incorrect|invalid|wrong|password")

NO_LOGIN = (REFUSED_LOGIN, FULL_UP, NO_TLS, Case("login", (4, 5)))
"""The meaning of negative replies to AUTHINFO."""

TABLE = (
    REFUSED_LOGIN,
    FULL_UP,
    NO_TLS,
    Case("tls", (480, 502), TLS, where="clear", advice=USE_TLS),
    Case("busy", (400, 403), advice="Later it may succeed."),
    Case("not-found", (411,)),  # no such newsgroup
    Case("not-found", (412,)),  # no newsgroup selected
    Case("not-found", (420, 423)),  # no article with that number
    Case("not-found", (430,)),  # no article with that message-id
    Case("read-only", (440,)),  # posting not permitted
    Case("quota", (441,), r"no space|quota|too (?:large|big|long)"),
    Case("busy", (436, 441), r"try (?:again )?later|temporar", advice="Later it may succeed."),
    Case("denied", (437, 441)),  # posting failed
    Case("login", (480, 481, 482)),
    Case("denied", (502,)),  # access restriction, or permission denied
)
"""The meaning of negative replies (RFC 3977 3.2.1, RFC 4643 2.3, RFC 4642 2.2).

Unlike in FTP and mail, 4yz does not mean "try again": it is sent for every correct command that failed (RFC 3977 3.2).
"""


BLOCK_AT_MOST = 32 * 1024
"""Octets of a block, received or decompressed, to read in one step: the shortest overview lines take some 25 ms."""

COMPRESS_FROM_LINES = 200
"""The least lines of a listing for which compression is worth its round trip: some 60 KB."""


_SILENCE = (
    "the server ends replies with CR LF and these lines with LF: a lone dot that nothing follows for a second counts "
    "as their end, and more may be missing"
)


class NewsState(Value):
    """The state of a kept session; it does not change while the session is not in use.

    Attributes:
        capabilities: The server's capabilities.
        group: The selected group, or None.
        deflate: The streams of a compressed connection, or None.
        may_post: Whether the greeting allowed it.
        tls: Whether TLS began after STARTTLS.
    """

    capabilities: Mapping[str, tuple[str, ...]]
    group: Group | None = None
    deflate: Deflate | None = None
    may_post: bool = True
    tls: bool = False


class NewsSession(LineSession):
    """One session; its methods are steps of a dialogue: ``yield from`` them.

    Args:
        fresh: As in `LineSession`.

    Attributes:
        capabilities: The server's capabilities, arguments by label; empty for a server older than RFC 3977.
        group: The selected group, or None.
        may_post: Whether its greeting allowed posting.
    """

    __slots__ = (
        "url", "capabilities", "group", "may_post", "_user", "_needs_tls", "_deflate", "_may_compress", "_logged_in",
        "_blocks",
    )  # fmt: skip

    table = TABLE

    def __init__(self, url: URL, options: Options, *, fresh: bool = False) -> None:
        server = server_of(url, options)
        plain, secure = syntax.row("news").port, syntax.row("snews").port
        # RFC 8143 2: on the port of nntps TLS begins at once; on that of nntp it begins after STARTTLS.
        needs_tls = url.scheme in ("snews", "nntps") or server.port == secure
        super().__init__(
            commands.REPLIES,
            server.host,
            server.port,
            tls=needs_tls and server.port != plain,
            patience=options.patience,
            session="nntp over TLS" if needs_tls else "nntp",
            fresh=fresh,
        )
        self.url = url
        self._user = server.user
        self._needs_tls = needs_tls
        self._may_compress = True
        self._logged_in = False
        self._adopt(NewsState({}))

    def _adopt(self, state: NewsState) -> None:
        self.capabilities = state.capabilities
        self.group = state.group
        self.may_post = state.may_post
        self._deflate = state.deflate
        self.secure = self.secure or state.tls

    @property
    def _tls_hint(self) -> str:
        plain, secured = syntax.row("news").port, "snews://" if self.url.scheme.endswith("news") else "nntps://"
        return f"use {secured}" if self.port != plain else f"{secured} begins with it at any port but {plain}"

    def _make_reader(self) -> ReplyReader:
        self._blocks = NewsReplyReader()
        return self._blocks

    # --- connection --------------------------------------------------------------------------------------------------

    def open(self) -> Steps[None]:
        """Connect and read the greeting, or reuse a kept session."""
        kept = yield from self.connect()
        if isinstance(kept, NewsState):
            self._adopt(kept)
        else:
            yield from self._begin()

    def _enter(self) -> Steps[None]:
        self._adopt(NewsState({}))
        reply = yield from self.reply()
        if reply.code not in (200, 201):
            raise self.no_greeting(reply)
        self.may_post = reply.code == 200
        yield from self._learn()
        if "READER" not in self.capabilities:
            yield from self._become_reader()
        if self._needs_tls and not self.secure:
            yield from self._start_tls()

    def _learn(self) -> Steps[None]:
        """Send CAPABILITIES; a server older than RFC 3977 does not know it, and counts as having none."""
        reply = yield from self.exchange(commands.encode_command("CAPABILITIES"))
        if reply.code != 101:
            self.capabilities = {}
            return
        self._blocks.begin_block(reply)
        lines: list[bytes] = []
        listing = GroupListReader(MAX_CAPABILITIES * MAX_REPLY_LINE_BYTES, MAX_CAPABILITIES)
        while data := (yield from self.octets(own=True)):
            lines += listing.feed(data)
        self.capabilities = read_capabilities(lines)

    def _become_reader(self) -> Steps[None]:
        """Send MODE READER to a server that starts in transit mode (RFC 3977 5.3); others need not support it."""
        reply = yield from self.command("MODE", b"READER")
        if reply.code in (200, 201):
            self.may_post = reply.code == 200
            if self.capabilities:
                yield from self._learn()
        elif reply.code == 502 or "MODE-READER" in self.capabilities:
            raise self.refusal(reply, f"{self.host} serves no readers", stage="login")

    def _start_tls(self) -> Steps[None]:
        """Send STARTTLS (RFC 4642 2.2)."""
        yield from self.start_tls("STARTTLS", commands.encode_command("STARTTLS"), (382,))
        yield from self._learn()

    def compress(self, lines: int) -> Steps[None]:
        """Send COMPRESS DEFLATE if the server offers it and enough lines are expected (RFC 8054 2.2)."""
        offered = "DEFLATE" in self.capabilities.get("COMPRESS", ())
        if self._deflate is not None or lines < COMPRESS_FROM_LINES or not (offered and self._may_compress):
            return
        reply = yield from self.command("COMPRESS", b"DEFLATE")
        if reply.code != 206:
            return
        if self._replies.pending:
            raise RemoteProtocolError(f"{self.host} sent more than its reply before its compressed stream began.")
        self._deflate = Deflate()

    # --- login -------------------------------------------------------------------------------------------------------

    def _log_in(self, asked: Reply) -> Steps[None]:
        """Log in by AUTHINFO USER and PASS (RFC 4643 2.3).

        Raises:
            AuthRequiredError: The server does not accept the login, or it is not sufficient.
            RefusedError: The password would be sent over a plain connection to another machine.
            SecretNeededError: No login is available.
        """
        if self._logged_in:
            raise self.refusal(asked, f"The login is not enough for {self.host}", stage="login")
        if self._deflate is not None:
            # RFC 8054 2.2.2: no AUTHINFO on a compressed connection.
            self._may_compress = False
            yield from self._begin_again()
        yield from self._protect_password()
        user = self._user or ""
        secret = yield from AskSecret(self.host, user, "news password")
        if secret is None or not (user or secret.user):
            raise SecretNeededError(
                f"{self.host} asks for a login ({asked}), and neither netrc nor a terminal can give it."
            )
        # The next caller may be another user: a session whose login was prompted for is not kept.
        self._session = None
        password = secret.reveal()
        line = login_line(b"USER", user or secret.user)
        reply = yield from self.exchange(line)
        if reply.code == 483:
            reply = yield from self._over_tls(reply, line)
        if reply.code == 381:
            line = login_line(b"PASS", password)
            self._secrets = (octets(password),)
            reply = yield from self.exchange(line)
        if reply.code != 281:
            raise self.refusal(
                reply,
                f"{self.host} does not take the login of {escape(user or secret.user)!r}",
                table=NO_LOGIN,
                stage="login",
            )
        self._logged_in = True
        yield from self._learn()

    def _protect_password(self) -> Steps[None]:
        if self.secure or is_this_machine(self.channel.peer):
            return
        if "STARTTLS" not in self.capabilities:
            raise RefusedError(
                f"{self.host} asks for a password and offers no TLS on this port: a password is never sent in the "
                "clear to another machine; an nntps or snews URL is encrypted.",
                code="login",
                subject=self.host,
            )
        yield from self._start_tls()

    # --- commands and replies ----------------------------------------------------------------------------------------

    def command(self, verb: str, *arguments: bytes) -> Steps[Reply]:
        """Send a command and return its reply; log in or begin TLS first if the server requires it.

        Raises:
            ConnectionLost: The server closed the connection, or announced that it does (400).
            RemoteProtocolError: The server sent an unexpected or malformed reply.
            AuthRequiredError, SecretNeededError, RefusedError: The server requires a login that did not succeed.
        """
        line = commands.encode_command(verb, *arguments)
        reply = yield from self.ask(line)
        if reply.code == 483:
            reply = yield from self._over_tls(reply, line)
        if reply.code == 480:
            yield from self._log_in(reply)
            reply = yield from self.exchange(line)
            if reply.code == 480:
                yield from self._log_in(reply)  # raises: the login was not sufficient
        return reply

    def _over_tls(self, asked: Reply, line: bytes) -> Steps[Reply]:
        """Repeat the command over TLS if the server requires that (483, RFC 3977 3.2.1) and offers STARTTLS."""
        if self.secure or self._deflate is not None:
            return asked
        yield from self._start_tls()
        return (yield from self.exchange(line))

    def _begin_again(self) -> Steps[None]:
        group = self.group
        self._logged_in = False
        yield from super()._begin_again()
        if group is not None:
            yield from self.select(group.name)

    def select(self, name: bytes, *, anew: bool = True) -> Steps[Group]:
        """Select a group (GROUP, RFC 3977 6.1.1).

        Args:
            anew: Send GROUP even if it is already selected: its article numbers may have changed.

        Raises:
            NotFoundError: The server has no such group.
        """
        if self.group is not None and self.group.name == name and not anew:
            return self.group
        reply = yield from self.command("GROUP", name)
        if reply.code != 211:
            raise self.refusal(reply, f"{self.host} does not select the group {quoted(name)}")
        found = read_selected(reply.arguments)
        if found is None:
            raise RemoteProtocolError(f"{self.host} answers GROUP without numbers: {reply}", sample=reply.said)
        self.group = Group(name, found.count, found.low, found.high)
        return self.group

    def _encode(self, data: bytes) -> bytes:
        return data if self._deflate is None else self._deflate.encode(data)

    def _feed(self, data: bytes) -> bytes:
        if self._deflate is not None:
            self._deflate.feed(data)
            # Every valid reply ends within so many octets, so the rest can be decoded later, with the block.
            data = self._deflate.decode(BLOCK_AT_MOST)
        self._replies.feed(data)
        return b""

    def _more(self) -> Steps[bool]:
        """Receive more of a block; returns False at the end of the stream."""
        deflate = self._deflate
        if deflate is not None and deflate.has_more:
            yield from Monotonic()  # little may decompress to much: lets time limits be checked
            self._replies.feed(deflate.decode(BLOCK_AT_MOST))
            return True
        data = yield from Receive(
            self.channel, BLOCK_AT_MOST, within=SILENCE_SECONDS if self._blocks.looks_ended else None
        )
        if data:
            self._feed(data)
        return bool(data)

    # --- blocks ------------------------------------------------------------------------------------------------------

    def begin_block(self, reply: Reply) -> None:
        """Expect a block after the reply just returned."""
        self._blocks.begin_block(reply)

    def octets(self, *, own: bool = False) -> Steps[bytes]:
        """The next octets of the block, dot-unstuffed; ``b""`` at its end.

        Args:
            own: Only the server can have written them.

        Raises:
            Truncated: The connection ended before the lone dot.
            RemoteProtocolError: There was data after the block.
        """
        while True:
            if data := self._blocks.block():
                return data
            if self._blocks.ended:
                if self._deflate is not None and self._deflate.has_more:
                    self._replies.feed(self._deflate.decode(BLOCK_AT_MOST))
                if self._replies.pending:
                    raise RemoteProtocolError(f"{self.host} sent extra data after the lone dot.")
                return b""
            try:
                more = yield from self._more()
            except TransferTimeout as error:
                if error.clock != "idle" or not self._blocks.looks_ended:
                    raise
                return (yield from self._end_by_silence(own=own))
            if not more:
                raise Truncated(f"{self.host} closed the connection before the lone dot that ends its data.")

    def _end_by_silence(self, *, own: bool) -> Steps[bytes]:
        """Take a final lone dot between bare LFs for the end of the block; returns its line end."""
        self._session = None
        if not own:
            # Attack: an article may hold such a dot, and the server's later octets would be read as its replies.
            yield from Note(_SILENCE, unproved=True)
            yield from self.drop()
        return self._blocks.end_by_silence()

    def leave(self) -> Steps[None]:
        """End the session: keep it for the next dialogue, or send QUIT."""
        state = NewsState(self.capabilities, self.group, self._deflate, self.may_post, self.secure)
        # A QUIT compressed now but sent later would break the stream: compressed sessions end without one.
        return self.keep(state, QUIT if self._deflate is None else b"")
