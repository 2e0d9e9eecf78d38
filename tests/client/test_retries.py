"""Busy servers and transfers that fail in passing: what is begun again, when, and what never is."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.errors import (
    AccessError,
    AuthRequiredError,
    ConnectError,
    UnavailableError,
)  # fmt: skip
from tests.servers import WAIT_SECONDS, Connection, Part, Server, reply

COUNT = 40


class Capped:
    """A part that serves `cap` connections at once, and does something else with more."""

    def __init__(self, serve: Part, refuse: Part, cap: int = 2) -> None:
        self.refused = 0
        self._has_refused = threading.Event()
        self._serve, self._refuse, self._left = serve, refuse, cap
        self._lock = threading.Lock()

    def __call__(self, connection: Connection) -> None:
        with self._lock:
            welcome = self._left > 0
            self._left -= welcome
            self.refused += not welcome
        if not welcome:
            self._has_refused.set()
            self._refuse(connection)
            return
        try:
            self._has_refused.wait(0.1)  # for others to come meanwhile
            self._serve(connection)
        finally:
            with self._lock:
                self._left += 1


def says(text: bytes) -> Part:
    return lambda connection: connection.send(text)


def ftp(connection: Connection) -> None:
    answers = {b"USER": b"331 x", b"PASS": b"230 x", b"CWD": b"250 x", b"TYPE": b"200 x", b"QUIT": b"221 x"}
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.send(b"220 x\r\n")
    data: Server | None = None
    while command := connection.line():
        verb = command.split()[0]
        if verb == b"EPSV":
            done = threading.Event()

            def send(other: Connection, done: threading.Event = done) -> None:
                other.send(b"content")
                done.set()

            data = Server(send).__enter__()
            connection.send(b"229 x (|||%d|)\r\n" % data.port)
        elif verb == b"RETR" and data is not None:
            connection.send(b"150 x\r\n")
            assert done.wait(WAIT_SECONDS)
            data.__exit__()
            connection.send(b"226 x\r\n")
        else:
            connection.send(answers.get(verb, b"502 x") + b"\r\n")


def ftp_login_refused(connection: Connection) -> None:
    connection.send(b"220 x\r\n")
    connection.line()
    connection.send(b"530 Sorry, the maximum number of clients (2) from your host are already connected.\r\n")


def http(connection: Connection) -> None:
    for _ in iter(connection.head, b""):
        connection.send(reply(b"content"))


def http_refused(status: bytes) -> Part:
    def part(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    return part


def nntp(connection: Connection) -> None:
    connection.send(b"200 x\r\n")
    while command := connection.line():
        verb = command.split()[0]
        said = {
            b"CAPABILITIES": b"101 x\r\nVERSION 2\r\nREADER\r\n.\r\n",
            b"ARTICLE": b"220 0 <a@b>\r\n\r\ncontent\r\n.\r\n",
        }
        connection.send(said.get(verb, b"500 x\r\n"))


def gopher(connection: Connection) -> None:
    connection.line()
    connection.send(b"content\r\n.\r\n")


def closes(connection: Connection) -> None:
    """What a server without words does: it closes the door."""


BUSY = {
    "ftp 421": (ftp, says(b"421 There are too many connections from your internet address.\r\n"), "ftp://{}/d/{}"),
    "ftp 530": (ftp, ftp_login_refused, "ftp://{}/d/{}"),
    "http 429": (http, http_refused(b"429 Too Many Requests"), "http://{}/{}"),
    "http 503": (http, http_refused(b"503 Service Unavailable"), "http://{}/{}"),
    "nntp 400": (nntp, says(b"400 Too many connections\r\n"), "news://{}/{}@b"),
    "nntp 502": (nntp, says(b"502 Too many connections\r\n"), "news://{}/{}@b"),
    "news 502, of the configured server": (nntp, says(b"502 Too many connections\r\n"), "news:{1}@b"),
    "gopher text": (gopher, closes, "gopher://{}/0/{}"),
    "gopher file": (gopher, closes, "gopher://{}/9/{}"),
}


@pytest.mark.parametrize("name", BUSY)
def test_forty_of_forty_from_a_server_that_takes_two(name: str) -> None:
    serve, refuse, form = BUSY[name]
    part = Capped(serve, refuse)
    with Server(part) as server, Client(Policy.open(), news_server=server.authority) as client:
        urls = [form.format(server.authority, number) for number in range(COUNT)]
        results = [(result.error, result.resource and result.resource.read()) for result in client.map(urls, 16)]
    assert [error for error, _ in results if error is not None] == []
    assert all(content is not None and b"content" in content for _, content in results)
    assert 0 < part.refused < COUNT  # most of them were asked for once


@pytest.mark.parametrize("name", ["ftp 421", "http 503"])
def test_the_same_for_many_tasks_of_an_event_loop(name: str) -> None:
    serve, refuse, form = BUSY[name]

    async def get_all(authority: str) -> list[bytes]:
        async with AsyncClient(Policy.open()) as client:

            async def one(url: str) -> bytes:
                async with await client.get(url) as resource:
                    return await resource.read()

            return await asyncio.gather(*(one(form.format(authority, number)) for number in range(COUNT)))

    part = Capped(serve, refuse)
    with Server(part) as server:
        assert asyncio.run(get_all(server.authority)) == [b"content"] * COUNT
    assert part.refused


def test_a_host_that_is_down_is_not_taken_for_a_busy_one() -> None:
    with socket.socket() as nobody, Client(policy=Policy.open(), timeout=30) as client:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        port = nobody.getsockname()[1]
        began = time.monotonic()
        results = list(client.map((f"http://127.0.0.1:{port}/{number}" for number in range(12)), limit=8))
    assert {type(result.error) for result in results} == {ConnectError}
    assert len(results) == 12
    assert time.monotonic() - began < 10  # each pause for a busy host would be longer than the one before


def test_a_busy_host_keeps_no_other_waiting() -> None:
    busy = http_refused(b"429 Too Many Requests\r\nRetry-After: 200")
    with Server(busy) as one, Server(http) as other, Client(Policy.open()) as client:
        urls = [f"http://{one.authority}/{number}" for number in range(4)]
        urls += [f"http://{other.authority}/{number}" for number in range(10)]
        results = client.map(urls, 4)
        assert [next(results).error for _ in range(10)] == [None] * 10
        results.close()  # type: ignore[attr-defined]


class Flaky:
    """A part that fails for the first connections, and counts the heads of requests."""

    def __init__(self, failure: Part, times: int) -> None:
        self.heads: list[bytes] = []
        self._failure, self._times = failure, times

    def __call__(self, connection: Connection) -> None:
        while head := connection.head():
            self.heads.append(head)
            if len(self.heads) <= self._times:
                self._failure(connection)
                return
            connection.send(reply(b"content"))


def fails(text: bytes) -> Callable[[Connection], None]:
    return lambda connection: connection.send(text)


@pytest.mark.parametrize(
    "failure",
    [
        fails(b"HTTP/1.1 503 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        fails(b"HTTP/1.1 500 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        Connection.reset,
    ],
)
def test_as_often_as_the_caller_says(failure: Part) -> None:
    part = Flaky(failure, 2)
    with Server(part) as server:
        with Client(Policy.open(), retries=2) as client:
            assert client.get(f"http://{server.authority}/").read() == b"content"
        assert len(part.heads) == 3
        part.heads.clear()
        with Client(Policy.open(), retries=1) as client, pytest.raises(AccessError):
            client.get(f"http://{server.authority}/")
        assert len(part.heads) == 2
        part.heads.clear()
        with Client(Policy.open()) as client, pytest.raises(AccessError):
            client.get(f"http://{server.authority}/")
        assert len(part.heads) == 1


def test_what_came_whole_in_a_map_is_all_that_is_handed_out() -> None:
    part = Flaky(fails(b"HTTP/1.1 200 x\r\nContent-Length: 7\r\nConnection: close\r\n\r\ncon"), 1)
    with Server(part) as server, Client(Policy.open(), retries=1) as client:
        (result,) = client.map([f"http://{server.authority}/"])
        assert result.resource is not None
        assert result.resource.read() == b"content"


def test_what_changes_something_is_done_once() -> None:
    part = Flaky(fails(b"HTTP/1.1 503 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), 5)
    with Server(part) as server, Client(Policy.open(), retries=5) as client:
        with pytest.raises(UnavailableError, match="503"):
            client.put(f"http://{server.authority}/", b"x")
    assert len(part.heads) == 1


def test_a_wrong_login_is_never_tried_again() -> None:
    seen: list[bytes] = []

    def part(connection: Connection) -> None:
        connection.send(b"220 x\r\n")
        while command := connection.line():
            seen.append(command)
            connection.send(b"331 x\r\n" if command.startswith(b"USER") else b"530 Login incorrect.\r\n")

    with Server(part) as server, Client(Policy.open(), retries=5) as client:
        (result,) = client.map([f"ftp://u:p@{server.authority}/x"])
    assert isinstance(result.error, AuthRequiredError)
    assert [command for command in seen if command.startswith(b"PASS")] == [b"PASS p"]


def test_retry_after_is_heeded_and_never_beyond_the_whole_time() -> None:
    after = b"HTTP/1.1 503 x\r\nRetry-After: %d\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    part = Flaky(fails(after % 1), 1)
    with Server(part) as server, Client(Policy.open(), retries=1) as client:
        began = time.monotonic()
        assert client.get(f"http://{server.authority}/").read() == b"content"
        assert time.monotonic() - began >= 1
    part = Flaky(fails(after % 20), 1)
    with Server(part) as server, Client(Policy.open(), retries=1, timeout=10) as client:
        began = time.monotonic()
        with pytest.raises(UnavailableError, match="503"):
            client.get(f"http://{server.authority}/")
        assert time.monotonic() - began < 5


def test_giving_up_ends_the_wait() -> None:
    busy = http_refused(b"503 x\r\nRetry-After: 200")
    with Server(busy) as server:
        client = Client(Policy.open(), retries=1)
        results = client.map([f"http://{server.authority}/"])

        async def test() -> None:
            async with AsyncClient(Policy.open(), retries=1) as other:
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(other.get(f"http://{server.authority}/"), 0.2)

        asyncio.run(test())
        results.close()  # type: ignore[attr-defined]
        client.close()


def test_a_delay_lies_between_those_of_one_host() -> None:
    def part(connection: Connection) -> None:
        while connection.head():
            connection.send(reply(b"content"))

    with Server(part) as server, Client(Policy.open(), delay=0.05) as client:
        urls = [f"http://{server.authority}/{number}" for number in range(8)]
        began = time.monotonic()
        assert [result.error for result in client.map(urls, 16)] == [None] * 8
        assert time.monotonic() - began >= 7 * 0.05


@pytest.mark.parametrize("delay", [-1.0, float("nan"), float("inf")])
def test_a_delay_that_is_none(delay: float) -> None:
    with pytest.raises(ValueError, match="delay is at least 0, not"):
        Client(delay=delay)
    with pytest.raises(TypeError, match="delay is a number, not str"):
        Client(delay="1")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"retries": -1}, {"per_host": 0}])
def test_counts_that_are_none(given: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        Client(**given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is an int, not str"):
        Client(**dict.fromkeys(given, "3"))  # type: ignore[arg-type]


def test_at_most_so_many_for_each_host() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def part(connection: Connection) -> None:
        nonlocal now, most
        while connection.head():
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.002)
            with lock:
                now -= 1
            connection.send(reply(b"content"))

    with Server(part) as server, Client(Policy.open(), per_host=3) as client:
        urls = [f"http://{server.authority}/{number}" for number in range(COUNT)]
        assert all(result.error is None for result in client.map(urls, 16))
    assert most <= 3
