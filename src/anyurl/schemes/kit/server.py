"""A server of a scheme without I/O: ``--explain`` talks to it directly, clients of the world through a listener.

Rule: a conversation is a generator, which yields where it waits for its client. Time and numbers are arguments, so that
a server says the same each time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Conversation: TypeAlias = Generator[None, None, T]


class ServedClient:
    """The other end of one connection.

    Attributes:
        link: The number of the connection.
        buffer: Octets that the client has sent and the server has not read.
        gone: The client has ended its side.
    """

    __slots__ = ("link", "buffer", "gone", "_answer")

    def __init__(self, link: int) -> None:
        self.link = link
        self.buffer: bytearray = bytearray()
        self.gone: bool = False
        self._answer: bytes = b""

    def feed(self, data: bytes) -> None:
        """Add received octets; none end the client's side."""
        self.buffer += data
        self.gone = self.gone or not data

    def send(self, data: bytes) -> None:
        """Answer it."""
        self._answer += data

    def take(self) -> bytes:
        """The answers since the last call."""
        answer, self._answer = self._answer, b""
        return answer

    def more(self) -> Conversation[bool]:
        """Wait for octets; whether some came."""
        if not self.gone:
            yield
        return not self.gone

    def until(self, mark: bytes, limit: int) -> Conversation[bytes | None]:
        """Everything before the next mark; None if that is more than the limit, or the client goes before."""
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
    """A server of any number of connections: an `anyurl.dialogue.FakeServer` that closes them, too."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[ServedClient, Conversation[None]]] = {}

    @abstractmethod
    def serve(self, client: ServedClient) -> Conversation[None]:
        """One connection, until the server closes it; it ends when the client has gone."""

    def connected(self, link: int) -> bytes:
        """The octets that it sends first on a new connection."""
        client = ServedClient(link)
        self._open[link] = client, self.serve(client)
        return self._step(link)

    def received(self, link: int, data: bytes) -> bytes:
        """The reply to these octets; none say that the client has ended its side."""
        if link not in self._open:
            return b""
        self._open[link][0].feed(data)
        return self._step(link)

    def is_open(self, link: int) -> bool:
        """Whether the server waits for more octets of this connection, and has not closed it."""
        return link in self._open

    def _step(self, link: int) -> bytes:
        client, conversation = self._open[link]
        for _ in conversation:
            break
        else:
            del self._open[link]
        return client.take()
