from __future__ import annotations

from anyurl import Client
from anyurl.world import World


def test_the_note_is_its_own_server() -> None:
    with World(["data"]) as world, Client() as client, client.get(world.urls["data"]) as resource:
        assert resource.text() == "What you read here came with its address.\n"
        assert world.roots["data"] == world.urls["data"]
        assert str(world.urls["data"]) in world.text
