"""Dry run: a dialogue run against the fake server of its scheme, as lines of text; ``--explain`` prints them.

Rule: nothing is opened and nothing is sent; the lines show what the same dialogue would send to a perfectly behaved
server. No password is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anyurl.client.gateways import Gateways
from anyurl.client.logins import login_for
from anyurl.client.resource import as_url
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
    Dialogue,
    Emit,
    FakeServer,
    FileFacts,
    Follow,
    GiveWay,
    Keep,
    ListFolder,
    LocalName,
    Monotonic,
    Note,
    Now,
    OpenFile,
    OpenFolder,
    Options,
    Random,
    Ready,
    Receive,
    Relay,
    Request,
    Response,
    Rewind,
    Secret,
    Secure,
    Send,
    StatFile,
    Take,
    Verb,
    Wait,
)  # fmt: skip
from anyurl.errors import AnyURLError, LocalProtocolError, escape
from anyurl.guard.hops import GATEWAY
from anyurl.guard.policy import Policy
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.url.masking import mask
from anyurl.values import USER, Provenance, shown

MAX_STEPS = 100_000
"""Asks in one dry run: fake servers end every dialogue long before; a bug in one must not hang."""

IDEAL_ADDRESS = "192.0.2.1"
"""The address of the fake server: documentation space (RFC 5737), never connected to."""

IDEAL_NOW = 786_240_000.0
"""Seconds since the epoch: 1 December 1994, when RFC 1738 appeared."""


class FakeConnection(Channel):
    """One connection of a dry run, with the fake server's data that was not received yet."""

    __slots__ = ("number", "inbox", "closed")

    def __init__(self, number: int, peer: tuple[str, int] | None) -> None:
        super().__init__(peer)
        self.number: int = number
        self.inbox: bytes = b""
        self.closed: bool = False


