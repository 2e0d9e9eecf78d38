"""Steps of a dialogue, run to their end against connections whose every piece is written down beforehand."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from anyurl.dialogue import (
    Ask,
    AskSecret,
    Channel,
    Close,
    Connect,
    Consent,
    Describe,
    Emit,
    GiveWay,
    Keep,
    Monotonic,
    Note,
    Receive,
    Relay,
    Secret,
    Secure,
    Send,
)
from anyurl.errors import AnyURLError

Said = bytes | AnyURLError


class Link(Channel):
    """One connection.

    Attributes:
        inbox: What `Receive` gets, piece by piece; an error is raised there; nothing more is its end.
        sent: What was sent.
        closed: Whether it was.
    """

    def __init__(self, inbox: Iterable[Said], peer: tuple[str, int], kept: Any) -> None:
        super().__init__(peer, kept)
        self.inbox = list(inbox)
        self.sent = b""
        self.closed = False

    def take(self, at_most: int) -> bytes:
        """The next piece."""
        assert not self.closed
        if not self.inbox:
            return b""
        piece = self.inbox.pop(0)
        if isinstance(piece, AnyURLError):
            raise piece
        if len(piece) > at_most:
            self.inbox.insert(0, piece[at_most:])
        return piece[:at_most]


class Played:
    """Steps, and what became of them.

    Args:
        steps: What is run.
        inboxes: What each connection says, one after the other; an error is one that is not made.
        peer: The address of each.
        kept: What the first connection that need not be fresh had been kept with.
        secret: What `AskSecret` gets.
        refuse: What `Consent` raises, or None.

    Attributes:
        value: What they returned.
        error: What they raised, or None.
        asks: All that was asked.
        links: The connections.
    """

    def __init__(
        self,
        steps: Generator[Ask[Any], Any, Any],
        *inboxes: Sequence[Said] | AnyURLError,
        peer: tuple[str, int] = ("192.0.2.1", 1),
        kept: Any = None,
        secret: str | None = None,
        refuse: AnyURLError | None = None,
    ) -> None:
        self.value: Any = None
        self.error: AnyURLError | None = None
        self.asks: list[Ask[Any]] = []
        self.links: list[Link] = []
        self._inboxes = list(inboxes)
        self._peer, self._kept, self._secret, self._refuse = peer, kept, secret, refuse
        self._content = b""
        answer: Any = None
        problem: AnyURLError | None = None
        try:
            while True:
                ask = steps.send(answer) if problem is None else steps.throw(problem)
                self.asks.append(ask)
                answer = problem = None
                try:
                    answer = self._answer(ask)
                except AnyURLError as error:
                    problem = error
        except StopIteration as stop:
            self.value = stop.value
        except AnyURLError as error:
            self.error = error

    def _answer(self, ask: Ask[Any]) -> Any:
        if isinstance(ask, Connect):
            inbox = self._inboxes.pop(0)
            if isinstance(inbox, AnyURLError):
                raise inbox
            kept, self._kept = (None, self._kept) if ask.fresh else (self._kept, None)
            self.links.append(Link(inbox, self._peer, kept))
            return self.links[-1]
        if isinstance(ask, Consent) and self._refuse is not None:
            raise self._refuse
        if isinstance(ask, AskSecret):
            return None if self._secret is None else Secret(self._secret)
        if isinstance(ask, Send | Receive | Relay | Close):
            return self._talk(ask, ask.channel)
        if isinstance(ask, Monotonic):
            return 0.0
        assert isinstance(ask, Consent | Describe | Emit | GiveWay | Keep | Note | Secure), ask
        return None

    def _talk(self, ask: Send | Receive | Relay | Close, link: Channel) -> Any:
        assert isinstance(link, Link)
        if isinstance(ask, Send):
            assert not link.closed
            link.sent += ask.data
            return None
        if isinstance(ask, Close):
            link.closed = True
            return None
        if isinstance(ask, Receive):
            return link.take(ask.at_most)
        moved = 0
        while piece := link.take(1 << 30 if ask.limit is None else ask.limit - moved):
            self._content += piece
            moved += len(piece)
        return moved

    def of(self, kind: type[Any]) -> list[Any]:
        """All asks of a kind."""
        return [ask for ask in self.asks if isinstance(ask, kind)]

    @property
    def sent(self) -> list[bytes]:
        """What was sent through each connection."""
        return [link.sent for link in self.links]

    @property
    def content(self) -> bytes:
        """The octets that were handed over."""
        return b"".join(ask.content for ask in self.of(Emit) if isinstance(ask.content, bytes)) + self._content

    @property
    def entries(self) -> list[Any]:
        """The entries that were."""
        return [entry for ask in self.of(Emit) if not isinstance(ask.content, bytes) for entry in ask.content]

    @property
    def notes(self) -> list[str]:
        """The remarks."""
        return [ask.text for ask in self.of(Note)]
