"""Pace: how far a check is, how fast it goes, which hosts are slow, and how long it will take.

Rule: bounded, however many hosts there are.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

MAX_HOSTS = 1000
"""Hosts whose times are kept: those that were heard of last."""

WINDOW = 30
"""Seconds over which the rate is taken: hosts differ, and a rate since the beginning would tell of those that are
done."""


class Pace:
    """Of one run.

    Args:
        done: URLs that were done before it.
        clock: Seconds.

    Attributes:
        done: URLs that are done.
    """

    def __init__(self, done: int, clock: Callable[[], float]) -> None:
        self.done: int = done
        self._clock = clock
        self._marks: deque[tuple[float, int]] = deque([(clock(), done)], maxlen=WINDOW)
        self._hosts: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def add(self, host: str, seconds: float) -> None:
        """One more is done, of this host, and took so long."""
        self.done += 1
        count, total = self._hosts.pop(host, (0, 0.0))
        self._hosts[host] = count + 1, total + seconds
        if len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)

    def rate(self) -> float:
        """URLs a second, of late."""
        now = self._clock()
        begun, done = self._marks[0]
        if now - self._marks[-1][0] >= 1.0:
            self._marks.append((now, self.done))
        return (self.done - done) / (now - begun) if now > begun else 0.0

    def left(self, total: int) -> float | None:
        """Seconds until all are done; None when nobody can say."""
        rate = self.rate()
        return (total - self.done) / rate if rate > 0 else None

    def slowest(self, count: int = 3) -> list[tuple[str, float]]:
        """The hosts that took longest, and the mean of their times."""
        means = [(host, total / times) for host, (times, total) in self._hosts.items()]
        return sorted(means, key=lambda each: -each[1])[:count]
