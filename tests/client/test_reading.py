"""What is fetched is the URL's host and port, by whatever grammar it was read: asserted at the connector."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from anyurl import URL, AsyncClient, Client, Policy, parse
from anyurl.errors import AnyURLError
from anyurl.testing import SmallNetwork
from tests.servers import Connection, Server

ALLOWED, PORT = "93.184.216.34", 2121

READ: list[tuple[str, Any]] = [
    (f"https://127.0.0.1?@allowed.example:{PORT}/a#f", "rfc1738"),  # current reads the host 127.0.0.1 there
    (f"ftp://127.0.0.1?:p@allowed.example:{PORT}/a#f", "rfc1738"),  # and refuses this
    (f"ftp://127.0.0.1?&@allowed.example:{PORT}/a?b", "rfc1738-draft07"),
    (f"http:\\\\127.0.0.1@allowed.example:{PORT}\\a#f", "browser"),
    (f"gopher://allowed.example:{PORT}/0a?b#f", "rfc1738"),
    (f"nntp://allowed.example:{PORT}/a.b/1#f", "current"),
]

MADE: dict[str, Callable[[URL], URL]] = {
    "as it is": lambda url: url,
    "without its fragment": URL.without_fragment,
    "normalized": URL.normalize,
    "joined": lambda url: url.join("#g"),
    "replaced": lambda url: url.replace(fragment=None),
}


def fetch(network: SmallNetwork, url: URL, how: str) -> None:
    """Try to get it; nobody speaks its protocol there."""
    policy = Policy.open()
    if how == "AsyncClient":

        async def get() -> None:
            async with AsyncClient(policy, network=network, timeout=5) as client:
                await client.get(url)

        with contextlib.suppress(AnyURLError):
            asyncio.run(get())
        return
    with Client(policy, network=network, timeout=5) as client:
        if how == "map":
            list(client.map([url]))
            return
        with contextlib.suppress(AnyURLError):
            client.get(url).read()


@pytest.mark.promise("one-reading")
@pytest.mark.parametrize("how", ["get", "map", "AsyncClient"])
@pytest.mark.parametrize(("text", "grammar"), READ)
def test_what_is_fetched_is_what_the_grammar_read(text: str, grammar: Any, how: str) -> None:
    url = parse(text, grammar)
    assert (url.host, url.port) == ("allowed.example", PORT)

    def hang_up(connection: Connection) -> None:
        """A server of no protocol: it is there, and gone."""

    for name, make in MADE.items():
        with Server(hang_up) as server:
            network = SmallNetwork({"allowed.example": [ALLOWED]}, {(ALLOWED, PORT): ("127.0.0.1", server.port)})
            fetch(network, make(url), how)
            assert set(network.connected) == {(ALLOWED, PORT)}, name
            assert set(network.looked_up) == {"allowed.example"}, name
            assert server.received, name
