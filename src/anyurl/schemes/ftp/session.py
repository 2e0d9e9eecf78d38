"""The control connection of ftp and ftps, as asks: login, directories, features.

Rule: the commands of RFC 1738 3.2.2 are sent in its order; further commands are sent only when needed. Login follows
3.2.1, reuse 3.2.5: a kept connection is used for a URL only if its entered directories are the first ones of the URL,
or if it is known how to leave them. TLS follows RFC 4217: on port 990 it begins with the connection (implicit), on any
other port after AUTH TLS.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from anyurl.dialogue import AskSecret, Close, Options, Secret, Steps
from anyurl.errors import AccessError, AuthRequiredError, ConnectError, NotFoundError, SecretNeededError
from anyurl.guard.verdict import Reader, option
from anyurl.schemes.ftp.parts import FtpParts
from anyurl.schemes.ftp.replies import TABLE
from anyurl.schemes.ftp.wire import commands
from anyurl.schemes.ftp.wire.list import ListedName, read_facts
from anyurl.schemes.ftp.wire.telnet import IAC, Negotiation
from anyurl.schemes.kit.line_session import LineSession, check_said
from anyurl.schemes.kit.replies import Reply, ReplyReader
from anyurl.schemes.kit.scheme import octets, quoted
from anyurl.url import URL, syntax
from anyurl.values import Value

PIPELINING = re.compile("vsFTPd|ProFTPD|Pure-FTPd|pyftpdlib|FileZilla Server|inetutils")
"""Greetings of servers known to support pipelined commands; other servers get one command at a time. lftp assumes
support by all but three servers (ftp:auto-sync-mode)."""

NO_TELNET = re.compile("vsFTPd|Pure-FTPd|pyftpdlib")
"""Greetings of servers that read a doubled 0xFF as two octets of the name. For all others it is doubled (RFC 854)."""

ANONYMOUS = "anonymous"
NOBODY = "anonymous@"
"""The password of an anonymous login if no identity is configured: no e-mail address is made up (RFC 1738 3.2.1)."""


Said: TypeAlias = tuple[str, bytes | None]
"""A command and its argument."""


class FtpState(Value):
    """The state of a kept control connection; immutable.

    Attributes:
        directories: The arguments of all CWDs sent so far.
        type: The TYPE that is set, or "" for the default after login (A).
        features: The reply to FEAT, or None if it was not sent.
        utf8: Whether UTF-8 was requested, or found not to be offered.
        passive: The command that opens data connections, EPSV or PASV; "" before the first.
        system: The reply to SYST, or None if it was not sent.
        pipelines: Whether the server supports pipelined commands.
        telnet: Whether the server reads commands by the rules of telnet (0xFF doubled).
        announces: Whether the last 150 reply to a binary RETR gave the file's size, so that SIZE is not needed.
        home: The directory after login, as the reply to PWD gives it; b"" if PWD is not sent or gave no path, None if
            it is to be sent before the first CWD.
    """

    directories: tuple[bytes, ...] = ()
    type: str = ""
    features: Mapping[str, str] | None = None
    utf8: bool = False
    passive: str = ""
    system: str | None = None
    pipelines: bool = False
    telnet: bool = True
    announces: bool = False
    home: bytes | None = b""


_NEW = FtpState()


class Control(LineSession):
    """One control connection; its methods are steps of a dialogue: ``yield from`` them.

    Args:
        wanted: The directories that the URL's commands enter, in order.
        fresh: As in `LineSession`.
    """

    __slots__ = (
        "url", "user", "password", "wanted", "reader", "protects", "directories", "type", "features", "utf8", "passive",
        "system", "pipelines", "telnet", "announces", "_home", "_ahead", "_telnet",
    )  # fmt: skip

    noun = "control connection"
    table = TABLE

    def __init__(self, url: URL, options: Options, wanted: Sequence[bytes], *, fresh: bool = False) -> None:
        port, tls_port = url.port, syntax.row("ftps").port
        assert port is not None  # the row of the scheme has a default
        self.url = url
        self.wanted = wanted
        self.reader: Reader = options.reader
        # RFC 1738 3.1: an empty user name is a user name; only a URL without any means an anonymous login.
        self.user = ANONYMOUS if url.user is None else url.user
        self.password = _password(url, options)
        self.protects = url.scheme == "ftps"
        super().__init__(
            commands.REPLIES,
            url.host or "",
            port,
            tls=self.protects and port == tls_port,
            patience=options.patience,
            session=" ".join((url.scheme, repr(self.user), repr(None if url.user is not None else self.password))),
            secret=Secret(self.password) if url.password is not None and self.password is not None else None,
            fresh=fresh,
        )
        self._adopt(_NEW)

    def _adopt(self, state: FtpState) -> None:
        self.directories = list(state.directories)
        self.type = state.type
        self.features = state.features
        self.utf8 = state.utf8
        self.passive = state.passive
        self.system = state.system
        self.pipelines = state.pipelines
        self.telnet = state.telnet
        self.announces = state.announces
        self._home = state.home
        self._ahead: deque[tuple[Said, Reply | None]] = deque()

    @property
    def _tls_hint(self) -> str:
        port = syntax.row("ftps").port
        return "use ftps://" if self.port == port else f"ftps:// begins with it at port {port} only"

    def _make_reader(self) -> ReplyReader:
        self._telnet: Negotiation | None = None
        return super()._make_reader()

    def _feed(self, data: bytes) -> bytes:
        if self._telnet is None:
            if IAC not in data:  # nearly always
                self._replies.feed(data)
                return b""
            self._telnet = Negotiation()
        self._replies.feed(self._telnet.feed(data))
        answers, self._telnet.answers = self._telnet.answers, b""
        return answers

    def _has_pending(self) -> bool:
        return super()._has_pending() or (self._telnet is not None and self._telnet.pending)

    # --- connection and login --------------------------------------------------------------------------------------

    def open(self) -> Steps[None]:
        """Connect and log in, or reuse a kept connection whose directories are the first of those wanted."""
        kept = yield from self.connect()
        if isinstance(kept, FtpState):
            self._adopt(kept)
            if tuple(self.wanted[: len(kept.directories)]) == kept.directories or (yield from self._go_home()):
                return
            yield from self.say_goodbye()
            yield from Close(self.channel)
            yield from self.connect(fresh=True)
        yield from self._begin()
        self._home = None if isinstance(kept, FtpState) else b""

    def _go_home(self) -> Steps[bool]:
        """Return to the directory of the login; returns whether that worked.

        RFC 1738 3.2.5 defines no way from one directory to another, and requires a new connection. From the second time
        on, the reply to PWD is used: CWD accepts it (RFC 959, Appendix II), and only servers with paths are asked.
        """
        if not self._home:
            return False
        self.directories = []
        return (yield from self.command("CWD", self._home)).kind == 2

    def _enter(self) -> Steps[None]:
        self._adopt(_NEW)
        reply = yield from self.final_reply()
        if reply.kind != 2:
            raise self.no_greeting(reply)
        self.pipelines = PIPELINING.search(reply.text) is not None
        self.telnet = NO_TELNET.search(reply.text) is None
        if self.protects and not self.secure:
            yield from self.start_tls("AUTH TLS", commands.encode_command("AUTH", b"TLS"), range(200, 300))
        yield from self._log_in()
        if self.protects:
            yield from self._protect_data()

    def _protect_data(self) -> Steps[None]:
        # RFC 4217 9: PBSZ must precede PROT, even though its only value over TLS is 0.
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
            said = octets(password)
            if self.url.user is not None and said:
                self._secrets = (said,)
            reply = yield from self.command("PASS", said)
        if reply.kind == 2:
            return
        who = "an anonymous login" if self.url.user is None else f"the login of {self.user!r}"
        what = f"{self.host} does not take {who}"
        if reply.code == 332:
            raise AuthRequiredError(
                f"{what}: it asks for an account (ACCT), which an ftp URL can't name: {reply}",
                code=reply.code,
                text=reply.text,
                stage="login",
                meaning="login",
            )
        raise self.refusal(reply, what)

    def _ask_for_password(self) -> Steps[str]:
        secret = yield from AskSecret(self.host, self.user, "ftp password")
        if secret is None:
            raise SecretNeededError(
                f"{self.host} asks for the password of {self.user!r}, and neither netrc nor a terminal can give it."
            )
        # The next caller may be another user: a login whose password was prompted for is not kept.
        self._session = None
        return check_said(secret.reveal(), "password")

    # --- commands and replies --------------------------------------------------------------------------------------

    def command(self, verb: str, argument: bytes | None = None) -> Steps[Reply]:
        """Send a command and return its first reply, preliminary or not.

        Raises:
            ConnectionLost: The server closed the connection, or announced that it does (421).
            RemoteProtocolError: The server sent an unexpected or malformed reply.
        """
        return self._said_ahead(verb, argument) if self._ahead else self.ask(self._line(verb, argument))

    def _line(self, verb: str, argument: bytes | None) -> bytes:
        return commands.encode_command(verb, argument, telnet=self.telnet)

    def say_ahead(self, *said: Said) -> Steps[None]:
        """Send several commands at once if the server supports pipelining; `command` then returns their replies.

        All are sent, even if an earlier one fails, so none may depend on the success of another.
        """
        if self.pipelines and len(said) > 1:
            first = yield from self.ask(b"".join([self._line(*each) for each in said]))
            self._ahead.append((said[0], first))
            self._ahead.extend([(each, None) for each in said[1:]])

    def _said_ahead(self, verb: str, argument: bytes | None) -> Steps[Reply]:
        while self._ahead:
            said, reply = self._ahead.popleft()
            reply = (yield from self.reply()) if reply is None else reply
            if said == (verb, argument):
                return reply
        return (yield from self.ask(self._line(verb, argument)))  # it was not sent ahead

    def take_back(self) -> Steps[None]:
        """Reconnect if commands were sent ahead whose replies are no longer wanted."""
        if self._ahead:
            yield from self._begin_again()

    def _begin_again(self) -> Steps[None]:
        directories, type_, utf8 = self.directories, self.type, self.utf8
        yield from super()._begin_again()
        if utf8:
            yield from self.speak_utf8()
        for directory in directories:
            reply = yield from self.change_directory(directory)
            if reply.kind != 2:
                raise self.refusal(reply, f"{self.host} does not enter {quoted(directory)} again")
        if type_:
            yield from self.set_type(type_)

    def final_reply(self) -> Steps[Reply]:
        """The next reply that is not preliminary."""
        while (reply := (yield from self.reply())).kind == 1:
            pass
        return reply

    def enter_ahead(self, directories: Sequence[bytes]) -> Steps[None]:
        """Pipeline the CWDs if possible, preceded by PWD if this client has had to change directories before."""
        said: list[Said] = [("CWD", directory) for directory in directories]
        if not (self.pipelines and said) or b"" in directories:  # CWD without an argument is often refused
            return
        if self._home is None and not self.directories:
            yield from self.say_ahead(("PWD", None), *said)
            self._home = commands.directory_of((yield from self.command("PWD")))
        else:
            yield from self.say_ahead(*said)

    def change_directory(self, directory: bytes) -> Steps[Reply]:
        """Send CWD, and record the directory if it succeeded."""
        reply = yield from self.command("CWD", directory)
        if reply.kind == 2:
            self.directories.append(directory)
        return reply

    def set_type(self, type_: str) -> Steps[None]:
        """Send TYPE A or I unless it is already set."""
        if self.type == type_:
            return
        reply = yield from self.command("TYPE", type_.upper().encode("ascii"))
        if reply.kind != 2:
            raise self.refusal(reply, f"{self.host} does not transfer in type {type_.upper()}")
        self.type = type_

    def ask_features(self) -> Steps[Mapping[str, str]]:
        """The reply to FEAT, sent once; a server without the command has no features (RFC 2389 3)."""
        if self.features is None:
            reply = yield from self.command("FEAT")
            self.features = commands.features_of(reply) if reply.kind == 2 else {}
        return self.features

    def ask_system(self) -> Steps[str]:
        """The reply to SYST (RFC 959 4.1.3), sent once; "" if the server does not tell."""
        if self.system is None:
            reply = yield from self.command("SYST")
            self.system = reply.text if reply.kind == 2 else ""
        return self.system

    def facts_about(self, name: bytes) -> Steps[ListedName | None]:
        """The facts from MLST about a name or the current directory; None if there are none, or for another name."""
        reply = yield from self.command("MLST", name or None)
        line = commands.facts_line_of(reply) if reply.kind == 2 else None
        item = None if line is None else read_facts(line)
        # The server may write the full path, and any name for a directory; but a file must have the requested name.
        if item is None or (item.kind != "listing" and _last(item.name) != _last(name)):
            return None
        return ListedName(name, item.kind, item.size, item.modified, item.facts)

    def speak_utf8(self) -> Steps[None]:
        """Request UTF-8 names if the server offers them (RFC 2640).

        Some servers offer UTF-8, but use a code page of their own until OPTS UTF8 ON.
        """
        if not self.utf8 and "UTF8" in (yield from self.ask_features()):
            yield from self.command("OPTS", b"UTF8 ON")
        self.utf8 = True

    def leave(self) -> Steps[None]:
        """End the session: keep the connection for the next dialogue with this login, or send QUIT."""
        state = FtpState(
            tuple(self.directories), self.type, self.features, self.utf8, self.passive, self.system,
            self.pipelines, self.telnet, self.announces, self._home,
        )  # fmt: skip
        return self.keep(state)


def converse(
    url: URL,
    options: Options,
    parts: FtpParts,
    verb: Callable[[Control], Steps[None]],
    *,
    fresh: bool = False,
    makes: bool = False,
) -> Steps[None]:
    """Log in, send the CWDs of the URL, one for each directory, in order (RFC 1738 3.2.2), then run the verb.

    Args:
        makes: Directories that do not exist are made.
    """
    directories = [octets(name) for name in parts.directories if name or not options.lenient]
    control = Control(url, options, directories, fresh=fresh)
    return control.converse(_enter(control, octets(parts.name), makes), verb(control))


def _enter(control: Control, name: bytes, makes: bool) -> Steps[None]:
    if _need_utf8([*control.wanted, name]):
        yield from control.speak_utf8()
    directories = control.wanted[len(control.directories) :]
    if not directories:
        return
    if not makes:  # after a failed CWD, the rest would be entered from another directory
        yield from control.enter_ahead(directories)
    for directory in directories:
        reply = yield from control.change_directory(directory)
        if reply.kind != 2 and makes and directory:
            made = yield from control.command("MKD", directory)
            # Another client may have made it meanwhile: CWD tells.
            reply = yield from control.change_directory(directory)
            if reply.kind != 2 and made.kind != 2:
                raise control.refusal(made, f"{control.host} does not make the directory {quoted(directory)}", "write")
        if reply.kind != 2:
            raise _no_directory(control, directory, reply)


def _need_utf8(names: Sequence[bytes]) -> bool:
    """Whether the names contain non-ASCII characters in valid UTF-8; names that are not UTF-8 are sent unchanged."""
    joined = b"/".join(names)
    if joined.isascii():
        return False
    try:
        joined.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _no_directory(control: Control, directory: bytes, reply: Reply) -> AccessError:
    if not directory and reply.kind in (4, 5):
        return NotFoundError(
            f"{control.host} refuses CWD with an empty argument, which '//' asks for (RFC 1738 3.2.2): {reply}. "
            f"{option('lenient', control.reader)} leaves it out; '/%2F' at the beginning of the path means the root.",
            code=reply.code,
            text=reply.text,
        )
    return control.refusal(reply, f"{control.host} does not enter the directory {quoted(directory)}")


def _last(path: bytes) -> bytes:
    return path.rstrip(b"/").rpartition(b"/")[2]


def _password(url: URL, options: Options) -> str | None:
    if url.user is None:
        return check_said(options.identity or NOBODY, "identity")
    # An empty user name needs no password.
    return "" if url.password is None and not url.user else url.password
