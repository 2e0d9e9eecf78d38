"""Several documents saved together: runs the transfers of a `Workload`, for threads and for asyncio.

Rule: all documents under way are transferred together, for a server closes a connection that nothing is read from
(nginx after a minute). Listings and pages, which lead to further documents, are read one at a time. The steps are
decided once for both kinds of client (`steps`); they only wait in different ways.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import islice
from time import sleep
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from anyurl.client.mapper import Mapper, Result
from anyurl.errors import AnyURLError
from anyurl.errors.reasons import exhaustion_translated
from anyurl.saving.pieces import Pause, RateLimit

if TYPE_CHECKING:
    from anyurl.net.loop.scheduler import Scheduler
    from anyurl.net.loop.stream import Piece, Stream

Outcome = TypeVar("Outcome")
"""The outcome of one URL."""

Start: TypeAlias = Callable[[Iterator[Any]], Mapper]
"""Begins to transfer items, each a target of `Client.map`."""

PAUSE = Pause()


class Workload(Protocol[Outcome]):
    """The items to transfer, and their outcomes.

    Attributes:
        told: Outcomes that are not reported yet.
        pace: The limit on the rate of all of it, or None.
    """

    told: deque[Outcome]
    pace: RateLimit | None

    def targets(self) -> Iterator[Any]:
        """The next items to transfer."""
        ...

    def leads_on(self, resource: Any) -> bool:
        """Whether the content names others, so that it is read alone."""
        ...

    def settle(
        self, item: Any, resource: Any, error: AnyURLError | None = None, whole: bytes | None = None
    ) -> Generator[Outcome | Pause | None, Any, None]:
        """Process what arrived of an item, or its error; None asks for the next piece of the content."""
        ...

    def has_more(self) -> bool:
        """Whether there are items since `targets` ended."""
        ...


class _Settling(Generic[Outcome]):
    """One item that has arrived, and whose content still comes.

    Attributes:
        leads_on: Its content names others.
        is_over: All is done.
    """

    def __init__(
        self, work: Workload[Outcome], scheduler: Scheduler, result: Result[Any], notify: Callable[[], None] | None
    ) -> None:
        resource = result.resource
        self._scheduler = scheduler
        self._resource = resource  # its end would be that of the transfer
        self._notify = notify
        self._pace = work.pace
        self._wants = self._rests = False
        whole = None if resource is None else resource._whole()
        if resource is not None:
            resource._stream.notify = notify
        if whole is not None:
            self._count(whole)
        self._steps = work.settle(result.url, resource, result.error, whole)
        self.leads_on: bool = resource is not None and work.leads_on(resource)
        self.is_over: bool = False

    def go_on(self) -> Generator[Outcome | Pause, None, bool]:
        """Process what has come; returns whether anything had."""
        moved = False
        while not (self.is_over or self._rests):
            piece: Piece | None = None
            error: AnyURLError | None = None
            if self._wants:
                try:
                    is_here, piece = self._next(ahead=not moved)
                except AnyURLError as problem:
                    is_here, error = True, problem
                if not is_here:
                    return moved
            self.is_over, told = _advance(self._steps, piece, error)
            moved = True
            self._wants = told is None and self._resource is not None
            if isinstance(told, Pause) and told.seconds:
                self._rest(told.seconds)
            elif told is not None:
                yield told
            if isinstance(piece, bytes):
                self._count(piece)
        return moved

    def _count(self, octets: bytes) -> None:
        owed = 0.0 if self._pace is None else self._pace.owed(len(octets))
        if owed:
            self._rest(owed)

    def _rest(self, seconds: float) -> None:
        """Do nothing for a while; the others go on."""

        def end() -> None:
            self._rests = False
            if self._notify is not None:
                self._notify()

        self._rests = True
        self._scheduler.loop.after(seconds, end)

    def _next(self, *, ahead: bool) -> tuple[bool, Piece | None]:
        """Whether something has come, and what: None at the end. Raises the error of the transfer.

        Args:
            ahead: Take more from the peer if nothing has come yet.
        """
        assert self._resource is not None
        stream: Stream = self._resource._stream
        if ahead and not stream.outbox and not stream.done:
            stream.demand()
        if stream.outbox:
            return True, stream.take()
        if stream.done and stream.error is not None:
            raise stream.error
        return stream.done, None

    def close(self) -> None:
        """Close what is open; the rest is not transferred."""
        self._steps.close()
        if self._resource is not None:
            self._resource._stream.close()


def steps(
    work: Workload[Outcome], scheduler: Scheduler, start: Start, notify: Callable[[], None] | None
) -> Generator[Outcome | Pause | None, None, None]:
    """Do the work.

    Yields:
        Each outcome as it is known; a `Pause` where others may have a turn; None where nothing is left to do until a
        peer says more.

    Args:
        start: Begins to transfer items.
        notify: Called when a transfer has something new.
    """
    beside: list[_Settling[Outcome]] = []
    in_turn: deque[_Settling[Outcome]] = deque()
    mapper, is_new = start(work.targets()), False
    try:
        while True:
            moved = False
            for each in [*beside, *islice(in_turn, 1)]:
                if (yield from each.go_on()):
                    moved = True
                if each.is_over:
                    each.close()
                    (in_turn if each.leads_on else beside).remove(each)
                    is_new = True
            mapper.in_use = len(beside) + len(in_turn)
            is_busy = mapper.fill()
            while work.told:
                yield work.told.popleft()
                is_new = True
            result = mapper.next_ready()
            if result is not None:
                settling = _Settling(work, scheduler, result, notify)
                (in_turn if settling.leads_on else beside).append(settling)
            elif moved:
                yield PAUSE
            elif is_busy or (mapper.in_use and not is_new):
                yield None
            elif is_new and work.has_more():
                mapper, is_new = start(work.targets()), False
            elif mapper.in_use:
                is_new = False
            else:
                return
    finally:
        mapper.drop()
        for each in (*beside, *in_turn):
            each.close()


@exhaustion_translated()
def _advance(
    begun: Generator[Outcome | Pause | None, Any, None], piece: Piece | None, error: AnyURLError | None
) -> tuple[bool, Outcome | Pause | None]:
    """Whether the item is finished, and what to report or do; None means that the next piece is needed."""
    try:
        return False, begun.send(piece) if error is None else begun.throw(error)
    except StopIteration:
        return True, None


def saved_together(work: Workload[Outcome], scheduler: Scheduler, start: Start) -> Generator[Outcome, None, None]:
    """Do the work in this thread, yielding each outcome as it is known.

    Args:
        start: Begins to transfer items.
    """
    running = steps(work, scheduler, start, None)
    with closing(running):
        for told in running:
            if told is None:
                scheduler.loop.turn()
            elif isinstance(told, Pause):
                scheduler.loop.turn(0.0)
            else:
                yield told


def saved_in_turn(work: Workload[Outcome], open_one: Callable[[Any], Any]) -> Generator[Outcome, None, None]:
    """Do the work one item after the other, yielding each outcome as it is known.

    Args:
        open_one: Opens the resource of an item.
    """
    while True:
        for item in work.targets():
            try:
                resource = open_one(item)
            except AnyURLError as error:
                yield from _settled(work.settle(item, None, error), None, work.pace)
            else:
                with resource:
                    yield from _settled(work.settle(item, resource), resource, work.pace)
        while work.told:
            yield work.told.popleft()
        if not work.has_more():
            return


def _settled(
    begun: Generator[Outcome | Pause | None, Any, None], resource: Any, pace: RateLimit | None
) -> Generator[Outcome, None, None]:
    """Run the steps of one item."""
    is_over, told = _advance(begun, None, None)
    while not is_over:
        piece, error = None, None
        if told is None:
            try:
                piece = resource.next_octets()
            except AnyURLError as problem:
                error = problem
        elif not isinstance(told, Pause):
            yield told
        is_over, next = _advance(begun, piece, error)
        seconds = told.seconds if isinstance(told, Pause) else 0.0
        if pace is not None and piece is not None:
            seconds = pace.owed(len(piece))
        sleep(seconds)
        told = next
