"""What a clock says where the machine may be slow: playing a test anew, and counting what it computes.

Rule: what is slow by itself is slow each time; a machine that was slow for a moment (others at work, a virtual one
whose stolen time counts as computing, a cold page cache, a first import) is not. So a measured bound has failed only
when it was exceeded `PLAYS` times in a row, each time from the start; it need not be so wide that nothing can break it.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from anyurl.errors import TransferTimeout

P = ParamSpec("P")
T = TypeVar("T")

PLAYS = 3
"""How often a measured bound must be exceeded in a row until it has failed."""

_playing = threading.local()


class Slow(AssertionError):
    """A measured bound was exceeded: by what is measured, or by the machine."""


def anew(play: Callable[P, T], slow: tuple[type[Exception], ...] = (Slow,)) -> Callable[P, T]:
    """Play again what failed by a measured bound alone; it has failed when it did so `PLAYS` times."""

    @functools.wraps(play)
    def played(*arguments: P.args, **how: P.kwargs) -> T:
        if is_playing():
            return play(*arguments, **how)
        for _ in range(PLAYS - 1):
            with contextlib.suppress(*slow), _noted():
                return play(*arguments, **how)
        with _noted():
            return play(*arguments, **how)

    return played


def hasty(test: Callable[P, T]) -> Callable[P, T]:
    """Play again a test that ran into a clock of its own that must not ring: it is so quick that a good peer on a slow
    machine may be late for it."""
    return anew(test, (Slow, TransferTimeout))


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    _playing.now = True
    try:
        yield
    finally:
        _playing.now = False


def is_playing() -> bool:
    """Whether what is measured now would be played anew."""
    return getattr(_playing, "now", False)


def takes_less(seconds: float, call: Callable[[], object], clock: Callable[[], float] = time.thread_time) -> bool:
    """Whether a call computes less than that (or, with another clock, lasts), at least once in `PLAYS` times."""
    for _ in range(PLAYS):
        began = clock()
        call()
        if clock() - began < seconds:
            return True
    return False


class Collector:
    """Seconds of this thread's processor that went to garbage collection: they grow with the tests that ran before."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._thread = threading.get_ident()
        self._started = 0.0

    def __call__(self, phase: str, _info: dict[str, int]) -> None:
        if threading.get_ident() == self._thread:
            if phase == "start":
                self._started = time.thread_time()
            else:
                self.seconds += time.thread_time() - self._started


def delay() -> float:
    """Seconds for which this thread was ready to run and had to wait for a processor; 0 where only Linux could say."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0
