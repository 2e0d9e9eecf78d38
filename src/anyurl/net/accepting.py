"""Accepting: connections of a listener in an asyncio loop, also where the process runs out of descriptors.

Rule: whatever accepting fails with, there is a pause and no log: the listener stays readable, so that each turn of the
loop would fail again and write it down (asyncio's own servers do).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

BACKLOG = 1_024
"""The most connections that wait to be accepted, and that are accepted in one turn of the loop."""

PAUSE_SECONDS = 1.0
"""The pause when the process is out of descriptors: the same as in asyncio's servers."""


class Acceptor:
    """Accepts the connections of a listener from now on, in the running loop.

    Args:
        listener: Is listening; it is made non-blocking.
        serve: Called with each connection and the address of its peer.
    """

    def __init__(self, listener: socket.socket, serve: Callable[[socket.socket, Any], object]) -> None:
        self.listener = listener
        self._serve = serve
        self._loop = asyncio.get_running_loop()
        self._pause: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self._resume()

    def accept(self) -> None:
        """Accept the connections that wait now."""
        for _ in range(BACKLOG):
            try:
                sock, address = self.listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:
                self._loop.remove_reader(self.listener.fileno())
                self._pause = self._loop.call_later(PAUSE_SECONDS, self._resume)
                return
            self._serve(sock, address)

    def close(self) -> None:
        """Stop accepting, and close the listener."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self.listener.fileno())
        self.listener.close()

    def _resume(self) -> None:
        self._loop.add_reader(self.listener.fileno(), self.accept)
