"""How long a peer may be silent: octets earn seconds back, at the lowest rate that counts as talking."""

from __future__ import annotations

from anyurl.net.loop.task import Timing
from tests.rows import each_row

IDLE = 60.0


class Counting:
    """A channel through which so many octets went."""

    moved = 0


@each_row(
    ("waits", "rate", "left"),
    [
        ([(50, 1)], 1.0, 11),  # one octet after 50 s of silence is worth a second
        ([(50, 1000)], 1.0, IDLE),  # nobody can earn more than the whole
        ([(2, 1)] * 30, 1.0, 30),  # an octet every two seconds is half of what is wanted
        ([(2, 1)] * 60, 1.0, 0),
        ([(2, 2)] * 1000, 1.0, IDLE),  # slow and steady
        ([(59, 10**6)] * 100, 1.0, IDLE),  # a burst now and then
        ([(61, 0)], 1.0, 0),
        ([(59, 1)] * 100, 0.0, IDLE),  # no lowest rate: any octet counts
        ([(59, 0), (59, 0)], 0.0, 0),
    ],
)
def test_what_is_left(waits: list[tuple[float, int]], rate: float, left: float) -> None:
    channel, listener, now = Counting(), Timing(), 1000.0
    assert listener.patience(channel, now, IDLE, rate) == IDLE
    found = IDLE
    for seconds, octets in waits:
        now += seconds
        channel.moved += octets
        found = listener.patience(channel, now, IDLE, rate)
    assert found == left


def test_a_new_question_and_another_channel_begin_anew() -> None:
    channel, listener = Counting(), Timing()
    listener.patience(channel, 0.0, IDLE, 1.0)
    assert listener.patience(channel, 50.0, IDLE, 1.0) == 10
    assert listener.patience(Counting(), 50.0, IDLE, 1.0) == IDLE
    listener.renew()
    assert listener.patience(channel, 50.0, IDLE, 1.0) == IDLE
