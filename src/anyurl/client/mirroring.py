"""Mirroring: runs a `Mirror` with a client, for threads and for asyncio.

Rule: all documents under way are transferred together, for a server closes a connection that nothing is read from
(nginx after a minute). What leads on, which is listings and pages, is read one after the other. What is done is decided
once for both kinds of client (`_steps`); they only wait in different ways.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from anyurl.client.mapper import Mapper, Result
from anyurl.errors import AnyURLError
from anyurl.errors.reasons import exhaustion_translated
from anyurl.saving.mirror import Mirror, Pause, Steps
from anyurl.saving.mirrored import Mirrored
from anyurl.saving.robots import read_robots, read_robots_async
from anyurl.saving.tree import is_linking
from anyurl.saving.worklist import WorkItem

if TYPE_CHECKING:
    from anyurl.client.resource import Resource
    from anyurl.net.loop.asyncio_driver import AsyncioDriver, Waker
    from anyurl.net.loop.scheduler import Scheduler
    from anyurl.net.loop.task import Piece
    from anyurl.url import URL

Start: TypeAlias = Callable[[Iterator[WorkItem]], Mapper]
"""Begins to transfer items."""

PAUSE = Pause()


class AsyncContent(Protocol):
    """The used part of `AsyncResource`, whose module can't be imported here (it would be a circle)."""

    async def __aenter__(self) -> AsyncContent:
        """Itself."""
        ...

    async def __aexit__(self, *_exception: object) -> None:
        """Close it."""
        ...

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """The content."""
        ...


class MirrorRun(Iterator[Mirrored]):
    """The outcomes of a mirror, as they come."""

    def __init__(self, mirror: Mirror, outcomes: Generator[Mirrored, None, None]) -> None:
        self._mirror = mirror
        self._outcomes = outcomes

    def __next__(self) -> Mirrored:
        return next(self._outcomes)

    def close(self) -> None:
        """End it; a later call can resume it."""
        self._outcomes.close()

    def count_waiting(self) -> int:
        """The documents and folders that are known and were not begun."""
        return self._mirror.count_waiting()


class _Settling:
    """One item that has arrived, and whose content still comes.

    Attributes:
        leads_on: Its content names others.
        is_over: All is done.
    """

    def __init__(
        self, mirror: Mirror, scheduler: Scheduler, result: Result[Any], notify: Callable[[], None] | None
    ) -> None:
        resource = result.resource
        item = result.url
        assert isinstance(item, WorkItem)  # what `Mirror.targets` names
        self._scheduler = scheduler
        self._resource = resource  # its end would be that of the transfer
        self._wants = False
        whole = None if resource is None else resource._whole()
        if resource is not None:
            resource._task.notify = notify
        self._steps = mirror.settle(item, resource, result.error, whole)
        self.leads_on: bool = resource is not None and _leads_on(resource)
        self.is_over: bool = False

    def go_on(self) -> Generator[Mirrored | Pause, None, bool]:
        """Process what has come; returns whether anything had."""
        moved = False
        while not self.is_over:
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
            if told is not None:
                yield told
        return moved

    def _next(self, *, ahead: bool) -> tuple[bool, Piece | None]:
        """Whether something has come, and what: None at the end. Raises the error of the transfer.

        Args:
            ahead: Take more from the peer if nothing has come yet.
        """
        assert self._resource is not None
        task = self._resource._task
        if ahead and not task.outbox and not task.done:
            self._scheduler.relays.demand(task)
        if task.outbox:
            return True, task.take()
        if task.done and task.error is not None:
            raise task.error
        return task.done, None

    def close(self) -> None:
        """Close what is open; the rest is not transferred."""
        self._steps.close()
        if self._resource is not None:
            self._scheduler.drop(self._resource._task)


def _steps(
    mirror: Mirror, scheduler: Scheduler, start: Start, notify: Callable[[], None] | None
) -> Generator[Mirrored | Pause | None, None, None]:
    """Run the mirror.

    Yields:
        Each outcome as it is known; a `Pause` where others may have a turn; None where nothing is left to do until a
        peer says more.

    Args:
        start: Begins to transfer items.
        notify: Called when a transfer has something new.
    """
    beside: list[_Settling] = []
    in_turn: deque[_Settling] = deque()
    mapper, is_new = start(mirror.targets()), False
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
            while mirror.told:
                yield mirror.told.popleft()
                is_new = True
            result = mapper.next_ready()
            if result is not None:
                settling = _Settling(mirror, scheduler, result, notify)
                (in_turn if settling.leads_on else beside).append(settling)
            elif moved:
                yield PAUSE
            elif is_busy or (mapper.in_use and not is_new):
                yield None
            elif is_new and mirror.has_more():
                mapper, is_new = start(mirror.targets()), False
            elif mapper.in_use:
                is_new = False
            else:
                return
    finally:
        mapper.drop()
        for each in (*beside, *in_turn):
            each.close()


def _leads_on(resource: Any) -> bool:
    return resource.kind == "listing" or is_linking(resource.url, resource.type)


@exhaustion_translated()
def _advance(
    steps: Steps, piece: Piece | None = None, error: AnyURLError | None = None
) -> tuple[bool, Mirrored | Pause | None]:
    """Whether the item is finished, and what to report or do; None means that the next piece is needed."""
    try:
        return False, steps.send(piece) if error is None else steps.throw(error)
    except StopIteration:
        return True, None


def mirrored(
    mirror: Mirror, scheduler: Scheduler, start: Start, open_one: Callable[[URL], Resource]
) -> Generator[Mirrored, None, None]:
    """Run the mirror, yielding each outcome as it is known.

    Args:
        start: Begins to transfer items.
        open_one: Opens its robots.txt.
    """
    try:
        robots = mirror.robots_url
        if robots is not None:
            mirror.obey(read_robots(lambda: open_one(robots)))
        with closing(_steps(mirror, scheduler, start, None)) as steps:
            for told in steps:
                if told is None:
                    scheduler.loop.turn()
                elif isinstance(told, Pause):
                    scheduler.loop.turn(0.0)
                else:
                    yield told
        mirror.finish()
    finally:
        mirror.close()


async def mirrored_async(
    mirror: Mirror,
    driver: AsyncioDriver[Scheduler],
    start: Start,
    waker: Waker,
    open_one: Callable[[URL], Awaitable[AsyncContent]],
) -> AsyncIterator[Mirrored]:
    """Like `mirrored`, for asyncio; the waker is called when a transfer has something new."""
    try:
        robots = mirror.robots_url
        if robots is not None:
            mirror.obey(await read_robots_async(open_one(robots)))
        with closing(_steps(mirror, driver.scheduler, start, waker)) as steps:
            for told in steps:
                if told is None:
                    await driver.change(waker)
                elif isinstance(told, Pause):
                    await driver.breathe()
                else:
                    driver.rearm()  # transfers continue while the consumer awaits something else
                    yield told
        mirror.finish()
    finally:
        mirror.close()
