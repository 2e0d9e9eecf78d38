"""What the clock says of a transfer, what the machine adds to it, and playing anew what failed by a clock alone.

Rule: a measured bound fails with `Slow`, and only within `anew`, which plays the whole of it again with a rig of its
own. A loop that is busy is busy each time; a machine that was slow for a moment (a virtual one whose stolen time counts
as computing, a cold page cache, a first import) is not.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

PLAYS = 3
"""How often a measured bound must be exceeded in a row until it has failed."""

_playing = threading.local()


class Slow(AssertionError):
    """A measured bound was exceeded: by the client, or by the machine."""


def anew(play: Callable[P, T]) -> Callable[P, T]:
    """Play again what failed by a measured bound alone; it has failed when it did so `PLAYS` times."""

    @functools.wraps(play)
    def played(*arguments: P.args, **how: P.kwargs) -> T:
        if is_playing():
            return play(*arguments, **how)
        for _ in range(PLAYS - 1):
            with contextlib.suppress(Slow), _noted():
                return play(*arguments, **how)
        with _noted():
            return play(*arguments, **how)

    return played


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
