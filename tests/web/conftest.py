"""A world of servers, and a gateway through which it is seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl.guard.policy import Policy
from anyurl.web.app import StartPlace
from anyurl.world import World
from tests.servers import unheard as unheard_port
from tests.web.running import Browser, running


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.fixture(scope="module")
def browser(world: World) -> Iterator[Browser]:
    places = tuple(StartPlace(scheme, url) for scheme, url in world.roots.items())
    # An answered form goes to gopher's own port, or to one that is allowed.
    policy = Policy.default().replace(allow_ports=[world.roots["gopher"].port or 70])
    with running(places, policy=policy, **world.settings) as browser:
        yield browser


@pytest.fixture
def unheard() -> Iterator[int]:
    """A port at which nobody listens."""
    with unheard_port() as port:
        yield port
