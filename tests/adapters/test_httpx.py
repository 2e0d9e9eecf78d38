"""The guard under httpx: its errors, its options, its connections."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from anyurl.adapters.httpx import (
    GuardedTransport,
    HttpxRefusedError,
    async_client,
    client,
)
from anyurl.adapters.transports import CLOSED_OPTIONS
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from tests.servers import Connection, Server, answers, reply, unheard

DEFAULT = Policy.default()


def drip(link: Connection) -> None:
    link.head()
    link.send(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")


def test_a_refusal_is_an_error_of_httpx_with_its_request_and_verdict() -> None:
    with client() as opened, pytest.raises(httpx.RequestError) as caught:
        opened.get("http://10.0.0.1/x")
    error = caught.value
    assert isinstance(error, HttpxRefusedError)
    assert isinstance(error, RefusedError)
    assert error.verdict is not None
    assert error.verdict.code == "address-private"
    assert str(error.request.url) == "http://10.0.0.1/x"


@pytest.mark.parametrize("text", ["javascript:alert(1)", "data:,x", "ws2:a", "JavaScript:%0Aalert(1)"])
def test_a_scheme_without_a_place_is_refused_for_the_scheme(text: str) -> None:
    with client() as opened, pytest.raises(HttpxRefusedError) as caught:
        opened.get(text)
    assert caught.value.verdict.code == "scheme-not-allowed"
    assert text.partition(":")[0].lower() in str(caught.value)


@pytest.mark.parametrize("name", CLOSED_OPTIONS)
def test_a_factory_takes_no_option_that_leads_round_it(name: str) -> None:
    for factory in (client, async_client):
        with pytest.raises(ValueError, match=name):
            factory(**{name: None})


def test_the_connection_is_kept() -> None:
    with Server(answers(reply(b"one"), reply(b"two"))) as server, client(DEFAULT) as opened:
        assert [opened.get(f"http://{server.authority}/").text for _ in range(2)] == ["one", "two"]
        assert len(server.received) == 1


def test_errors_of_the_network_are_those_of_httpx() -> None:
    with client(DEFAULT) as opened, unheard() as port, pytest.raises(httpx.ConnectError):
        opened.get(f"http://127.0.0.1:{port}/")
    with Server(drip) as server, client(DEFAULT) as opened:
        with pytest.raises(httpx.RemoteProtocolError):
            opened.get(f"http://{server.authority}/")


def test_errors_of_the_network_are_those_of_httpx_in_asyncio() -> None:
    async def main(url: str) -> None:
        async with async_client(DEFAULT) as opened:
            await opened.get(url)

    with unheard() as port, pytest.raises(httpx.ConnectError):
        asyncio.run(main(f"http://127.0.0.1:{port}/"))
    with Server(drip) as server, pytest.raises(httpx.RemoteProtocolError):
        asyncio.run(main(f"http://{server.authority}/"))


def test_a_base_is_read_once_and_what_is_relative_leads_to_it() -> None:
    with Server(answers(reply(b"one"), reply(b"two"))) as server:
        with client(DEFAULT, base_url=f"http://{server.authority}/") as opened:
            assert opened.get("/x").text == "one"
            assert opened.get("").text == "two"


@pytest.mark.parametrize("text", ["/a//b", "a//b", "?u=http://h.example/", "r?u=//h.example", "#a//b", "..//x"])
def test_what_is_relative_may_hold_two_slashes(text: str) -> None:
    with Server(answers(reply(b"one"))) as server:
        with client(DEFAULT, base_url=f"http://{server.authority}/") as opened:
            assert opened.get(text).text == "one"


@pytest.mark.parametrize("text", ["//h.example/", "/\\h.example//", "\\\\h.example//"])
def test_what_only_some_take_for_relative_leads_nowhere(text: str) -> None:
    with Server(answers(reply(b"one"))) as server:
        with client(DEFAULT, base_url=f"http://{server.authority}/") as opened, pytest.raises(HttpxRefusedError):
            opened.get(text)
        assert not server.received


def test_the_request_that_was_redirected_may_be_sent_again() -> None:
    """It is still the caller's own."""
    moved = reply(b"", "Location: /b", status="302 Found")
    with Server(answers(moved, moved)) as server, httpx.Client(transport=GuardedTransport(DEFAULT)) as opened:
        request = opened.build_request("GET", f"http://{server.authority}/")
        assert [opened.send(request).status_code for _ in range(2)] == [302, 302]
