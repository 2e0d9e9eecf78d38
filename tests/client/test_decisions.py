"""What the guard decides for a client is told to ``on_verdict``: each answer once, refusals before they are raised."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from anyurl import AsyncClient, Client, Policy, RefusedError
from anyurl.guard import Decision
from anyurl.values import CONFIGURATION, USER
from tests.servers import Connection, Server

INNER = "169.254.169.254"

POLICY = Policy.untrusted().replace(allow_nets=["127.0.0.0/8"])


def page(link: Connection) -> None:
    request = link.head()
    if b"/away" in request:
        link.send(f"HTTP/1.1 302 Found\r\nLocation: http://{INNER}/x\r\nContent-Length: 0\r\n\r\n".encode())
    else:
        link.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def by_client(url: str, hear: Callable[[Decision], object]) -> None:
    with Client(POLICY, on_verdict=hear) as client:
        client.get(url).read()


def by_map(url: str, hear: Callable[[Decision], object]) -> None:
    with Client(POLICY, on_verdict=hear) as client:
        (result,) = client.map([url])
        if result.error is not None:
            raise result.error


def by_async_client(url: str, hear: Callable[[Decision], object]) -> None:
    async def main() -> None:
        async with AsyncClient(POLICY, on_verdict=hear) as client, await client.get(url) as resource:
            await resource.read()

    asyncio.run(main())


DOORS = {"Client": by_client, "map": by_map, "AsyncClient": by_async_client}


@pytest.mark.parametrize("door", DOORS)
class TestEachDoor:
    def test_what_is_allowed_is_told(self, door: str) -> None:
        heard: list[Decision] = []
        with Server(page) as server:
            DOORS[door](f"http://joe:pw@{server.authority}/a?b", heard.append)
        assert [bool(each.verdict) for each in heard] == [True] * len(heard)
        assert heard[0].url == f"http://joe:***@{server.authority}/a?b"
        assert (heard[0].origin, heard[0].address) == (USER, None)
        assert heard[-1].address == server.host

    def test_a_refusal_is_told_before_it_is_raised(self, door: str) -> None:
        heard: list[Decision] = []
        with pytest.raises(RefusedError) as caught:
            DOORS[door](f"http://{INNER}/latest", heard.append)
        (refusal,) = heard
        assert refusal.verdict == caught.value.verdict
        assert refusal.url == f"http://{INNER}/latest"

    def test_a_refused_redirect_says_who_named_it(self, door: str) -> None:
        heard: list[Decision] = []
        with Server(page) as server, pytest.raises(RefusedError):
            DOORS[door](f"http://{server.authority}/away", heard.append)
        refusal = heard[-1]
        assert (refusal.verdict.allowed, refusal.url, refusal.origin.who) == (False, f"http://{INNER}/x", "redirect")

    def test_a_function_that_fails_changes_nothing(self, door: str, caplog: pytest.LogCaptureFixture) -> None:
        def fail(decision: Decision) -> None:
            raise ZeroDivisionError("no division")

        with Server(page) as server:
            DOORS[door](f"http://{server.authority}/a", fail)
        with pytest.raises(RefusedError):
            DOORS[door](f"http://{INNER}/", fail)
        assert "on_verdict failed: ZeroDivisionError('no division')." in caplog.messages


def test_gateways_proxies_and_mail_are_told_of() -> None:
    heard: list[Decision] = []
    policy = Policy.untrusted()
    with Client(policy, on_verdict=heard.append, gateways={"x://*": "http://h.example/?{url}"}) as client:
        with pytest.raises(RefusedError):
            client.get(f"x://{INNER}/")
        assert heard.pop().url == f"x://{INNER}/"
    with Client(policy, on_verdict=heard.append, proxy=f"http://{INNER}:3128") as client:
        heard.clear()
        with pytest.raises(RefusedError):
            client.get("http://1.1.1.1/")
        assert heard[-1].origin == CONFIGURATION
        assert INNER in heard[-1].url
    with Client(policy, on_verdict=heard.append, mail_server="1.1.1.1", mail_from="me@h.example") as client:
        heard.clear()
        with pytest.raises(RefusedError) as caught:
            client.append("mailto:joe@h.example", b"hello")
        assert heard[-1].verdict == caught.value.verdict


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="on_verdict"):
        Client(on_verdict="print")  # type: ignore[arg-type]
