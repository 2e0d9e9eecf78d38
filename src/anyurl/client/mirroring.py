"""Mirroring: runs a `Mirror` with a client, for threads and for asyncio.

Rule: `map` transfers many documents in parallel, with its per-host limits; partial large documents are resumed one at a
time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from anyurl.client.mapper import Result
from anyurl.errors import AnyURLError
from anyurl.errors.reasons import exhaustion_translated
from anyurl.saving.mirror import Mirror, Pause, Steps
from anyurl.saving.mirrored import Mirrored
from anyurl.saving.robots import read_robots, read_robots_async
from anyurl.saving.worklist import WorkItem

if TYPE_CHECKING:
    from anyurl.client.resource import Resource
    from anyurl.dialogue import Resume
    from anyurl.net.loop.task import Piece
    from anyurl.url import URL


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

    async def _next(self) -> Piece | None:
        """The next piece; None at the end."""
        ...

    def _whole(self) -> bytes | None:
        """The complete content, if it has arrived."""
        ...

    async def close(self) -> None:
        """Close it."""
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


def mirrored(
    mirror: Mirror,
    map_all: Callable[[Iterator[WorkItem]], Iterator[Result[Resource]]],
    open_one: Callable[[URL | WorkItem, Resume | None], Resource],
) -> Generator[Mirrored, None, None]:
    """Run the mirror, yielding each outcome as it is known.

    Args:
        map_all: Opens many in parallel.
        open_one: Opens one, or resumes it.
    """
    try:
        robots = mirror.robots_url
        if robots is not None:
            mirror.obey(read_robots(lambda: open_one(robots, None)))
        while True:
            for result in map_all(mirror.targets()):
                yield from _settled(mirror, result)
            while mirror.resumable:
                item = mirror.resumable.popleft()
                yield from _settled(mirror, _opened(open_one, mirror, item))
            yield from _told(mirror)
            if not mirror.has_more():
                break
        mirror.finish()
    finally:
        mirror.close()


def _opened(
    open_one: Callable[[URL | WorkItem, Resume | None], Resource], mirror: Mirror, item: WorkItem
) -> Result[Resource]:
    try:
        return Result(item, open_one(item, mirror.resume(item)), None)
    except AnyURLError as error:
        return Result(item, None, error)


def _settled(mirror: Mirror, result: Result[Resource]) -> Iterator[Mirrored]:
    resource = result.resource
    steps = mirror.settle(_item(result), resource, result.error, None if resource is None else resource._whole())
    try:
        over, told = _advance(steps)
        while not over:
            if told is not None or resource is None:
                if isinstance(told, Mirrored):
                    yield told
                over, told = _advance(steps)
                continue
            try:
                piece = resource._next()
            except AnyURLError as error:
                over, told = _advance(steps, error=error)
            else:
                over, told = _advance(steps, piece)
    finally:
        steps.close()
        if resource is not None:
            resource.close()


@exhaustion_translated()
def _advance(
    steps: Steps, piece: Piece | None = None, error: AnyURLError | None = None
) -> tuple[bool, Mirrored | Pause | None]:
    """Whether the item is finished, and what to report or do; None means that the next piece is needed."""
    try:
        return False, steps.send(piece) if error is None else steps.throw(error)
    except StopIteration:
        return True, None


def _told(mirror: Mirror) -> Iterator[Mirrored]:
    while mirror.told:
        yield mirror.told.popleft()


def _item(result: Result[Any]) -> WorkItem:
    item = result.url
    assert isinstance(item, WorkItem)  # what `Mirror.targets` names
    return item


async def mirrored_async(
    mirror: Mirror,
    map_all: Callable[[Iterator[WorkItem]], AsyncIterator[Result[Any]]],
    open_one: Callable[[URL | WorkItem, Resume | None], Awaitable[AsyncContent]],
) -> AsyncIterator[Mirrored]:
    """Like `mirrored`, for asyncio."""
    try:
        robots = mirror.robots_url
        if robots is not None:
            mirror.obey(await read_robots_async(open_one(robots, None)))
        while True:
            async for result in map_all(mirror.targets()):
                async for told in _settled_async(mirror, result):
                    yield told
            while mirror.resumable:
                item = mirror.resumable.popleft()
                async for told in _settled_async(mirror, await _opened_async(open_one, mirror, item)):
                    yield told
            for told in _told(mirror):
                yield told
            if not mirror.has_more():
                break
        mirror.finish()
    finally:
        mirror.close()


async def _opened_async(
    open_one: Callable[[URL | WorkItem, Resume | None], Awaitable[AsyncContent]], mirror: Mirror, item: WorkItem
) -> Result[AsyncContent]:
    try:
        return Result(item, await open_one(item, mirror.resume(item)), None)
    except AnyURLError as error:
        return Result(item, None, error)


async def _settled_async(mirror: Mirror, result: Result[AsyncContent]) -> AsyncIterator[Mirrored]:
    from anyurl.net.loop.asyncio_driver import give_way

    resource = result.resource
    steps = mirror.settle(_item(result), resource, result.error, None if resource is None else resource._whole())
    try:
        over, told = _advance(steps)
        while not over:
            if told is not None or resource is None:
                if isinstance(told, Pause):
                    await give_way()
                elif told is not None:
                    yield told
                over, told = _advance(steps)
                continue
            try:
                piece = await resource._next()
            except AnyURLError as error:
                over, told = _advance(steps, error=error)
            else:
                over, told = _advance(steps, piece)
    finally:
        steps.close()
        if resource is not None:
            await resource.close()
