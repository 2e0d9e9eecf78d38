"""The loop: its clock, its timers, its queue, and what a callback may do to the others of its turn."""

from __future__ import annotations

import contextlib
import math
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from anyurl import URL, Client, Policy
from anyurl.dialogue import Dialogue, Monotonic
from anyurl.errors import TransferTimeout
from anyurl.guard.limits import Limits
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.loop import BEHIND, READ, TIMERS_AT_LEAST, WRITE, Loop, Poller
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import STEPS_AT_ONCE, Scheduler
from tests.clocks import Slow, anew
from tests.servers import Connection, Server


@pytest.fixture
def loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


def test_timers_come_in_their_order_and_a_cancelled_one_never(loop: Loop) -> None:
    came: list[int] = []
    for number, seconds in enumerate((0.02, 0.0, 0.01)):
        loop.after(seconds, lambda number=number: came.append(number))  # type: ignore[misc]
    loop.after(0.0, lambda: came.append(9)).cancel()
    while len(came) < 3:
        loop.turn()
    assert came == [1, 2, 0]


def test_cancelled_timers_do_not_pile_up(loop: Loop) -> None:
    for _ in range(20 * TIMERS_AT_LEAST):
        loop.after(60.0, int).cancel()
    assert len(loop._timers) <= TIMERS_AT_LEAST + 1
    came: list[int] = []
    for number in range(3 * TIMERS_AT_LEAST):
        loop.after(0.0, partial(came.append, number))
        loop.after(60.0, int).cancel()
    while len(came) < 3 * TIMERS_AT_LEAST:  # where the machine stood still meanwhile, so did the loop's clock
        loop.turn(0.01)
    assert sorted(came) == list(range(3 * TIMERS_AT_LEAST))


def test_what_is_queued_in_a_turn_waits_for_the_next(loop: Loop) -> None:
    came: list[int] = []
    loop.soon(lambda: (came.append(1), loop.soon(came.append, 2)))
    loop.turn()
    assert came == [1]
    loop.turn()
    assert came == [1, 2]


def test_what_is_queued_comes_before_a_wait_and_never_starves_what_is_ready(loop: Loop) -> None:
    came: list[str] = []
    near, far = socket.socketpair()
    with near, far:
        loop.watch(near.fileno(), READ, lambda _events: came.append("ready"))
        far.send(b"x")
        loop.soon(came.append, "queued")
        loop.turn()
        assert came == ["queued"]
        loop.soon(came.append, "queued again")
        loop.turn()
        assert came == ["queued", "ready", "queued again"]
        loop.unwatch(near.fileno())


def test_a_callback_may_turn_the_loop_itself(loop: Loop) -> None:
    """A source that is another resource does so: what is queued behind it must neither be lost nor come twice."""
    came: list[int] = []
    loop.soon(loop.turn)
    for number in range(3):
        loop.soon(came.append, number)
    loop.turn()
    assert came == [0, 1, 2]


def test_a_descriptor_that_is_reused_in_a_turn_is_not_taken_for_its_predecessor(loop: Loop) -> None:
    came: list[str] = []
    pairs = [socket.socketpair() for _ in range(2)]
    for _, far in pairs:
        far.send(b"x")
    fresh: list[socket.socket] = []

    def first(_events: int) -> None:
        # Closes the other one; the next connection gets its number.
        for near, _ in pairs:
            loop.unwatch(near.fileno())
            near.close()
        for near in socket.socketpair():
            fresh.append(near)
            loop.watch(near.fileno(), READ, lambda _events: came.append("too early"))

    for near, _ in pairs:
        loop.watch(near.fileno(), READ, first)
    loop.turn(0)
    assert len(fresh) == 2
    assert came == []
    for sock in [*fresh, *(far for _, far in pairs)]:
        sock.close()


@anew
def test_the_clock_stands_still_while_nobody_turns(loop: Loop) -> None:
    came: list[int] = []
    loop.patience = 0.01
    loop.after(0.05, lambda: came.append(1))
    time.sleep(0.1)  # the consumer is busy with something else
    loop.turn(0)
    if came:
        raise Slow
    loop.turn()
    assert came == [1]


def test_the_clock_goes_on_for_whoever_waits_elsewhere(loop: Loop) -> None:
    came: list[int] = []
    loop.patience = math.inf
    loop.after(0.02, lambda: came.append(1))
    time.sleep(0.03)
    loop.turn(0)
    assert came == [1]


def test_the_clock_goes_on_while_the_loop_works(loop: Loop) -> None:
    """A peer whose octets take long to be read must not stop the clocks with them."""
    came: list[int] = []
    loop.patience = 0.01
    loop.after(0.05, lambda: came.append(1))
    loop.soon(time.sleep, 0.1)
    loop.turn(0)
    loop.turn(0)
    assert came == [1]


def test_the_clock_stands_still_while_the_consumer_is_called(loop: Loop) -> None:
    loop.patience = 0.01
    loop.working(True)
    began, before = time.monotonic(), loop.now()
    loop.call_out(time.sleep, 0.05)
    counted = loop.now() - before
    assert counted <= time.monotonic() - began - 0.05


