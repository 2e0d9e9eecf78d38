"""A proxy that runs in a thread, and a client that says exactly what a test says."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from anyurl.guard import Policy
from anyurl.proxy import EgressProxy, Role, Roles
from anyurl.proxy.journal import Journal
from tests.servers import WAIT_SECONDS

ALL = ("127.0.0.0/8", "::1/128")


def role(**changes: Any) -> Role:
    """A role for clients of this machine, to servers of this machine."""
    policy = Policy.default().replace(files=False, services=False, allow_delivery=False, netrc=False)
    return Role(**{"name": "near", "policy": policy, "sources": ALL, **changes})


class Running:
    """A proxy that runs.

    Attributes:
        port: Where it listens.
        figures: Where its figures are.
        lines: What it logged, read.
    """

    def __init__(self) -> None:
        self.port = 0
        self.figures = 0
        self.raw: list[str] = []
        self.proxy: EgressProxy
        self.loop: asyncio.AbstractEventLoop
        self.written = threading.Condition()

    def write(self, line: str) -> None:
        with self.written:
            self.raw.append(line)
            self.written.notify_all()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw]

    def wait(self, count: int) -> list[dict[str, Any]]:
        """So many lines of the log, when they are there: a line is written when its connection has ended."""
        with self.written:
            assert self.written.wait_for(lambda: len(self.raw) >= count, 10), self.raw
        return self.lines

    def do(self, step: Any) -> Any:
        """Run a coroutine in its loop."""
        return asyncio.run_coroutine_threadsafe(step, self.loop).result(20)

    def say(self, octets: bytes, *, port: int = 0) -> bytes:
        """Everything that it answers: as soon as it begins to, this side says that it has nothing more to ask."""
        with socket.create_connection(("127.0.0.1", port or self.port), timeout=10) as sock:
            sock.sendall(octets)
            answer = b""
            while data := _read(sock):
                if not answer and not octets.startswith(b"CONNECT"):
                    with suppress(OSError):
                        sock.shutdown(socket.SHUT_WR)
                answer += data
            return answer

    def get(self, url: str, *fields: str, method: str = "GET", minor: int = 1) -> tuple[int, bytes, bytes]:
        """Status, head and body of what a request in absolute form gets."""
        lines = "".join(f"{field}\r\n" for field in fields)
        answer = self.say(f"{method} {url} HTTP/1.{minor}\r\nHost: other.dom\r\n{lines}\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), head, body


def _read(sock: socket.socket) -> bytes:
    try:
        return sock.recv(65536)
    except ConnectionResetError:
        return b""


@contextmanager
def running(*roles: Role) -> Iterator[Running]:
    """A proxy of these roles; it has ended when the block ends."""
    here = Running()
    ready = threading.Event()

    async def main() -> None:
        here.loop = asyncio.get_running_loop()
        here.proxy = EgressProxy(Roles(roles or (role(),)), Journal(here.write))
        here.port = (await here.proxy.listen("127.0.0.1", 0))[1]
        here.figures = (await here.proxy.listen_for_figures("127.0.0.1", 0))[1]
        stop = asyncio.Event()
        here.stop = stop  # type: ignore[attr-defined]
        ready.set()
        await stop.wait()
        await here.proxy.stop(1)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    assert ready.wait(WAIT_SECONDS)
    try:
        yield here
    finally:
        with suppress(RuntimeError):  # its loop is closed: the test has stopped it
            here.loop.call_soon_threadsafe(here.stop.set)  # type: ignore[attr-defined]
        thread.join(20)
        assert not thread.is_alive()