class DryRun:
    """Drives one dialogue against a fake server.

    Attributes:
        lines: The events, one per line: ``connect ...``, ``> `` and the data sent, ``open ...``.
        emitted: The output that the consumer would have received.
        described: The last description, or None.
        follow: Where the dialogue would redirect to, or None.
        sent: All octets sent, by connection number.
    """

    def __repr__(self) -> str:
        return shown(self, "lines")

    def __init__(self, dialogue: Dialogue, peer: FakeServer | None, *, secret: Secret | None = None) -> None:
        self._dialogue = dialogue
        self._peer = peer
        self._secrets = {secret.reveal()} if secret is not None else set()
        self._links = 0
        self._clock = 0.0
        self.lines: list[str] = []
        self.emitted: list[Any] = []
        self.described: Describe | None = None
        self.follow: Follow | None = None
        self.sent: dict[int, bytes] = {}
        self._answers: dict[type[Ask[Any]], Callable[[Any], Any]] = {
            Connect: self._connect, ConnectData: self._connect_data, Secure: self._secure, Send: self._send,
            Receive: self._receive, Relay: self._relay, Keep: self._nothing, Close: self._close,
            Request: self._request, OpenFile: self._open_file, Commit: self._commit, StatFile: self._stat_file,
            OpenFolder: self._open_folder, ListFolder: self._list_folder,
            LocalName: self._local_name, Take: self._take, Rewind: lambda ask: True,
            AskSecret: self._ask_secret,
            Consent: self._consent,
            Now: lambda ask: IDEAL_NOW, Monotonic: lambda ask: self._clock, Random: lambda ask: bytes(ask.count),
            Describe: self._describe, Emit: self._emit, Note: self._note,
            Wait: self._wait, GiveWay: self._nothing,
        }  # fmt: skip

    def run(self) -> DryRun:
        """Run the dialogue to its end.

        Raises:
            AnyURLError: The dialogue fails even against a fake server.
        """
        answer: Any = None
        for _ in range(MAX_STEPS):
            try:
                ask = self._dialogue.send(answer)
            except StopIteration as stop:
                self.follow = stop.value
                if self.follow is not None:
                    self.lines.append(f"go on at {self.follow.url.masked} ({self.follow.reason})")
                return self
            answer = self.answer(ask)
        raise LocalProtocolError(f"The dialogue did not end within {MAX_STEPS:,} steps.")

    def answer(self, ask: Ask[Any]) -> Any:
        """The ideal answer to one ask."""
        return self._answers[type(ask)](ask)

    # --- connections -----------------------------------------------------------------------------------------------

    def _new_link(self, peer: tuple[str, int]) -> FakeConnection:
        self._links += 1
        link = FakeConnection(self._links, peer)
        if self._peer is not None:
            link.inbox = self._peer.connected(link.number)
        return link

    def _connect(self, ask: Connect) -> FakeConnection:
        over = " over TLS" if ask.tls else " by UDP" if ask.transport == "udp" else ""
        self.lines.append(f"connect to {escape(ask.host)} port {ask.port}{over}")
        if ask.secret is not None:
            self._secrets.add(ask.secret.reveal())
        return self._new_link((IDEAL_ADDRESS, ask.port))

    def _connect_data(self, ask: ConnectData) -> FakeConnection:
        self.lines.append("connect to the same address at the port that the server names")
        return self._new_link((IDEAL_ADDRESS, ask.port))

    def _secure(self, ask: Secure) -> None:
        self.lines.append(f"begin TLS, for the name {escape(ask.server_name)}")

    def _send(self, ask: Send) -> None:
        link = ask.channel
        if not isinstance(link, FakeConnection):
            self.lines.append("write the caller's octets")
            return
        self.sent[link.number] = self.sent.get(link.number, b"") + ask.data
        for line in self._told(ask.data):
            self.lines.append("> " + escape(self._hide(line)))
        if self._peer is not None:
            link.inbox += self._peer.received(link.number, ask.data)

    def _told(self, data: bytes) -> Sequence[str]:
        """The lines of the data sent; if the protocol has no lines, the fake server describes the messages."""
        tell: Callable[[bytes], Sequence[str]] | None = getattr(self._peer, "tell", None)
        return data.decode("utf-8", "surrogateescape").splitlines() if tell is None else tell(data)

    def _hide(self, line: str) -> str:
        for secret in self._secrets:
            if secret and line.endswith(secret):
                return line[: -len(secret)] + "***"
        return mask(" " + line)[1:]  # the space keeps the first word from being read as a URL without a scheme

    def _receive(self, ask: Receive) -> bytes:
        link = ask.channel
        if not isinstance(link, FakeConnection):
            return b""
        if not link.inbox and ask.within is not None:
            self._clock += ask.within  # a fake server answers at once or never, so waiting only advances the clock
        data, link.inbox = link.inbox[: ask.at_most], link.inbox[ask.at_most :]
        return data

    def _wait(self, ask: Wait) -> Ready:
        return Ready(self._receive(Receive(ask.channel, ask.at_most)))

    def _relay(self, ask: Relay) -> int:
        data = self._receive(Receive(ask.channel, 1 << 62 if ask.limit is None else ask.limit))
        self.lines.append("deliver everything received, to its end")
        self.emitted.append(data)
        return len(data)

    def _close(self, ask: Close) -> None:
        if isinstance(ask.channel, FakeConnection):
            ask.channel.closed = True

    def _nothing(self, _ask: Any) -> None:
        return None

    # --- http ------------------------------------------------------------------------------------------------------

    def _request(self, ask: Request) -> Response:
        url = ask.url
        over = " over TLS" if url.scheme == "https" else ""
        self.lines.append(f"connect to {escape(url.host or '')} port {url.port}{over}")
        self.lines.append(f"> {escape(ask.method)} {escape(mask(ask.target))} HTTP/1.1")
        if not any(name.lower() == "host" for name, _ in ask.headers):
            self.lines.append(f"> Host: {escape((url.authority or '').rpartition('@')[2])}")
        for name, value in ask.headers:
            self.lines.append(f"> {escape(name)}: {'***' if isinstance(value, Secret) else escape(value)}")
        if ask.authorization is not None:
            self.lines.append(f"> Authorization: {ask.authorization.scheme} ***")
        if ask.upload:
            self.lines.append("> (the caller's octets)")
        return Response(200, "1.1", (("content-length", "0"),), FakeConnection(0, (IDEAL_ADDRESS, url.port or 0)))

    # --- files -----------------------------------------------------------------------------------------------------

    def _open_file(self, ask: OpenFile) -> Channel:
        doing = {"read": "read", "replace": "write a new", "append": "append to the"}[ask.mode]
        self.lines.append(f"{doing} file {escape(ask.path)}")
        channel = Channel()
        channel.size, channel.modified = 0, IDEAL_NOW
        return channel

    def _commit(self, _ask: Commit) -> None:
        self.lines.append("give the new file its name")

    def _stat_file(self, ask: StatFile) -> FileFacts:
        self.lines.append(f"look at {escape(ask.path)}")
        name = ask.path.rstrip("/").rpartition("/")[2]
        return FileFacts(name, "listing" if ask.path.endswith("/") else "document", 0, IDEAL_NOW, 0o644)

    def _open_folder(self, ask: OpenFolder) -> Channel:
        self.lines.append(f"list the directory {escape(ask.path)}")
        return Channel()

    def _list_folder(self, _ask: ListFolder) -> list[FileFacts]:
        return []

    def _local_name(self, _ask: LocalName) -> Any:
        return ("localhost",)

    # --- the caller ------------------------------------------------------------------------------------------------

    def _take(self, _ask: Take) -> bytes:
        self.lines.append("take the caller's octets (here: none)")
        return b""

    def _ask_secret(self, ask: AskSecret) -> Secret:
        self.lines.append(
            f"ask for the {ask.kind} of {escape(ask.user)} at {escape(ask.host)}, if the server wants one"
        )
        secret = Secret("<the password>")
        return secret

    def _consent(self, ask: Consent) -> None:
        doing = "a form may be answered" if ask.act == "form" else "a message may be sent in your name"
        self.lines.append(f"ask {'you and the policy' if ask.question else 'the policy'} whether {doing}")

    def _describe(self, ask: Describe) -> None:
        self.described = ask

    def _emit(self, ask: Emit) -> None:
        self.emitted.append(ask.content)

    def _note(self, ask: Note) -> None:
        self.lines.append(f"({ask.text})")


