"""Descriptors for connections: what finds none waits for another one to end; some are left to the rest."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from threading import Thread
from time import monotonic, sleep

import pytest

from anyurl.net.loop import Loop
from anyurl.net.room import FOR_LOOPS, Room, _is_there, check_room
from tests.cli.runner import CLEAN
from tests.servers import Connection, Server, reply

PROGRAM = """
import asyncio, os, resource, sys, threading
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
from anyurl import AsyncClient, Client, Policy, errors
url = sys.argv[1]
TRANSFERS, THREADS = 400, 80
policy = Policy.open()
highest = 0

def count():
    global highest
    reader, writer = os.pipe()  # there is room for others meanwhile
    highest = max(highest, reader)
    os.close(reader), os.close(writer)

async def gather():
    async with AsyncClient(policy) as client:
        async def get(number):
            resource = await client.get(url + str(number))
            count()
            return await resource.read()
        return await asyncio.gather(*[get(number) for number in range(TRANSFERS)], return_exceptions=True)

def map_all():
    with Client(policy) as client:
        for result in client.map([url + str(number) for number in range(TRANSFERS)], limit=TRANSFERS):
            count()
            yield result.error or result.resource.read()

def in_threads():
    found = []
    with Client(policy) as client:
        everybody = threading.Barrier(THREADS)
        def work(number):
            for turn in range(TRANSFERS // THREADS):
                everybody.wait()  # all at once, and those that are done keep what they have
                try:
                    found.append(client.get(f"{url}{number}.{turn}").read())
                except errors.AnyURLError as error:
                    found.append(error)
        threads = [threading.Thread(target=work, args=[number]) for number in range(THREADS)]
        [each.start() for each in threads], [each.join() for each in threads]
        count()
    return found

for way in (lambda: asyncio.run(gather()), lambda: list(map_all()), in_threads):
    found = way()
    print(sum(each == b"good" for each in found), *[each for each in found if each != b"good"][:1])
"""


def http(connection: Connection) -> None:
    while connection.head():
        connection.send(reply(b"good"))


def gopher(connection: Connection) -> None:
    connection.line()
    connection.send(b"good")


@pytest.mark.parametrize(("scheme", "play", "path"), [("http", http, "/"), ("gopher", gopher, "/9")])
def test_four_hundred_transfers_and_two_hundred_descriptors(
    scheme: str, play: Callable[[Connection], None], path: str
) -> None:
    with Server(play) as server:
        url = f"{scheme}://{server.authority}{path}"
        line = [sys.executable, "-c", PROGRAM, url]
        done = subprocess.run(line, env=CLEAN, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n") == ["400", "400", "400", ""]  # gather, map, threads


# --- the queue -------------------------------------------------------------------------------------------------------


class Member:
    """A scheduler of which is known how much it does, and what it can do without."""

    loop: Loop  # of the test

    def __init__(self, under_way: int, rests: bool | None = False) -> None:
        self.tasks = under_way
        self.rests = rests

    def under_way(self) -> int:
        return self.tasks

    def rest(self) -> bool | None:
        rests, self.rests = self.rests, False
        return rests


@pytest.fixture(autouse=True)
def _loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    loop = Loop()
    monkeypatch.setattr(Member, "loop", loop, raising=False)
    yield
    loop.close()


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is closed by others meanwhile."""
    monkeypatch.setattr("anyurl.net.room._limit", lambda: 0)
    monkeypatch.setattr("anyurl.net.room.UNLIMITED_BELOW", 0)


def room(*members: Member) -> Room:
    made = Room()
    for each in members:
        made.join(each)
    return made


def test_who_has_waited_longest_goes_first_and_who_has_left_does_not() -> None:
    ours, others = Member(3), Member(1)
    made = room(ours, others)
    heard: list[int] = []
    waiting = [made.wait(ours, lambda number=number: heard.append(number)) for number in range(3)]  # type: ignore[misc]
    assert waiting[0] is not None
    waiting[0].close()
    assert made.wanted == 2
    for _ in range(3):
        made.leave()
        ours.loop.turn(0)
    assert heard == [1, 2]
    assert made.wanted == 0


@pytest.mark.usefixtures("no_room")
def test_where_nobody_else_is_under_way_nobody_waits() -> None:
    alone = Member(1)
    assert room(alone).wait(alone, lambda: None) is None
    two = Member(2)
    made = room(two)
    assert made.wait(two, lambda: None) is not None
    assert made.wait(two, lambda: None) is None  # the other one waits, too
    assert made.wanted == 1


def test_who_has_just_ended_has_made_room() -> None:
    alone = Member(1)
    heard: list[int] = []
    assert room(alone).wait(alone, lambda: heard.append(1)) is not None
    alone.loop.turn(0)
    assert heard == [1]


@pytest.mark.parametrize("rests", [True, None], ids=["it is closed", "its thread is at work"])
@pytest.mark.usefixtures("no_room")
def test_what_another_thread_has_open_for_nobody_makes_room(rests: bool | None) -> None:
    ours = Member(1)
    heard: list[int] = []
    assert room(ours, Member(0, rests)).wait(ours, lambda: heard.append(1)) is not None
    until = monotonic() + 5
    while not heard and monotonic() < until:
        ours.loop.turn()
    assert heard == [1]


@pytest.mark.usefixtures("no_room")
def test_a_thread_that_nobody_makes_room_for_takes_what_is_left_to_others() -> None:
    ours = Member(0)
    shares: list[float] = []

    def take(share: float) -> None:
        shares.append(share)
        check_room(500, share)

    with pytest.raises(OSError, match="open files"):
        room(ours, Member(0)).claim(ours, 5, lambda share: take(min(share, 1)))
    assert shares == [FOR_LOOPS, 1]


@pytest.mark.usefixtures("no_room")
def test_a_thread_waits_for_what_ends_in_another_one() -> None:
    ours, others = Member(0), Member(1)
    made = room(ours, others)

    def end() -> None:
        while not made.wanted:
            sleep(0.001)
        others.tasks, others.rests = 0, True
        made.leave()

    thread = Thread(target=end)
    thread.start()
    asked: list[float] = []

    def take(share: float) -> None:
        asked.append(share)
        if others.tasks or len(asked) < 2:
            raise OSError(errno.EMFILE, "No more.")

    made.claim(ours, 5, take)
    thread.join()
    assert set(asked) == {FOR_LOOPS}


def test_a_descriptor_is_there_or_not() -> None:
    assert _is_there()
    lowest = os.dup(0)
    os.close(lowest)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
    try:
        assert not _is_there()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert _is_there()


@pytest.mark.usefixtures("no_room")
def test_one_that_is_left_to_others_is_not_there_and_is_not_kept() -> None:
    before = os.dup(0)
    os.close(before)
    assert not _is_there()
    after = os.dup(0)
    os.close(after)
    assert after == before


LATE = """
import os, resource, sys
from anyurl import Client, Policy
from anyurl.errors import AnyURLError

for limit in range(4, 12):
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        try:
            with Client(Policy.open()) as client:
                list(client.list(sys.argv[1]).entries())
        except AnyURLError as error:
            print(limit, type(error).__name__, error)
        except BaseException as error:
            print(limit, "foreign", type(error).__name__, error)
        else:
            print(limit, "listed")
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_module_for_which_no_descriptor_is_left_is_an_error_of_the_tree() -> None:
    def part(connection: Connection) -> None:
        connection.line()
        connection.send(b"0a\ta\th.test\t70\r\n.\r\n")

    with Server(part) as server:
        command = [sys.executable, "-c", LATE, f"gopher://{server.authority}/"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    lines = said.splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("4 LocalFileError This process can't open any more descriptors")
    assert lines[-1] == "11 listed"
    assert "foreign" not in said


@pytest.mark.parametrize(("members", "share"), [(1, 24), (2, 12), (3, 8), (24, 1), (100, 1)])
def test_several_schedulers_keep_together_what_one_would_keep(members: int, share: int) -> None:
    room = Room()
    joined = [Member(0) for _ in range(members)]
    for member in joined:
        room.join(member)
    assert room.most_idle(24) == share
    assert room.most_idle(1) == 1
