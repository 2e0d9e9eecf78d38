"""The guard under aiohttp: its errors, its session, its connector in other hands."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from anyurl.adapters.aiohttp import CLOSED_OPTIONS, AiohttpRefusedError, GuardedConnector, session
from anyurl.adapters.gate import OWN, Referral, in_referral
from anyurl.errors import RefusedError
from anyurl.guard import hops
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.values import USER, Scope
from tests.servers import Server, answers, reply, unheard

DEFAULT = Policy.default()


async def text(opened: Any, url: str, **options: Any) -> str:
    async with opened.get(url, **options) as response:
        return str(await response.text())


def within(opens: Callable[[], Any], then: Callable[[Any], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with opens() as opened:
            return await then(opened)

    return asyncio.run(main())


def test_a_refusal_is_an_error_of_aiohttp_with_its_verdict() -> None:
    with pytest.raises(aiohttp.ClientError) as caught:
        within(session, lambda opened: text(opened, "http://10.0.0.1/x"))
    error = caught.value
    assert isinstance(error, AiohttpRefusedError)
    assert isinstance(error, RefusedError)
    assert error.verdict is not None
    assert error.verdict.code == "address-private"


@pytest.mark.parametrize("method", ["get", "options", "head", "post", "put", "patch", "delete"])
def test_every_method_of_http_is_judged_and_asked(method: str) -> None:
    with Server(answers(reply(b""))) as there:

        async def ask(opened: Any) -> int:
            with pytest.raises(AiohttpRefusedError):
                await getattr(opened, method)("http://10.0.0.1/")
            async with getattr(opened, method)(f"http://{there.authority}/x") as response:
                return int(response.status)

        assert within(lambda: session(Policy.untrusted().replace(allow_nets=["127.0.0.0/8"])), ask) == 200
        assert bytes(there.received[0]).startswith(f"{method.upper()} /x HTTP/1.1\r\n".encode())


@pytest.mark.parametrize("name", CLOSED_OPTIONS)
def test_a_factory_takes_no_option_that_leads_round_it(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        session(**{name: None})


def test_errors_of_the_network_are_those_of_aiohttp() -> None:
    with unheard() as port, pytest.raises(aiohttp.ClientConnectorError):
        within(lambda: session(DEFAULT), lambda opened: text(opened, f"http://127.0.0.1:{port}/"))


def test_the_connection_is_kept() -> None:
    async def twice(opened: Any) -> list[str]:
        return [await text(opened, f"http://{server.authority}/") for _ in range(2)]

    with Server(answers(reply(b"one"), reply(b"two"))) as server:
        assert within(lambda: session(DEFAULT), twice) == ["one", "two"]
        assert len(server.received) == 1


@pytest.mark.parametrize("field", ["Location", "URI"])
def test_a_hop_is_judged_also_where_its_connection_is_kept(field: str) -> None:
    async def then(opened: Any) -> str:
        assert await text(opened, f"http://{there.authority}/") == "one"
        with pytest.raises(AiohttpRefusedError, match="only to the URL that you gave"):
            await opened.post(f"http://{here.authority}/", data=b"mine")
        assert not opened._inner.connector.calls
        return await text(opened, f"http://{there.authority}/")

    with Server(answers(reply(b"one"), reply(b"two"))) as there:
        moved = reply(b"", f"{field}: http://{there.authority}/", status="307 Temporary Redirect")
        with Server(answers(moved)) as here:
            assert within(lambda: session(DEFAULT), then) == "two"
        assert len(there.received) == 1
        assert b"mine" not in there.received[0]


def test_a_hop_is_judged_also_where_a_middleware_asks_for_something_else_on_the_way() -> None:
    """What it asks for is the caller's own, and leads on by itself."""
    found = []

    async def main() -> None:
        async with session(DEFAULT) as other:

            async def asks_first(request: aiohttp.ClientRequest, handler: Any) -> Any:
                found.append(await text(other, f"http://{third.authority}/"))
                return await handler(request)

            async with session(DEFAULT, middlewares=(asks_first,)) as opened:
                with pytest.raises(AiohttpRefusedError, match="only to the URL that you gave"):
                    await opened.post(f"http://{here.authority}/", data=b"mine")

    near = reply(b"", "Location: /b", status="302 Found")
    with Server(answers(reply(b"one"))) as there, Server(answers(near, reply(b"1"), near, reply(b"2"))) as third:
        moved = reply(b"", f"Location: http://{there.authority}/", status="307 Temporary Redirect")
        with Server(answers(moved)) as here:
            asyncio.run(main())
        assert found == ["1", "2"]
        assert there.received == []


def test_what_follows_a_redirection_that_was_not_followed_is_the_callers_own() -> None:
    """Also in a session that somebody has made by hand."""

    async def then(opened: Any) -> str:
        async with opened.get(f"http://{here.authority}/", allow_redirects=False) as response:
            assert response.status == 302
        async with aiohttp.ClientSession(connector=GuardedConnector(DEFAULT)) as other:
            return await text(other, f"http://{there.authority}/")

    with Server(answers(reply(b"here"))) as there:
        with Server(answers(reply(b"", "Location: http://h.example/", status="302 Found"))) as here:
            assert within(lambda: session(DEFAULT), then) == "here"


def test_a_base_is_read_once_and_what_is_relative_leads_to_it() -> None:
    with Server(answers(reply(b"one"))) as server:
        base = f"http://{server.authority}/"
        assert within(lambda: session(DEFAULT, base_url=base), lambda opened: text(opened, "x")) == "one"


@pytest.mark.parametrize("given", ["a//b", "?u=http://h.example/", "r?u=//h.example", "#a//b"])
def test_what_is_relative_may_hold_two_slashes(given: str) -> None:
    with Server(answers(reply(b"one"))) as server:
        base = f"http://{server.authority}/"
        assert within(lambda: session(DEFAULT, base_url=base), lambda opened: text(opened, given)) == "one"


