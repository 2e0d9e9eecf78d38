"""telnet: interactive services (RFC 1738 3.8, RFC 4248).

Rule: a telnet URL designates a service, not a document. Its user and password are advice for the user, to whom they are
shown; neither is ever sent. Nothing is connected to before the caller wants to use the service.
"""

from __future__ import annotations

from anyurl.dialogue import (
    Channel,
    Command,
    Connect,
    Describe,
    Dialogue,
    Emit,
    FakeServer,
    Input,
    Keys,
    Note,
    Options,
    Send,
    Steps,
    Terminal,
    Wait,
)
from anyurl.errors import ConnectionLost, Truncated, escape
from anyurl.schemes.kit.scheme import Parts, Scheme, decode, part_error, refuse_octets
from anyurl.schemes.telnet.wire.keys import Keyboard
from anyurl.schemes.telnet.wire.stream import TelnetCodec
from anyurl.url import URL, syntax


class TelnetParts(Parts):
    """Empty: a telnet URL ends with its host and port (RFC 4248 2)."""

    def url_path(self) -> str:
        """The empty url-path."""
        return ""


def read(url: URL) -> TelnetParts:
    """Read the parts of a telnet URL.

    Raises:
        URLSyntaxError: There is a path after the host.
    """
    if url.url_path:
        raise part_error(
            url.url_path,
            "a telnet URL ends with its host: nothing but one '/' may follow",
            "RFC 4248 2",
            rule="telneturl",
        )
    return TelnetParts()


READ_AT_MOST = 16 * 1024
"""Octets that are read in one step: commands of telnet take a reader some 10 ms, and it holds the loop."""


def check(url: URL) -> TelnetParts:
    """Refuse line ends: they would be typed into the service (RFC 1738 section 6).

    Returns:
        The parts of the URL.

    Raises:
        URLSyntaxError: As `read`.
        RefusedError: CR, LF or NUL in the url-path or the login.
    """
    refuse_octets(url, syntax.ROWS["telnet"], url_path=decode(url.url_path), user=url.user, password=url.password)
    return read(url)


# --- the verbs -----------------------------------------------------------------------------------------------------


def get(url: URL, options: Options) -> Dialogue:
    """Describe the service; when its content is wanted, connect, negotiate, and relay both sides.

    Asks: Connect once the consumer wants content; Wait and Send until the service ends.

    Raises:
        RefusedError: The login holds a line end.
        LimitError: The service negotiates without end.
        ConnectionLost: It broke off.
    """
    yield from stat(url, options)
    assert url.host is not None
    assert url.port is not None
    channel = yield from Connect(url.host, url.port)
    terminal = options.terminal
    codec = TelnetCodec(terminal.name, terminal.columns, terminal.rows)
    keyboard = Keyboard(codec)
    if url.port == syntax.ROWS["telnet"].port:
        yield from Send(channel, codec.begin())
    while True:
        try:
            ready = yield from Wait(channel, READ_AT_MOST)
        except Truncated as error:  # a service has no length that it could fall short of
            raise ConnectionLost(f"{error} The session is over.", stage="transfer") from error
        for given in ready.inputs:
            yield from _pass_on(channel, codec, keyboard, given)
        if ready.data is None:
            continue
        if not ready.data:
            return None
        text = codec.receive(ready.data)
        if text:
            yield from Emit(text)
        replies = codec.replies()
        if replies:
            yield from Send(channel, replies)


def _pass_on(channel: Channel, codec: TelnetCodec, keyboard: Keyboard, given: Input) -> Steps[None]:
    """Send the caller's input to the session; echo the user's typing if the service does not."""
    sent, shown = b"", b""
    if isinstance(given, Keys):
        sent, shown = keyboard.typed(given.octets)
    elif isinstance(given, Command):
        sent = codec.command(given.name)
    elif isinstance(given, Terminal):
        sent = codec.resize(given.columns, given.rows)
    else:
        sent = codec.send(given)
    if shown:
        yield from Emit(shown)
    if sent:
        yield from Send(channel, sent)


def stat(url: URL, options: Options) -> Dialogue:
    """Describe the service, and the advice in its URL (RFC 1738 3.8). Nothing is connected to."""
    check(url)
    attributes: dict[str, object] = {"protocol": "telnet"}
    if url.user:
        attributes["user_advised"] = url.user
        yield from Note(f"the URL advises the user {escape(url.user)!r}; it is yours to type")
    if url.password:
        attributes["password_advised"] = True
        yield from Note("the URL also advises a password, which is not shown; `anyurl parse --reveal URL` shows it")
    yield from Describe("service", attributes=attributes)
    return None


def fake_server(_url: URL, _options: Options) -> FakeServer:
    """An ideal service: it asks for the terminal and its size, and greets."""
    from anyurl.schemes.telnet.wire.server import REQUESTS, TelnetServer

    requests = (*REQUESTS[2:], *REQUESTS[:2])
    return TelnetServer("An ideal service.\n", lambda _line, _reader: ("", True), requests, asks_name=False)


SCHEMES = (
    Scheme(
        "telnet",
        reference="RFC 4248",
        summary="An interactive service, to be used by a person at a terminal.",
        read=read,
        verbs={"get": get, "stat": stat},
        fake_server=fake_server,
        check=check,
    ),
)
