"""Clients that nobody here wrote against `anyurl serve`: bombadillo (gopher, gemini), neomutt (news)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from anyurl.world import gemini, gopher, news
from tests.peers.ftp_servers import program
from tests.servers import WAIT_SECONDS

pytestmark = pytest.mark.needs("terminal")


@contextlib.contextmanager
def running(home: Path, *command: str) -> Iterator[pexpect.spawn[str]]:
    """A program on a terminal of 24 lines of 80 characters."""
    environment = {**os.environ, "TERM": "vt100", "HOME": str(home), "XDG_CONFIG_HOME": str(home), "LC_ALL": "C.UTF-8"}
    child = pexpect.spawn(
        program(command[0]), list(command[1:]), env=environment, dimensions=(24, 80), timeout=WAIT_SECONDS,
        encoding="utf-8", cwd=str(home),
    )  # fmt: skip
    try:
        yield child
    finally:
        child.close(force=True)


def test_bombadillo_reads_menus_texts_and_pages(tmp_path: Path) -> None:
    with contextlib.closing(gopher.start()) as menu, contextlib.closing(gemini.start()) as page:
        for first, text in ((menu.root, f"{menu.root}00/motd.txt"), (page.root, f"{page.root}motd.txt")):
            with running(tmp_path, "bombadillo", str(first)) as client:
                client.expect("motd.txt")
                client.expect("Read")  # the end of its last line
                client.send(":")
                client.expect(":")
                client.send(f"{text}\r")
                client.expect("Welcome to the world")


def test_neomutt_reads_a_group(tmp_path: Path) -> None:
    (tmp_path / "muttrc").write_text(
        f'set folder="{tmp_path}"\nset news_cache_dir="{tmp_path}/cache"\nset newsrc="{tmp_path}/newsrc"\n'
        'set sidebar_visible=no\nset wait_key=no\nset pager_stop=yes\nset editor=true\nset realname="x"\n'
    )
    with contextlib.closing(news.start()) as server:
        (tmp_path / "newsrc").write_text("world.notes:\n")
        url = f"news://127.0.0.1:{server.port}/world.notes"
        with running(tmp_path, "neomutt", "-n", "-F", str(tmp_path / "muttrc"), "-f", url) as client:
            client.expect("Notes")
            client.expect("Grüße")  # its subject is in encoded words
            client.send("1\r\r")
            client.expect("A resource locator says")
