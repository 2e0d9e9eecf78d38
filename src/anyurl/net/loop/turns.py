"""Turns: the state of one host, a task's place in its queue, and its permission to run there.

Rule: this module only records observations; `anyurl.net.loop.manners` acts on them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from anyurl.net.loop.loop import Timer
from anyurl.net.loop.task import Task
from anyurl.url import URL

GROW_AFTER = 8
"""Successes in a row, for each simultaneous transfer, before one more is tried; doubled by each refusal."""

SHRINK = 0.7
"""Factor of a limit after a refusal: RFC 9438 4.6; the half of classic TCP is lower than a server's cap requires."""

MANY = 64
"""Unanswered requests at once that show a host to answer any number as quickly."""

AS_QUICK = 3
"""An answer is as quick as others if it took at most so many times the quickest one. A server that answers one after
the other then gets up to 7 requests at once: what `listen(5)`, the default of Python's servers, holds on Linux."""

QUICK = 0.005
"""Seconds within which an answer is quick in any case: the time that the client itself takes for `MANY` of them."""

LOST = 1.0
"""Seconds after which a lost SYN is repeated (RFC 6298 2.1): a backlog was full, if other answers are quick."""

MAX_DOUBTED = 1_000
"""Most URLs remembered of one host that were refused once, to notice if they are refused again."""


class Host:
    """The state of one host.

    Attributes:
        limit: Most simultaneous transfers; None while unknown.
        turns: The turns under way.
        start: Most requests that it may owe an answer: 1 at first, None once it has answered many quickly, or not the
            first one: then it is down rather than busy, and to wait for each request would take minutes.
        unanswered: Those under way that it owes an answer.
        quickest: Seconds that its quickest answer took.
        waiting: Tasks that have not begun, in the order of their arrival.
        next_at: No request is sent before this time of the loop's clock, because of the caller's delay.
        rests_until: The same, because the host has refused: its Retry-After, or a pause of our own.
        wishes: It has sent a Retry-After.
        refusals: Number of refusals in a row.
        refusal: The last refusal, as a sentence.
        remembered: It has refused a transfer.
        read: The value of `read_of_held` when the timer was set.
    """

    __slots__ = (
        "limit", "most", "turns", "start", "unanswered", "quickest", "waiting", "next_at", "rests_until", "wishes",
        "refusals", "refusal", "remembered", "read",
        "succeeded", "grow_after", "shrunk", "left_at", "timer", "_doubted",
    )  # fmt: skip

    def __init__(self, most: int | None) -> None:
        self.limit: int | None = most
        self.most: int | None = most
        self.turns: set[Turn] = set()
        self.start: int | None = 1
        self.unanswered: set[Task] = set()
        self.quickest: float = float("inf")
        self.waiting: OrderedDict[Task, None] = OrderedDict()
        self.next_at: float = 0.0
        self.rests_until: float = 0.0
        self.wishes: bool = False
        self.refusals: int = 0
        self.refusal: str = ""
        self.remembered: bool = False
        self.read: int | None = None
        self.succeeded: int = 0
        self.grow_after: int = GROW_AFTER
        self.shrunk: float = 0.0
        self.left_at: float = 0.0
        self.timer: Timer | None = None
        self._doubted: set[URL] = set()

    @property
    def quiet_until(self) -> float:
        """No task begins before this time of the loop's clock."""
        return max(self.next_at, self.rests_until)

    @property
    def has_answered(self) -> bool:
        """Whether it has answered any request of those that are counted."""
        return self.quickest < float("inf")

    @property
    def is_free(self) -> bool:
        """Whether any number of tasks may begin, and none has to be counted."""
        return self.start is None and self.limit is None and not self.waiting

    def note_answer(self, seconds: float | None) -> None:
        """One of the requests that it owed an answer has ended: it may owe more if others are answered as quickly.

        A host with too many of them keeps some waiting, and loses connections when its backlog is full.

        Args:
            seconds: How long the answer took; None if there was none, of which nothing is learned once others came.
        """
        if self.start is None:
            return
        if seconds is None:
            if not self.has_answered:
                self.start = None
            return
        self.quickest = min(self.quickest, seconds)
        if seconds >= LOST + AS_QUICK * self.quickest:
            self.start = max(1, int(self.start * SHRINK))
        elif self.waiting and seconds <= max(AS_QUICK * self.quickest, QUICK):
            self.start = self.start + 1 if self.start < MANY else None

    def wish(self, until: float, refusal: str) -> None:
        """It has asked to be left alone until a time of the loop's clock."""
        self.wishes, self.rests_until, self.refusal = True, max(self.rests_until, until), refusal
        self.refusals = self.refusals or 1

    def doubts(self, url: URL) -> bool:
        """Whether this URL itself is refused, not an extra transfer: refused again although others were served since.

        This counts as a refusal: the next one without a success in between is attributed to the host.
        """
        if url in self._doubted:
            is_doubted, self.refusals = not self.refusals, self.refusals or 1
            return is_doubted
        if len(self._doubted) >= MAX_DOUBTED:
            self._doubted.clear()
        self._doubted.add(url)
        return False

    def read_of_held(self) -> int | None:
        """Octets read from it so far, if all its transfers wait for the caller to read on; else None."""
        read = 0
        for turn in self.turns:
            stream = turn.task.stream
            if not stream.held and (stream.channel is None or turn.task.timing.waits_until):
                return None
            read += stream.emitted
        return read if self.turns else None


class Turn:
    """A task's place at one host: in its queue, then under way; given up when the task ends (`Task.hold`).

    Only `anyurl.net.loop.manners` writes it.

    Args:
        over: Called with it when it is given up.

    Attributes:
        host: The host.
        task: The task.
        waits: It is in the queue.
        let_at: When the task began, on the loop's clock; 0 if it began before the host was tracked.
    """

    __slots__ = ("host", "task", "waits", "let_at", "_over")

    def __init__(self, over: Callable[[Turn], None], host: Host, task: Task) -> None:
        self.host: Host = host
        self.task: Task = task
        self.waits: bool = False
        self.let_at: float = 0.0
        self._over = over

    def close(self) -> None:
        """Give it up; may be called twice."""
        self._over(self)


class Interval:
    """The wait of a task between two of its own requests, given up when the task ends (`Task.hold`).

    Args:
        end: Called when it is given up.
    """

    __slots__ = ("timer", "_end")

    def __init__(self, end: Callable[[], None]) -> None:
        self.timer: Timer | None = None
        self._end = end

    def close(self) -> None:
        """Give it up; may be called twice."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self._end()
