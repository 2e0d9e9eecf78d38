"""Stream: the consumer's end of one transfer: what it is, its content piece by piece, and how it ended.

Rule: the consumer sets the pace. A stream holds at most ``HIGH_WATER`` unread octets and what one more read brings;
then the dialogue waits until the consumer wants more, however fast the peer is. Content that a dialogue passes on
unchanged (`Relay`) is read from its channel directly, and not before it is wanted; silence while the consumer was not
reading does not count against the peer.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from anyurl.dialogue import Describe, Entry, Follow, Input, Secret
from anyurl.errors import AnyURLError, ConnectionLost, LimitError, LocalProtocolError
from anyurl.guard.verdict import Reader, aside
from anyurl.net.http.body import Body
from anyurl.net.wire.channel import Want

if TYPE_CHECKING:
    from anyurl.net.loop.loop import Loop
    from anyurl.net.loop.provenance import Parties

HIGH_WATER = 64 * 1024
"""Most unread octets: above 128 KiB malloc maps each piece separately, and 64 simultaneous tasks add up."""

RELAY_AT_MOST = 128 * 1024
"""Most octets of one piece: above malloc's mmap threshold (128 KiB) each piece causes new page faults."""

PARKED: Final = object()
"""Returned where an answer or a piece comes later."""

ENTRIES_HIGH_WATER = 1000
"""Unread entries of a listing: a few batches."""

CLOSED_EARLY = "This resource was closed before all of it arrived."

Piece: TypeAlias = bytes | Sequence[Entry]


class Owner(Protocol):
    """The scheduler, as far as a stream asks it for something; `task` is the task of the stream.

    Attributes:
        loop: Its loop.
        process: The process that it belongs to.
        reader: Who reads the remedies of errors.
        max_bytes: The most octets of one transfer, or None.
        max_entries: The most entries of one.
    """

    loop: Loop
    process: int
    reader: Reader
    max_bytes: int | None
    max_entries: int

    def resume(self, task: Any, value: Any, error: AnyURLError | None, /) -> None:
        """Answer the ask that the dialogue is parked at."""
        ...

    def listen(self, task: Any, channel: Any, want: Want | None, /) -> None:
        """Tell the consumer when a channel has more; `want` is None for a body, which calls its waiter itself."""
        ...

    def hear_input(self, task: Any, /) -> None:
        """The consumer has given the session something."""
        ...

    def may_end(self) -> bool:
        """Whether a task may be ended in this thread and at this moment."""
        ...

    def end(self, task: Any, error: AnyURLError | None, /) -> None:
        """End it early, and keep no connection."""
        ...


