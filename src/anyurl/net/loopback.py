"""Loopback: the http server on this machine, by uvicorn, for `anyurl web` and `anyurl mcp`.

Rule: an idle client does not keep others out: its connection is closed. Without descriptors there is a pause.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from anyurl.net.accepting import Acceptor

HEAD_SECONDS = 20.0
"""For the head of a request: it comes from this machine."""


class PromptConnection(H11Protocol):
    """A connection that is closed without a prompt request, so that it does not take the place of others."""

    _seen: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """It has begun."""
        super().connection_made(transport)
        self._look_later()

    def _look_later(self) -> None:
        self._seen = self.cycle
        self.loop.call_later(HEAD_SECONDS, self._look)

    def _look(self) -> None:
        """Close it if it has no request now, and has had none since the last check."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        is_answered = getattr(self.cycle, "response_complete", True)  # before the first request there is no cycle
        if is_answered and self.cycle is self._seen:
            self.transport.close()
        else:
            self._look_later()


class LoopbackServer(uvicorn.Server):
    """uvicorn's server, with an `Acceptor` at each of its sockets."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept."""
        await super().startup(sockets=[])
        self._beginning: set[asyncio.Task[Any]] = set()
        self._acceptors = [Acceptor(each, self._begin) for each in sockets or ()]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, and let running requests end."""
        for acceptor in self._acceptors:
            acceptor.close()
        await super().shutdown(sockets=[])

    def _begin(self, sock: socket.socket, _address: object) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(loop.connect_accepted_socket(self._connection, sock))
        self._beginning.add(task)
        task.add_done_callback(self._begun)

    def _begun(self, task: asyncio.Task[Any]) -> None:
        self._beginning.discard(task)
        if not task.cancelled():
            task.exception()  # the peer has gone already: nothing to report

    def _connection(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        connection: asyncio.Protocol = kind(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return connection
