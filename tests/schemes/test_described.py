"""All that a user is told of the small world by each scheme: kinds, sizes, dates, attributes, entries and errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyurl import Client, Policy
from anyurl.world import World
from tests.schemes.described import FOLDER, told


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.mark.parametrize("scheme", sorted(path.stem for path in FOLDER.iterdir()))
def test_what_is_told(world: World, scheme: str) -> None:
    wanted = (FOLDER / f"{scheme}.tsv").read_text(encoding="utf-8").splitlines()
    with Client(Policy.open()) as client:
        assert [*told(client, world, scheme)] == wanted


def test_every_scheme_of_the_world_is_there(world: World) -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {*world.urls}
