"""A mirror in an event loop: the same as in a thread (`test_mirror`), and no turn of the loop is held up."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from anyurl import URL, AsyncClient, Client, Mirrored, Policy
from anyurl.errors import RefusedError
from anyurl.saving.mirror import LINKS_AT_ONCE, Mirror, Pause
from anyurl.values import USER
from tests.saving.test_mirror import DOCUMENTS, PAGES, Web, files, world
from tests.servers import Server


async def mirror(root: URL | str, folder: Path) -> list[Mirrored]:
    async with AsyncClient(Policy.open()) as client:
        return [each async for each in client.mirror(root, folder)]


@pytest.mark.parametrize("scheme", ["ftp", "gopher", "http"])
def test_the_same_in_an_event_loop(scheme: str, tmp_path: Path) -> None:
    with world(scheme) as root:
        outcomes = Counter(each.outcome for each in asyncio.run(mirror(root, tmp_path)))
    assert set(files(tmp_path)) >= DOCUMENTS
    assert outcomes["saved"] == len(files(tmp_path))


def test_robots_txt_is_obeyed_there_too(tmp_path: Path) -> None:
    with Server(Web(PAGES, b"User-agent: *\nDisallow: /d/sub\n")) as server:
        asyncio.run(mirror(f"http://{server.authority}/d/", tmp_path))
        assert set(files(tmp_path)) == {"index.html", "a.txt"}
        with pytest.raises(RefusedError, match=r"robots\.txt"):
            asyncio.run(mirror(f"http://{server.authority}/d/sub/", tmp_path / "none"))


def test_the_links_of_a_long_page_are_noted_in_many_turns(tmp_path: Path) -> None:
    links = 1000
    page = b"".join(b"<a href=/d/%d>" % number for number in range(links))
    with Server(Web({"/d/": page})) as server, Client(Policy.open()) as client:
        root = URL(f"http://{server.authority}/d/")
        mirror = Mirror(root, USER, tmp_path)
        item = next(mirror.targets())
        turns = 0
        with client.open(item) as resource:
            steps = mirror.settle(item, resource)
            step = next(steps)
            with suppress(StopIteration):
                while True:
                    turns += isinstance(step, Pause)
                    step = steps.send(resource._next() if step is None else None)
        assert turns >= links / LINKS_AT_ONCE
        assert len(list(mirror.targets())) == links
        mirror.close()
