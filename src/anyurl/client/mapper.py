"""Mapper: many redirect chains in parallel, for both `Client.map` and `AsyncClient.map`.

Rule: it never blocks. The code that runs the scheduler calls `fill` and `next_ready`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from anyurl.client.named import Target, named
from anyurl.errors import AnyURLError, without_frames
from anyurl.url import URL
from anyurl.values import Provenance

if TYPE_CHECKING:
    from anyurl.client.redirect import RedirectChain
    from anyurl.dialogue import Resume
    from anyurl.net.loop.scheduler import Scheduler
    from anyurl.net.loop.task import Crowd, RequestBudget

R = TypeVar("R")
"""`Resource`, or `AsyncResource`."""


LOOK_AHEAD = 8
"""URLs taken, as a multiple of the limit, while earlier ones wait for a busy host: it must not delay the others."""


class Result(Generic[R]):
    """The outcome for one URL.

    Attributes:
        url: As it was given.
        resource: The resource, open for reading, or None.
        error: Why there is no resource, or None.
    """

    __slots__ = ("url", "resource", "error", "__weakref__")

    def __init__(self, url: Target, resource: R | None, error: AnyURLError | None) -> None:
        self.url: Target = url
        self.resource: R | None = resource
        self.error: AnyURLError | None = error

    def __repr__(self) -> str:
        # A text that is not a URL may contain a password at an unknown position.
        url = "..." if isinstance(self.url, str) else repr(self.url)
        return f"Result({url}, {self.resource!r}, {self.error!r})"


def check_urls(urls: Iterable[Target]) -> None:
    """Refuse a single URL where an iterable is expected: its characters would be read as URLs.

    Raises:
        TypeError: It is a str, bytes or a URL.
    """
    if isinstance(urls, str | bytes | bytearray | memoryview | URL) or not isinstance(urls, Iterable):
        raise TypeError(
            f"map takes a list or another iterable of URLs, not one {type(urls).__name__}; put it into a list"
        )


class Mapper:
    """The redirect chains in progress.

    Args:
        urls: The URLs; read one by one, as there is room.
        limit: The number of parallel chains.
        start: Starts a chain: ``start(url, origin, notify, crowd, resume, budget) -> RedirectChain``.
        make: Makes the resource of a chain that has arrived.
        came_from: The source of all URLs, or None.
        scheduler: The scheduler of the chains.

    Attributes:
        waiting: Chains that wait for their turn at a host (`Crowd`); the others run.
        in_use: Results whose content is still transferred: they count as chains that run.
    """

    def __init__(
        self,
        urls: Iterable[Target],
        limit: int,
        start: Callable[
            [URL, Provenance, Callable[[], None], Crowd, Resume | None, RequestBudget | None], RedirectChain
        ],
        make: Callable[[RedirectChain], Any],
        came_from: Provenance | None,
        scheduler: Scheduler,
    ) -> None:
        if type(limit) is not int:
            raise TypeError(f"limit is an int, not {type(limit).__name__}")
        if limit < 1:
            raise ValueError(f"limit is at least 1 transfer, not {limit}")
        if isinstance(urls, (str, bytes, URL)) or not isinstance(urls, Iterable):
            raise TypeError(f"many URLs are an iterable of URL or str, not {type(urls).__name__}")
        self._urls = iter(urls)
        self._limit = limit
        self._start = start
        self._make = make
        self._came_from = came_from
        self._scheduler = scheduler
        self._running: dict[int, tuple[Target, RedirectChain]] = {}
        self._changed: deque[int] = deque()
        self._ready: deque[Result[Any]] = deque()
        self._count = 0
        self._exhausted = False
        self.waiting: int = 0
        self.in_use: int = 0

    def fill(self) -> bool:
        """Start as many chains as there is room for; False when all is done."""
        running, ready = self._running, self._ready
        manners = self._scheduler.manners
        if manners is not None and manners.blocked:  # they waited longer than those that follow
            self._scheduler.loop.enter()
            try:
                manners.give_blocked()
            finally:
                self._scheduler.loop.leave()
        most = self._limit * LOOK_AHEAD
        while not self._exhausted and self.has_room() and len(running) + len(ready) < most:
            try:
                url = next(self._urls)
            except StopIteration:
                self._exhausted = True
                break
            self._begin(url)
        return bool(running or ready)

    def has_room(self) -> bool:
        """Whether another chain may run; those that wait for their turn at a host do not count."""
        return len(self._running) + len(self._ready) + self.in_use - self.waiting < self._limit

    def _begin(self, url: Target) -> None:
        self._count += 1
        number = self._count
        try:
            parsed, origin = named(url, self._came_from)
            resume = getattr(url, "resume", None)  # an item of a mirror may be there already
            budget = getattr(url, "budget", None)  # that of a link that is checked
            chain = self._start(parsed, origin, partial(self._changed.append, number), self, resume, budget)
        except AnyURLError as error:
            without_frames(error)  # the frames hold the text of the URL
            self._ready.append(Result(url, None, error))
            return
        self._running[number] = (url, chain)

    def next_ready(self) -> Result[Any] | None:
        """The result of the next chain that has arrived, or None if the scheduler must run first."""
        while self._changed:
            number = self._changed.popleft()
            running = self._running.get(number)
            if running is None:
                continue
            url, chain = running
            if not chain.arrived():
                continue
            stream = chain.stream
            if stream.channel is not None:
                stream.demand()
                if not chain.arrived():  # a retry has started
                    continue
                stream = chain.stream
            if not stream.done and stream.has_room() and not stream.held:
                continue  # the consumer gets it later, with more of its content
            del self._running[number]
            try:
                chain.check()
            except AnyURLError as error:
                without_frames(error)
                return Result(url, None, error)
            stream.notify = None
            return Result(url, self._make(chain), None)
        return self._ready.popleft() if self._ready else None

    def drop(self) -> None:
        """Abort all chains."""
        for _, chain in self._running.values():
            chain.drop()
        self._running.clear()
