"""Task: one running dialogue, the objects it has opened, and the pieces that the consumer has not read yet.

Rule: the consumer sets the pace. A task holds at most ``HIGH_WATER`` unread octets and one more piece; then it waits
until the consumer wants more, however fast the peer is. When it ends, for whatever reason, everything that it opened is
closed, the latest first (an FTP data connection before its control connection).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from anyurl.dialogue import Describe, Dialogue, Entry, Follow, Input, Secret
from anyurl.errors import LimitError
from anyurl.files.closing import Closeable
from anyurl.guard.verdict import Reader, aside
from anyurl.url import URL
from anyurl.values import Provenance, Scope, Who

if TYPE_CHECKING:
    from anyurl.net.loop.judged import Place
    from anyurl.net.loop.loop import Loop

HIGH_WATER = 64 * 1024
"""Most unread octets: above 128 KiB malloc maps each piece separately, and 64 simultaneous tasks add up."""

RELAY_AT_MOST = 128 * 1024
"""Most octets of one piece: above malloc's mmap threshold (128 KiB) each piece causes new page faults."""

PARKED: Final = object()
"""Returned by a handler whose answer comes later."""

ENTRIES_HIGH_WATER = 1000
"""Unread entries of a listing: a few batches."""

Clock: TypeAlias = Literal["queue", "pool", "look-up", "connect", "idle"]
"""The stage in which a task waits for its peer."""

Piece: TypeAlias = bytes | Sequence[Entry]
AskForSecret: TypeAlias = Callable[[str, str, str], Secret | Awaitable[Secret | None] | None]
FindSecret: TypeAlias = Callable[[str, str, str, bool, bool], Secret | Awaitable[Secret | None] | None]
AskForConsent: TypeAlias = Callable[[str], bool | Awaitable[bool]]
"""Awaitable answers of these callbacks are accepted only inside an event loop (`AsyncClient`)."""


class Moving(Protocol):
    """A channel that counts its octets."""

    @property
    def moved(self) -> int:
        """Octets that went through it, either way."""
        ...


class Source(Protocol):
    """The content that the caller puts or appends: octets until ``b""``.

    Attributes:
        size: The total number of octets, or None if unknown.
        can_rewind: Whether it can be read again from the start.
    """

    size: int | None
    can_rewind: bool

    def read(self, at_most: int, /) -> bytes:
        """The next octets."""
        ...

    def rewind(self, offset: int = 0, /) -> None:
        """Go back to an octet, counted from the start. Raises LocalFileError."""
        ...


class RequestBudget:
    """The requests that may still be sent to one URL, whatever becomes of them.

    Args:
        most: Their number.

    Attributes:
        left: Those that were not sent yet.
    """

    __slots__ = ("most", "left")

    def __init__(self, most: int) -> None:
        self.most: int = most
        self.left: int = most

    def take(self) -> bool:
        """Count a request; whether it may be sent."""
        if self.left <= 0:
            return False
        self.left -= 1
        return True


class Crowd(Protocol):
    """The tasks of one `map`, of which only so many may run at once.

    Attributes:
        waiting: Those that wait for their turn at a host; only `Manners` counts them.
    """

    waiting: int

    def has_room(self) -> bool:
        """Whether one of those that wait may begin."""
        ...


