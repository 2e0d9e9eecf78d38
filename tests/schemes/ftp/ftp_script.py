"""A rehearsal of ftp dialogues from a script: what the server answers, word for word, and what then went over the wire.

The server is the ideal one, but for the commands that a script names. Nothing is opened, nothing waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from anyurl.dialogue import (
    Ask,
    AskSecret,
    Channel,
    Close,
    Connect,
    ConnectData,
    Describe,
    Dialogue,
    Emit,
    Entry,
    Keep,
    Monotonic,
    Note,
    Now,
    Receive,
    Relay,
    Rewind,
    Secret,
    Secure,
    Send,
    Take,
)
from anyurl.errors import AnyURLError, ConnectionLost, RefusedError, TransferTimeout, Truncated
from anyurl.schemes.ftp.wire.fake_server import FEATURES, FakeFtpServer

NOW = 1_069_405_445.0
"""21 November 2003, 09:04:05 UTC."""

VSFTPD = ("EPRT", "EPSV", "MDTM", "PASV", "REST STREAM", "SIZE", "TVFS")
"""A server that has LIST only."""

SILENCE = TransferTimeout("the idle limit ran out", clock="idle")
RESET = ConnectionLost("the connection broke")
CUT = Truncated("the connection broke", received=5)
END = b""

Said = bytes | AnyURLError
Answer = Said | Sequence[Said]


class Connection(Channel):
    """One rehearsed connection."""

    def __init__(self, number: int, inbox: Sequence[Said], *, control: bool, kept: Any = None) -> None:
        super().__init__(("192.0.2.1", 21), kept)
        self.number = number
        self.inbox: list[Said] = list(inbox)
        self.control = control
        self.closed = False
        self.sent = b""


class Rehearsed:
    """Drives one dialogue against a script.

    Args:
        answers: By a whole command line, or by its verb; the first match wins. A sequence is what `Receive` gets, one
            piece after the other; an error in it is raised there; ``b""`` closes.
        data: What each data connection brings, in order; the last one goes on.
        chop: Octets of one `Receive`, to cut the replies.
        kept: What the first `Connect` that is not fresh finds in its channel.
        secret: What `AskSecret` gets.
        source: What `Take` gets.
        rewinds: Whether `Rewind` is possible.
        refuse: How many data ports the policy refuses.
        dead: What the first connections to data ports end with.

    Attributes:
        commands: Every command line sent, in order, all control connections together.
        at_once: How many lines each sending had.
        log: Everything that was asked, a word or two each.
        content: The octets handed over.
        entries: The entries handed over.
        described: The last description.
        notes: The remarks.
        keeps: What was kept: ``(session, state)``.
        error: What the dialogue ended with, or None.
    """

    def __init__(
        self,
        dialogue: Dialogue,
        answers: Mapping[str, Answer] | None = None,
        *,
        data: Answer | Sequence[Answer] | None = None,
        greeting: Answer = b"220 ready\r\n",
        chop: int | None = None,
        kept: Any = None,
        secret: str | None = None,
        source: Iterable[bytes] = (),
        rewinds: bool = True,
        features: tuple[str, ...] = FEATURES,
        holds: str = "file",
        refuse: int = 0,
        dead: Sequence[AnyURLError] = (),
        clock: Iterable[float] = (),
    ) -> None:
        self.commands: list[str] = []
        self.at_once: list[int] = []
        self.log: list[str] = []
        self.content = b""
        self.entries: list[Entry] = []
        self.batches: list[int] = []
        self.largest_piece = 0
        self.described: Describe | None = None
        self.notes: list[str] = []
        self.keeps: list[tuple[str, Any]] = []
        self.connects: list[Connect] = []
        self.uploaded = b""
        self.error: AnyURLError | None = None
        self._answers = {key.encode(): value for key, value in (answers or {}).items()}
        self._greeting = greeting
        self._data = [data] if isinstance(data, bytes) else list(data) if data is not None else None  # type: ignore[arg-type]
        self._chop = chop
        self._kept = kept
        self._secret = secret
        self._source = list(source)
        self._whole = b"".join(self._source)
        self._rewinds = rewinds
        self._ideal = FakeFtpServer(holds, features=features)  # type: ignore[arg-type]
        if kept is not None and kept.type:
            self._ideal.received(1, b"TYPE " + kept.type.upper().encode() + b"\r\n")
        self._refuse = refuse
        self._dead = list(dead)
        self._clock = iter(clock)
        self._wires: list[Connection] = []
        self._handlers: dict[type[Ask[Any]], Callable[[Any], Any]] = {
            Connect: self._connect, ConnectData: self._connect_data, Secure: self._secure, Send: self._send,
            Receive: self._receive, Relay: self._relay, Keep: self._keep, Close: self._close, Take: self._take,
            Rewind: self._rewind,
            AskSecret: self._ask_secret, Now: lambda _: NOW, Monotonic: lambda _: next(self._clock, NOW),
            Describe: self._describe, Emit: self._emit, Note: lambda ask: self.notes.append(ask.text),
        }  # fmt: skip
        self._run(dialogue)

    def _run(self, dialogue: Dialogue) -> None:
        answer: Any = None
        error: AnyURLError | None = None
        try:
            while True:
                ask = dialogue.throw(error) if error is not None else dialogue.send(answer)
                answer = error = None
                try:
                    answer = self._handlers[type(ask)](ask)
                except AnyURLError as problem:
                    error = problem
        except StopIteration:
            pass
        except AnyURLError as problem:
            self.error = problem

    def _connect(self, ask: Connect) -> Connection:
        self.connects.append(ask)
        self.log.append(f"connect {ask.host}:{ask.port}{' tls' if ask.tls else ''}{' fresh' if ask.fresh else ''}")
        kept = None if ask.fresh else self._kept
        greeting = [] if kept is not None else _pieces(self._greeting)
        return self._new(Connection(len(self._wires) + 1, greeting, control=True, kept=kept))

    def _connect_data(self, ask: ConnectData) -> Connection:
        self.log.append(f"data {ask.port}")
        if self._dead:
            raise self._dead.pop(0)
        if self._refuse:
            self._refuse -= 1
            raise RefusedError("the port belongs to another service")
        if self._data is None:
            inbox: Sequence[Said] = [self._ideal.connected(2)]
        else:
            inbox = _pieces(self._data.pop(0) if len(self._data) > 1 else self._data[0])
        return self._new(Connection(len(self._wires) + 1, inbox, control=False))

    def _new(self, wire: Connection) -> Connection:
        self._wires.append(wire)
        return wire

    def _secure(self, ask: Secure) -> None:
        resume = "" if ask.resume is None else f" resume {ask.resume.number}"  # type: ignore[attr-defined]
        self.log.append(f"tls {ask.channel.number} {ask.server_name}{resume}")  # type: ignore[attr-defined]

    def _send(self, ask: Send) -> None:
        wire = ask.channel
        assert isinstance(wire, Connection)
        assert not wire.closed
        if not wire.control:
            self.uploaded += ask.data
            if wire.inbox and isinstance(wire.inbox[0], AnyURLError):
                raise wire.inbox.pop(0)  # type: ignore[misc]
            return
        if ask.data.startswith(b"\x16\x03"):
            return  # whether silence means TLS
        assert ask.data.endswith(b"\r\n")
        lines = ask.data[:-2].split(b"\r\n")
        self.at_once.append(len(lines))
        for line in lines:
            self._answer(wire, line)

    def _answer(self, wire: Connection, line: bytes) -> None:
        self.commands.append(line.decode("utf-8", "backslashreplace"))
        self.log.append("> " + self.commands[-1])
        answer = self._answers.get(line, self._answers.get(line.partition(b" ")[0]))
        if answer is None:
            wire.inbox.append(self._ideal.received(1, line + b"\r\n"))
            return
        self._ideal.received(1, line + b"\r\n")
        if isinstance(answer, list):  # a list is used up, one answer for each time
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        wire.inbox += _pieces(answer)

    def _receive(self, ask: Receive) -> bytes:
        wire = ask.channel
        assert isinstance(wire, Connection)
        assert not wire.closed
        if not wire.inbox:
            if wire.control:
                raise SILENCE
            return b""
        piece = wire.inbox.pop(0)
        if isinstance(piece, AnyURLError):
            raise piece
        self.largest_piece = max(self.largest_piece, 0 if wire.control else min(ask.at_most, len(piece)))
        at_most = min(ask.at_most, self._chop or ask.at_most)
        if len(piece) > at_most:
            wire.inbox.insert(0, piece[at_most:])
        if piece == END:
            wire.inbox.insert(0, END)
        return piece[:at_most]

    def _relay(self, ask: Relay) -> int:
        moved = 0
        while ask.limit is None or moved < ask.limit:
            piece = self._receive(Receive(ask.channel, 1 << 30 if ask.limit is None else ask.limit - moved))
            if not piece:
                break
            self.content += piece
            moved += len(piece)
        return moved

    def _keep(self, ask: Keep) -> None:
        self.log.append("keep")
        self.keeps.append((ask.session, ask.state))

    def _close(self, ask: Close) -> None:
        wire = ask.channel
        assert isinstance(wire, Connection)
        wire.closed = True
        self.log.append(f"close {wire.number}")

    def _take(self, ask: Take) -> bytes:
        piece = self._source.pop(0) if self._source else b""
        if len(piece) > ask.at_most:
            self._source.insert(0, piece[ask.at_most :])
        return piece[: ask.at_most]

    def _rewind(self, ask: Rewind) -> bool:
        if self._rewinds:
            self._source = [self._whole[ask.offset :]]
        return self._rewinds

    def _ask_secret(self, ask: AskSecret) -> Secret | None:
        self.log.append(f"ask {ask.host} {ask.user} {ask.kind}")
        return None if self._secret is None else Secret(self._secret)

    def _describe(self, ask: Describe) -> None:
        self.described = ask
        self.log.append(f"describe {ask.kind}")

    def _emit(self, ask: Emit) -> None:
        if isinstance(ask.content, bytes):
            self.content += ask.content
        else:
            self.entries += ask.content
            self.batches.append(len(ask.content))


def _pieces(answer: Any) -> list[Said]:
    return [answer] if isinstance(answer, bytes | AnyURLError) else list(answer)