class Stream:
    """The consumer's end of one transfer.

    Only its own methods write it, but for `notify` and `attended`, which are the consumer's.

    Attributes:
        parties: Its URL, who named it, and who answers.
        notify: Called whenever there is something new for the consumer; it must not step anything itself.
        described: The dialogue's description of the resource, or None before it arrives.
        notes: Notes of the dialogue.
        unproved: One of them says that the content may be incomplete; no connection is kept then.
        secrets: The passwords that the consumer gave.
        unread: Octets that the consumer has not read; an entry counts as some.
        emitted: Octets passed to the consumer so far.
        entries: Entries passed to the consumer so far.
        held: The dialogue is parked until the consumer wants more.
        channel: The channel that the consumer reads from, or None.
        inputs: Input to the session that the dialogue has not taken yet.
        hears: The dialogue waits for its peer or the caller, whichever comes first.
        attended: The session is interactive: silence is not an error.
        follow: The result of the dialogue if it leads elsewhere, else None.
        error: The error that ended it, or None.
        refused: It ended because the host accepts no more transfers now.
        way_made: It was refused, and idle connections of other sessions were closed to make room for a retry.
        done: Whether it has ended.
        deadline: When it has ended: the end of the time for the whole, which a transfer that goes on with it has too.
    """

    __slots__ = (
        "parties", "notify", "described", "notes", "unproved", "secrets", "outbox", "unread", "emitted", "entries",
        "held", "channel", "inputs", "hears", "attended", "follow", "error", "refused", "way_made", "done",
        "deadline", "_owner", "_loop", "_task", "_most", "_relayed", "_relay_limit", "__weakref__",
    )  # fmt: skip

    def __init__(
        self,
        owner: Owner,
        parties: Parties,
        notify: Callable[[], None] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.parties: Parties = parties
        self.notify: Callable[[], None] | None = notify
        self.described: Describe | None = None
        self.notes: list[str] = [*notes]
        self.unproved: bool = False
        self.secrets: tuple[Secret, ...] = ()
        self.outbox: deque[Piece] = deque()
        self.unread: int = 0
        self.emitted: int = 0
        self.entries: int = 0
        self.held: bool = False
        self.channel: Any = None
        self.inputs: list[Input] | None = None
        self.hears: bool = False
        self.attended: bool = False
        self.follow: Follow | None = None
        self.error: BaseException | None = None
        self.refused: bool = False
        self.way_made: bool = False
        self.done: bool = False
        self.deadline: float | None = None
        self._owner = owner
        self._loop = owner.loop
        self._task: Any = None
        self._most = owner.max_bytes
        self._relayed = 0
        self._relay_limit: int | None = None

    # --- what the dialogue says, as the scheduler passes it on -------------------------------------------------------

    def begin(self, task: Any) -> None:
        """Its task begins: there is nobody to resume before."""
        self._task = task

    def describe(self, described: Describe) -> None:
        """The description has arrived."""
        self.described = described

    def note(self, text: str, unproved: bool = False) -> None:
        """Add a note."""
        self.notes.append(text)
        self.unproved = self.unproved or unproved

    def add_secret(self, secret: Secret) -> None:
        """The consumer has given a password."""
        self.secrets = (*self.secrets, secret)

    def tell(self) -> None:
        """Tell the consumer that there is something new."""
        if self.notify is not None:
            self.notify()

    def hold(self) -> None:
        """The dialogue is parked until the consumer wants more."""
        self.held = True

    def relay(self, channel: Any, limit: int | None) -> None:
        """The dialogue is parked while the consumer reads from a channel; it is resumed with the number of octets."""
        self.channel, self._relayed, self._relay_limit = channel, 0, limit
        self.tell()

    def hear(self) -> None:
        """The dialogue waits for the consumer's input as well."""
        self.hears = True

    def take_inputs(self) -> list[Input] | None:
        """The input that the dialogue has not taken yet."""
        inputs, self.inputs = self.inputs, None
        return inputs

    def resumed(self) -> None:
        """The dialogue runs: it is parked at nothing of the consumer's."""
        self.channel = None
        self.hears = False

    def end(self, error: BaseException | None, deadline: float | None = None, follow: Follow | None = None) -> None:
        """It has ended; the dialogue has returned where to go on (`follow`), if it leads elsewhere."""
        self.deadline, self.follow = deadline, follow
        # In this order: another thread that sees `done` must not take the content for complete.
        self.error = error
        self.done = True
        self.held = self.hears = False
        self.channel = self._task = None

    def refuse(self, way_made: bool) -> None:
        """It ended because the host accepts no more transfers now."""
        self.refused = True
        self.way_made = self.way_made or way_made

    @property
    def moved(self) -> int:
        """Octets passed to the consumer: the progress of a session."""
        return self.emitted

    @property
    def is_unanswered(self) -> bool:
        """Whether no octet arrived at all, which may mean an empty document or a refusal."""
        if self.emitted or self.entries or self.described is None:
            return False
        return self.described.attributes.get("answered") is False

    def has_room(self) -> bool:
        """Whether another piece may be added before the consumer reads on."""
        return self.unread < HIGH_WATER

    def _check_emitted(self) -> None:
        """Raises LimitError for more octets than the caller allows."""
        most = self._most
        if most is not None and self.emitted > most:
            way = aside("max-bytes", self._owner.reader)
            raise LimitError(
                f"More than {most:,} octets were received: the limit allows no more{way}.", limit="max_bytes"
            )

    def put(self, piece: Piece) -> None:
        """Add a piece for the consumer.

        Raises:
            LimitError: That is more than the caller allows.
        """
        if isinstance(piece, bytes):
            size = len(piece)
            self.emitted += size
            self._check_emitted()
        else:
            size = len(piece) * (HIGH_WATER // ENTRIES_HIGH_WATER)
            most = self._owner.max_entries
            room = most - self.entries
            self.entries += len(piece)
            if self.entries > most:
                if room > 0:  # octets within the limit are delivered
                    self.outbox.append(piece[:room])
                    self.unread += room * (HIGH_WATER // ENTRIES_HIGH_WATER)
                way = aside("listing-entries", self._owner.reader)
                raise LimitError(
                    f"The listing has more than {most:,} entries: the limit allows no more{way}.",
                    limit="listing_entries",
                )
        if size:
            self.outbox.append(piece)
            self.unread += size
        self.tell()

    # --- what the consumer wants -------------------------------------------------------------------------------------

    def pull(self) -> Piece | None:
        """Turn the loop until there is another piece; None at the end.

        Raises:
            AnyURLError: The error of the transfer, once all that arrived before it has been read.
        """
        loop = self._loop
        while True:
            if self.outbox:
                return self.take()
            if self.done:
                if self.error is not None:
                    raise self.error
                return None
            if loop.is_behind():  # a peer that always has data must not keep the timers from firing
                loop.turn(0.0)
            elif self.channel is not None:
                piece: Piece | None = self._pull_relayed()
                if piece is PARKED:
                    loop.turn()
                elif piece is not None:
                    return piece
            elif self.held:
                self.go_on()
            else:
                loop.turn()

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
        """The octets that are ready up to the next entries, in the pieces received."""
        pieces: list[bytes] = []
        while self.outbox and isinstance(piece := self.outbox[0], bytes):
            pieces.append(piece)
            self.outbox.popleft()
            self.unread -= len(piece)
        return pieces

    def whole(self) -> bytes | None:
        """The complete content, if all of it has arrived and none was taken; else None."""
        if not self.done or self.error is not None or self.entries or self.unread != self.emitted:
            return None
        octets = b"".join(self.take_octets()) if len(self.outbox) != 1 else self.outbox.popleft()
        self.unread = 0
        return octets  # type: ignore[return-value]

    def demand(self) -> None:
        """Resume a dialogue that waits for its consumer, and read ahead as far as there is room."""
        self.go_on()
        while self.channel is not None and self.has_room():
            piece = self._pull_relayed()
            if piece is PARKED:
                return
            if piece is not None:
                self.outbox.append(piece)
                self.unread += len(piece)

    def go_on(self) -> None:
        """Resume a dialogue that waits for its consumer."""
        if not self.held or not self.has_room():
            return
        loop = self._loop
        loop.enter()
        try:
            working = loop.working(True)
            try:
                if self.held:  # another thread may have ended it meanwhile
                    self.held = False
                    self._owner.resume(self._task, None, None)
            finally:
                loop.working(working)
        finally:
            loop.leave()

    def _pull_relayed(self) -> Any:
        """The next octets of the channel; PARKED if there are none yet, None once the dialogue has been resumed."""
        loop = self._loop
        loop.enter()
        try:
            working = loop.working(True)
            try:
                return self._receive(self.channel)
            finally:
                loop.working(working)
        finally:
            loop.leave()

    def _receive(self, channel: Any) -> Any:
        if channel is None:  # another thread has ended it meanwhile
            return None
        limit, at_most = self._relay_limit, RELAY_AT_MOST
        if limit is not None and limit - self._relayed < at_most:
            at_most = limit - self._relayed
        try:
            if limit is None and type(channel) is Body:
                size = channel.buffered
                pieces = channel.take_pieces(at_most)
                if pieces is not None:  # several at once; whether the consumer joins them is up to it
                    size -= channel.buffered
                    self._count(size)
                    self.outbox.extend(pieces)
                    self.unread += size
                    return None
            data = channel.receive(at_most) if at_most else b""
            if data is None or type(data) is Want:
                self._owner.listen(self._task, channel, data)
                return PARKED
            if data:
                self._count(len(data))
                return data
        except AnyURLError as error:
            self._owner.resume(self._task, None, error)
            return None
        self._owner.resume(self._task, self._relayed, None)
        return None

    def _count(self, size: int) -> None:
        self.emitted += size
        self._relayed += size
        self._check_emitted()

    def give(self, given: Input) -> None:
        """Pass input to a session; the dialogue takes it as soon as it waits for it."""
        self._loop.enter()
        try:
            if self.inputs is None:
                self.inputs = []
            self.inputs.append(given)
            if self.hears:
                self._owner.hear_input(self._task)
        finally:
            self._loop.leave()

    def close(self) -> None:
        """The consumer does not want the rest: close everything that the task has open. May be called twice.

        A read that follows, or runs at that moment in another thread, gets an error: partial content must not pass for
        all of it. This does not apply to sessions, which have no complete content.
        """
        owner, loop = self._owner, self._loop
        if owner.process != os.getpid():
            return  # a child process must not touch resources that its parent still uses
        loop.enter()
        try:
            if not self.done or self.outbox:
                is_session = self.described is not None and self.described.kind == "service"
                error = None if is_session else LocalProtocolError(CLOSED_EARLY)
                if not self.done:
                    owner.end(self._task, error)
                self.error = self.error or error  # for content that arrived and was not read
        finally:
            loop.leave()
        self.outbox.clear()

    def abandon(self) -> None:
        """Close it: its consumer was garbage-collected, which may happen in any thread and at any point."""
        if self._task is None or self._owner.process != os.getpid():
            return
        if self._owner.may_end():
            self.close()
        else:
            self._loop.soon(self.close)
            self._loop.wake()


def no_answer(parties: Parties) -> ConnectionLost:
    """The error for an empty document, if the host refuses others: it closed the connection without an answer."""
    return ConnectionLost(f"{parties.url.host} closed the connection without an answer.", stage="reply")
