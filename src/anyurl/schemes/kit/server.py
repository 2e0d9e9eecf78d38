"""A server of a scheme without I/O: ``--explain`` talks to it directly, clients of the world through a listener.

Rule: a conversation is a generator, which yields where it waits for its client, and where enough of its answers wait to
be sent. Time and numbers are arguments, so that a server says the same each time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from functools import partial
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Conversation: TypeAlias = Generator[None, None, T]

OCTETS_AT_ONCE = 64 * 1024
"""Octets of answers from which on they are sent before the next command is read, however many arrived together."""

ANSWERS_AT_ONCE = 256
"""The same in answers, for small ones: a command costs time, too."""


class ServedClient:
    """The other end of one connection.

    Attributes:
        link: The number of the connection.
        buffer: Octets that the client has sent and the server has not read.
        gone: The client has ended its side.
        waits: The server can't go on without more octets.
    """

    __slots__ = ("link", "buffer", "gone", "waits", "_answers", "_unsent")

    def __init__(self, link: int) -> None:
        self.link = link
        self.buffer: bytearray = bytearray()
        self.gone: bool = False
        self.waits: bool = False
        self._answers: list[bytes] = []
        self._unsent = 0

    def feed(self, data: bytes) -> None:
        """Add received octets; none end the client's side."""
        self.buffer += data
        self.gone = self.gone or not data
        self.waits = False

    def send(self, data: bytes) -> None:
        """Answer it."""
        self._answers.append(data)
        self._unsent += len(data)

    def take(self) -> bytes:
        """The answers since the last call."""
        answers = b"".join(self._answers)
        self._answers.clear()
        self._unsent = 0
        return answers

    def give_way(self) -> Conversation[None]:
        """Let the answers be sent, if there are enough: before each command that may have arrived already.

        Attack: a few octets for each of many large answers, which are never read.
        """
        if self._unsent >= OCTETS_AT_ONCE or len(self._answers) >= ANSWERS_AT_ONCE:
            yield

    def more(self) -> Conversation[bool]:
        """Wait for octets; whether some came."""
        if not self.gone:
            self.waits = True
            yield
        return not self.gone

    def until(self, mark: bytes, limit: int) -> Conversation[bytes | None]:
        """Everything before the next mark; None if that is more than the limit, or the client goes before."""
        yield from self.give_way()
        start = 0
        while (end := self.buffer.find(mark, start)) < 0:
            start = max(0, len(self.buffer) - len(mark) + 1)
            if len(self.buffer) >= limit + len(mark) or not (yield from self.more()):
                return None
        if end > limit:
            return None
        found = bytes(self.buffer[:end])
        del self.buffer[: end + len(mark)]
        return found


class WireServer(ABC):
    """A server of any number of connections: an `anyurl.dialogue.FakeServer` that closes them, too.

    `connected` and `received` return all that it says. A listener, whose client may be slow to read, calls `begin` and
    `feed` instead, and then `step` until there is nothing more to send.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[ServedClient, Conversation[None]]] = {}

    @abstractmethod
    def serve(self, client: ServedClient) -> Conversation[None]:
        """One connection, until the server closes it; it ends when the client has gone."""

    def connected(self, link: int) -> bytes:
        """The octets that it sends first on a new connection."""
        self.begin(link)
        return self._all(link)

    def received(self, link: int, data: bytes) -> bytes:
        """The reply to these octets; none say that the client has ended its side."""
        self.feed(link, data)
        return self._all(link)

    def begin(self, link: int) -> None:
        """There is a new connection."""
        client = ServedClient(link)
        self._open[link] = client, self.serve(client)

    def feed(self, link: int, data: bytes) -> None:
        """The client has sent these octets; none say that it has ended its side."""
        if link in self._open:
            self._open[link][0].feed(data)

    def step(self, link: int) -> bytes | None:
        """What it sends next; None if it waits for more octets, or has closed the connection."""
        if link not in self._open or self._open[link][0].waits:
            return None
        client, conversation = self._open[link]
        for _ in conversation:
            break
        else:
            del self._open[link]
        return client.take()

    def drop(self, link: int) -> None:
        """The connection broke, if it is open: nothing more is said."""
        if link in self._open:
            self._open.pop(link)[1].close()

    def is_open(self, link: int) -> bool:
        """Whether the server waits for more octets of this connection, and has not closed it."""
        return link in self._open

    def _all(self, link: int) -> bytes:
        return b"".join(iter(partial(self.step, link), None))
