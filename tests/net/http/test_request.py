"""One request: what has come counts, even where its time is over in the same turn."""

from __future__ import annotations

import threading

import pytest

from anyurl import URL, Client
from anyurl.dialogue import Describe, Dialogue, Emit, Receive, Relay, Request
from anyurl.net.http.engine import CurlEngine
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.connector import Network
from tests.servers import WAIT_SECONDS, Connection, Server, answers, reply


@pytest.mark.parametrize("awaited", ["the head", "a body that is relayed", "a body that is received"])
def test_what_comes_in_the_turn_in_which_its_time_is_over_is_in_time(awaited: str) -> None:
    heard, asked, come = (threading.Event() for _ in range(3))
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"

    def part(connection: Connection) -> None:
        connection.head()
        heard.set()
        if awaited != "the head":
            connection.send(head + b"abc")
        asked.wait(10)
        connection.send(head + b"abcdef" if awaited == "the head" else b"def")
        come.set()
        connection.wait_for_close()

    def dialogue() -> Dialogue:
        response = yield from Request("GET", url, "/")
        yield from Describe("document")
        if awaited == "a body that is received":
            while data := (yield from Receive(response.body, within=60)):
                yield from Emit(data)
            return None
        yield from Relay(response.body)
        return None

    with Server(part) as server, Client() as client:
        url = URL(f"http://{server.authority}/")
        scheduler = client._scheduler()
        task = scheduler.start(Parties(url), dialogue)
        got = b""
        if awaited == "the head":
            while not heard.is_set():
                scheduler.loop.turn(0.01)
        else:
            got = task.pull()  # type: ignore[assignment]
            task.demand()  # it waits for more

        asked.set()
        assert come.wait(WAIT_SECONDS)  # what was sent on loopback has arrived
        scheduler.clocks.awaits_peer(*scheduler.clocks.tasks, 0.0)
        for _ in range(2):  # one of them may only do what is queued
            scheduler.loop.turn(0)
        while (piece := task.pull()) is not None:
            got += piece  # type: ignore[operator]
    assert got == b"abcdef"


def test_a_connection_that_is_used_again_is_known_by_its_own_port_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is watched for octets that nobody asked for is the connection itself."""
    made: list[CurlEngine] = []

    def engine(scheduler: Scheduler) -> CurlEngine:
        made.append(CurlEngine(scheduler))
        return made[-1]

    monkeypatch.setattr("anyurl.net.http.engine.CurlEngine", engine)
    with Server(answers(*[reply(b"x")] * 3)) as server, Client() as client:
        for _ in range(3):
            assert client.get(f"http://{server.authority}/").read() == b"x"
        (port,) = made[0].sockets._probes
        assert len(server.received) == 1
        assert port > 1023


def test_a_look_up_that_is_over_is_open_no_more() -> None:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
        connection.wait_for_close()

    network = Network(lambda host: ["127.0.0.1"])
    with Server(part) as server, Client(network=network) as client:
        resource = client.get(f"http://h.test:{server.port}/")
        assert [type(each).__name__ for each in next(iter(client._scheduler().clocks.tasks)).open] == ["Body"]
        resource.close()
