"""What is under way: what has come of each transfer, and a call now and then while there are any."""

from __future__ import annotations

import threading

from anyurl import Client, Policy
from anyurl.client.under_way import every, under_way
from tests.servers import Connection, Server, reply

SIZE = 2_000_000


def test_what_has_come_of_a_transfer_is_told_while_it_waits() -> None:
    may_end = threading.Event()

    def part(connection: Connection) -> None:
        connection.head()
        octets = reply(b"x" * SIZE)
        connection.send(octets[: SIZE // 2])
        may_end.wait(30)
        connection.send(octets[SIZE // 2 :])

    seen: list[tuple[int, int | None]] = []

    def look() -> None:
        seen.extend((each.octets, each.size) for each in under_way(client))
        if len(seen) > 3:
            may_end.set()

    with Server(part) as server, Client(Policy.open()) as client:
        stop = every(client, 0.02, look)
        assert len(client.get(f"http://{server.authority}/").read()) == SIZE
        stop()
        assert under_way(client) == []
        count = len(seen)
        assert count > 3
    assert all(0 < octets <= SIZE and size == SIZE for octets, size in seen)
