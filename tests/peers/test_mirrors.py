"""Mirrors of servers that nobody here wrote, which show a linked folder as a folder, or as a link."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client, Policy
from tests.peers import ftp_more, gopher_servers, http_servers
from tests.peers.ftp_servers import HOST, Vsftpd

Make = Callable[[Path], Any]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="anyurl-peer-") as name:
        yield Path(name)


@pytest.mark.parametrize(
    ("make", "url"),
    [
        pytest.param(ftp_more.Pyftpdlib, "ftp://{place}/circle/", id="pyftpdlib"),
        pytest.param(http_servers.Apache, "http://{place}/circle/", id="apache2"),
        pytest.param(http_servers.Lighttpd, "http://{place}/circle/", id="lighttpd"),
        pytest.param(http_servers.Caddy, "http://{place}/circle/", id="caddy"),
        pytest.param(gopher_servers.Pygopherd, "gopher://{place}/1/circle", id="pygopherd"),
    ],
)  # fmt: skip
def test_a_folder_that_leads_back_ends(make: Make, url: str, folder: Path) -> None:
    """Two links to their own folder: a path through them has two ways on at every step."""
    with closing(make(folder)) as server:
        circle = next(folder.rglob("pub")).parent / "circle"
        (circle / "sub").mkdir(parents=True)
        (circle / "f.txt").write_bytes(b"octets")
        (circle / "sub" / "g.txt").write_bytes(b"octets")
        os.symlink(".", circle / "again")
        os.symlink("../circle", circle / "here")
        with Client(Policy.open()) as client:
            outcomes = list(client.mirror(url.format(place=f"{HOST}:{server.port}"), folder / "out"))
    came = {str(path.relative_to(folder / "out")) for path in (folder / "out").rglob("*.txt")}
    assert came >= {"f.txt", "sub/g.txt"}
    if url.startswith("ftp"):  # this server tells its files apart
        assert came == {"f.txt", "sub/g.txt"}
    assert max(path.count("/") for path in came) <= 3
    assert len(outcomes) < 60
    assert any("back to" in each.note for each in outcomes)
    assert Counter(each.outcome for each in outcomes)["failed"] <= 1


def test_links_to_folders_and_to_nothing_are_told(folder: Path) -> None:
    with closing(Vsftpd(folder)) as server:
        (server.root / "links").mkdir()
        (server.root / "links" / "f").write_bytes(b"octets")
        os.symlink(".", server.root / "links" / "again")
        os.symlink("f", server.root / "links" / "file")
        os.symlink("nothing", server.root / "links" / "broken")
        with Client(Policy.open()) as client:
            outcomes = list(client.mirror(f"ftp://{HOST}:{server.port}/links/", folder / "out"))
    became = {each.path: each.outcome for each in outcomes}
    assert became == {"": "folder", "f": "saved", "file": "saved", "again": "skipped", "broken": "failed"}
    told = next(each for each in outcomes if each.path == "again")
    assert (
        told.note == "It is a directory that was not listed as one, such as a link: with '/' at its end it is listed."
    )
