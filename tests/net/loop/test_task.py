"""A task: what its consumer has not read yet, what it has open, and how long its peer may still be silent."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Callable
from typing import Any

import pytest

from anyurl import URL
from anyurl.dialogue import Dialogue, Entry
from anyurl.errors import LimitError
from anyurl.net.loop.loop import READ, Loop
from anyurl.net.loop.task import ENTRIES_HIGH_WATER, HIGH_WATER, Task
from anyurl.net.wire.channel import Connection
from anyurl.values import USER, Scope

ENTRY = HIGH_WATER // ENTRIES_HIGH_WATER
ONE = Entry("x", None)


def nothing() -> Dialogue:
    yield from ()
    return None


def task(octets: int | None = None, entries: int = 10_000) -> Task:
    return Task(URL("gopher://h/"), nothing(), USER, None, None, False, octets, entries, "listing")


def listed(count: int) -> tuple[Entry, ...]:
    return (ONE,) * count


def size_of(piece: Any) -> int:
    return len(piece) if isinstance(piece, bytes) else ENTRY * len(piece)


def test_of_whom_nothing_is_said_is_a_listing_asked_for_by_who_named_it() -> None:
    one = Task(URL("gopher://h/"), nothing(), USER, None, None, False, None, 9)
    assert (one.lists, one.asked_by, one.byte_limit, one.entry_limit) == ("listing", USER, None, 9)


def test_what_is_unread_is_what_was_put_and_not_taken() -> None:
    chance = random.Random(1)
    one, held, put = task(), [], 0
    takes: tuple[Callable[[], Any], ...] = (one.take, one.take_octets)
    for _ in range(2_000):
        if chance.random() < 0.6:
            piece = chance.choice((b"", bytes(chance.randrange(1, 5_000)), listed(chance.randrange(4))))
            put += len(piece) if isinstance(piece, bytes) else 0
            one.put(piece)
            held += [piece] if piece else []
        else:
            taken = chance.choice(takes)()
            pieces = taken if isinstance(taken, list) else [] if taken is None else [taken]
            assert pieces == held[: len(pieces)]
            del held[: len(pieces)]
        assert [*one.outbox] == held
        assert one.unread == sum(map(size_of, held))
        assert one.has_room() == (one.unread < HIGH_WATER)
        assert one.emitted == one.moved == put
    assert put > HIGH_WATER


def test_there_is_room_for_one_more_below_the_mark_and_for_none_at_it() -> None:
    for piece, rest in (
        (bytes(HIGH_WATER - 1), b"x"),
        (listed(ENTRIES_HIGH_WATER), bytes(HIGH_WATER % ENTRIES_HIGH_WATER)),
    ):
        one = task()
        one.put(piece)
        assert one.has_room()
        one.put(rest)
        assert not one.has_room()


def test_octets_are_taken_up_to_the_next_entries() -> None:
    one = task()
    for piece in (b"a", b"bc", listed(1), b"d"):
        one.put(piece)
    assert one.take_octets() == [b"a", b"bc"]
    assert one.take_octets() == []
    assert one.take() == listed(1)
    assert one.take_octets() == [b"d"]
    assert (one.take(), one.unread) == (None, 0)


@pytest.mark.parametrize(("piece", "name"), [(b"abc", "max_bytes"), (listed(3), "listing_entries")])
def test_as_many_as_are_allowed_and_not_one_more(piece: Any, name: str) -> None:
    one = task(octets=6, entries=6)
    one.put(piece)
    one.put(piece)
    with pytest.raises(LimitError, match=r"more than 6|More than 6") as caught:
        one.put(piece[:1])
    assert caught.value.limit == name
    assert len(one.outbox) == 2


def test_each_piece_is_told_even_where_it_is_empty() -> None:
    told: list[int] = []
    one = task()
    one.notify = lambda: told.append(len(one.outbox))
    for piece in (b"a", b"", listed(0), listed(1)):
        one.put(piece)
    assert told == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("reason", "change", "whole"),
    [
        ("all is here", lambda _one: None, b"abc"),
        ("it has not ended", lambda one: setattr(one, "done", False), None),
        ("it has failed", lambda one: setattr(one, "error", LimitError("x.", limit="x")), None),
        ("some was taken", lambda one: one.take(), None),
        ("it is a listing", lambda one: one.put(listed(1)), None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_whole_is_there_or_not(reason: str, change: Callable[[Task], object], whole: bytes | None) -> None:
    one = task()
    one.put(b"a")
    one.put(b"bc")
    one.done = True
    change(one)
    held = [*one.outbox]
    assert one.take_whole() == whole
    assert ([*one.outbox], one.unread) == (([], 0) if whole else (held, sum(map(size_of, held))))


def test_the_least_public_place_that_it_met_counts() -> None:
    for met in ([Scope.PUBLIC, Scope.PRIVATE], [Scope.PRIVATE, Scope.PUBLIC], [Scope.PRIVATE]):
        one = task()
        for scope in met:
            one.meet(scope)
        assert one.peer_scope == min(met)


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


@pytest.mark.parametrize(
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
    one, channel, now = task(), Channel(), 100.0
    assert one.patience(channel, now, 10, rate) == 10
    for seconds, octets in steps:
        now += seconds
        channel.moved += octets
        found = one.patience(channel, now, 10, rate)
    assert found == left
    assert one.patience(Channel(), now, 10, rate) == 10  # another channel has all of it
    one.listens_to = None
    assert one.patience(channel, now, 10, rate) == 10


def test_silence_while_nobody_read_does_not_count() -> None:
    one, channel = task(), Channel()
    one.patience(channel, 100, 10, 0.0)
    one.rest(150)
    assert one.patience(channel, 153, 10, 0.0) == 7


def test_who_no_longer_waits_watches_nothing() -> None:
    near, far = socket.socketpair()
    loop, one = Loop(), task()
    with near, far, contextlib.closing(loop):
        loop.watch(near.fileno(), READ, int)
        one.connection, one.attempt, one.waits_until = Connection(near, ("h", 1), ("h", 1)), int, 5.0
        for _ in range(2):
            one.unpark(loop)
            assert (one.connection, one.attempt, one.waits_until) == (None, None, None)
            assert not loop.is_watched_by(near.fileno(), int)
