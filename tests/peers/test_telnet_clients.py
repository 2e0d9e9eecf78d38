"""A client that nobody here wrote against the world's telnet server: inetutils-telnet."""

from __future__ import annotations

import contextlib

import pexpect
import pytest

from anyurl.world import telnet
from tests.peers.ftp_servers import program
from tests.servers import WAIT_SECONDS


@pytest.mark.needs("terminal")
def test_inetutils_telnet() -> None:
    with contextlib.closing(telnet.start()) as server:
        client = pexpect.spawn(
            program("inetutils-telnet"), ["127.0.0.1", str(server.port)],
            env={"TERM": "vt100", "PATH": "/usr/bin"}, dimensions=(33, 77), encoding="utf-8", timeout=WAIT_SECONDS,
        )  # fmt: skip
        try:
            client.expect("Welcome to the catalogue of the small world")
            client.expect("command: ")
            client.send("terminal\r")
            client.expect("terminal\r\nVT100, 77 columns, 33 rows\r\n")
            client.send("findx\x7f locator\r")
            client.expect("pub/notes.txt: A resource locator says where something is")
            client.send("bye\r")
            client.expect("Come back soon")
            client.expect("Connection closed by foreign host")
        finally:
            client.close(force=True)
