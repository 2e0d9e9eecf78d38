"""A session with a dictionary server, as asks: banner, name, login, commands with their blocks (RFC 2229 3).

Rule: a login is a digest of the secret and the server's identifier (3.11.1): it is used only for the user that the URL
names, and such a session is not kept for other callers.
"""

from __future__ import annotations

from anyurl._version import __version__
from anyurl.dialogue import AskSecret, Note, Options, Receive, Secret, Steps
from anyurl.errors import NotFoundError, RemoteProtocolError, SecretNeededError, Truncated, escape
from anyurl.schemes.dict.wire import commands
from anyurl.schemes.kit.blocks import BlockReader
from anyurl.schemes.kit.line_session import LineSession
from anyurl.schemes.kit.lines import LineReader
from anyurl.schemes.kit.meanings import Case
from anyurl.schemes.kit.replies import Reply, ReplyReader
from anyurl.schemes.kit.scheme import octets
from anyurl.schemes.kit.unparsed import UnparsedLines
from anyurl.url import URL

TABLE = (
    Case("login", (530, 531, 532), where="auth"),
    Case("connections", (420,), r"connections|users|load", advice="Later it may succeed."),
    Case("busy", (420, 421), advice="Later it may succeed."),
    Case("denied", (530, 531, 532)),
    Case("not-found", (550,)),  # no such database
    Case("not-found", (551,)),  # no such strategy
    Case("not-found", (552,)),  # no match
    Case("not-found", (554, 555)),  # no databases, no strategies
)
"""The meaning of negative replies (RFC 2229 2.4.2): 4yz is a temporary failure, 5yz a permanent one."""


BLOCK_AT_MOST = 8 * 1024
"""Octets of a block that are read in one step: with the shortest lines, a step takes some 25 ms."""

MAX_LISTING_BYTES = 64 * 1024 * 1024
"""Octets of one listing: 100,000 entries, the limit of the guard, of some 650 octets each."""

DENIED = {
    **dict.fromkeys((530, 531, 532), "does not give access"),
    commands.NO_DATABASE: "has no such dictionary",
    commands.NO_STRATEGY: "has no such strategy of matching",
}
"""Predicates for replies that refuse something other than the word."""

KEPT = "dict"
"""Key and state of kept sessions, of which only their existence is remembered."""


