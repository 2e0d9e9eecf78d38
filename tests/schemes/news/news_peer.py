"""A dialogue with a news server, carried out by hand: its asks are answered from a table of replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anyurl.dialogue import (
    Channel,
    Close,
    Connect,
    Consent,
    Describe,
    Dialogue,
    Emit,
    Entry,
    Keep,
    Monotonic,
    Note,
    Options,
    Receive,
    Send,
    Steps,
    Take,
)
from anyurl.errors import AnyURLError
from anyurl.schemes.news.session import NewsSession
from anyurl.url import URL

CAPABILITIES = b"101 these\r\nVERSION 2\r\nREADER\r\nOVER\r\nHDR\r\nNEWNEWS\r\n.\r\n"

Replies = Mapping[bytes, bytes]
"""By the whole line, or by its first word."""


class Played:
    """What came of a dialogue.

    Attributes:
        said: The lines that were sent, without CAPABILITIES.
        described: The description, or None.
        emitted: The octets that were emitted.
        entries: The entries that were emitted.
        batches: How many of them at a time.
        notes: Its remarks.
        acts: What it asked consent for.
        kept: Whether the session was kept.
        error: What it ended with, or None.
    """

    def __init__(
        self, dialogue: Dialogue | Steps[Any], replies: Replies, takes: Iterable[bytes] = (), most: int = 1 << 20
    ) -> None:
        self.said: list[bytes] = []
        self.described: Describe | None = None
        self.emitted = b""
        self.entries: list[Entry] = []
        self.batches: list[int] = []
        self.notes: list[str] = []
        self.acts: list[str] = []
        self.kept = False
        self.error: AnyURLError | None = None
        self._replies = {b"CAPABILITIES": CAPABILITIES, b"QUIT": b"205 bye\r\n", **replies}
        self._takes = list(takes)
        self._most = most
        self._inbox = b""
        self._posting = b""
        answer: Any = None
        try:
            while True:
                answer = self._answer(dialogue.send(answer))
        except StopIteration:
            pass
        except AnyURLError as error:
            self.error = error

    def _answer(self, ask: object) -> Any:
        match ask:
            case Connect():
                self._inbox = self._replies.get(b"greeting", b"200 ready\r\n")
                return Channel(("192.0.2.1", ask.port))
            case Send():
                self._hear(ask.data)
            case Receive():
                most = min(ask.at_most, self._most)
                piece, self._inbox = self._inbox[:most], self._inbox[most:]
                return piece
            case Take():
                return self._takes.pop(0) if self._takes else b""
            case Monotonic():
                return 0.0
            case Describe():
                self.described = ask
            case Emit():
                if isinstance(ask.content, bytes):
                    self.emitted += ask.content
                else:
                    self.batches.append(len(ask.content))
                    self.entries += ask.content
            case Note():
                self.notes.append(ask.text)
            case Consent():
                self.acts.append(ask.act)
            case Keep():
                self.kept = True
            case Close():
                pass
            case _:
                raise AssertionError(ask)
        return None

    def _hear(self, data: bytes) -> None:
        if self._posting:
            self._posting += data
            if self._posting.endswith(b"\r\n.\r\n"):
                self.said += self._posting.removeprefix(b"\n").split(b"\r\n")[:-1]
                self._posting = b""
                self._inbox += self._replies.get(b"posted", b"240 <new@server> received\r\n")
            return
        for line in data.removesuffix(b"\r\n").split(b"\r\n"):
            if line != b"CAPABILITIES":
                self.said.append(line)
            reply = self._replies.get(line, self._replies.get(line.split()[0], b"500 what?\r\n"))
            self._posting = b"\n" if reply.startswith(b"340") else b""
            self._inbox += reply


def play(url: str, make: Any, replies: Replies, *arguments: Any, **options: Any) -> Played:
    """Open a session for a URL, and carry out the steps that `make` makes of it and the arguments."""
    session = NewsSession(URL(url), Options(**options))
    return Played(session.converse(make(session, *arguments)), replies)


def lines(code: bytes, *block: bytes) -> bytes:
    """A reply with a block."""
    return b"".join(line + b"\r\n" for line in (code, *block, b"."))


def overview(*numbers: int, subject: str = "s") -> Sequence[bytes]:
    """Overview lines."""
    return [b"%d\t%s %d\tMe <me@h>\tThu, 01 Dec 1994 00:00:00 GMT\t<%d@h>\t\t9\t1" % (n, subject.encode(), n, n)
            for n in numbers]  # fmt: skip
