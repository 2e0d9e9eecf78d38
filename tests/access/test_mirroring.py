"""A mirror in an event loop: the same as in a thread (`test_mirror`), and no turn of the loop is held up."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from anyurl import URL, AsyncClient, Mirrored, Policy
from anyurl.errors import RefusedError
from tests.access.test_mirror import DOCUMENTS, PAGES, Web, files, world
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
