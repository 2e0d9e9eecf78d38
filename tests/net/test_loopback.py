"""Loopback: `anyurl web` and `anyurl mcp` when connections ask nothing, and when there are no descriptors."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.cli.runner import CLEAN
from tests.servers import WAIT_SECONDS

pytestmark = [pytest.mark.promise("idle"), pytest.mark.parametrize("command", ["web", "mcp --http 0"])]

SECONDS = 60
"""Until a process has answered: the imports of the SDK alone take ten on a busy machine."""

DESCRIPTORS, CONNECTIONS = 40, 120

PROGRAM = f"""
import resource, sys
from anyurl.net import loopback
loopback.HEAD_SECONDS = float(sys.argv.pop(1))
if sys.argv.pop(1) == "few":
    import anyurl.cli.commands.{{module}}, anyurl.mcp.server, anyurl.web.server
    resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))
from anyurl.cli import main
main()
"""


class Here:
    """A server that runs.

    Attributes:
        place: Where it listens.
        path: What it answers.
    """

    def __init__(self, url: str) -> None:
        self.place = (url.split("/")[2].partition(":")[0], int(url.split("/")[2].partition(":")[2]))
        self.path = "/" + url.partition("//")[2].partition("/")[2]

    def connect(self) -> socket.socket:
        return socket.create_connection(self.place, timeout=WAIT_SECONDS)

    def answer(self, head: str) -> bytes:
        """All that comes until it closes the connection."""
        with self.connect() as link:
            link.sendall(head.format(path=self.path, host=self.place[0], port=self.place[1]).encode())
            said = b""
            while piece := link.recv(65_536):
                said += piece
        return said


@contextmanager
def running(command: str, seconds: float, descriptors: str) -> Iterator[tuple[Here, subprocess.Popen[str]]]:
    words = [*command.split(), "--json"]
    program = PROGRAM.replace("{module}", words[0])
    environment = {**CLEAN, "HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent"}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(seconds), descriptors, *words], env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            yield Here(json.loads(process.stdout.readline())["url"]), process
        finally:
            process.terminate()


REQUEST = "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
HEADS = ["", "G", "GET / HTTP/1.1\r\nHost: h\r\n", f"{REQUEST}GET "]
"""Nothing, a letter, half of a head, and half of a second one."""

POST = "POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 10\r\n\r\n"


def test_a_connection_that_asks_nothing_is_closed(command: str) -> None:
    with running(command, 0.05, "many") as (here, _):
        for head in HEADS:
            assert here.answer(head)[:8] in (b"", b"HTTP/1.1")
        assert here.answer(POST)[:10] in (b"", b"HTTP/1.1 4")  # the body does not come


def test_many_that_ask_nothing_keep_nobody_out_and_fill_no_log(command: str) -> None:
    with running(command, 0.5, "few") as (here, process), ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(here.connect())
        while not here.answer(REQUEST).startswith(b"HTTP/1.1 "):  # a busy machine may take longer than its clock
            pass
        process.terminate()
        _, errors = process.communicate(timeout=SECONDS)
    assert errors == ""
