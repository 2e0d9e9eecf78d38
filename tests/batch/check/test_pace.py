"""Pace: the rate, the time left and the slowest hosts, told by a clock of the test's own."""

from __future__ import annotations

from anyurl.batch.check.pace import MAX_HOSTS, WINDOW, Pace


class Clock:
    """Moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_rate_is_that_of_late() -> None:
    clock = Clock()
    progress = Pace(100, clock)
    assert progress.rate() == 0.0
    assert progress.left(200) is None
    for _ in range(10):
        clock.now += 1.0
        for _ in range(5):
            progress.add("h", 0.1)
        assert progress.rate() == 5.0
    assert progress.done == 150
    assert progress.left(200) == 10.0
    for _ in range(2 * WINDOW):  # nothing more is done
        clock.now += 1.0
        progress.rate()
    assert progress.rate() == 0.0


def test_a_mark_is_made_each_second() -> None:
    clock = Clock()
    progress = Pace(0, clock)
    for moved, rate in ((0.999, 0.0), (0.001, 1.0), (0.5, 4.0)):
        clock.now += moved
        assert round(progress.rate(), 3) == (0.0 if rate == 0.0 else round(progress.done / clock.now, 3))
        progress.done += 1
    assert [mark for mark, _ in progress._marks] == [0.0, 1.0]
    assert Pace(7, clock).left(7) is None


def test_the_slowest_hosts_are_those_whose_mean_is_longest() -> None:
    progress = Pace(0, Clock())
    for host, seconds in (("a", 1.0), ("b", 5.0), ("a", 3.0), ("c", 0.5)):
        progress.add(host, seconds)
    assert progress.slowest(2) == [("b", 5.0), ("a", 2.0)]


def test_hosts_without_end_are_forgotten() -> None:
    progress = Pace(0, Clock())
    for number in range(2 * MAX_HOSTS):
        progress.add(f"h{number}", 1.0)
    assert len(progress.slowest(10 * MAX_HOSTS)) == MAX_HOSTS