@pytest.mark.parametrize("working", [False, True])
@pytest.mark.parametrize(("gone", "counts"), [(100, False), (5, True)])
def test_only_time_that_nobody_worked_and_that_is_long_is_not_counted(
    loop: Loop, working: bool, gone: float, counts: bool
) -> None:
    loop.patience = 10
    for look in (loop.now, lambda: loop.working(working)):
        loop.working(working)
        away = loop._away
        loop._seen -= gone  # so long ago it was seen at last
        look()
        assert round(loop._away - away) == (0 if working or counts else gone)
        assert time.monotonic() - loop._seen < 5 or working


def test_who_waits_for_its_descriptor_elsewhere_hears_a_wake(loop: Loop) -> None:
    loop.wake()
    assert select.select([loop.fileno()], [], [], 5)[0]
    loop.turn(0)
    assert not select.select([loop.fileno()], [], [], 0)[0]


def test_a_descriptor_is_watched_by_one_callback(loop: Loop) -> None:
    near, far = socket.socketpair()
    with near, far:
        one, other = (partial(int, number) for number in (1, 2))
        for callback in (one, other):
            loop.watch(near.fileno(), READ, callback)
            assert [loop.is_watched_by(near.fileno(), each) for each in (one, other)] == [
                callback is one, callback is other,
            ]  # fmt: skip
        loop.unwatch(near.fileno())
        assert not loop.is_watched_by(near.fileno(), other)


def test_a_loop_that_is_not_turned_is_behind(loop: Loop) -> None:
    loop.turn(0)
    assert not loop.is_behind()
    assert not loop.working(True)
    time.sleep(2 * BEHIND)
    assert loop.working(False)
    assert loop.is_behind()
    loop.turn(0)
    assert not loop.is_behind()


def test_wake_ends_a_turn_from_another_thread(loop: Loop) -> None:
    came: list[int] = []
    thread = threading.Thread(target=lambda: (loop.soon(came.append, 1), loop.wake()))
    thread.start()
    while not came:
        loop.turn()
    thread.join()


def test_a_closed_loop_turns_no_more_and_may_be_woken(loop: Loop) -> None:
    loop.soon(loop.close)
    loop.soon(pytest.fail, "it was closed")
    loop.turn()
    loop.wake()
    loop.close()


def test_a_close_that_is_asked_for_meanwhile_waits_for_the_end_of_all_the_work(loop: Loop) -> None:
    asked: list[int] = []
    loop.on_closing = lambda: asked.append(loop.at_work)
    loop.enter()
    loop.enter()
    loop.closing = True
    loop.leave()
    assert asked == []  # what called this goes on with the scheduler
    loop.leave()
    assert asked == [0]


def test_the_poller_of_systems_without_epoll() -> None:
    poller = Poller()
    near, far = socket.socketpair()
    poller.register(near.fileno(), READ | WRITE)
    assert poller.poll(0) == [(near.fileno(), WRITE)]
    far.send(b"x")
    poller.modify(near.fileno(), READ)
    assert poller.poll(1) == [(near.fileno(), READ)]
    poller.unregister(near.fileno())
    with pytest.raises(KeyError):
        poller.unregister(near.fileno())
    poller.close()
    near.close()
    far.close()


def test_what_is_watched_already_is_only_changed(loop: Loop) -> None:
    """Each wait of each transfer does so: the call that fails and then the right one would be two."""
    calls: list[str] = []

    class Noting(Poller):
        def register(self, fd: int, events: int) -> None:
            calls.append("register")
            super().register(fd, events)

        def modify(self, fd: int, events: int) -> None:
            calls.append("modify")
            super().modify(fd, events)

    before, loop._poller = loop._poller, Noting()
    before.close()
    near, far = socket.socketpair()
    with near, far:
        for events in (READ, WRITE, READ):
            loop.watch(near.fileno(), events, int)
        loop.unwatch(near.fileno())
        loop.watch(near.fileno(), READ, int)
    assert calls == ["register", "modify", "modify", "register"]


def test_a_closed_loop_is_turned_in_vain(loop: Loop) -> None:
    loop.close()
    loop.soon(pytest.fail, "it was closed")
    loop.turn()


def test_a_dialogue_that_never_waits_lets_the_loop_turn() -> None:
    steps = 0

    def busy() -> Dialogue:
        nonlocal steps
        while True:
            yield from Monotonic()
            time.sleep(0.01)  # what came took long to read
            steps += 1

    scheduler = Scheduler(Policy.open().replace(limits=Limits(total=0.02)), handlers)
    task = scheduler.start(Parties(URL("gopher://h/")), busy)
    while not task.done:
        scheduler.loop.turn()
    assert isinstance(task.error, TransferTimeout)
    assert steps < STEPS_AT_ONCE
    scheduler.close()


def test_ctrl_c_is_heard_while_octets_come_without_end() -> None:
    """Compiled code hears a signal only where it lets Python do so, for no wait is interrupted here."""

    def endless(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                connection.send(bytes(65536))

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with Server(endless) as server, Client(timeout=5) as client:
            resource = client.get(f"http://{server.authority}/")
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(KeyboardInterrupt):
                resource.read()
    finally:
        signal.signal(signal.SIGALRM, before)
