"""A player for UDP: what it does with each datagram is a list of functions, one for each that comes.

Rule: as `player.Player`; the last function goes on for all that follow, and what comes in is kept whole.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from tests.servers import PATIENCE

React: TypeAlias = "Callable[[Exchange], None]"


class Exchange:
    """One datagram that came, and ways to answer it.

    Attributes:
        data: What came.
        number: How many came before it.
    """

    def __init__(self, player: Datagrams, data: bytes, client: Any, number: int) -> None:
        self.player = player
        self.data = data
        self.client = client
        self.number = number

    def send(self, data: bytes) -> None:
        """Answer from the port that was asked."""
        self.player.sock.sendto(data, self.client)

    def send_from_another_port(self, data: bytes) -> None:
        """Answer from the same host and another port."""
        self._send_from(self.player.host, data)

    def send_from_another_host(self, data: bytes) -> None:
        """Answer from 127.0.0.2: a spoofed reply."""
        self._send_from("127.0.0.2", data)

    def _send_from(self, host: str, data: bytes) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((host, 0))
            sock.sendto(data, self.client)


class Datagrams:
    """A UDP server; to drop a datagram, a function simply sends nothing.

    Attributes:
        received: The datagrams that came.
        clients: Where they came from.
    """

    def __init__(self, *scripts: Any, host: str = "127.0.0.1", context: object = None) -> None:
        self.scripts = [self._react(script) for script in scripts] or [lambda exchange: None]
        self.received: list[bytes] = []
        self.clients: list[Any] = []
        self.complaints: list[str] = []
        self.marks: list[str] = []
        self.on_mark: Callable[[str], None] = lambda name: None
        self.host = host
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind((host, 0))
        self.port = int(self.sock.getsockname()[1])
        self._over = threading.Event()
        self._count = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @staticmethod
    def _react(script: Any) -> React:
        return script if callable(script) else lambda exchange: [each(exchange) for each in script] and None

    @property
    def hits(self) -> int:
        return len(self.received)

    def become(self, *scripts: Any) -> None:
        """What it does from now on."""
        self.scripts, self._count = [self._react(script) for script in scripts], 0

    def __enter__(self) -> Datagrams:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.sendto(b"", (self.host, self.port))
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server's thread did not end"
        self.sock.close()

    def _serve(self) -> None:
        while True:
            data, client = self.sock.recvfrom(65536)
            if self._over.is_set():
                return
            self.received.append(data)
            self.clients.append(client)
            react = self.scripts[min(self._count, len(self.scripts) - 1)]
            self._count += 1
            with contextlib.suppress(OSError):
                react(Exchange(self, data, client, self.hits - 1))
