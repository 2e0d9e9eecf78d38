"""`Resource.links`: what an answer relates itself to, named by who answered."""

from __future__ import annotations

import asyncio

import pytest

from anyurl import AsyncClient, Client, Policy
from anyurl.errors import PolicyError
from tests.servers import Connection, Server, reply

FIELDS = (
    'Link: <two?page=2>; rel="next"; title="More"; type="text/html", </>; rel=up; anchor="#here"',
    'LINK: <http://[>; rel=broken; x=y',
)  # fmt: skip


def part(connection: Connection) -> None:
    while head := connection.head():
        path = head.split(b" ")[1]
        connection.send(reply(b"" if head.startswith(b"HEAD") else path, *FIELDS))


def test_links_are_resolved_and_followed() -> None:
    with Server(part) as server, Client(Policy.open()) as client:
        root = f"http://{server.authority}"
        resource = client.get(f"{root}/dir/one")
        following, up, broken = resource.links
        assert (str(following.url), following.rel, following.title) == (f"{root}/dir/two?page=2", ("next",), "More")
        assert (following.type, following.anchor, following.target) == ("text/html", None, "two?page=2")
        assert (str(up.url), str(up.anchor)) == (f"{root}/", f"{root}/dir/one#here")
        assert (broken.url, broken.parameters) == (None, (("rel", "broken"), ("x", "y")))
        assert (following.origin.who, following.origin.host) == ("document", "127.0.0.1")
        assert client.get(following).read() == b"/dir/two?page=2"
        assert client.stat(f"{root}/dir/one").links[0].rel == ("next",)


def test_both_resources_have_them() -> None:
    async def run(root: str) -> None:
        async with AsyncClient(Policy.open()) as client, await client.get(f"{root}/a") as resource:
            assert [link.rel for link in resource.links] == [("next",), ("up",), ("broken",)]

    with Server(part) as server:
        asyncio.run(run(f"http://{server.authority}"))


def test_there_are_none_where_none_are_said(tmp_path: object) -> None:
    with Client() as client:
        assert client.stat(f"file://{tmp_path}").links == ()


def test_a_link_is_its_servers_and_not_the_users() -> None:
    def evil(connection: Connection) -> None:
        connection.head()
        connection.send(reply(b"", "Link: <file:///etc/passwd>; rel=next"))

    with Server(evil) as server, Client() as client:
        (link,) = client.get(f"http://{server.authority}/").links
        with pytest.raises(PolicyError):
            client.get(link)
