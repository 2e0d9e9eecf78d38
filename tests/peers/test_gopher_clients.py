"""Clients that nobody here wrote against the world's gopher server: curl, lynx, and the gopher client of Debian."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from anyurl.world import gopher, tree
from anyurl.world.listener import SchemeListener
from tests.peers.ftp_servers import program
from tests.servers import WAIT_SECONDS


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(gopher.start()) as server:
        yield server


def got(*command: str) -> bytes:
    done = subprocess.run([program(command[0]), *command[1:]], capture_output=True, timeout=30, check=True)
    return done.stdout


def test_curl(server: SchemeListener) -> None:
    root = str(server.root)
    assert got("curl", "-sS", f"{root}00/motd.txt") == tree.MOTD.replace("\n", "\r\n").encode() + b".\r\n"
    assert got("curl", "-sS", f"{root}99/pub/picture.png") == tree.picture()
    assert got("curl", "-sS", root).startswith(b"iThis is a small world.\t")
    assert got("curl", "-sS", f"{root}77/search%09percent").count(b"\r\n") == 2
    assert got("curl", "-sS", f"{root}00/motd.txt%09%09+").startswith(b"+%d\r\nWelcome" % len(tree.MOTD))


def test_lynx(server: SchemeListener) -> None:
    root = str(server.root)
    menu = got("lynx", "-dump", "-nolist", root).decode()
    assert "(FILE) motd.txt" in menu
    assert "(DIR) pub" in menu
    assert "(?)  Search the texts" in menu
    assert got("lynx", "-source", f"{root}99/pub/picture.png") == tree.picture()
    assert b"(FILE) A resource locator" in got("lynx", "-dump", "-nolist", f"{root}77/search?locator")


@pytest.mark.needs("terminal")
def test_the_gopher_client(server: SchemeListener, tmp_path: Path) -> None:
    environment = {**os.environ, "TERM": "vt100", "HOME": str(tmp_path), "PAGER": "cat"}
    client = pexpect.spawn(
        program("gopher"), ["127.0.0.1", str(server.port)], env=environment, dimensions=(40, 100), timeout=WAIT_SECONDS
    )
    try:
        client.expect("Press RETURN")
        client.send("\r")
        client.expect("motd")
        client.expect("Search the texts")
        client.expect("Sign the guest book")
    finally:
        client.close(force=True)
