"""The login for a proxy, over real proxies: no server hears it, wherever a redirect leads, and no other proxy does."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.errors import AnyURLError
from tests.cli.runner import run
from tests.hop.places import FOREIGN, Places, look_up, places
from tests.peers import proxies
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("hop")

LOGIN = f"{proxies.USER}:{proxies.PASSWORD}"
MARKS = (proxies.USER, proxies.PASSWORD, base64.b64encode(LOGIN.encode()).decode(), "proxy-authorization")


def told(heads: list[bytes]) -> list[str]:
    """What of the login these requests tell."""
    return [mark for head in heads for mark in MARKS if mark.encode() in head or mark.encode() in head.lower()]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    folder = tmp_path_factory.getbasetemp() / "authority"
    folder.mkdir(exist_ok=True)
    with places(folder) as world:
        yield world


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", look_up)


MAKERS: dict[str, Callable[..., Any]] = {
    "tinyproxy": proxies.tinyproxy, "squid": proxies.squid,
    "squid, Digest": lambda root, login: proxies.squid(root, login=login, kinds="digest"),
    "microsocks": proxies.microsocks,
}  # fmt: skip


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("tinyproxy", marks=pytest.mark.needs("tinyproxy")),
        pytest.param("squid", marks=pytest.mark.needs("squid", "openssl")),
        pytest.param("squid, Digest", marks=pytest.mark.needs("squid", "openssl")),
        pytest.param("microsocks", marks=pytest.mark.needs("microsocks")),
    ],
)
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with MAKERS[request.param](tmp_path_factory.mktemp("proxy"), login=True) as url:
        yield url


def by_client(url: str, folder: Path, **options: Any) -> None:
    with Client(Policy.default(), **options) as client, client.get(url) as resource:
        resource.read()


def by_async_client(url: str, folder: Path, **options: Any) -> None:
    async def main() -> None:
        async with AsyncClient(Policy.default(), **options) as client, await client.get(url) as resource:
            await resource.read()

    asyncio.run(main())


def by_map(url: str, folder: Path, **options: Any) -> None:
    with Client(Policy.default(), **options) as client:
        for result in client.map([url]):
            if result.resource is not None:
                with result.resource as resource:
                    resource.read()


def by_mirror(url: str, folder: Path, **options: Any) -> None:
    with Client(Policy.default(), **options) as client:
        list(client.mirror(url, folder))


def by_command(url: str, folder: Path, *, ca_file: str, proxy: str, no_proxy: list[str] | tuple[()] = ()) -> None:
    past = [word for place in no_proxy for word in ("--no-proxy", place)]
    said = run("get", "-v", "--ca-file", ca_file, "--proxy", proxy, *past, url)
    assert proxies.PASSWORD not in said.output + said.stderr


DOORS: dict[str, Callable[..., None]] = {
    "Client": by_client, "AsyncClient": by_async_client, "map": by_map, "mirror": by_mirror, "get": by_command,
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_no_server_hears_the_login_for_a_proxy(world: Places, proxy: str, door: str, tmp_path: Path) -> None:
    for relation in ("same origin", *FOREIGN):
        for past in ((), (f"127.0.0.1:{world.ports[1]}",)):  # the second server in clear is reached without it
            world.begin(relation)
            with suppress(AnyURLError):
                DOORS[door](
                    world.start, tmp_path / relation / str(len(past)), ca_file=world.authority.ca_file, proxy=proxy,
                    no_proxy=past,
                )  # fmt: skip
            assert any(each.path.startswith("/start") for each in world.heard), relation
            if door != "mirror":
                assert world.reached() == (relation != "TLS to clear"), relation
            assert told([each.head for each in world.heard]) == [], relation


def test_no_other_proxy_hears_it(world: Places, proxy: str) -> None:
    """A redirect from clear to TLS, for which another proxy is configured."""
    heard: list[bytes] = []

    def other(link: Connection) -> None:
        while head := link.head():
            heard.append(head)
            link.send(reply(b"", 'Proxy-Authenticate: Basic realm="proxy.test"', status="407 Who"))

    with ExitStack() as stack:
        second = stack.enter_context(Server(other))
        world.begin("clear to TLS")
        with suppress(AnyURLError):
            by_client(
                world.start, Path(), ca_file=world.authority.ca_file,
                proxy={"http": proxy, "https": f"http://{second.authority}"},
            )  # fmt: skip
    assert heard
    assert told(heard) == []