class Task:
    """One running dialogue.

    Attributes:
        url: The URL that it was started for.
        came_from: Who named the URL.
        asked_by: The provenance that decides about secrets: `came_from`, unless a URL that another party named is
            requested through the user's own gateway.
        stands_for: The URL that a gateway answers for; else None.
        source: The content to put or append, or None.
        ask_secret: Returns passwords: ``(host, user, kind, kept, by_person) -> Secret | None``, where `kept` says
            whether a stored password may be used, and `by_person` whether the user may be prompted; None for no
            passwords.
        secrets: The passwords that it answered.
        eager: Begin to read the content before the consumer asks for it.
        described: The dialogue's description of the resource, or None before it arrives.
        outbox: Pieces that the consumer has not read.
        notes: Notes of the dialogue.
        unproved: One of them says that the content may be incomplete; no connection is kept then.
        follow: The result of the dialogue if it leads elsewhere, else None.
        error: The error that ended it, or None.
        done: Whether it has ended.
        lists: Whether its entries are those of a listing or search results.
        peer_scope: The scope of its peer; of several peers, each of which may have named its entries, the most public
            scope. None before there is a peer.
        last_address: The address of the last peer.
        let_at: When it began at its host, on the loop's clock; 0 if it began before the host was tracked.
        queued_at: The host (`anyurl.net.loop.turns.Host`) that it is queued for before it begins; else None.
        patient: It may wait until its host accepts it.
        crowd: The `map` that it belongs to, or None.
        budget: The requests that it may send, or None if they are not counted.
        asked: It has sent a request, or begun to connect.
        counted: It has a slot of its client's `ConnectionLimit`.
        held: It is parked until the consumer wants more.
        refused: It ended because the host accepts no more transfers now.
        way_made: It was refused, and idle connections of other sessions were closed to make room for a retry.
        inputs: Input to the session that the dialogue has not taken yet.
        attended: The session is interactive: silence is not an error.
        within: Seconds that the current wait may take, or None for the idle limit.
        listens_to: The channel whose silence is counted (`patience`), or None.
        hears: The dialogue waits for its peer or the caller, whichever comes first.
        place: The cached place that its URL leads to, or None.
        channel: The channel that the dialogue relays and the consumer reads from; None if it relays nothing.
        relayed: Octets read from that channel.
        relay_limit: How many octets to relay, or None for all.
    """

    __slots__ = (
        "url", "dialogue", "came_from", "asked_by", "stands_for", "source", "ask_secret", "secrets", "eager",
        "described", "outbox", "unread", "emitted", "entries", "notes", "unproved", "follow", "error", "done", "lists",
        "peer_scope", "last_address", "let_at", "refused", "way_made", "queued_at", "patient", "crowd", "budget",
        "asked", "open", "kept", "held", "notify",
        "deadline", "waits_until", "clock", "within", "connection", "attempt", "listens_to", "_patience", "_listened",
        "_moved", "byte_limit", "entry_limit", "connections", "counted",
        "inputs", "attended", "hears", "place", "channel", "relayed", "relay_limit", "reader",
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
        self.secrets: tuple[Secret, ...] = ()
        self.eager: bool = eager
        self.unproved: bool = False
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
        self.queued_at: Any = None
        self.patient: bool = False
        self.crowd: Crowd | None = None
        self.budget: RequestBudget | None = None
        self.asked: bool = False
        self.open: list[Closeable] = []
        self.kept: list[tuple[Any, tuple[object, ...]]] | None = None
        self.held: bool = False
        self.notify: Callable[[], None] | None = None
        self.inputs: list[Input] | None = None
        self.attended: bool = False
        self.hears: bool = False
        self.place: Place | None = None
        self.channel: Any = None
        self.connections: int = 0
        self.counted: bool = False
        self.relayed: int = 0
        self.relay_limit: int | None = None
        self.reader: Reader = "arguments"
        self.byte_limit: int | None = byte_limit
        self.entry_limit: int = entry_limit
        self._set_clocks()

    def _set_clocks(self) -> None:
        self.connection: Any = None
        self.attempt: Callable[[], Any] | None = None
        self.deadline: float | None = None
        self.waits_until: float | None = None
        self.clock: Clock = "idle"
        self.within: float | None = None
        self.listens_to: Moving | None = None
        self._patience, self._listened, self._moved = 0.0, 0.0, 0

    def patience(self, channel: Moving, now: float, idle: float, rate: float) -> float:
        """Seconds that the peer may still be silent.

        It starts afresh with another channel, and when `listens_to` is None: after a new request, or after the consumer
        made the peer wait. From then on silence uses it up, and each octet earns back its time at the lowest rate.
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

    def is_limited_by_ask(self) -> bool:
        """Whether the ask at hand (`Receive.within`) allows the peer less silence than the policy."""
        return self.within is not None and self.within <= self._patience

    @property
    def moved(self) -> int:
        """Octets passed to the consumer: the progress of a session."""
        return self.emitted

    def rest(self, now: float) -> None:
        """Nothing was read until now: silence before this moment does not count against the peer."""
        self._listened = now

    def has_room(self) -> bool:
        """Whether another piece may be added before the consumer reads the outbox."""
        return self.unread < HIGH_WATER

    def check_emitted(self) -> None:
        """Raises LimitError for more octets than the caller allows."""
        if self.byte_limit is not None and self.emitted > self.byte_limit:
            way = aside("max-bytes", self.reader)
            raise LimitError(
                f"More than {self.byte_limit:,} octets were received: the limit allows no more{way}.", limit="max_bytes"
            )

    def put(self, piece: Piece) -> None:
        """Add a piece for the consumer.

        Raises:
            LimitError: That is more than the caller allows.
        """
        if isinstance(piece, bytes):
            size = len(piece)
            self.emitted += size
            if self.byte_limit is not None:
                self.check_emitted()
        else:
            size = len(piece) * (HIGH_WATER // ENTRIES_HIGH_WATER)
            room = self.entry_limit - self.entries
            self.entries += len(piece)
            if self.entries > self.entry_limit:
                if room > 0:  # octets within the limit are delivered
                    self.outbox.append(piece[:room])
                    self.unread += room * (HIGH_WATER // ENTRIES_HIGH_WATER)
                way = aside("listing-entries", self.reader)
                raise LimitError(
                    f"The listing has more than {self.entry_limit:,} entries: the limit allows no more{way}.",
                    limit="listing_entries",
                )
        if size:
            self.outbox.append(piece)
            self.unread += size
        if self.notify is not None:
            self.notify()

    def take(self) -> Piece | None:
        """The next piece, or None if none is ready."""
        if not self.outbox:
            return None
        piece = self.outbox.popleft()
        if isinstance(piece, bytes):
            self.unread -= len(piece)
        else:
            self.unread -= len(piece) * (HIGH_WATER // ENTRIES_HIGH_WATER)
        return piece

    def take_octets(self) -> list[bytes]:
        """The octets at the head of the outbox, in the pieces received."""
        pieces: list[bytes] = []
        while self.outbox and isinstance(piece := self.outbox[0], bytes):
            pieces.append(piece)
            self.outbox.popleft()
            self.unread -= len(piece)
        return pieces

    def take_whole(self) -> bytes | None:
        """The complete content, if all of it has arrived and none was taken; else None."""
        if not self.done or self.error is not None or self.entries or self.unread != self.emitted:
            return None
        octets = b"".join(self.outbox)  # type: ignore[arg-type]
        self.outbox.clear()
        self.unread = 0
        return octets

    def meet(self, scope: Scope) -> None:
        """Record the scope of a peer that the task connected to."""
        if self.peer_scope is None or scope < self.peer_scope:
            self.peer_scope = scope

    def hold(self, thing: Closeable) -> None:
        """Remember something that must be closed when the task ends."""
        self.open.append(thing)

    def release(self, thing: Closeable) -> None:
        """Forget something that is closed, or now belongs to the pool."""
        for index, each in enumerate(self.open):
            if each is thing:
                del self.open[index]
                return

    def keep(self, connection: Any, key: tuple[object, ...]) -> None:
        """Remember a connection to keep for the next dialogue of its session, if this one succeeds."""
        if self.kept is None:
            self.kept = []
        self.kept.append((connection, key))

    def unpark(self, loop: Loop) -> None:
        """Stop waiting for a peer."""
        if self.connection is not None:
            loop.unwatch(self.connection.fd)
            self.connection = self.attempt = None
        self.waits_until = None

    def close_all(self) -> None:
        """Close everything that is open, the latest first."""
        while self.open:
            self.open.pop().close()
