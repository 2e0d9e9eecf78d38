"""Many at once: how many are taken, begun and held, whatever becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyurl import URL, AsyncClient, Client
from anyurl.client.mapper import LOOK_AHEAD
from tests.servers import Connection, Server, descriptors, left_open, reply


@pytest.mark.parametrize("url", ["http://h/a b", "nosuch://h/", "file:///nothing/there", "http://127.0.0.1:1/"])
def test_an_endless_list_of_faulty_urls_is_read_as_it_goes(url: str) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            assert taken < 1000
            yield url

    with Client() as client:
        results = client.map(endless(), 4)
        for _ in range(10):
            assert next(results).error is not None
        results.close()  # type: ignore[attr-defined]
    assert taken <= 14


def answers(connection: Connection) -> None:
    for _ in iter(connection.head, b""):
        connection.send(reply(b"http"))


def test_an_endless_list_of_urls_that_wait_for_their_hosts_turn_is_read_so_far() -> None:
    taken = 0

    def endless(url: str) -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            assert taken < 1000
            yield url

    with Server(answers) as server, Client(delay=60) as client:
        results = client.map(endless(f"http://{server.authority}/"), 2)
        assert next(results).error is None
        results.close()  # type: ignore[attr-defined]
    assert 2 < taken <= 2 * LOOK_AHEAD + 1


def test_one_at_a_time_whatever_the_scheme(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"file")
    with Server(answers) as server, Client() as client:
        urls = [f"http://{server.authority}/", f"file://{tmp_path}/x", "http://h/a b", f"file://{tmp_path}/none"] * 3
        found = [(r.resource.read() if r.resource is not None else None) for r in client.map(urls, 1)]
    assert found == [b"http", b"file", None, None] * 3


def test_what_was_begun_is_let_go_when_the_consumer_leaves() -> None:
    with Server(answers) as good, Server(Connection.wait_for_close) as server, Client() as client:
        client.get(f"http://{good.authority}/").close()  # libcurl has descriptors of its own
        before = descriptors()

        def urls() -> Iterator[str]:
            yield from (f"http://{server.authority}/{number}" for number in range(8))
            raise ZeroDivisionError("the list is torn")

        with pytest.raises(ZeroDivisionError):
            list(client.map(urls(), 10))
        assert left_open(before) <= 0


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_gets_nowhere(limit: int) -> None:
    with Client() as client, pytest.raises(ValueError, match="at least 1"):
        next(client.map(["file:///"], limit))


@pytest.mark.parametrize("one", ["http://h/", b"http://h/", memoryview(b"h"), URL("http://h/"), 5])
def test_one_url_is_no_list_of_them(one: Any) -> None:
    words = f"map takes a list or another iterable of URLs, not one {type(one).__name__}; put it into a list"
    with Client() as client, pytest.raises(TypeError, match=words):
        client.map(one)

    async def test() -> None:
        async with AsyncClient() as client:
            with pytest.raises(TypeError, match=words):
                client.map(one)

    asyncio.run(test())
