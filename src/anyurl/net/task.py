"""Task: one dialogue under way, what it has opened, and what the consumer has not read yet.

Rule: the consumer drives. A task has at most ``HIGH_WATER`` octets and one piece unread; then it waits until the
consumer wants more, however fast the peer is. When it ends, for whatever reason, all that it opened is closed, the
latest first (an FTP data connection before its control connection).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from anyurl.dialogue import Describe, Dialogue, Entry, Follow, Input, Secret
from anyurl.errors import LimitError
from anyurl.net.closing import Closeable
from anyurl.url import URL
from anyurl.values import Provenance, Scope, Who

if TYPE_CHECKING:
    from anyurl.net.judged import Place
    from anyurl.net.loop import Loop

HIGH_WATER = 64 * 1024
"""Unread octets: beyond 128 KiB malloc maps and faults each piece anew, and with 64 tasks at once it adds up."""

RELAY_AT_MOST = 128 * 1024
"""Octets of one piece: beyond malloc's mapping threshold (128 KiB) each piece is faulted in anew."""

PARKED: Final = object()
"""What an ask is answered with when its answer comes later."""

ENTRIES_HIGH_WATER = 1000
"""Unread entries of a listing: a few batches."""

Clock: TypeAlias = Literal["queue", "room", "look-up", "connect", "idle"]
"""What a task that waits for its peer waits for."""

Piece: TypeAlias = bytes | Sequence[Entry]
AskForSecret: TypeAlias = Callable[[str, str, str], "Secret | Awaitable[Secret | None] | None"]
FindSecret: TypeAlias = Callable[[str, str, str, bool, bool], "Secret | Awaitable[Secret | None] | None"]
AskForConsent: TypeAlias = Callable[[str], "bool | Awaitable[bool]"]
"""Only an event loop (`AsyncClient`) awaits what they answer."""


class Moving(Protocol):
    """A channel that counts."""

    @property
    def moved(self) -> int:
        """Octets that went through it, either way."""
        ...


class Source(Protocol):
    """What the caller wants to put: octets until ``b""``.

    Attributes:
        size: Octets in all, or None when nobody knows.
        can_rewind: Whether it can be read once more from its start.
    """

    size: int | None
    can_rewind: bool

    def read(self, at_most: int, /) -> bytes:
        """The next octets."""
        ...

    def rewind(self) -> None:
        """Begin again at its start. Raises LocalFileError."""
        ...


class Busy(Protocol):
    """A host whose turn is waited for.

    Attributes:
        refusal: Its last refusal as a sentence; empty where it has refused nothing.
    """

    refusal: str