def dry_run(
    url: URL | str,
    verb: Verb = "get",
    options: Options | None = None,
    gateways: Gateways | None = None,
    came_from: Provenance = USER,
) -> Iterator[str]:
    """The lines that describe the actions and messages of the verb, without connecting to anything.

    Raises:
        AnyURLError: It would be refused, or the scheme does not support it.
    """
    parsed = as_url(url)
    lead = None if gateways is None else gateways.lead(parsed, verb, Policy.open(), USER, options)
    if lead is not None:
        yield f"go on at {lead.url} ({GATEWAY})"
        parsed, verb = lead.url, "get" if verb == "search" else verb
    wanted = options or Options()
    scheme = registry.find_scheme(parsed.scheme, wanted.reader)
    bare = parsed.without_fragment()
    secret = Secret(parsed.password) if parsed.password else None
    if wanted.logins is not None:
        wanted = wanted.replace(login=login_for(wanted.logins, bare, came_from)[0])
    peer = None if scheme.fake_server is None else scheme.fake_server(bare, wanted)
    dialogue = registry.verb(parsed, verb)(bare, wanted) if lead is None else lead.begin(verb, wanted)
    run = DryRun(dialogue, peer, secret=secret)
    try:
        run.run()
    except AnyURLError:
        if peer is not None or not run.sent:
            raise
        run.lines.append(f"(the rest depends on the answer: {scheme.name} has no fake server)")
    yield from run.lines
