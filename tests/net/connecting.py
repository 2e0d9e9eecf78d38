"""What the tests of connecting share: dialogues that connect and talk, and servers for them."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from anyurl import URL
from anyurl.dialogue import Connect, Dialogue, Emit, Receive, Send
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from tests.servers import Connection

PUBLIC, OTHER, PRIVATE = "93.184.216.34", "151.101.1.69", "10.0.0.7"


def run(scheduler: Scheduler, dialogue: Callable[[], Dialogue], url: str = "x-test://h:4000/") -> Any:
    """Run a dialogue to its end and return what it emitted."""
    task = scheduler.start(Parties(URL(url)), dialogue)
    got: list[Any] = []
    while (piece := task.pull()) is not None:
        got.append(piece)
    return b"".join(got)


def echo(connection: Connection) -> None:
    while data := connection.sock.recv(1000):
        connection.send(data)


def once(data: bytes) -> Callable[[Connection], None]:
    def part(connection: Connection) -> None:
        connection.sock.recv(1000)
        connection.send(data)

    return part


@contextmanager
def unanswered() -> Iterator[tuple[str, int]]:
    """An endpoint that neither accepts nor refuses: a full backlog swallows SYNs."""
    with socket.socket() as full, ExitStack() as fillers:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(8):
            filler = fillers.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        yield full.getsockname()


def talk(host: str, port: int, **how: Any) -> Callable[[], Dialogue]:
    def dialogue() -> Dialogue:
        channel = yield from Connect(host, port, **how)
        yield from Send(channel, b"ping")
        yield from Emit((yield from Receive(channel)))
        return None

    return dialogue