class Task:
    """One dialogue under way.

    Attributes:
        url: The URL that it was begun for.
        came_from: Who named the URL.
        asked_by: Who asks for it, where secrets are concerned: the same, but where a gateway of the user's is asked on
            the word of somebody else.
        stands_for: The URL that was asked for, where a gateway answers for it; else None.
        source: What is to be put or appended, or None.
        ask_secret: Who is asked for passwords: ``(host, user, kind, kept, by_person) -> Secret | None``, where `kept`
            says whether it may be one that the user keeps, `by_person` whether a person may be asked; None for nobody.
        eager: Begin to read the content before the consumer asks for it.
        described: What the dialogue said is coming, once it has.
        outbox: What the consumer has not read.
        notes: What the dialogue remarked.
        follow: Where the dialogue ended to, or None.
        error: What it ended with, or None.
        done: Whether it has ended.
        lists: What its entries are: those of a listing, or what a search found.
        peer_scope: The scope of its peer; of several, which may all have named what it hands on, the most public one.
            None before there is one.
        last_address: Its address.
        let_at: When its host's turn came to it, on the loop's clock; 0 for one that began before anything was counted.
        queued_at: The host whose turn it waits for, before it has begun; else None.
        held: It goes on when the consumer wants more of it.
        refused: The host takes no more transfers now: that is what it ended with.
        way_made: It did not, and connections that were kept for other sessions have been closed for this one.
        inputs: What the caller has given to the session, and the dialogue has not taken yet.
        attended: Somebody looks after the session: its silence is no fault.
        within: Seconds that this one wait may take, or None for the idle clock.
        listens_to: The channel whose silence is counted (`patience`), or None.
        hears: The dialogue waits for its peer or its caller, whichever comes first.
        place: What is remembered of where its URL leads, or None.
        channel: What the dialogue relays: the consumer reads from it; None when it relays nothing.
        relayed: Octets of it that were read.
        relay_limit: How many are to be read, or None for all.
    """

    __slots__ = (
        "url", "dialogue", "came_from", "asked_by", "stands_for", "source", "ask_secret", "eager", "described",
        "outbox", "unread", "emitted", "entries", "notes", "follow", "error", "done", "lists", "peer_scope",
        "last_address", "let_at", "refused", "way_made", "queued_at", "open", "kept", "held", "notify",
        "deadline", "waits_until", "clock", "within", "connection", "attempt", "listens_to", "_patience", "_listened",
        "_moved", "byte_limit", "entry_limit", "connections",
        "inputs", "attended", "hears", "place", "channel", "relayed", "relay_limit",
        "__weakref__",
    )  # fmt: skip

    def __init__(
        self,
        url: URL,
        dialogue: Dialogue,
        came_from: Provenance,
        source: Source | None,
        ask_secret: FindSecret | None,
        eager: bool,
        byte_limit: int | None,
        entry_limit: int,
        lists: Who = "listing",
        asked_by: Provenance | None = None,
    ) -> None:
        self.url: URL = url
        self.dialogue: Dialogue = dialogue
        self.came_from: Provenance = came_from
        self.asked_by: Provenance = asked_by or came_from
        self.stands_for: URL | None = None
        self.source: Source | None = source
        self.ask_secret: FindSecret | None = ask_secret
        self.eager: bool = eager
        self.described: Describe | None = None
        self.outbox: deque[Piece] = deque()
        self.unread: int = 0
        self.emitted: int = 0
        self.entries: int = 0
        self.notes: list[str] = []
        self.follow: Follow | None = None
        self.error: BaseException | None = None
        self.done: bool = False
        self.lists: Who = lists
        self.peer_scope: Scope | None = None
        self.last_address: str | None = None
        self.let_at: float = 0.0
        self.refused: bool = False
        self.way_made: bool = False
        self.queued_at: Busy | None = None
        self.open: list[Closeable] = []
        self.kept: list[tuple[Any, tuple[object, ...]]] | None = None
        self.held: bool = False
        self.notify: Callable[[], None] | None = None
        self.deadline: float | None = None
        self.waits_until: float | None = None
        self.clock: Clock = "idle"
        self.within: float | None = None
        self.listens_to: Moving | None = None
        self._patience = self._listened = 0.0
        self._moved = 0
        self.connection: Any = None
        self.attempt: Callable[[], Any] | None = None
        self.connections: int = 0
        self.inputs: list[Input] | None = None
        self.attended: bool = False
        self.hears: bool = False
        self.place: Place | None = None
        self.channel: Any = None
        self.relayed: int = 0
        self.relay_limit: int | None = None
        self.byte_limit: int | None = byte_limit
        self.entry_limit: int = entry_limit

    def patience(self, channel: Moving, now: float, idle: float, rate: float) -> float:
        """Seconds that the peer may still be silent.

        It begins anew with another channel, and with `listens_to` None: a new question, or a consumer that made the
        peer wait. From then on silence spends it, and each octet earns back what it may at the lowest rate.
        """
        moved = channel.moved
        if channel is not self.listens_to:
            self.listens_to, left = channel, idle
        else:
            news = moved - self._moved
            earned = news / rate if rate else idle * bool(news)
            left = max(0.0, min(idle, self._patience - (now - self._listened) + earned))
        self._patience, self._listened, self._moved = left, now, moved
        return left

    @property
    def moved(self) -> int:
        """Octets that were handed out: what a session has to show for its time."""
        return self.emitted

    def rest(self, now: float) -> None:
        """Nobody listened until now: that silence was no fault of the peer's."""
        self._listened = now

    def has_room(self) -> bool:
        """Whether another piece may be put into the outbox before the consumer has read what is there."""
        return self.unread < HIGH_WATER

    def check_emitted(self) -> None:
        """Raises LimitError when more was handed out than the caller wants to have."""
        if self.byte_limit is not None and self.emitted > self.byte_limit:
            raise LimitError(
                f"More than {self.byte_limit:,} octets came: the limit (--max-bytes) allows no more.", limit="max_bytes"
            )

    def put(self, piece: Piece) -> None:
        """Add a piece for the consumer.

        Raises:
            LimitError: That is more than the caller wants to have.
        """
        if isinstance(piece, bytes):
            size = len(piece)
            self.emitted += size
            if self.byte_limit is not None:
                self.check_emitted()
        else:
            size = len(piece) * (HIGH_WATER // ENTRIES_HIGH_WATER)
            self.entries += len(piece)
            if self.entries > self.entry_limit:
                raise LimitError(
                    f"The listing has more than {self.entry_limit:,} entries: the limit allows no more.",
                    limit="listing_entries",
                )
        if size:
            self.outbox.append(piece)
            self.unread += size
        if self.notify is not None:
            self.notify()

    def take(self) -> Piece | None:
        """The next piece, or None when there is none now."""
        if not self.outbox:
            return None
        piece = self.outbox.popleft()
        if isinstance(piece, bytes):
            self.unread -= len(piece)
        else:
            self.unread -= len(piece) * (HIGH_WATER // ENTRIES_HIGH_WATER)
        return piece

    def take_whole(self) -> bytes | None:
        """All octets, where all of them have come and none was taken; None where there are, or may be, others."""
        if not self.done or self.error is not None or self.entries or self.unread != self.emitted:
            return None
        octets = b"".join(self.outbox)  # type: ignore[arg-type]
        self.outbox.clear()
        self.unread = 0
        return octets

    def meet(self, scope: Scope) -> None:
        """It speaks with a peer whose address has this scope."""
        if self.peer_scope is None or scope < self.peer_scope:
            self.peer_scope = scope

    def hold(self, thing: Closeable) -> None:
        """Remember something that must be closed when the task ends."""
        self.open.append(thing)

    def release(self, thing: Closeable) -> None:
        """Forget something that is closed, or that lives on in the pool."""
        for index, each in enumerate(self.open):
            if each is thing:
                del self.open[index]
                return

    def keep(self, connection: Any, key: tuple[object, ...]) -> None:
        """Remember a connection that the next dialogue of its session shall have, if this one ends well."""
        if self.kept is None:
            self.kept = []
        self.kept.append((connection, key))

    def unpark(self, loop: Loop) -> None:
        """Wait for no peer any more."""
        if self.connection is not None:
            loop.unwatch(self.connection.fd)
            self.connection = self.attempt = None
        self.waits_until = None

    def close_all(self) -> None:
        """Close everything that is open, the latest first."""
        while self.open:
            self.open.pop().close()
