"""The control connection of ftp and ftps, as asks: login, directories, features.

Rule: the commands of RFC 1738 3.2.2 go out in its order; what may stand beside them is asked for only when needed.
Login is 3.2.1, reuse is 3.2.5: a kept connection serves a URL only if the directories it has entered are the first of
the URL's own. TLS is RFC 4217: ftps on port 990 begins with it (implicit), on any other port after AUTH TLS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anyurl.dialogue import (
    AskSecret,
    Channel,
    Close,
    Connect,
    Keep,
    Monotonic,
    Options,
    Receive,
    Secret,
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
)  # fmt: skip
from anyurl.schemes.ftp.replies import reply_error
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.ftp.wire.commands import ReplyReader
from anyurl.schemes.ftp.wire.telnet import Negotiation
from anyurl.schemes.kit.greeting import hear_greeting
from anyurl.schemes.kit.replies import Reply
from anyurl.schemes.kit.scheme import REPLY_SECONDS, octets, quoted, text_of
from anyurl.url import URL, syntax

ANONYMOUS = "anonymous"
NOBODY = "anonymous@"
"""The password of an anonymous login when no identity is configured: no address is made up (RFC 1738 3.2.1)."""


class SessionState:
    """What a kept control connection remembers; it never changes.

    Attributes:
        directories: The arguments of all CWDs that it was sent.
        type: The TYPE that is set, or "" for the one after login (A).
        features: Its answer to FEAT, or None when it was not asked.
        utf8: Whether OPTS UTF8 ON was sent.
        extended: Whether EPSV may be tried.
    """

    __slots__ = ("directories", "type", "features", "utf8", "extended")

    def __init__(
        self,
        directories: tuple[bytes, ...] = (),
        type: str = "",
        features: Mapping[str, str] | None = None,
        utf8: bool = False,
        extended: bool = True,
    ) -> None:
        self.directories = directories
        self.type = type
        self.features = features
        self.utf8 = utf8
        self.extended = extended


class Control:
    """One control connection; its methods are steps of a dialogue: ``yield from`` them."""

    __slots__ = (
        "url", "host", "user", "password", "options", "implicit", "secure", "directories", "type", "features", "utf8",
        "extended", "channel", "_replies", "_telnet", "_said", "_session", "_keepable", "_unproven",
        "_is_greeted",
    )  # fmt: skip

    def __init__(self, url: URL, options: Options) -> None:
        self.url = url
        self.options = options
        self.host = url.host or ""
        # RFC 1738 3.1: an empty user name is a user name; only a URL without any means an anonymous login.
        self.user = ANONYMOUS if url.user is None else url.user
        self.password = _password(url, options)
        self.secure = url.scheme == "ftps"
        self.implicit = self.secure and url.port == syntax.row("ftps").port
        self._session = " ".join((url.scheme, repr(self.user), repr(None if url.user is not None else self.password)))
        self._keepable = self._is_greeted = True
        self._said = b""
        self._replies = ReplyReader()
        self._telnet = Negotiation()
        self._adopt(SessionState())

    def _adopt(self, state: SessionState) -> None:
        self.directories = list(state.directories)
        self.type = state.type
        self.features = state.features
        self.utf8 = state.utf8
        self.extended = state.extended

    # --- connection and login --------------------------------------------------------------------------------------

    def open(self, wanted: Sequence[bytes]) -> Steps[None]:
        """Connect and log in, or go on with a kept connection whose directories are the first of `wanted`."""
        channel = yield from self._connect(fresh=False)
        kept = channel.kept
        if isinstance(kept, SessionState) and tuple(wanted[: len(kept.directories)]) == kept.directories:
            self.channel = channel
            self._adopt(kept)
            self._unproven = True
            return
        if kept is not None:
            # RFC 1738 3.2.5: nothing says how to get from those directories to ours.
            yield from Close(channel)
            channel = yield from self._connect(fresh=True)
        yield from self._begin(channel)

    def _connect(self, *, fresh: bool) -> Steps[Channel]:
        secret = Secret(self.password) if self.url.password is not None and self.password is not None else None
        port = self.url.port
        assert port is not None  # the row of the scheme has a default
        return (
            yield from Connect(self.host, port, tls=self.implicit, session=self._session, secret=secret, fresh=fresh)
        )

    def _begin(self, channel: Channel) -> Steps[None]:
        self.channel = channel
        self._replies = ReplyReader()
        self._telnet = Negotiation()
        self._unproven = self._is_greeted = False
        self._adopt(SessionState())
        reply = yield from self.final_reply()
        if reply.kind != 2:
            raise reply_error(reply, f"{self.host} does not let us in", stage="login")
        if self.secure and not self.implicit:
            yield from self._start_tls()
        yield from self._log_in()
        if self.secure:
            yield from self._protect_data()

    def _start_tls(self) -> Steps[None]:
        reply = yield from self.command("AUTH", b"TLS")
        if reply.kind != 2:
            raise ConnectError(
                f"{self.host} refuses AUTH TLS, and ftps never goes on without TLS: {reply}", stage="tls"
            )
        if self._replies.pending or self._telnet.pending:
            # Attack: what came before TLS began was not the server's to say; read after it, it would pass as such.
            raise RemoteProtocolError(f"{self.host} sent more than its reply to AUTH TLS before TLS began", stage="tls")
        yield from Secure(self.channel, self.host)

    def _protect_data(self) -> Steps[None]:
        # RFC 4217 9: PBSZ has to come before PROT, even though its only value over TLS is 0.
        yield from self.command("PBSZ", b"0")
        reply = yield from self.command("PROT", b"P")
        if reply.kind != 2:
            raise ConnectError(f"{self.host} does not protect data connections: {reply}", stage="tls")

    def _log_in(self) -> Steps[None]:
        reply = yield from self.command("USER", octets(self.user))
        if reply.code == 331:
            password = self.password
            if password is None:
                password = yield from self._ask_for_password()
            self._said = octets(password)
            reply = yield from self.command("PASS", self._said)
        if reply.kind == 2:
            return
        if reply.code in (332, 530):
            who = "an anonymous login" if self.url.user is None else f"the login of {self.user!r}"
            account = ": it asks for an account (ACCT), which an ftp URL can't name" if reply.code == 332 else ""
            raise AuthRequiredError(
                f"{self.host} does not take {who}{account}: {reply}", code=reply.code, text=reply.text, stage="login"
            )
        raise reply_error(reply, f"{self.host} does not take the login", stage="login")

    def _ask_for_password(self) -> Steps[str]:
        secret = yield from AskSecret(self.host, self.user, "ftp password")
        if secret is None:
            raise SecretNeededError(
                f"{self.host} asks for the password of {self.user!r}, and neither netrc nor a terminal can give it"
            )
        # Whoever gave it may not be who comes next: such a login is not kept for others.
        self._keepable = False
        password = secret.reveal()
        if any(octet in password for octet in "\r\n\0"):
            raise RefusedError("the password holds CR, LF or NUL, which would end the command: it is never sent")
        return password

    # --- commands and replies --------------------------------------------------------------------------------------

    def command(self, verb: str, argument: bytes | None = None) -> Steps[Reply]:
        """Send a command; its first reply, preliminary or not.

        A kept connection that breaks before its first reply is replaced by a fresh one, once.

        Raises:
            ConnectionLost: The server closed the connection, or said so (421).
            RemoteProtocolError: There is a reply that nobody asked for, or one that is none.
        """
        if not self._unproven:
            return (yield from self._exchange(verb, argument))
        try:
            reply = yield from self._exchange(verb, argument)
        except ConnectionLost:
            yield from self._begin_again()
            return (yield from self._exchange(verb, argument))
        self._unproven = False
        return reply

    def _begin_again(self) -> Steps[None]:
        """Connect afresh, and come to where the kept connection was."""
        directories, type_, utf8 = self.directories, self.type, self.utf8
        yield from Close(self.channel)
        channel = yield from self._connect(fresh=True)
        yield from self._begin(channel)
        if utf8:
            yield from self.speak_utf8()
        for directory in directories:
            reply = yield from self.change_directory(directory)
            if reply.kind != 2:
                raise reply_error(reply, f"{self.host} does not enter {quoted(directory)} again")
        if type_:
            yield from self.set_type(type_)

    def _exchange(self, verb: str, argument: bytes | None) -> Steps[Reply]:
        line = commands.encode_command(verb, argument)
        if self._replies.pending:
            raise self._unasked()
        try:
            yield from Send(self.channel, line)
        except Truncated as error:
            raise ConnectionLost(f"the control connection to {self.host} broke", stage="request") from error
        return (yield from self._reply())

    def _unasked(self) -> AccessError:
        # What is here before the question is no answer to it: a stale reply, or one to somebody else's command.
        reply = self._next_reply()
        if reply is not None and reply.code == 421:
            return ConnectionLost(f"{self.host} ends the session: {reply}", stage="request")
        shown = "the beginning of a reply" if reply is None else str(reply)
        return RemoteProtocolError(f"{self.host} said what nobody asked for: {shown}", sample=shown, stage="request")

    def _reply(self) -> Steps[Reply]:
        started: float | None = None
        pieces = 0
        while (reply := self._next_reply()) is None:
            if pieces:
                now = yield from Monotonic()
                started = now if started is None else started
                if now - started > REPLY_SECONDS:
                    raise TransferTimeout(f"a reply of {self.host} took more than {REPLY_SECONDS:g} seconds")
            try:
                data = yield from self._more()
            except Truncated as error:
                raise ConnectionLost(f"the control connection to {self.host} broke", stage="request") from error
            if not data:
                raise ConnectionLost(f"{self.host} closed the control connection without a reply", stage="request")
            self._replies.feed(self._telnet.feed(data))
            if self._telnet.answers:
                answers, self._telnet.answers = self._telnet.answers, b""
                yield from Send(self.channel, answers)
            pieces += 1
        if reply.code == 421:
            raise ConnectionLost(f"{self.host} ends the session: {reply}", stage="request")
        return reply

    def _more(self) -> Steps[bytes]:
        if self._is_greeted:
            return (yield from Receive(self.channel))
        self._is_greeted = True
        return (yield from hear_greeting(self.channel, self.host, self.url.port or 0, "FTP", self.options.patience))

    def _next_reply(self) -> Reply | None:
        """The next whole reply; a server that says the password again does not get it into a message of ours."""
        reply, echoes = None, False
        try:
            reply = self._replies.next_reply()
        except RemoteProtocolError as error:
            if not self._said or text_of(self._said) not in str(error):
                raise
            echoes = True
        if echoes:  # raised out here: within, it would keep the other error as its context
            raise RemoteProtocolError(f"{self.host} says no reply, but the password")
        # Only what is shown: other replies are read for numbers, which the password may be a part of.
        if reply is None or not self._said or (reply.kind not in (4, 5) and reply.code != 331):
            return reply
        return Reply(reply.code, tuple(line.replace(self._said, b"***") for line in reply.lines))

    def final_reply(self) -> Steps[Reply]:
        """The next reply that is not preliminary."""
        while (reply := (yield from self._reply())).kind == 1:
            pass
        return reply

    def change_directory(self, directory: bytes) -> Steps[Reply]:
        """CWD; remembered when it succeeded."""
        reply = yield from self.command("CWD", directory)
        if reply.kind == 2:
            self.directories.append(directory)
        return reply

    def set_type(self, type_: str) -> Steps[None]:
        """TYPE A or I, if it is not set."""
        if self.type == type_:
            return
        reply = yield from self.command("TYPE", type_.upper().encode("ascii"))
        if reply.kind != 2:
            raise reply_error(reply, f"{self.host} does not transfer in type {type_.upper()}")
        self.type = type_

    def ask_features(self) -> Steps[Mapping[str, str]]:
        """FEAT, once; a server that has no such command has no features (RFC 2389 3)."""
        if self.features is None:
            reply = yield from self.command("FEAT")
            self.features = commands.features_of(reply) if reply.kind == 2 else {}
        return self.features

    def speak_utf8(self) -> Steps[None]:
        """Ask for UTF-8 names where the server offers it (RFC 2640).

        Some servers offer it, and yet read and write names in a code page of their own until OPTS UTF8 ON.
        """
        if not self.utf8 and "UTF8" in (yield from self.ask_features()):
            yield from self.command("OPTS", b"UTF8 ON")
        self.utf8 = True

    def leave(self) -> Steps[None]:
        """End well: keep the connection for the next dialogue of this login, or say good-bye."""
        if self._keepable:
            state = SessionState(tuple(self.directories), self.type, self.features, self.utf8, self.extended)
            yield from Keep(self.channel, self._session, state)
            return
        try:
            yield from Send(self.channel, commands.encode_command("QUIT"))
        except AccessError:  # a courtesy: everything that was wanted is here
            pass


def _password(url: URL, options: Options) -> str | None:
    if url.user is None:
        identity = options.identity or NOBODY
        if any(octet in identity for octet in "\r\n\0"):
            raise RefusedError("the identity holds CR, LF or NUL, which would end the command: it is never sent")
        return identity
    # With no name there is nobody to ask for a password.
    return "" if url.password is None and not url.user else url.password
