"""A task: what it has open, and how long its peer may still be silent."""

from __future__ import annotations

import contextlib
import socket

from anyurl.net.loop.loop import READ, Loop
from anyurl.net.loop.task import Timing
from anyurl.net.wire.channel import Connection
from tests.net.loop.tasks import task
from tests.rows import each_row


class Thing:
    """Something open; two of them are equal, as two values may be."""

    def __init__(self, name: str, closed: list[str]) -> None:
        self.name, self.closed = name, closed

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    def close(self) -> None:
        self.closed.append(self.name)


def test_what_is_open_is_closed_the_latest_first_and_what_was_released_is_not() -> None:
    closed: list[str] = []
    things = [Thing(name, closed) for name in "abc"]
    one = task()
    for thing in things:
        one.hold(thing)
    one.release(things[1])
    one.release(things[1])
    one.release(Thing("d", closed))
    one.close_all()
    one.close_all()
    assert closed == ["c", "a"]


def test_each_connection_is_kept_with_its_key() -> None:
    one, other = object(), object()
    kept = task()
    assert kept.kept is None
    kept.keep(one, ("a",))
    kept.keep(other, ("b",))
    assert kept.kept == [(one, ("a",)), (other, ("b",))]


class Channel:
    """A channel that has moved so much."""

    def __init__(self) -> None:
        self.moved = 0


@each_row(
    ("rate", "steps", "left"),
    [
        # Seconds go by, octets come: what is left of ten seconds.
        (0.0, [(4, 0)], 6),
        (0.0, [(4, 0), (4, 0)], 2),
        (0.0, [(4, 0), (8, 0)], 0),  # never less
        (0.0, [(9, 0), (9, 1)], 2),  # one octet earns all of it, less what has gone by
        (2.0, [(4, 0)], 6),
        (2.0, [(8, 4)], 4),  # four octets are two seconds' worth
        (2.0, [(1, 400)], 10),  # never more
        (2.0, [(4, 2), (4, 2)], 4),
    ],
)
def test_how_long_the_peer_may_still_be_silent(rate: float, steps: list[tuple[int, int]], left: float) -> None:
    one, channel, now = Timing(), Channel(), 100.0
    assert one.patience(channel, now, 10, rate) == 10
    for seconds, octets in steps:
        now += seconds
        channel.moved += octets
        found = one.patience(channel, now, 10, rate)
    assert found == left
    assert one.patience(Channel(), now, 10, rate) == 10  # another channel has all of it
    one.renew()
    assert one.patience(channel, now, 10, rate) == 10


def test_silence_while_nobody_read_does_not_count() -> None:
    one, channel = Timing(), Channel()
    one.patience(channel, 100, 10, 0.0)
    one.rest(150)
    assert one.patience(channel, 153, 10, 0.0) == 7


def test_who_no_longer_waits_watches_nothing() -> None:
    near, far = socket.socketpair()
    loop, one = Loop(), task()
    with near, far, contextlib.closing(loop):
        loop.watch(near.fileno(), READ, int)
        one.park(Connection(near, ("h", 1), ("h", 1)), int)
        one.timing.waits_until = 5.0
        for _ in range(2):
            one.unpark(loop)
            assert (one.connection, one.attempt, one.timing.waits_until) == (None, None, None)
            assert not loop.is_watched_by(near.fileno(), int)
