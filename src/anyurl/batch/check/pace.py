"""Pace: the progress of a check, its rate, its slowest hosts, and the remaining time.

Rule: memory is bounded, regardless of the number of hosts.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

MAX_HOSTS = 1000
"""Hosts whose times are kept: the most recent ones."""

WINDOW = 30
"""Seconds over which the rate is measured: hosts differ, and a rate since the start would describe finished ones."""


class Pace:
    """The pace of one run.

    Args:
        done: URLs that were done before this run.
        clock: Returns seconds.

    Attributes:
        done: URLs that are done.
    """

    def __init__(self, done: int, clock: Callable[[], float]) -> None:
        self.done: int = done
        self._clock = clock
        self._marks: deque[tuple[float, int]] = deque([(clock(), done)], maxlen=WINDOW)
        self._hosts: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def add(self, host: str, seconds: float) -> None:
        """Count one more URL of this host, and its duration."""
        self.done += 1
        count, total = self._hosts.pop(host, (0, 0.0))
        self._hosts[host] = count + 1, total + seconds
        if len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)

    def rate(self) -> float:
        """The recent rate in URLs per second."""
        now = self._clock()
        begun, done = self._marks[0]
        if now - self._marks[-1][0] >= 1.0:
            self._marks.append((now, self.done))
        return (self.done - done) / (now - begun) if now > begun else 0.0

    def left(self, total: int) -> float | None:
        """The estimated seconds until all are done; None if unknown."""
        rate = self.rate()
        return (total - self.done) / rate if rate > 0 else None

    def slowest(self, count: int = 3) -> list[tuple[str, float]]:
        """The slowest hosts, with their mean times."""
        means = [(host, total / times) for host, (times, total) in self._hosts.items()]
        return sorted(means, key=lambda each: -each[1])[:count]