class Liar(AbstractResolver):
    """Says one address of each name."""

    def __init__(self, address: str) -> None:
        self.address = address

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host=self.address, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        pass


def test_a_resolver_of_ones_own_is_judged() -> None:
    def opens() -> Any:
        return aiohttp.ClientSession(connector=GuardedConnector(resolver=Liar("127.0.0.1")))

    with Server(answers(reply(b"one"))) as server:
        with pytest.raises(AiohttpRefusedError):
            within(opens, lambda opened: text(opened, f"http://h.example:{server.port}/"))
        assert server.received == []


class Slow(Liar):
    """Says it late: others ask for the same name meanwhile."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        await asyncio.sleep(0)
        return await super().resolve(host, port, family)


@pytest.mark.parametrize("stranger_first", [True, False])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_shared_look_up_is_judged_for_each_that_shares_it(stranger_first: bool, at_once: bool) -> None:
    """aiohttp looks a name up once for all who ask at the same time, and remembers the answer: who named it differs."""
    led = Referral(hops.named_by(URL("http://public.example/"), "redirect", Scope.PUBLIC, USER))

    async def ask(connector: GuardedConnector, referral: Referral) -> str:
        with in_referral(referral):
            try:
                return str((await connector._resolve_host("h.test", 80))[0]["host"])
            except AiohttpRefusedError as error:
                assert error.verdict is not None
                return str(error.verdict.code)

    async def main() -> list[str]:
        connector = GuardedConnector(DEFAULT, resolver=Slow("127.0.0.1"))
        order = [led, OWN] if stranger_first else [OWN, led]
        try:
            if at_once:
                found = await asyncio.gather(*(ask(connector, referral) for referral in order))
            else:
                found = [await ask(connector, referral) for referral in order]
        finally:
            await connector.close()
        return found if stranger_first else found[::-1]

    refused, allowed = asyncio.run(main())
    assert (refused, allowed) == ("address-hop", "127.0.0.1")


@pytest.mark.filterwarnings("ignore:.*[aA]uth:DeprecationWarning")
def test_the_login_of_a_session_is_not_taken_elsewhere() -> None:
    login = aiohttp.BasicAuth("joe", "s3cr3t")
    with Server(answers(reply(b"", "Location: /b", status="302 Found"), reply(b"here"))) as there:
        near = reply(b"", "Location: /b", status="302 Found")
        away = reply(b"", f"Location: http://{there.authority}/", status="302 Found")
        with Server(answers(near, away)) as here:
            opens = lambda: session(DEFAULT, auth=login)  # noqa: E731
            assert within(opens, lambda opened: text(opened, f"http://{here.authority}/")) == "here"
    assert here.received[0].count(b"Authorization") == 2
    assert there.received[0].count(b"Authorization") == 0


def test_a_redirection_to_a_name_that_is_not_ascii_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def look_up(host: Any, *given: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host == "xn--bcher-kva.test" else host, *given, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with Server(answers(reply(b"here"))) as there:
        place = f"http://b\u00fccher.test:{there.port}/".encode().decode("latin-1")
        with Server(answers(reply(b"", f"Location: {place}", status="302 Found"))) as here:
            assert within(lambda: session(DEFAULT), lambda opened: text(opened, f"http://{here.authority}/")) == "here"


def test_each_socket_is_judged_by_its_address() -> None:
    """An address asks no resolver: it is the socket that would be the last to know."""

    async def main() -> None:
        connector = GuardedConnector()
        try:
            with pytest.raises(AiohttpRefusedError):
                connector._judged_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80)))
            connector._judged_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 80))).close()
        finally:
            await connector.close()

    asyncio.run(main())


def test_two_requests_at_once_don_t_take_each_other_for_hops() -> None:
    moved = reply(b"", "Location: /b", status="302 Found")

    async def both(opened: Any) -> list[str]:
        return list(await asyncio.gather(*(text(opened, f"http://{server.authority}/") for server in servers)))

    with Server(answers(moved, reply(b"one"))) as first, Server(answers(reply(b"two"))) as second:
        servers = (first, second)
        assert within(lambda: session(DEFAULT), both) == ["one", "two"]


def test_what_is_asked_elsewhere_after_a_redirection_is_the_callers_own() -> None:
    """Also where nothing says that it is another request: in another session with the same connector."""

    async def then(opened: Any) -> list[str]:
        followed = await text(opened, f"http://{first.authority}/")
        return [followed, await text(opened._inner, f"http://{second.authority}/")]

    moved = reply(b"", "Location: /b", status="302 Found")
    with Server(answers(moved, reply(b"one"))) as first, Server(answers(reply(b"two"))) as second:
        assert within(lambda: session(DEFAULT), then) == ["one", "two"]


def test_a_web_socket_is_opened_where_http_may_go_and_nowhere_else() -> None:
    async def echo(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(f"heard {message.data}")
        return socket

    async def main() -> str:
        application = web.Application()
        application.router.add_get("/chat", echo)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        try:
            async with session() as opened:
                with pytest.raises(AiohttpRefusedError) as caught:
                    await opened.ws_connect(f"ws://127.0.0.1:{port}/chat")
                assert caught.value.verdict is not None
                assert caught.value.verdict.code == "address-private"
            policy = Policy.untrusted().replace(allow_nets=["127.0.0.1"], allow_ports=[port])
            async with session(policy) as opened, opened.ws_connect(URL(f"ws://127.0.0.1:{port}/chat")) as socket:
                await socket.send_str("you")
                return str((await socket.receive()).data)
        finally:
            await runner.cleanup()

    assert asyncio.run(main()) == "heard you"
