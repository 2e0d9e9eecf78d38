"""How many connections a client has open at once, and who waits for them."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.errors import TransferTimeout
from anyurl.net.loop import connection_limit
from anyurl.net.loop.connection_limit import ConnectionLimit
from tests.cli.runner import CLEAN
from tests.servers import Connection, Server, reply

PROGRAM = """
import asyncio, os, resource, sys, threading
resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))
from anyurl import AsyncClient, Client, Policy, errors
url = sys.argv[1]
TRANSFERS, THREADS = 400, 10
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
def test_four_hundred_transfers_need_no_more_than_a_hundred_and_twenty_descriptors(
    scheme: str, play: Callable[[Connection], None], path: str
) -> None:
    with Server(play) as server:
        url = f"{scheme}://{server.authority}{path}"
        line = [sys.executable, "-c", PROGRAM, url]
        done = subprocess.run(line, env=CLEAN, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n") == ["400", "400", "400", ""]  # gather, map, threads


# --- the queue -------------------------------------------------------------------------------------------------------


class Loop:
    """The calls of a loop, which the test makes."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []
        self.woken = 0

    def soon(self, callback: Callable[[], None]) -> None:
        self.calls.append(callback)

    def wake(self) -> None:
        self.woken += 1

    def turn(self) -> None:
        calls, self.calls = self.calls, []
        for call in calls:
            call()


@pytest.fixture
def loop() -> Loop:
    return Loop()


def test_the_longest_waiting_begins_first_and_one_that_ended_meanwhile_never(loop: Loop) -> None:
    limit = ConnectionLimit(1)
    began: list[int] = []
    assert [limit.enter(), limit.enter()] == [True, False]
    waiting = [limit.wait(loop, partial(began.append, number)) for number in range(3)]
    loop.turn()
    assert began == []
    waiting[0].close()
    limit.leave()
    loop.turn()
    assert began == [1]
    for place in (waiting[1], waiting[2]):
        place.close()
        place.close()  # a task may be closed twice
        loop.turn()
    assert began == [1, 2]
    assert loop.woken == 2
    assert limit.enter()


def test_a_task_that_ends_before_it_could_begin_gives_its_place_to_the_next(loop: Loop) -> None:
    limit = ConnectionLimit(1)
    began: list[int] = []
    assert limit.enter()
    first, _ = [limit.wait(loop, partial(began.append, number)) for number in range(2)]
    limit.leave()
    first.close()
    loop.turn()
    assert 1 in began


def test_a_slot_that_was_given_back_before_a_task_waited_is_its_own(loop: Loop) -> None:
    limit = ConnectionLimit(1)
    began: list[int] = []
    assert limit.enter()
    assert not limit.enter()
    limit.leave()  # by another thread
    place = limit.wait(loop, partial(began.append, 0))
    loop.turn()
    assert began == [0]
    assert not limit.enter()
    place.close()
    assert limit.enter()


def interrupted(call: Callable[[], Any], at: int, by: Callable[[], None]) -> bool:
    """Make a call, and another one before one of its lines, as other threads, signals and the collector do; whether."""
    lines = itertools.count()
    done = False

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal done
        if frame.f_code.co_filename != connection_limit.__file__:
            return None
        if event == "line" and next(lines) == at:
            done = True
            by()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return done


@pytest.mark.parametrize("another", ["ends early", "ends", "begins", "waits"])
@pytest.mark.parametrize("waiting", [1, 2, 3])
@pytest.mark.parametrize("call", ["leave", "wait", "close"])
def test_whatever_happens_in_the_middle_no_slot_is_lost_and_nobody_overtakes(
    another: str, waiting: int, call: str, loop: Loop
) -> None:
    at = 0
    while happens(another, waiting, call, at, loop):
        at += 1
    assert at > 0


def happens(another: str, waiting: int, call: str, at: int, loop: Loop) -> bool:
    """One call before a line of another one, with some that wait for one of two slots; whether there is that line."""
    limit = ConnectionLimit(2)
    assert [limit.enter(), limit.enter(), limit.enter()] == [True, True, False]
    began: list[int] = []
    places = [limit.wait(loop, partial(began.append, number)) for number in range(waiting)]
    overtook: list[bool] = []

    def wait() -> None:
        places.append(limit.wait(loop, partial(began.append, len(places))))

    calls: dict[str, Callable[[], Any]] = {
        "leave": limit.leave, "ends": limit.leave, "wait": wait, "waits": wait, "close": places[-1].close,
        "ends early": places[0].close, "begins": lambda: overtook.append(limit.enter()),
    }  # fmt: skip
    if call != "leave":
        limit.leave()
    done = interrupted(calls[call], at, calls[another])
    loop.turn()
    ended = [0] * (another == "ends early") + [waiting - 1] * (call == "close")
    waits = [number for number in range(len(places)) if number not in [*began, *ended]]
    assert not waits or max(began, default=waiting) < waits[0]
    # All end: then there are as many slots as in the beginning.
    for _ in range((another != "ends" or not done) + sum(overtook)):
        limit.leave()
    for place in places:
        place.close()
    assert [limit.enter(), limit.enter(), limit.enter()] == [True, True, False], f"line {at}"
    return done


@pytest.mark.parametrize(("descriptors", "most"), [(None, 100), (1024, 100), (120, 40), (2, 1)])
def test_a_client_uses_a_third_of_the_descriptors(
    monkeypatch: pytest.MonkeyPatch, descriptors: int | None, most: int
) -> None:
    monkeypatch.setattr("anyurl.net.loop.connection_limit.descriptor_limit", lambda: descriptors)
    limit = ConnectionLimit(100)
    limit.schedulers = 2
    assert limit.most == most
    assert limit.most_idle(64) == {None: 64, 1024: 64, 120: 7, 2: 1}[descriptors]


def test_a_client_never_has_more_connections_open_than_its_limit_says() -> None:
    most, now, lock = 0, 0, threading.Lock()

    def slow(connection: Connection) -> None:
        nonlocal most, now
        connection.line()
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        connection.send(b"good")

    policy = Policy.open().replace(limits={"open_connections": 3})
    with Server(slow) as server, Client(policy) as client:
        results = client.map([f"gopher://{server.authority}/9{number}" for number in range(20)], limit=20)
        assert [result.resource.read() for result in results if result.resource] == [b"good"] * 20
    assert most == 3


def test_a_transfer_for_which_none_ends_says_what_to_close() -> None:
    def endless(connection: Connection) -> None:
        connection.line()
        while True:
            connection.send(b"x" * 65536)

    policy = Policy.open().replace(limits={"open_connections": 1, "idle": 0.3})
    with Server(endless) as server, Client(policy) as client, client.open(f"gopher://{server.authority}/9"):
        begun = time.monotonic()
        with pytest.raises(TransferTimeout, match="may have 1 connections open at once") as raised:
            client.open(f"gopher://{server.authority}/9")
        assert time.monotonic() - begun < 5
        assert "limits={'open_connections': ...} allows more" in str(raised.value)


def test_a_file_is_read_whatever_is_open(tmp_path: Path) -> None:
    def endless(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + b"x" * 100)
        connection.wait_for_close()

    (tmp_path / "a").write_bytes(b"here")
    policy = Policy.open().replace(limits={"open_connections": 1})
    with Server(endless) as server, Client(policy) as client, client.open(f"http://{server.authority}/"):
        assert client.get(f"file://{tmp_path}/a").read() == b"here"


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
