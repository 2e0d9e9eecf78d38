"""A host name in ``allow_nets``, by the whole way of a client: what is handed in leads there, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.errors import RefusedError
from anyurl.testing import SmallNetwork
from tests.servers import Connection, Server, reply

pytestmark = pytest.mark.promise("internal-host")

PUBLIC, INNER, OTHER = "93.184.216.34", "10.0.0.42", "10.0.0.43"
NAME = "http://billing.internal/"
SHUT = (
    "127.0.0.1", "::1", "169.254.169.254", "fe80::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
    "64:ff9b::7f00:1", "fd00:ec2::254", "224.0.0.1",
)  # fmt: skip
"""Addresses that a name never opens."""

POLICY = Policy.untrusted().replace(allow_nets=["billing.internal"])


def part(connection: Connection) -> None:
    """Public pages that redirect to an internal host, and the internal host's own."""
    while head := connection.head():
        path = head.split(b" ")[1].decode()
        host = head.lower().split(b"host: ")[1].split(b"\r\n")[0].decode()
        if path == "/hop" and host == "public.test":
            connection.send(reply(b"", f"Location: {NAME}", status="302 Found"))
        elif path == "/address" and host == "public.test":
            connection.send(reply(b"", f"Location: http://{INNER}/", status="302 Found"))
        elif path == "/here":
            connection.send(reply(b"", "Location: /there", status="302 Found"))
        else:
            connection.send(reply(f"{host}{path}".encode()))


def network(server: Server, *answers: Sequence[str]) -> SmallNetwork:
    """`billing.internal` has these addresses, one after the other; the server is at every address."""
    there = (server.host, server.port)
    names: dict[str, Any] = {
        "billing.internal": [list(answer) for answer in answers], "public.test": [PUBLIC], "other.internal": [INNER],
    }  # fmt: skip
    return SmallNetwork(names, {(address, 80): there for address in (PUBLIC, INNER, OTHER, "fd00::42", *SHUT)})


def fetch(net: SmallNetwork, url: str, policy: Policy = POLICY, **options: Any) -> str:
    with Client(policy, network=net) as client:
        return client.get(url, **options).text()


@pytest.mark.parametrize(
    "address", [INNER, "192.168.3.4", "172.16.0.9", "100.64.0.1", "fd00::42", "::ffff:10.0.0.42", PUBLIC]
)
def test_a_url_that_is_handed_in_reaches_the_host_whatever_its_private_address(address: str) -> None:
    with Server(part) as server:
        net = network(server, [address])
        net._servers[address, 80] = (server.host, server.port)
        assert fetch(net, f"{NAME}a") == "billing.internal/a"
        assert net.connected == [(address, 80)]


@pytest.mark.parametrize("name", ["billing.internal", "BILLING.Internal", "billing.internal."])
def test_the_name_is_the_same_in_every_spelling(name: str) -> None:
    with Server(part) as server:
        net = network(server, [INNER])
        net._names[name] = net._names["billing.internal"]
        assert fetch(net, f"http://{name}/a").endswith("/a")


def test_in_asyncio_too() -> None:
    async def main(net: SmallNetwork) -> str:
        async with AsyncClient(POLICY, network=net) as client:
            return await (await client.get(f"{NAME}a")).text()

    with Server(part) as server:
        assert asyncio.run(main(network(server, [INNER]))) == "billing.internal/a"


def test_the_host_may_redirect_to_itself() -> None:
    with Server(part) as server:
        assert fetch(network(server, [INNER]), f"{NAME}here") == "billing.internal/there"


@pytest.mark.parametrize("path", ["hop", "address"])
def test_a_public_server_can_not_redirect_there(path: str) -> None:
    with Server(part) as server:
        net = network(server, [INNER])
        with pytest.raises(RefusedError) as caught:
            fetch(net, f"http://public.test/{path}")
    assert caught.value.verdict.code in ("address-hop", "address-private")
    assert net.connected == [(PUBLIC, 80)]


@pytest.mark.parametrize("came_from", ["http://public.test/", f"http://{PUBLIC}/"])
def test_a_page_can_not_lead_there(came_from: str) -> None:
    with Server(part) as server:
        net = network(server, [INNER])
        with pytest.raises(RefusedError) as caught:
            fetch(net, NAME, came_from=came_from)
    assert caught.value.verdict.code == "address-hop"
    assert net.connected == []


def test_what_the_host_redirects_to_is_no_more_open_than_before() -> None:
    """Its own address is not on the list, nor is another name of it."""
    with Server(part) as server:
        for url in (f"http://{INNER}/", "http://other.internal/"):
            net = network(server, [INNER])
            with pytest.raises(RefusedError) as caught:
                fetch(net, url)
            assert caught.value.verdict.code == "address-private"
            assert net.connected == []


@pytest.mark.parametrize("address", SHUT)
@pytest.mark.parametrize("beside", [[], [INNER]], ids=["alone", "beside a private one"])
def test_a_name_that_is_bound_anew_opens_nothing_but_private_addresses(address: str, beside: list[str]) -> None:
    with Server(part) as server:
        net = network(server, [*beside, address])
        with pytest.raises(RefusedError) as caught:
            fetch(net, NAME)
        assert caught.value.verdict.code.startswith("address-")
        assert net.connected == []


@pytest.mark.parametrize("address", SHUT)
def test_a_client_that_has_been_there_judges_the_new_address(address: str) -> None:
    """The first answer was allowed: what is remembered of it opens no other address."""
    with Server(part) as server:
        net = network(server, [INNER], [address])
        with Client(POLICY, network=net) as client:
            assert client.get(f"{NAME}a").text() == "billing.internal/a"
        with Client(POLICY, network=net) as client, pytest.raises(RefusedError):
            client.get(f"{NAME}a")
        assert net.looked_up == ["billing.internal"] * 2
        assert net.connected == [(INNER, 80)]
