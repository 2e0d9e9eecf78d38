"""What is learned of a host from its refusals: on a clock that the test turns."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import pytest

from anyurl.errors import AnyURLError, ConnectError, ConnectionLost, NotFoundError, UnavailableError
from anyurl.net.loop import manners
from anyurl.net.loop.loop import Timer
from anyurl.net.loop.manners import FIRST_PAUSE, LONGEST_WAIT, NOTICED, REFUSALS_IN_A_ROW, STALL, Manners
from anyurl.net.loop.task import Crowd, Task
from anyurl.net.loop.turns import LOST, Host
from anyurl.values import Scope
from tests.net.loop.tasks import task as new_task


class Turned:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.turning = False
        self._timers: list[tuple[float, int, Timer]] = []
        self._count = 0

    def now(self) -> float:
        return self.time

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        timer = Timer(self.time + seconds, callback)
        self._count += 1
        heapq.heappush(self._timers, (timer.when, self._count, timer))
        return timer

    def wake(self) -> None:
        pass

    def turn(self, seconds: float) -> None:
        end = self.time + seconds
        while self._timers and self._timers[0][0] <= end:
            when, _, timer = heapq.heappop(self._timers)
            self.time = max(self.time, when)
            if timer.callback is not None:
                timer.callback()
        self.time = end


class Held:
    """The tasks under way, and those of them whose clock stands still."""

    def __init__(self, give_up: Callable[[Task, AnyURLError], None]) -> None:
        self.tasks: set[Task] = set()
        self.held: set[Task] = set()
        self.give_up = give_up

    def hold(self, task: Task) -> None:
        self.held.add(task)

    def release(self, task: Task) -> None:
        self.held.discard(task)


class Rig:
    """Manners, the tasks under way, and those that were let in after a wait."""

    def __init__(
        self, per_host: int | None = None, delay: float = 0.0, configured: dict[str, tuple[str, int]] | None = None
    ) -> None:
        self.clock = Turned()
        self.clocks = Held(self._give_up)
        self.begun: list[Task] = []
        self.given_up: list[tuple[Task, str]] = []
        self.manners = Manners(
            self.clock, self.clocks, lambda task: self.begun.append(task), per_host, delay, configured
        )

    def _give_up(self, task: Task, error: AnyURLError) -> None:
        self.given_up.append((task, str(error)))
        self.end(task, error)

    def start(
        self, url: str = "http://h/", patient: bool = True, crowd: Crowd | None = None, deadline: float | None = None
    ) -> tuple[Task, bool]:
        begun = new_task(url, eager=True, patient=patient, crowd=crowd)
        begun.timing.deadline = deadline
        self.clocks.tasks.add(begun)
        return begun, self.manners.admit(begun, patient=patient)

    def end(self, task: Task, error: Exception | None = None) -> bool:
        """As the scheduler does it; whether it was a refusal."""
        task.stream.end(error, None)
        self.clocks.tasks.discard(task)
        refused = error is not None and self.manners.learn(task, error)
        task.close_all()
        return refused

    def limit(self, host: str = "h", port: int = 80) -> int | None:
        return self.manners._hosts[(host, port)].limit


def full(seconds: float | None = None) -> UnavailableError:
    error = UnavailableError("Too many connections.", code=421, meaning="connections")
    error.retry_after = seconds
    return error


def test_a_host_that_refuses_nothing_is_not_remembered() -> None:
    rig = Rig()
    for _ in range(100):
        assert rig.end(*rig.start()[:1]) is False
    assert not rig.manners._hosts


def test_one_burst_of_refusals_leaves_what_is_served() -> None:
    rig = Rig()
    tasks = [rig.start()[0] for _ in range(16)]
    for task in tasks[2:]:
        assert rig.end(task, full())
    assert rig.limit() == 2
    waiting = [rig.start() for _ in range(3)]
    assert not any(begun for _, begun in waiting)
    rig.clock.turn(FIRST_PAUSE)
    assert not rig.begun  # the two that are served hold all there is
    rig.end(tasks[0])
    rig.clock.turn(0)
    assert rig.begun == [waiting[0][0]]


def test_nothing_begins_while_the_host_wants_quiet() -> None:
    rig = Rig()
    first, other = rig.start()[0], rig.start()[0]
    rig.end(first, full(seconds=30))
    rig.end(other)
    waiting, begun = rig.start()
    assert not begun
    rig.clock.turn(29.9)
    assert not rig.begun
    rig.clock.turn(0.2)
    assert rig.begun == [waiting]


def test_a_delay_lies_between_the_beginnings_at_one_host() -> None:
    rig = Rig(delay=2.0)
    assert rig.start("http://h/1")[1]
    assert rig.start("http://other/1")[1]  # each host has its own
    waiting = [rig.start(f"http://h/{number}")[0] for number in range(2, 5)]
    rig.clock.turn(1.9)
    assert not rig.begun
    for number in range(3):
        rig.clock.turn(0.2 if number == 0 else 2.0)
        assert rig.begun == waiting[: number + 1]


def test_a_delay_holds_after_the_last_transfer_has_ended() -> None:
    rig = Rig(delay=2.0)
    rig.end(rig.start()[0])
    waiting, begun = rig.start()
    assert not begun
    rig.clock.turn(2.0)
    assert rig.begun == [waiting]


def test_one_that_cannot_wait_begins_and_is_counted() -> None:
    rig = Rig(delay=2.0)
    assert rig.start()[1]
    rig.clock.turn(1.0)
    assert rig.start(patient=False)[1]
    waiting, _ = rig.start()
    rig.clock.turn(1.9)
    assert not rig.begun
    rig.clock.turn(0.1)
    assert rig.begun == [waiting]


def test_only_the_wait_that_the_caller_wants_costs_no_time() -> None:
    rig = Rig(delay=2.0)
    first, waiting = rig.start()[0], rig.start()[0]
    assert rig.clocks.held == {waiting}
    rig.clock.turn(2.0)
    assert rig.begun == [waiting]
    assert not rig.clocks.held
    last = rig.start()[0]
    assert rig.clocks.held == {last}
    rig.end(first, full())  # from now on it is the host that makes them wait
    assert not rig.clocks.held
    rig.start()
    assert not rig.clocks.held


def test_hosts_are_remembered_while_the_delay_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manners, "MAX_HOSTS", 10)
    monkeypatch.setattr(manners, "MAX_DELAYED_HOSTS", 50)
    rig = Rig(delay=2.0)
    for number in range(40):
        rig.end(rig.start(f"http://h{number}/")[0])
    assert not any(rig.start(f"http://h{number}/")[1] for number in range(40))
    rig = Rig(delay=2.0)
    for number in range(200):
        rig.end(rig.start(f"http://h{number}/")[0])
    assert len(rig.manners._hosts) <= 52
    rig.clock.turn(2.0)
    for number in range(60):
        rig.end(rig.start(f"http://g{number}/")[0])
    assert len(rig.manners._hosts) <= 52


def test_a_server_that_wants_too_much_quiet_is_not_waited_for() -> None:
    rig = Rig()
    task = rig.start()[0]
    error = full(seconds=LONGEST_WAIT + 1)
    rig.end(task, error)
    assert rig.manners.pause(task.parties.url, error, 0) is None
    assert rig.manners.pause(task.parties.url, full(), 0) is None  # whatever the next one says
    rig = Rig()
    task, error = rig.start()[0], full(seconds=LONGEST_WAIT)
    rig.end(task, error)
    assert rig.manners.pause(task.parties.url, error, 0) == LONGEST_WAIT


@pytest.mark.parametrize(("wished", "deadline"), [(LONGEST_WAIT + 1, None), (3600.0, 1030.0), (60.0, 1030.0)])
def test_what_waits_for_a_host_that_rests_too_long_is_given_up_at_once(wished: float, deadline: float | None) -> None:
    rig = Rig(per_host=1)
    first = rig.start(deadline=deadline)[0]
    waiting = [rig.start(deadline=deadline)[0] for _ in range(3)]
    rig.end(first, full(seconds=wished))
    assert [task for task, _ in rig.given_up] == waiting
    assert not rig.start(deadline=deadline)[1]
    assert len(rig.given_up) == 4
    assert rig.manners.waiting == 0
    assert set(map(type, (task.stream.error for task in waiting))) == {UnavailableError}
    way = "" if wished > LONGEST_WAIT else " (timeout=... allows more)"
    assert rig.given_up[0][1] == (
        f"h:80 refused transfers and is left alone for another {wished:,.0f} s, so that this one was not begun{way}. "
        "Its last refusal: Too many connections."
    )
    rig.clock.turn(wished)
    assert not rig.begun  # nothing is left of them
    assert rig.start(deadline=None)[1]


def test_what_is_waited_for_is_not_given_up() -> None:
    rig = Rig(per_host=1)
    first, waiting = rig.start()[0], rig.start(deadline=1100.0)[0]
    rig.end(first, full(seconds=60))
    assert not rig.given_up
    rig.clock.turn(60)
    assert rig.begun == [waiting]


def test_one_that_timed_out_in_the_queue_waits_no_more() -> None:
    rig, crowd = Rig(per_host=1), SomeRoom(9)
    tasks = [rig.start(crowd=crowd)[0] for _ in range(5)]
    assert (rig.manners.waiting, crowd.waiting) == (4, 4)
    for task in tasks[2:]:
        rig.end(task, ConnectionLost("time is up"))
    assert (rig.manners.waiting, crowd.waiting) == (1, 1)
    assert rig.clocks.held == {tasks[1]}


class SomeRoom:
    """A `map` that has room for so many more."""

    def __init__(self, room: int) -> None:
        self.waiting = 0
        self.room = room
        self.asked = 0

    def has_room(self) -> bool:
        self.asked += 1
        return self.room > 0


def test_what_its_map_has_no_room_for_waits_on_and_stops_no_other_map() -> None:
    rig, full_one, other = Rig(per_host=1), SomeRoom(0), SomeRoom(9)
    first = rig.start(crowd=other)[0]
    late, early = rig.start(crowd=full_one)[0], rig.start(crowd=other)[0]
    rig.end(first)
    rig.clock.turn(0)
    assert rig.begun == [early]
    rig.end(early)
    rig.clock.turn(60)
    assert rig.begun == [early]
    assert len(rig.manners.blocked) == 1
    full_one.room = 1
    rig.manners.give_blocked()
    assert rig.begun == [early, late]
    assert not rig.manners.blocked


def test_a_map_without_room_is_asked_once_however_many_wait() -> None:
    rig, crowd = Rig(per_host=1), SomeRoom(0)
    first = rig.start(crowd=crowd)[0]
    assert not any(rig.start(crowd=crowd)[1] for _ in range(500))
    rig.end(first)
    rig.clock.turn(0)
    assert not rig.begun
    assert crowd.asked == 1


def test_a_transfer_that_ends_sets_no_second_timer_and_wakes_no_turn_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, set_timers, woken = Rig(per_host=2), [], []
    after = rig.clock.after
    monkeypatch.setattr(rig.clock, "after", lambda *given: set_timers.append(given) or after(*given))
    monkeypatch.setattr(rig.clock, "wake", lambda: woken.append(rig.clock.turning))
    served, waiting = [rig.start()[0] for _ in range(2)], [rig.start()[0] for _ in range(3)]
    set_timers.clear()
    rig.clock.turning = True
    for task in served:
        rig.end(task)
    assert len(set_timers) == 1
    rig.clock.turn(0)
    assert rig.begun == waiting[:2]
    assert woken == [False]  # when the first began to wait, between two turns


class Asked:
    """A host that is asked by one `map`.

    Args:
        count: The tasks of the `map`.
    """

    def __init__(self, count: int) -> None:
        self.rig, self.crowd = Rig(), SomeRoom(999)
        begun = [self.rig.start(crowd=self.crowd) for _ in range(count)]
        self.under_way = [task for task, has_begun in begun if has_begun]

    @property
    def host(self) -> Host:
        return self.rig.manners._hosts[("h", 80)]

    def answer(self, count: int, seconds: float, *, ends: bool = True) -> None:
        """It answers the first of them, after a while."""
        self.rig.clock.turn(seconds)
        for task in self.under_way[:count]:
            if ends:
                self.rig.end(task)
            else:
                self.rig.manners.answered(task)
        self.rig.clock.turn(0)
        self.under_way = self.under_way[count:] + self.rig.begun
        self.rig.begun.clear()


@pytest.mark.parametrize("ends", [True, False])  # HEAD; a document that is not read yet
def test_a_host_is_asked_for_one_thing_and_with_each_quick_answer_for_one_more(ends: bool) -> None:
    asked = Asked(300)
    for number in (1, 2, 4, 8, 16, 32, 64):
        assert len(asked.under_way) == number
        asked.answer(number, 0.1, ends=ends)
    assert not asked.crowd.waiting
    asked.answer(300, 0.1)
    assert asked.host.is_free
    assert not asked.rig.start(crowd=asked.crowd)[0].open  # nothing is counted any more


def test_a_host_that_answers_one_after_the_other_is_asked_for_no_more_than_its_backlog_holds() -> None:
    asked, most = Asked(500), 0
    asked.rig.clock.turn(0.3)  # the first one took longer: for the look-up and the handshake, perhaps
    for _ in range(500):
        asked.answer(1, 0.1)
        most = max(most, len(asked.under_way))
    assert most == 7
    assert not asked.under_way


def test_a_host_that_loses_connections_is_asked_for_less_again() -> None:
    asked = Asked(100)
    for number in (1, 2, 4, 8):
        asked.answer(number, 0.1)
    assert asked.host.start == 16
    asked.answer(4, LOST + 0.5)
    assert asked.host.start == 2


def test_a_host_that_does_not_answer_is_not_asked_one_by_one() -> None:
    asked = Asked(100)
    asked.rig.end(asked.under_way[0], ConnectError("No answer.", stage="connect"))
    asked.rig.clock.turn(0)
    assert not asked.crowd.waiting


def test_a_connection_that_is_closed_beside_one_that_was_served_is_a_refusal() -> None:
    """The other one may have ended before: a short document takes less time than to see that a connection is closed."""
    asked = Asked(3)
    asked.answer(1, 0.1)
    served, closed = asked.under_way
    asked.rig.clock.turn(0.1)
    asked.rig.end(served)
    assert asked.rig.end(closed, ConnectionLost("Nothing came."))


def test_a_host_that_is_not_busy_is_asked_for_no_more_by_and_by() -> None:
    asked = Asked(1)
    for _ in range(50):
        asked.answer(1, 0.1)
        asked.under_way = [asked.rig.start(crowd=asked.crowd)[0]]
    assert asked.host.start == 1


def test_a_refusal_of_a_host_that_answered_many_counts_all_that_it_serves() -> None:
    asked = Asked(300)
    for number in (1, 2, 4, 8, 16, 32, 64, 300):
        asked.answer(number, 0.1)
    served = [asked.rig.start(crowd=asked.crowd)[0] for _ in range(9)]
    asked.rig.end(asked.rig.start(crowd=asked.crowd)[0], full(seconds=5))
    assert asked.rig.limit() == len(asked.host.turns) == len(served)


def test_the_next_request_of_a_task_keeps_the_delay_and_comes_before_those_that_wait() -> None:
    rig, sent = Rig(delay=2.0), []
    task, waiting = rig.start()[0], rig.start()[0]
    assert not rig.manners.go_on(task, ("h", 80), sent.append)
    assert rig.clocks.held == {task, waiting}  # it is the caller that makes them wait
    rig.clock.turn(1.9)
    assert not sent
    rig.clock.turn(0.2)
    assert (sent, rig.begun, rig.clocks.held) == ([None], [], {waiting})
    rig.clock.turn(1.9)
    assert rig.begun == [waiting]


def test_the_next_request_of_one_that_cannot_wait_is_sent_and_counts() -> None:
    rig = Rig(delay=2.0)
    task, waiting = rig.start(patient=False)[0], rig.start()[0]
    rig.clock.turn(1.0)
    assert rig.manners.go_on(task, ("h", 80), lambda _error: None)
    rig.clock.turn(1.9)
    assert not rig.begun
    rig.clock.turn(0.2)
    assert rig.begun == [waiting]


def test_the_next_request_waits_for_a_host_that_rests_and_not_for_ever() -> None:
    rig, sent = Rig(delay=2.0), []
    task, other, third = (rig.start("http://h/", patient=False)[0] for _ in range(3))
    task.patient = True
    assert not rig.manners.go_on(task, ("h", 80), sent.append)
    rig.end(other, full(seconds=60))
    rig.clock.turn(59.0)
    assert not sent
    rig.clock.turn(1.1)
    assert sent == [None]
    assert not rig.manners.go_on(task, ("h", 80), sent.append)
    rig.end(third, full(seconds=LONGEST_WAIT + 10))
    rig.clock.turn(9.0)
    assert str(sent[1]).startswith("h:80 refused transfers and is left alone for another")
    with pytest.raises(UnavailableError, match="left alone"):
        rig.manners.go_on(task, ("h", 80), sent.append)


def test_a_host_that_wants_rest_is_remembered_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manners, "MAX_HOSTS", 10)
    rig = Rig()
    rig.end(rig.start("http://tired/")[0], full(seconds=200))
    for number in range(100):
        rig.end(rig.start(f"http://h{number}/")[0], full())
    assert len(rig.manners._hosts) <= 12
    assert not rig.start("http://tired/")[1]


def test_pauses_double_and_differ() -> None:
    rig = Rig()
    task = rig.start()[0]
    for attempts in range(4):
        least = FIRST_PAUSE * 2**attempts / 2
        pauses = {rig.manners.pause(task.parties.url, ConnectionLost("x"), attempts) for _ in range(20)}
        assert all(pause is not None and least <= pause <= 2 * least for pause in pauses)
        assert len(pauses) > 10


def test_the_limit_grows_with_success_and_is_cut_by_the_next_refusal() -> None:
    rig = Rig()
    tasks = [rig.start()[0] for _ in range(10)]
    for task in tasks[4:]:
        rig.end(task, full())
    for task in tasks[:4]:
        rig.end(task)
    assert rig.limit() == 4
    running = [task for task, begun in (rig.start() for _ in range(12)) if begun]
    for _ in range(500):
        task, begun = rig.start()
        running += [task] if begun else []
        rig.clock.turn(1)
        running += rig.begun
        rig.begun.clear()
        if running:
            rig.end(running.pop(0))
        if rig.limit() == 6:
            break
    assert rig.limit() == 6
    grown = rig.start(patient=False)[0]
    rig.clock.turn(60)
    late = rig.start("http://h/late", patient=False)[0]
    rig.end(late, full())
    assert rig.limit() < 6
    rig.end(grown)


def test_a_host_that_refuses_all_is_waited_for_no_longer() -> None:
    rig = Rig()
    waited = []
    for _ in range(REFUSALS_IN_A_ROW + 1):
        rig.clock.turn(1)
        task = rig.start(patient=False)[0]
        rig.clock.turn(LONGEST_WAIT)
        rig.end(task, full())
        waited.append(rig.manners.pause(task.parties.url, full(), 0) is not None)
    assert waited == [True] * REFUSALS_IN_A_ROW + [False]
    assert rig.limit() == 1
    well = rig.start(patient=False)[0]
    rig.end(well)
    assert rig.manners.pause(task.parties.url, full(), 0) is not None


@pytest.mark.parametrize(
    ("error", "alone", "beside"),
    [
        (full(), True, True),
        (UnavailableError("x", code=503, meaning="busy"), True, True),
        (UnavailableError("x", code=450, meaning="busy"), False, False),  # that file is busy, the host is not
        (ConnectionLost("x"), False, True),  # a door that is closed beside open ones
        (ConnectError("x"), False, True),
        (ConnectError("x", stage="tls"), False, False),
        (NotFoundError("x", code=404), False, False),
    ],
)
def test_what_is_a_refusal(error: Exception, alone: bool, beside: bool) -> None:
    rig = Rig()
    assert rig.end(rig.start()[0], error) is alone
    rig = Rig()
    rig.start()
    assert rig.end(rig.start()[0], error) is alone  # the other one has not been let in either: the host may be down
    rig = Rig()
    rig.start()[0].parties.meet("192.0.2.1", Scope.PUBLIC)
    assert rig.end(rig.start()[0], error) is beside
    rig = Rig()
    rig.start("http://h:8080/")  # another service is not the same host
    assert rig.end(rig.start()[0], error) is alone


def test_a_transfer_that_broke_is_no_refusal() -> None:
    rig = Rig()
    rig.start()
    task = rig.start()[0]
    task.stream.put(b"half of it")
    assert rig.end(task, ConnectionLost("x")) is False


def test_a_server_has_a_moment_to_notice_that_a_connection_has_been_closed() -> None:
    rig = Rig()
    for _ in range(3):
        served = rig.start()[0]
        rig.end(rig.start(patient=False)[0], full())
        rig.end(served)
    assert rig.end(rig.start(patient=False)[0], ConnectionLost("x"))
    rig.clock.turn(NOTICED)
    assert not rig.end(rig.start(patient=False)[0], ConnectionLost("x"))


def test_names_of_one_address_share_what_was_learned() -> None:
    rig = Rig()
    for host in ("a", "b"):
        tasks = [rig.start(f"http://{host}/")[0] for _ in range(3)]
        for task in tasks:
            task.parties.meet("192.0.2.1", Scope.PUBLIC)
        rig.end(tasks[0], full())
        rig.end(tasks[1], full())
    assert rig.manners._hosts[("a", 80)] is rig.manners._hosts[("b", 80)]
    assert rig.limit("a") == 1
    assert len(rig.manners._hosts[("a", 80)].turns) == 2
    assert not rig.start("http://a/")[1]


def test_a_limit_of_the_caller_is_kept_and_costs_no_memory() -> None:
    rig = Rig(per_host=2)
    first, second, third = (rig.start() for _ in range(3))
    assert (first[1], second[1], third[1]) == (True, True, False)
    assert rig.start("http://other/")[1]
    rig.end(first[0])
    rig.clock.turn(0)
    assert rig.begun == [third[0]]
    for task in list(rig.clocks.tasks):
        rig.end(task)
    assert not rig.manners._hosts
    assert rig.manners.waiting == 0


def test_turns_that_all_wait_for_the_caller_stop_nobody_for_ever() -> None:
    rig = Rig(per_host=1)
    held = rig.start()[0]
    held.stream.hold()
    waiting = rig.start()[0]
    rig.clock.turn(STALL / 2)
    assert not rig.begun
    rig.clock.turn(STALL)
    assert rig.begun == [waiting]


@pytest.mark.parametrize("busy", [False, True], ids=["nothing is read", "one is read"])
def test_transfers_that_are_half_read_stop_nobody_for_ever(busy: bool) -> None:
    rig = Rig(per_host=2)
    held, other = rig.start()[0], rig.start()[0]
    held.stream.hold()
    other.stream.relay(object(), None)  # its octets are there, and nobody takes them
    waiting = [rig.start()[0] for _ in range(3)]
    if busy:
        rig.clock.turn(STALL / 2)
        other.stream.put(bytes(100))
        rig.clock.turn(STALL / 2)
        assert not rig.begun
    rig.clock.turn(STALL)
    assert rig.begun == waiting[:2]


def test_a_host_that_refuses_is_given_one_more_only() -> None:
    rig = Rig()
    tasks = [rig.start()[0] for _ in range(4)]
    for task in tasks[2:]:
        rig.end(task, full())
    for task in tasks[:2]:
        task.stream.hold()
    waiting = [rig.start()[0] for _ in range(3)]
    rig.clock.turn(STALL + FIRST_PAUSE)
    assert rig.begun == waiting[:1]


@pytest.mark.parametrize(
    ("url", "most"),
    [
        ("ftp://h/x", 8),  # a login each
        ("ftps://h/x", 8),
        ("nntp://h/g/1", 4),
        ("http://h/x", None),  # as many as it takes
        ("gopher://h/x", None),
    ],
)
def test_where_each_transfer_is_a_login_there_are_few_at_once(url: str, most: int | None) -> None:
    assert sum(begun for _, begun in (rig.start(url) for rig in [Rig()] for _ in range(64))) == (most or 64)
    assert sum(begun for _, begun in (rig.start(url) for rig in [Rig(per_host=20)] for _ in range(64))) == 20


def test_urls_that_name_no_host_are_those_of_the_configured_server() -> None:
    rig = Rig(configured={"news": ("h", 119)})
    assert [rig.start(url)[1] for url in ("news:1@a", "news:2@a", "nntp://h/g/1", "news://h/g", "news:5@a")] == [
        True, True, True, True, False,
    ]  # fmt: skip
    assert rig.start("mailto:me@a.test")[1]  # nobody knows where that goes


def test_one_that_can_not_wait_begins_and_is_counted() -> None:
    rig = Rig(per_host=1)
    assert rig.start(patient=False)[1]
    assert rig.start(patient=False)[1]
    assert not rig.start()[1]


def test_a_million_hosts_need_the_room_of_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manners, "MAX_HOSTS", 100)
    rig = Rig()
    busy = rig.start("http://busy/")[0]
    rig.end(rig.start("http://busy/")[0], full())
    for number in range(1000):
        task = rig.start(f"http://h{number}/")[0]
        task.parties.meet(f"192.0.{number // 256}.{number % 256}", Scope.PUBLIC)
        rig.end(task, full())
    assert len(rig.manners._hosts) <= 101
    assert len(rig.manners._addresses) <= 101
    assert ("busy", 80) in rig.manners._hosts
    rig.end(busy)


def test_what_was_given_up_while_it_waited_is_passed_over() -> None:
    rig = Rig(per_host=1)
    first, gone, waiting = (rig.start()[0] for _ in range(3))
    rig.end(gone)
    rig.end(first)
    rig.clock.turn(0)
    assert rig.begun == [waiting]
    assert rig.manners.waiting == 0


def test_nobody_waits_on_his_own_time_for_a_url_that_alone_is_refused() -> None:
    rig = Rig(per_host=4)
    tasks = [rig.start(f"http://h/{number}")[0] for number in range(10)]
    waiting = set(tasks[4:])
    assert rig.clocks.held == waiting
    tasks[1].parties.meet("192.0.2.1", Scope.PUBLIC)
    assert rig.end(tasks[0], ConnectionLost("closed"))
    assert not rig.clocks.held  # the host refuses, as far as is known
    rig.end(tasks[1])
    assert rig.clocks.held == waiting - set(rig.begun)
    assert not rig.start("http://h/new")[1]
    assert len(rig.clocks.held) == len(waiting) - len(rig.begun) + 1


def test_the_jitter_is_from_0_to_1_and_all_of_it() -> None:
    made = Rig().manners
    drawn = sorted(made.random() for _ in range(300))
    assert 0 <= drawn[0] < 0.1
    assert 0.9 < drawn[-1] < 1
    assert len(set(drawn)) > 290


def test_clients_that_were_refused_together_do_not_come_back_together() -> None:
    made = Rig().manners
    pauses = sorted(made._backoff(0) for _ in range(300))
    assert FIRST_PAUSE / 2 <= pauses[0] < 0.6 * FIRST_PAUSE
    assert 0.9 * FIRST_PAUSE < pauses[-1] <= FIRST_PAUSE