class DictSession(LineSession):
    """One session; its methods are steps of a dialogue: ``yield from`` them.

    Attributes:
        banner: The text of the greeting, without its identifiers.
    """

    __slots__ = ("url", "banner", "_user", "_blocks")

    table = TABLE

    def __init__(self, url: URL, options: Options) -> None:
        assert url.host is not None
        assert url.port is not None
        self._user = (url.user or "").partition(";")[0]
        super().__init__(
            commands.REPLIES,
            url.host,
            url.port,
            tls=False,
            patience=options.patience,
            session=None if self._user else KEPT,
        )
        self.url = url
        self.banner = ""

    @property
    def _tls_hint(self) -> str:
        return "no dict URL begins with it"

    def _make_reader(self) -> ReplyReader:
        self._blocks = BlockReader(commands.REPLIES)
        return self._blocks

    # --- connection --------------------------------------------------------------------------------------------------

    def open(self) -> Steps[None]:
        """Connect and read the greeting, or reuse a kept session."""
        if (yield from self.connect()) is None:
            yield from self._begin()

    def _enter(self) -> Steps[None]:
        reply = yield from self.reply()
        if reply.code != commands.BANNER:
            raise self.no_greeting(reply)
        _, identifier = commands.read_banner(reply.lines[0])
        self.banner = reply.text.partition("<")[0].strip()
        name = commands.quoted_word(f"anyurl {__version__}".encode())
        yield from self.exchange(commands.encode_command("CLIENT", name))  # optional (RFC 2229 3.7)
        if self._user:
            yield from self._log_in(identifier)

    def _log_in(self, identifier: bytes) -> Steps[None]:
        """AUTH (RFC 2229 3.11).

        Raises:
            AuthRequiredError: The server does not accept it.
            SecretNeededError: The secret is not available.
        """
        if self.url.password is not None:
            secret: Secret | None = Secret(self.url.password)
        else:
            secret = yield from AskSecret(self.host, self._user, "dict password")
        if secret is None:
            raise SecretNeededError(
                f"{self.url.masked} names a user, and neither netrc nor a terminal can give the secret."
            )
        if not identifier:
            raise RemoteProtocolError(
                f"{self.host} sent no identifier in its greeting, which a login needs (RFC 2229 3.1).", stage="login"
            )
        proof = commands.login(identifier, octets(secret.reveal()))
        reply = yield from self.exchange(
            commands.encode_command("AUTH", commands.quoted_word(octets(self._user)), proof)
        )
        if reply.code != commands.WELCOME:
            raise self.refusal(
                reply, f"{self.host} does not take the login of {escape(self._user)!r}", "auth", stage="login"
            )

    def leave(self) -> Steps[None]:
        """End the session: keep it for the next dialogue, or send QUIT."""
        return self.keep(KEPT)

    # --- commands ----------------------------------------------------------------------------------------------------

    def command(self, what: str, yes: int, verb: str, *arguments: bytes) -> Steps[Reply]:
        """Send a command and return its reply.

        Args:
            what: The beginning of the error message if it fails.
            yes: The code of the expected reply.

        Raises:
            NotFoundError: There is no such database, strategy or word.
        """
        reply = yield from self.ask(commands.encode_command(verb, *arguments))
        if reply.code != yes:
            denied = DENIED.get(reply.code) if verb in ("DEFINE", "MATCH") else None
            raise self.refusal(reply, what if denied is None else f"{self.host} {denied}")
        return reply

    def finish(self) -> Steps[None]:
        """Read the reply after the last block. Raises RemoteProtocolError if it is unexpected."""
        self.check_done((yield from self.reply()))

    def check_done(self, reply: Reply) -> None:
        """Raises RemoteProtocolError unless the reply is the one that ends an answer."""
        if reply.code != commands.DONE:
            raise RemoteProtocolError(
                f"{self.host} ended its answer with an unexpected reply: {reply}", sample=reply.said
            )

    # --- blocks ------------------------------------------------------------------------------------------------------

    def begin_block(self, reply: Reply) -> None:
        """Begin to read the block after a reply."""
        self._blocks.begin_block(reply)

    def octets(self) -> Steps[bytes]:
        """The next octets of the block, with dots unstuffed; ``b""`` at its end.

        Raises:
            Truncated: The connection ended before the lone dot.
        """
        while True:
            if data := self._blocks.block():
                return data
            if self._blocks.ended:
                return b""
            data = yield from Receive(self.channel, BLOCK_AT_MOST)
            if not data:
                raise Truncated(f"{self.host} closed the connection before the lone dot that ends its data.")
            self._feed(data)

    def skip(self) -> Steps[None]:
        """Read and discard the block."""
        while (yield from self.octets()):
            pass

    def pairs(self, lines: ListingLines) -> Steps[list[tuple[bytes, bytes]]]:
        """The next lines of the block, as names and the text after them; empty at its end, where odd ones are
        reported."""
        found: list[tuple[bytes, bytes]] = []
        while not found and (data := (yield from self.octets())):
            found = lines.feed(data)
        if not found and lines.odd.count:
            yield from Note(lines.odd.remark())
        return found

    def listing(self, what: str, yes: int, verb: str, *arguments: bytes) -> Steps[list[tuple[bytes, bytes]]]:
        """All lines that a command lists, as names and the text after them; empty if the server lists nothing.

        Raises:
            ReplyError: The server refuses.
            LimitError: There are too many.
        """
        try:
            reply = yield from self.command(what, yes, verb, *arguments)
        except NotFoundError as error:
            if error.code in commands.EMPTY:
                return []
            raise
        self.begin_block(reply)
        lines = ListingLines()
        found: list[tuple[bytes, bytes]] = []
        while more := (yield from self.pairs(lines)):
            found += more
        yield from self.finish()
        return found


class ListingLines:
    """Octets of a block in, its lines out, as names and the text after them.

    Attributes:
        odd: The lines without a name, or with an octet that no line holds.
    """

    __slots__ = ("odd", "_lines", "_limit")

    def __init__(self) -> None:
        what = "a line of a dictionary server's listing"
        self.odd = UnparsedLines()
        self._lines = LineReader(commands.MAX_TEXT_LINE_BYTES, limit="MAX_TEXT_LINE_BYTES", what=what, strict=False)
        self._limit = commands.ListingLimit(MAX_LISTING_BYTES)

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The lines that these octets complete.

        Raises:
            LimitError: A line, or the listing, is too long.
        """
        self._lines.feed(self._limit.count(data))
        lines: list[bytes] = []
        while more := self._lines.lines():
            lines += more
        return list(self.odd.read(lines, commands.read_pair))
