"""Descriptors for connections: what finds none waits for another one to end; some are left to the rest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from anyurl.net.room import Room
from tests.cli.runner import CLEAN
from tests.servers import Connection, Server, reply

PROGRAM = """
import asyncio, os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
from anyurl import AsyncClient, Client, Policy, errors
url, way = sys.argv[1:]
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
        return await asyncio.gather(*[get(number) for number in range(1000)], return_exceptions=True)

def map_all():
    with Client(policy) as client:
        for result in client.map([url + str(number) for number in range(1000)], limit=1000):
            count()
            yield result.error or result.resource.read()

found = asyncio.run(gather()) if way == "gather" else list(map_all())
print(sum(each == b"good" for each in found), next((each for each in found if each != b"good"), ""))
"""


def http(connection: Connection) -> None:
    while connection.head():
        connection.send(reply(b"good"))


def gopher(connection: Connection) -> None:
    connection.line()
    connection.send(b"good")


@pytest.mark.parametrize("way", ["gather", "map"])
@pytest.mark.parametrize(("scheme", "play", "path"), [("http", http, "/"), ("gopher", gopher, "/9")])
def test_a_thousand_transfers_and_two_hundred_descriptors(
    scheme: str, play: Callable[[Connection], None], path: str, way: str
) -> None:
    with Server(play) as server:
        url = f"{scheme}://{server.authority}{path}"
        line = [sys.executable, "-c", PROGRAM, url, way]
        done = subprocess.run(line, env=CLEAN, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split(maxsplit=1)[0] == "1000", done.stdout


# --- the queue -------------------------------------------------------------------------------------------------------


def room(under_way: int, *, idle: bool = False) -> tuple[Room, list[Callable[[], None]]]:
    """A room with so many transfers, and what it wants to be called in the next turn."""
    queued: list[Callable[[], None]] = []
    return Room(lambda: under_way, lambda: idle, queued.append), queued


def test_who_has_waited_longest_goes_first_and_who_has_left_does_not() -> None:
    made, queued = room(4)
    heard: list[int] = []
    waiting = [made.wait(lambda number=number: heard.append(number)) for number in range(3)]  # type: ignore[misc]
    assert waiting[0] is not None
    waiting[0].close()
    for _ in range(3):
        made.leave()
    for call in queued:
        call()
    assert heard == [1, 2]


def test_where_nobody_else_is_under_way_nobody_waits() -> None:
    made, _ = room(1)
    assert made.wait(lambda: None) is None
    made, _ = room(2)
    assert made.wait(lambda: None) is not None
    assert made.wait(lambda: None) is None  # the other one waits, too


def test_what_is_open_for_nobody_makes_room_at_once() -> None:
    made, queued = room(1, idle=True)
    heard: list[int] = []
    assert made.wait(lambda: heard.append(1)) is not None
    queued[0]()
    assert heard == [1]
