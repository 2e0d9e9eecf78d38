"""A stream: what its consumer has not read yet, and what it reads from the channel itself."""

from __future__ import annotations

import asyncio
import gzip
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.dialogue import Describe, Dialogue, Emit, Entry, Relay, Request
from anyurl.errors import LimitError, TransferTimeout, Truncated
from anyurl.net.http.easy_options import BUFFER_OCTETS
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.stream import ENTRIES_HIGH_WATER, HIGH_WATER, RELAY_AT_MOST, Stream
from anyurl.saving.save import save
from anyurl.url import URL
from tests.clocks import hasty
from tests.net.loop.tasks import stream
from tests.servers import Connection, Part, Server

CONTENT = bytes(range(256)) * 1200
ENTRY = HIGH_WATER // ENTRIES_HIGH_WATER
ONE = Entry("x", None)


def listed(count: int) -> tuple[Entry, ...]:
    return (ONE,) * count


def size_of(piece: Any) -> int:
    return len(piece) if isinstance(piece, bytes) else ENTRY * len(piece)


def test_what_is_unread_is_what_was_put_and_not_taken() -> None:
    chance = random.Random(1)
    one, held, put = stream(), [], 0
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
        one = stream()
        one.put(piece)
        assert one.has_room()
        one.put(rest)
        assert not one.has_room()


def test_octets_are_taken_up_to_the_next_entries() -> None:
    one = stream()
    for piece in (b"a", b"bc", listed(1), b"d"):
        one.put(piece)
    assert one.take_octets() == [b"a", b"bc"]
    assert one.take_octets() == []
    assert one.take() == listed(1)
    assert one.take_octets() == [b"d"]
    assert (one.take(), one.unread) == (None, 0)


@pytest.mark.parametrize(("piece", "name"), [(b"abc", "max_bytes"), (listed(3), "listing_entries")])
def test_as_many_as_are_allowed_and_not_one_more(piece: Any, name: str) -> None:
    one = stream(octets=6, entries=6)
    one.put(piece)
    one.put(piece)
    with pytest.raises(LimitError, match=r"more than 6|More than 6") as caught:
        one.put(piece[:1])
    assert caught.value.limit == name
    assert len(one.outbox) == 2


def test_each_piece_is_told_even_where_it_is_empty() -> None:
    told: list[int] = []
    one = stream()
    one.notify = lambda: told.append(len(one.outbox))
    for piece in (b"a", b"", listed(0), listed(1)):
        one.put(piece)
    assert told == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("reason", "change", "whole"),
    [
        ("all is here", lambda _one: None, b"abc"),
        ("it has not ended", None, None),
        ("it has failed", lambda one: one.end(LimitError("x.", limit="x"), None), None),
        ("some was taken", lambda one: one.take(), None),
        ("it is a listing", lambda one: one.put(listed(1)), None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_whole_is_there_or_not(reason: str, change: Callable[[Stream], object] | None, whole: bytes | None) -> None:
    one = stream()
    one.put(b"a")
    one.put(b"bc")
    if change is not None:
        one.end(None, None)
        change(one)
    held = [*one.outbox]
    assert one.whole() == whole
    assert ([*one.outbox], one.unread) == (([], 0) if whole else (held, sum(map(size_of, held))))


def sends(*pieces: bytes, length: int = len(CONTENT)) -> Part:
    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length)
            for piece in pieces:
                connection.send(piece)
            if sum(map(len, pieces)) < length:
                return

    return part


def test_what_is_relayed_goes_through_no_queue() -> None:
    with Server(sends(CONTENT)) as server, Client() as client:
        resource = client.get(f"http://{server.authority}/")
        got = []
        for piece in resource.iter_bytes():
            assert not resource._stream.outbox
            got.append(piece)
    assert b"".join(got) == CONTENT
    assert len(got) > 1


def test_nothing_is_relayed_before_it_is_wanted() -> None:
    with Server(sends(CONTENT)) as server, Client() as client:
        resource = client.get(f"http://{server.authority}/")
        assert (resource._stream.channel, resource._stream.emitted) == (None, 0)
        assert next(resource.iter_bytes())
        assert 0 < resource._stream.emitted < len(CONTENT)


def test_an_event_loop_gets_the_same() -> None:
    async def read(url: str) -> list[bytes]:
        async with AsyncClient() as client:
            return [piece async for piece in (await client.get(url)).iter_bytes()]

    with Server(sends(CONTENT)) as server:
        assert b"".join(asyncio.run(read(f"http://{server.authority}/"))) == CONTENT


@pytest.mark.parametrize("limit", [0, 1, 70_000, None])
def test_the_dialogue_hears_how_much_it_was_and_goes_on(limit: int | None) -> None:
    counted = []

    def dialogue() -> Dialogue:
        response = yield from Request("GET", url, "/")
        yield from Describe("document")
        counted.append((yield from Relay(response.body, limit)))
        yield from Emit(b"end")
        return None

    with Server(sends(CONTENT)) as server, Client() as client:
        url = URL(f"http://{server.authority}/")
        scheduler = client._scheduler()
        task = scheduler.start(Parties(url), dialogue)
        got = b""
        while isinstance(piece := task.pull(), bytes):
            got += piece
    expected = CONTENT if limit is None else CONTENT[:limit]
    assert got == expected + b"end"
    assert counted == [len(expected)]


def test_what_came_before_it_broke_off_is_handed_out() -> None:
    with Server(sends(b"abc")) as server, Client() as client:
        pieces = client.get(f"http://{server.authority}/").iter_bytes()
        assert next(pieces) == b"abc"
        with pytest.raises(Truncated, match="broke off"):
            next(pieces)


def test_more_than_is_welcome_ends_it() -> None:
    with Server(sends(CONTENT)) as server, Client(max_bytes=len(CONTENT) - 1) as client:
        with pytest.raises(LimitError, match="307,199 octets"):
            list(client.get(f"http://{server.authority}/").iter_bytes())


@hasty
def test_a_peer_that_falls_silent_in_a_relay_is_given_up() -> None:
    policy = Policy.default()

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        connection.head()

    with Server(part) as server, Client(policy.replace(limits=policy.limits.replace(idle=0.2))) as client:
        pieces = client.get(f"http://{server.authority}/").iter_bytes()
        assert next(pieces) == b"abc"
        with pytest.raises(TransferTimeout) as caught:
            next(pieces)
    assert caught.value.clock == "idle"


def test_what_comes_in_large_pieces_is_handed_on_in_them(tmp_path: Path) -> None:
    content = CONTENT * 6
    with Server(sends(content, length=len(content))) as server, Client() as client:
        url = f"http://{server.authority}/"
        lists = list(client.get(url)._gathered())
        progress: list[int] = []
        assert save(client.get(url), tmp_path / "x", progress=progress.append) == sum(progress) == len(content)
        assert client.get(url).read() == content
    assert b"".join(map(b"".join, lists)) == content
    assert max(len(piece) for pieces in lists for piece in pieces) <= 16 * 1024  # libcurl's: none was joined
    assert max(map(len, lists)) > 1
    assert (tmp_path / "x").read_bytes() == content


def test_what_comes_in_single_octets_is_joined() -> None:
    def part(connection: Connection) -> None:
        while connection.head():
            chunks = b"".join(b"1\r\n%c\r\n" % octet for octet in CONTENT[:50_000])
            connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")

    with Server(part) as server, Client() as client:
        lists = list(client.get(f"http://{server.authority}/")._gathered())
    assert b"".join(map(b"".join, lists)) == CONTENT[:50_000]
    assert sum(map(len, lists)) < 100


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_little_is_held_of_a_body_that_nobody_reads_on(framing: str) -> None:
    content = CONTENT * 20

    def part(connection: Connection) -> None:
        while connection.head():
            head = {"length": b"Content-Length: %d" % len(content), "chunked": b"Transfer-Encoding: chunked"}
            end = b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content) if framing == "chunked" else content
            connection.send(b"HTTP/1.1 200 OK\r\n%b\r\n\r\n%b" % (head.get(framing, b"X: y"), end))
            if framing == "close":
                return

    with Server(part) as server, Client() as client:
        resource = client.get(f"http://{server.authority}/")
        pieces = resource.iter_bytes()
        got = next(pieces)
        body = resource._stream.channel
        for _ in range(20):
            client._scheduler().loop.turn(0.005)
        assert len(got) + body.buffered == body.received < 4 * BUFFER_OCTETS
        assert got + b"".join(pieces) == content


