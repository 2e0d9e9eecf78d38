"""Run: requests the pending URLs of a state with a client's `map`, and records the results.

Rule: each distinct URL is requested once, in the cheapest reliable way of its scheme: its attributes if they prove that
it exists (HEAD, SIZE or MLST, STAT and GROUP, Init and a search for wais, a look-up for prospero, parsing for an
address), its first octets otherwise (gopher), the greeting of a service, and the content if it is searched. Broken is
proved: a URL that HEAD reports as missing is requested once more by GET, without its content.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anyurl.access import Client
from anyurl.batch.check.links import Link, MalformedLink
from anyurl.batch.check.outcome import Finding, finding_of, finding_on, is_doubtful
from anyurl.batch.check.pace import Pace
from anyurl.batch.check.state import BATCH, MAX_REQUESTS, OPEN, READ, STAT, CheckItem, CheckState
from anyurl.client.mapper import Result
from anyurl.errors import AnyURLError
from anyurl.net.loop.task import RequestBudget
from anyurl.url.syntax import GOPHER, WEB
from anyurl.values import Value, shown

if TYPE_CHECKING:
    from anyurl.dialogue import Verb

LIMIT = 64
"""Parallel transfers, as in `Client.map`."""

FLUSH_SECONDS = 1.0
"""The interval after which an incomplete batch is written."""

OPENED = frozenset(GOPHER)
"""Schemes whose attributes prove nothing: an old server answers any request."""

SERVICES = frozenset(("telnet",))
"""Schemes of services, which exist if they answer."""

ROUNDS: tuple[tuple[tuple[int, int], Verb], ...] = (((STAT, STAT), "stat"), ((OPEN, READ), "get"))


class Checked(Value):
    """The outcome for one URL.

    Attributes:
        number: Its number in the state, which knows its places.
        url: The URL.
        finding: The result.
        missing: The fragments that its page lacks.
    """

    number: int
    url: Link
    finding: Finding
    missing: tuple[str, ...] = ()


def way_of(url: Link, *, read: bool = False) -> int:
    """The way in which a URL is requested.

    Args:
        read: Its content is needed.
    """
    return READ if read else OPEN if url.scheme in OPENED or url.scheme in SERVICES else STAT


class Run:
    """A running check.

    Args:
        client: The client; its policy judges each URL.
        state: The pending URLs, and their results.
        limit: The number of parallel transfers.
        max_per_host: The maximum number of URLs of one host.
        accept: Status codes that count as ok.
        retries: The retries of the caller, which are requests beyond MAX_REQUESTS.
        look: Called with an item and its opened resource to read it; returns the missing fragments.
        refusal: Returns why an item is not requested, or None.

    Attributes:
        pace: The progress.
    """

    def __repr__(self) -> str:
        return shown(self, "_limit")

    def __init__(
        self,
        client: Client,
        state: CheckState,
        *,
        limit: int = LIMIT,
        max_per_host: int | None = None,
        accept: Sequence[int] = (),
        retries: int = 0,
        look: Callable[[CheckItem, Any], Sequence[str]] | None = None,
        refusal: Callable[[CheckItem], Finding | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._state = state
        self._limit = limit
        self._max_per_host = max_per_host
        self._accept = frozenset(accept)
        self._most = MAX_REQUESTS + retries
        self._look = look
        self._refusal = refusal
        self._clock = clock
        self._now = now
        self._batch: list[tuple[int, int, Finding]] = []
        self._flushed = clock()
        self._told: list[Checked] = []
        self._doubts: list[CheckItem] = []
        self.pace: Pace = Pace(sum(state.counts().values()), clock)

    def __iter__(self) -> Iterator[Checked]:
        """The result of each URL as it is known; when the iterator ends, all of them are written."""
        self._flushed = self._clock()
        try:
            is_more = True
            while is_more:
                is_more = False
                for ways, verb in ROUNDS:
                    for checked in self._round(ways, verb):
                        is_more = True
                        yield checked
                    self._flush()
        finally:
            self._flush()

    def _round(self, ways: tuple[int, int], verb: Verb) -> Iterator[Checked]:
        for result in self._client.map(self._targets(ways), self._limit, verb=verb):
            item: Any = result.url
            if verb == "stat" and item.url.scheme in WEB and item.budget.left and is_doubtful(result.error):
                self._doubts.append(item)
                if len(self._doubts) + len(self._batch) >= BATCH // 2:  # not more than a batch is unwritten
                    yield from self._confirm(ways[1])
                continue
            yield self._settle(result, ways[1])
            yield from self._take_told()
        yield from self._confirm(ways[1])
        yield from self._take_told()

    def _confirm(self, way: int) -> Iterator[Checked]:
        """Request by GET a URL that HEAD did not find; the content is not read."""
        doubts, self._doubts = self._doubts, []
        for result in self._client.map(doubts, self._limit, verb="get") if doubts else ():
            yield self._settle(result, way)

    def _take_told(self) -> Iterator[Checked]:
        while self._told:
            yield self._told.pop()

    def _targets(self, ways: tuple[int, int]) -> Iterator[CheckItem]:
        """The pending items that are to be requested; the result of the others is noted."""
        after = None
        while items := self._state.todo(ways, after):
            for item in items:
                after = item
                finding = self._not_asked(item)
                if finding is not None:
                    self._note(item, ways[1], finding)
                    self._told.append(Checked(item.number, item.link, finding))
                    continue
                item.begun = self._clock()
                item.budget = RequestBudget(self._most - item.is_known)
                yield item

    def _not_asked(self, item: CheckItem) -> Finding | None:
        """The result of an item that needs no request; None if it does."""
        if isinstance(item.link, MalformedLink):
            return item.link.finding(self._client.policy.remedies)
        finding = None if self._refusal is None else self._refusal(item)
        host, most = item.url.host, self._max_per_host
        if finding is not None or most is None or not host or self._state.is_within(host, most):
            return finding
        return Finding("deferred", message=f"There are more than {most} URLs of {host}: no more are requested.")

    def _settle(self, result: Result[Any], way: int) -> Checked:
        item: Any = result.url
        missing: Sequence[str] = ()
        try:
            finding = finding_of(result, self._accept)
            if result.resource is not None:
                with result.resource as resource:
                    missing = () if way == STAT else self._read(item, resource)
        except AnyURLError as error:
            finding = finding_on(error, self._accept)
        if missing:
            self._state.miss(item.number, missing)
        self._note(item, way, finding)
        self.pace.add(item.url.host or item.url.scheme, self._clock() - item.begun)
        return Checked(item.number, item.url, finding, tuple(missing))

    def _read(self, item: CheckItem, resource: Any) -> Sequence[str]:
        """Read an opened resource as far as necessary; returns the missing fragments. Raises AnyURLError."""
        if resource.kind == "service" and item.url.scheme in SERVICES:
            next(resource.iter_bytes(), None)
        return () if self._look is None else self._look(item, resource)

    def _note(self, item: CheckItem, way: int, finding: Finding) -> None:
        self._batch.append((item.number, way, finding))
        if len(self._batch) >= BATCH or self._clock() - self._flushed > FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        if self._batch:
            self._state.record(self._batch, self._now())
            self._batch.clear()
        self._flushed = self._clock()
