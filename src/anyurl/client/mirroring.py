"""Mirroring: runs a `Mirror` with a client, for threads and for asyncio; its robots.txt is read first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from anyurl.client.together import Start, saved_together, steps
from anyurl.saving.mirror import Mirror
from anyurl.saving.mirrored import Mirrored
from anyurl.saving.pieces import Pause
from anyurl.saving.robots import read_robots, read_robots_async

if TYPE_CHECKING:
    from anyurl.client.resource import Resource
    from anyurl.net.loop.asyncio_driver import AsyncioDriver, Waker
    from anyurl.net.loop.scheduler import Scheduler
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
        yield from saved_together(mirror, scheduler, start)
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
        running = steps(mirror, driver.scheduler, start, waker)
        with closing(running):
            for told in running:
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
