"""Clocks: which task's time is over, and what it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl.errors import TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.net.loop.clocks import Clocks
from anyurl.net.loop.connection_limit import ConnectionLimit
from anyurl.net.loop.loop import Loop
from anyurl.net.loop.task import Clock, Task
from anyurl.net.loop.turns import Host, Turn
from tests.net.loop.tasks import task

Over = list[tuple[Task, TransferTimeout]]


@pytest.fixture
def loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


def clocks(loop: Loop, limits: Limits) -> tuple[Clocks, Over]:
    """Clocks, and what they said; a task that is over is discarded, as the scheduler does it."""
    said: Over = []

    def over(ended: Task, error: TransferTimeout) -> None:
        said.append((ended, error))
        made.tasks.discard(ended)

    made = Clocks(loop, limits, ConnectionLimit(100), "arguments", over)
    return made, said


def queued(host: Host) -> Task:
    """A task that waits for its turn."""
    waiting = task()
    waiting.turn = Turn(lambda _turn: None, host, waiting)
    waiting.turn.waits = True
    return waiting


def turn_until(loop: Loop, said: Over, count: int) -> None:
    while len(said) < count:
        loop.turn()


def test_the_whole_transfer_has_a_clock_that_nothing_stops(loop: Loop) -> None:
    made, said = clocks(loop, Limits(total=0.02))
    slow = task()
    made.add(slow)
    made.awaits_peer(slow, 60.0)
    turn_until(loop, said, 1)
    assert said[0][0] is slow
    assert said[0][1].clock == "total"


def test_a_transfer_whose_turn_never_came_says_what_its_host_refused(loop: Loop) -> None:
    made, said = clocks(loop, Limits(total=0.02))
    waiting = queued(Host(None))
    waiting.turn.host.refusal = "h said: 421 Too many."
    made.add(waiting)
    turn_until(loop, said, 1)
    assert str(said[0][1]) == (
        "h:70 refused transfers, so that this one could not begin within 0.02 seconds (timeout=... allows more)."
        " Its last refusal: h said: 421 Too many."
    )
    assert not said[0][1].begun


@pytest.mark.parametrize("host", [None, Host(None)])
def test_a_transfer_that_no_host_refused_does_not_say_so(loop: Loop, host: Host | None) -> None:
    made, said = clocks(loop, Limits(total=0.02))
    waiting = task() if host is None else queued(host)
    made.add(waiting)
    turn_until(loop, said, 1)
    assert "refus" not in str(said[0][1])
    assert said[0][1].clock == "total"


@pytest.mark.parametrize(
    ("clock", "told", "stage"),
    [("idle", "idle", "transfer"), ("queue", "connect", "look-up"), ("look-up", "connect", "look-up"),
     ("connect", "connect", "connect")],
)  # fmt: skip
def test_a_peer_that_is_waited_for_in_vain(loop: Loop, clock: Clock, told: str, stage: str) -> None:
    made, said = clocks(loop, Limits(total=None))
    waiting = task()
    made.add(waiting)
    made.awaits_peer(waiting, 0.01, clock)
    turn_until(loop, said, 1)
    assert (said[0][1].clock, said[0][1].stage) == (told, stage)
    assert said[0][1].begun is (clock != "queue")


def test_who_waits_no_more_is_left_alone_and_the_next_end_is_heard(loop: Loop) -> None:
    made, said = clocks(loop, Limits(total=None))
    first, second = task(), task()
    for each, seconds in ((first, 0.01), (second, 0.03)):
        made.add(each)
        made.awaits_peer(each, seconds)
    first.timing.answered()
    turn_until(loop, said, 1)
    assert [ended for ended, _ in said] == [second]


def test_one_timer_watches_over_all_of_them(loop: Loop) -> None:
    made, _ = clocks(loop, Limits(total=None))
    before = len(loop._timers)
    for _ in range(50):
        waiting = task()
        made.add(waiting)
        made.awaits_peer(waiting, 30.0)
    assert len(loop._timers) == before + 1


def test_a_clock_that_is_held_stands_still_until_it_is_released(loop: Loop) -> None:
    made, said = clocks(loop, Limits(total=0.02))
    held, other = task(), task()
    made.add(held, loop.now() + 0.01)  # what was left by whatever came before it
    made.hold(held)
    made.hold(held)
    made.add(other)
    turn_until(loop, said, 1)  # the other's time is over, and with it that of the one that was there before
    assert said[0][0] is other
    assert held.timing.deadline is None
    made.release(held)
    made.release(held)
    turn_until(loop, said, 2)
    assert said[1][0] is held


def test_a_task_without_a_clock_can_be_held(loop: Loop) -> None:
    made, said = clocks(loop, Limits(total=None))
    held = task()
    made.add(held)
    made.hold(held)
    made.release(held)
    assert held.timing.deadline is None
    assert said == []


def test_a_session_has_so_long_from_one_piece_of_content_to_the_next(loop: Loop) -> None:
    made, _ = clocks(loop, Limits(idle=10, lowest_rate=0.0))
    session = task()
    assert made.left(session) == 10
    loop._away -= 6  # six seconds go by
    assert round(made.left(session)) == 4
    session.stream.put(b"x")
    assert round(made.left(session)) == 10
    loop._away -= 11
    with pytest.raises(TransferTimeout, match=r"moved to or from h:70 for 10 seconds") as caught:
        made.left(session)
    assert caught.value.clock == "idle"


@pytest.mark.parametrize("first", [0, 1])
def test_whose_time_is_not_over_is_left_alone_when_that_of_another_is(loop: Loop, first: int) -> None:
    made, said = clocks(loop, Limits(idle=10))
    tasks = [task(), task()]
    for each in tasks:
        made.add(each)
        made.awaits_peer(each, 60)
    made.awaits_peer(tasks[first], 0.0)
    turn_until(loop, said, 1)
    loop.turn(0)
    assert [each for each, _ in said] == [tasks[first]]
    assert tasks[1 - first].timing.waits_until is not None
