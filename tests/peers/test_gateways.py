"""A gateway that nobody here wrote: squid, which gets ftp URLs for whoever asks it by http."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl import Client
from anyurl.errors import AuthRequiredError
from anyurl.testing import SmallNetwork
from anyurl.world import World
from tests.peers import proxies


@pytest.fixture
def world() -> Iterator[World]:
    with World(["ftp"]) as world:
        yield world


@pytest.fixture
def squid(tmp_path: Path) -> Iterator[str]:
    with proxies.squid(tmp_path) as url:
        yield url


def test_ftp_by_http(world: World, squid: str) -> None:
    root = world.roots["ftp"]
    host, _, port = squid.rpartition("/")[2].partition(":")
    network = SmallNetwork({}, {(host, int(port)): (host, int(port))})
    with Client(network=network, gateways={"ftp": f"get list put proxy {squid}"}) as client, Client() as direct:
        notes = root.join("pub/notes.txt")
        with client.get(notes) as found, direct.get(notes) as meant:
            assert found.read().splitlines() == meant.read().splitlines()
            assert found.type == "text/plain"
            assert found.base == notes
        with client.list(root) as listing, direct.list(root) as entries:
            links = {entry.url for entry in listing.entries()}
            meant_links = {entry.url for entry in entries.entries()}
        assert meant_links <= links
        assert {link.scheme for link in links if link is not None} <= {"ftp", "http", "https"}
        with pytest.raises(AuthRequiredError):  # no password of a URL goes to a gateway
            client.put(root.replace(user="guest", password="welcome").join("through.bin"), b"content")
    assert set(network.connected) == {(host, int(port))}