def test_what_is_coded_is_decoded_however_large_its_pieces_are() -> None:
    content = os.urandom(700_000)  # what can't be made smaller comes in as many pieces
    coded = gzip.compress(content, 1)

    def part(connection: Connection) -> None:
        while connection.head():
            head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(coded)
            connection.send(head + coded)

    with Server(part) as server, Client() as client:
        url = f"http://{server.authority}/"
        assert client.get(url).read() == content
        assert b"".join(map(b"".join, client.get(url)._gathered())) == content


def answers_first(connection: Connection) -> None:
    """Send a long answer, and take what is uploaded behind it."""
    head = connection.head()
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(CONTENT) * 3, CONTENT * 3))
    if b"chunked" in head.lower():
        connection.until(b"\r\n0\r\n\r\n")
    else:
        connection.take(int(head.lower().partition(b"content-length: ")[2].split()[0]))


@pytest.mark.parametrize("content", [bytes(300_000), [bytes(9_000)] * 40], ids=["one", "pieces"])
def test_a_long_answer_to_an_upload_is_whole(content: bytes | list[bytes]) -> None:
    with Server(answers_first) as server, Client() as client:
        for _ in range(2):
            answer = client.request("POST", f"http://{server.authority}/", content=content)
            assert answer.read() == CONTENT * 3


@pytest.mark.parametrize(("waits", "left"), [(False, 10), (True, 5)])
def test_silence_counts_while_somebody_waits_for_octets_and_not_before(waits: bool, left: int) -> None:
    policy = Policy.default()
    limits = policy.limits.replace(idle=10, lowest_rate=0.0)

    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        connection.wait_for_close()

    with Server(part) as server, Client(policy.replace(limits=limits)) as client:
        resource = client.get(f"http://{server.authority}/")
        assert next(resource.iter_bytes()) == b"abc"
        scheduler, waiting = client._scheduler(), resource._stream
        (task,) = scheduler.clocks.tasks
        waiting.demand()
        if not waits:
            task.unpark(scheduler.loop)  # as where something has come
        scheduler.loop._away -= 5  # five seconds go by
        waiting.demand()
        assert task.timing.waits_until is not None
        assert round(task.timing.waits_until - scheduler.loop.now()) == left


def test_no_more_is_read_ahead_than_there_is_room_for() -> None:
    content = CONTENT * 20
    with Server(sends(content, length=len(content))) as server, Client() as client:
        resource = client.get(f"http://{server.authority}/")
        pieces = resource.iter_bytes()
        got = next(pieces)
        ahead = resource._stream
        more = 20
        while ahead.has_room() or more:
            more -= not ahead.has_room()
            ahead.demand()
            assert ahead.unread < HIGH_WATER + RELAY_AT_MOST
            client._scheduler().loop.turn(0.001)
        assert got + b"".join(pieces) == content
