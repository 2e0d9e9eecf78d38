"""Clients that nobody here wrote against the world's news server: lynx and slrn."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from anyurl.world import news
from anyurl.world.listener import SchemeListener
from tests.peers.ftp_servers import program
from tests.servers import WAIT_SECONDS


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(news.start()) as server:
        yield server


def lynx(server: SchemeListener, url: str) -> str:
    environment = {**os.environ, "NNTPSERVER": f"127.0.0.1:{server.port}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [program("lynx"), "-dump", "-nolist", url], capture_output=True, timeout=30, check=True, env=environment
    )
    return done.stdout.decode("utf-8", "replace")


def test_lynx(server: SchemeListener) -> None:
    article = lynx(server, f"news://127.0.0.1:{server.port}/{news.FIRST}")
    assert "Welcome to the world" in article
    assert "It has news." in article
    listed = lynx(server, f"nntp://127.0.0.1:{server.port}/world.notes")
    assert "world.notes, Articles 1-2" in listed
    assert '"Notes" - Nobody' in listed
    assert '"Notes" - Nobody' in lynx(server, "news:world.notes")


@pytest.mark.needs("terminal")
def test_slrn(server: SchemeListener, tmp_path: Path) -> None:
    newsrc = tmp_path / "newsrc"
    (tmp_path / ".slrnrc").write_text('hostname "example.org"\nset username "me"\nset query_read_group_cutoff 0\n')
    newsrc.write_text("world.notes:\nworld.announce:\n")
    environment = {**os.environ, "TERM": "vt100", "HOME": str(tmp_path), "NNTPSERVER": "127.0.0.1"}
    client = pexpect.spawn(
        program("slrn"),
        ["-h", "127.0.0.1", "-p", str(server.port), "-f", str(newsrc), "-i", str(tmp_path / ".slrnrc")],
        env=environment, dimensions=(30, 100), timeout=WAIT_SECONDS, encoding="utf-8",
    )  # fmt: skip
    try:
        client.expect("world.notes")
        client.send("\r")
        client.expect("Notes")
        client.send("\r")
        client.expect("A resource locator says")
    finally:
        client.close(force=True)
