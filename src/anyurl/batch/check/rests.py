"""Rests: until when hosts want to be left alone (Retry-After), kept in the state of a check.

Rule: by the wall clock, which counts while no check runs. A clock that was put back makes no rest longer than the host
asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from anyurl.batch.check.state import CheckState


class StoredRests:
    """`anyurl.net.loop.rests.Rests` in a state.

    Args:
        state: Where they are kept.
        now: Seconds since the epoch.
    """

    def __init__(self, state: CheckState, now: Callable[[], float] = time.time) -> None:
        self._state = state
        self._now = now

    def rest(self, host: str, port: int) -> tuple[float, str]:
        """As `Rests.rest`."""
        until, asked, refusal = self._state.rest(host, port)
        now = self._now()
        if until - now > asked:  # the clock was put back: its time begins anew, once
            until = now + asked
            self._state.keep_rests([(host, port, until, asked, refusal)])
        return max(0.0, until - now), refusal

    def keep(self, host: str, port: int, seconds: float, refusal: str) -> None:
        """As `Rests.keep`; a longer rest that is known already stays."""
        if seconds > self.rest(host, port)[0]:
            self._state.keep_rests([(host, port, self._now() + seconds, seconds, refusal)])

    def merge(self, rests: Iterable[tuple[str, int, float, float, str]]) -> None:
        """Take over the rows of another state (`CheckState.rests`): of two rests of a host the one that ends later."""
        self._state.keep_rests([row for row in rests if row[2] > self._state.rest(row[0], row[1])[0]])
