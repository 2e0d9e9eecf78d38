"""Playing anew: what is slow each time has failed, and what was so once has not. `evil/test_kit.py` has the rig's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from anyurl.errors import TransferTimeout
from tests.clocks import PLAYS, Slow, anew, hasty, is_playing, takes_less


def failing(times: int, error: Exception) -> tuple[Callable[[], str], list[bool]]:
    """Something that fails so often and then does well, and what it saw at each play."""
    seen: list[bool] = []

    def play() -> str:
        seen.append(is_playing())
        if len(seen) <= times:
            raise error
        return "well"

    return play, seen


@pytest.mark.parametrize("error", [Slow(), TransferTimeout("late")], ids=["a bound", "a clock"])
def test_a_slow_moment_is_forgiven(error: Exception) -> None:
    play, seen = failing(PLAYS - 1, error)
    assert hasty(play)() == "well"
    assert seen == [True] * PLAYS
    assert not is_playing()


@pytest.mark.parametrize("error", [Slow(), TransferTimeout("late")], ids=["a bound", "a clock"])
def test_what_is_slow_each_time_has_failed(error: Exception) -> None:
    play, seen = failing(PLAYS, error)
    with pytest.raises(type(error)):
        hasty(play)()
    assert len(seen) == PLAYS
    assert not is_playing()


@pytest.mark.parametrize("decorate", [anew, hasty])
def test_what_is_wrong_is_not_played_anew(decorate: Callable[..., Callable[[], str]]) -> None:
    play, seen = failing(1, AssertionError("wrong"))
    with pytest.raises(AssertionError, match="wrong"):
        decorate(play)()
    assert len(seen) == 1


def test_a_clock_that_rings_is_a_fault_where_none_is_quick() -> None:
    play, seen = failing(1, TransferTimeout("late"))
    with pytest.raises(TransferTimeout):
        anew(play)()
    assert len(seen) == 1


def test_the_outermost_play_is_the_one_that_is_played_anew() -> None:
    play, seen = failing(PLAYS, Slow())
    with pytest.raises(Slow):
        anew(anew(play))()
    assert len(seen) == PLAYS


@pytest.mark.parametrize(("slow", "less"), [(0, True), (PLAYS - 1, True), (PLAYS, False)])
def test_one_call_that_is_quick_says_so(slow: int, less: bool) -> None:
    def ticks() -> Iterator[float]:
        for number in range(PLAYS):
            yield 0.0
            yield 2.0 if number < slow else 0.5

    clock = ticks()
    assert takes_less(1.0, lambda: None, lambda: next(clock)) == less


def test_what_computes_is_measured() -> None:
    def compute() -> None:
        until = time.thread_time() + 0.02
        while time.thread_time() < until:
            pass

    assert not takes_less(0.02, compute)
    assert takes_less(0.02, lambda: time.sleep(0.03))
