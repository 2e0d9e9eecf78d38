"""Task: one running dialogue, and what it has open.

Rule: each state has one writer. `Task.timing` belongs to the clocks (`anyurl.net.loop.clocks`), `Task.turn` to the
manners; `Task.stream` (`anyurl.net.loop.stream`) and `Task.parties` (`anyurl.net.loop.provenance`) change themselves;
the rest belongs to the scheduler. When a task ends, for whatever reason, everything that it opened is closed, the
latest first (an FTP data connection before its control connection).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from anyurl.dialogue import Dialogue, Secret
from anyurl.errors import LimitError
from anyurl.files.closing import Closeable
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.stream import Stream

if TYPE_CHECKING:
    from anyurl.net.loop.judged import Place
    from anyurl.net.loop.loop import Loop

Clock: TypeAlias = Literal["queue", "pool", "look-up", "connect", "idle"]
"""The stage in which a task waits for its peer."""

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


class Timing:
    """The time that a task and its peer have left, in seconds of the loop's clock.

    Only its own methods and `anyurl.net.loop.clocks` write it.

    Attributes:
        deadline: When its whole time is over, or None.
        waits_until: When the peer's time for the current stage is over; None while it does not wait for the peer.
        clock: That stage.
        within: Seconds that the ask at hand allows the peer, or None for the idle limit.
        listens_to: The channel whose silence is counted (`patience`), or None.
        stopped: The clocks stand still: it is the caller that makes it wait.
        left: Its whole time less what has gone by, when they were stopped; None without a limit.
    """

    __slots__ = (
        "deadline", "waits_until", "clock", "within", "listens_to", "stopped", "left", "_patience", "_listened",
        "_moved",
    )  # fmt: skip

    def __init__(self) -> None:
        self.deadline: float | None = None
        self.waits_until: float | None = None
        self.clock: Clock = "idle"
        self.within: float | None = None
        self.listens_to: Moving | None = None
        self.stopped: bool = False
        self.left: float | None = None
        self._patience, self._listened, self._moved = 0.0, 0.0, 0

    def patience(self, channel: Moving, now: float, idle: float, rate: float) -> float:
        """Seconds that the peer may still be silent.

        It starts afresh with another channel, and after `renew`. From then on silence uses it up, and each octet earns
        back its time at the lowest rate.
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

    def rest(self, now: float) -> None:
        """Nothing was read until now: silence before this moment does not count against the peer."""
        self._listened = now

    def renew(self) -> None:
        """The peer has all of its patience again: after a new request, or after the consumer made it wait."""
        self.listens_to = None

    def answered(self) -> None:
        """It does not wait for the peer any more."""
        self.waits_until = None

    def is_over(self, at: float) -> bool:
        """Whether its whole time is over then."""
        return self.deadline is not None and at >= self.deadline


class Task:
    """One running dialogue.

    Attributes:
        dialogue: The dialogue.
        parties: Its URL, who named it, and who answers.
        stream: What the consumer sees of it.
        timing: Its time limits.
        source: The content to put or append, or None.
        ask_secret: Returns passwords: ``(host, user, kind, kept, by_person) -> Secret | None``, where `kept` says
            whether a stored password may be used, and `by_person` whether the user may be prompted; None for no
            passwords.
        eager: Begin to read the content before the consumer asks for it.
        patient: It may wait until its host accepts it.
        crowd: The `map` that it belongs to, or None.
        budget: The requests that it may send, or None if they are not counted.
        place: The place that its URL leads to, a cached one unless it has a user.
        turn: Its place at its host (`anyurl.net.loop.turns.Turn`), which only `Manners` gives; None at a host that is
            not tracked.
        counted: It has a slot of its client's `ConnectionLimit`.
        open: What it has open, the latest last.
        kept: Connections to keep for the next dialogue of their sessions, each with its key.
        connection: The connection that it waits for, or None.
        attempt: Called when that is ready: the operation to try again.
    """

    __slots__ = (
        "dialogue", "parties", "stream", "timing", "source", "ask_secret", "eager", "patient", "crowd", "budget",
        "place", "turn", "counted", "open", "kept", "connection", "attempt", "_asked", "_connections", "__weakref__",
    )  # fmt: skip

    def __init__(
        self,
        dialogue: Dialogue,
        stream: Stream,
        place: Place,
        source: Source | None = None,
        ask_secret: FindSecret | None = None,
        eager: bool = False,
        patient: bool = False,
        crowd: Crowd | None = None,
        budget: RequestBudget | None = None,
    ) -> None:
        self.dialogue: Dialogue = dialogue
        self.parties: Parties = stream.parties
        self.stream: Stream = stream
        self.place: Place = place
        self.timing: Timing = Timing()
        self.source: Source | None = source
        self.ask_secret: FindSecret | None = ask_secret
        self.eager: bool = eager
        self.patient: bool = patient
        self.crowd: Crowd | None = crowd
        self.budget: RequestBudget | None = budget
        self.turn: Any = None
        self.counted: bool = False
        self.open: list[Closeable] = []
        self.kept: list[tuple[Any, tuple[object, ...]]] | None = None
        self.connection: Any = None
        self.attempt: Callable[[], Any] | None = None
        self._asked = False
        self._connections = 0

    def has_asked(self) -> bool:
        """Whether it has sent a request, or begun to connect, before this one."""
        before, self._asked = self._asked, True
        return before

    def count_connection(self, most: int) -> None:
        """Count a connection. Raises LimitError for more than `most`."""
        self._connections += 1
        if self._connections > most:
            raise LimitError(
                f"One transfer needed more than {most} connections: the limit allows no more.", limit="connections"
            )

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

    def park(self, connection: Any, attempt: Callable[[], Any] | None) -> None:
        """Wait for a connection."""
        self.connection, self.attempt = connection, attempt

    def unpark(self, loop: Loop) -> None:
        """Stop waiting for a peer."""
        if self.connection is not None:
            loop.unwatch(self.connection.fd)
            self.connection = self.attempt = None
        self.timing.answered()

    def close_all(self) -> None:
        """Close everything that is open, the latest first."""
        while self.open:
            self.open.pop().close()
