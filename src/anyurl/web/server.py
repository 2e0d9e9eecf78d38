"""The server: listens on loopback until it is stopped.

Rule: it listens on this machine only, and prints the link that admits a browser.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from typing import Any, cast

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from anyurl.access import consent_to_all
from anyurl.files.channel import local_error
from anyurl.net.loopback import LoopbackServer, PromptConnection
from anyurl.url import URL
from anyurl.web.app import StartPlace, WebGateway
from anyurl.web.terminal import MAX_MESSAGE
from anyurl.web.viewer import Viewer
from anyurl.web.visits import Visits

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")

MAX_CONNECTIONS = 64
"""Simultaneous connections: a browser opens six. Requests beyond that get 503."""

HEAD_OCTETS = 256 * 1024
"""Of the head of a request: a URL of 65,536 octets, each written as three, and cookies of other servers here."""

LAST_SECONDS = 1


HELD_OCTETS = 64 * 1024
"""Of a response, before they are sent: as many as asyncio holds before it lets a writer wait."""


class Gathering:
    """A transport that joins the writes of one turn of the loop: head, content and end of a small page.

    Args:
        transport: Does the rest.
        loop: Its loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Send it with the other writes of this turn, or now if they are many."""
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)
        self._size += len(data)
        if self._size >= HELD_OCTETS:
            self._send()

    def close(self) -> None:
        """Send the held octets, and close."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._held:
            data = b"".join(self._held)
            self._held.clear()
            self._size = 0
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class GatheringConnection(PromptConnection):
    """A connection whose pages are sent at once."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """It has begun."""
        super().connection_made(cast(asyncio.Transport, Gathering(transport, self.loop)))


def serve(
    client: dict[str, Any],
    port: int,
    told: Callable[[str], None],
    places: Iterable[StartPlace] = (),
    handed: URL | None = None,
    visits: Visits | None = None,
    first: URL | None = None,
) -> None:
    """Serve until a signal comes.

    Args:
        client: Arguments of the clients.
        port: The port; 0 for any free one.
        told: Called with the link when the port is open.
        places: The places that the start page links to.
        handed: A URL that another program asks to open.
        visits: Bookmarks and history; kept in memory only if None.
        first: The user's own URL, whose page is opened first.

    Raises:
        LocalFileError: The port can't be opened.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise local_error(error, f"Listening at {HOST}, port {port}") from error
    with listener:
        asyncio.run(_serve(client, listener, told, places, handed, visits, first))


async def _serve(
    given: dict[str, Any],
    listener: socket.socket,
    told: Callable[[str], None],
    places: Iterable[StartPlace],
    handed: URL | None,
    visits: Visits | None,
    first: URL | None,
) -> None:
    client = Viewer(**given)
    sender = Viewer(client, **given, ask_consent=consent_to_all)  # the user has seen the content, and consented
    async with client, sender:
        server, link = server_for(WebGateway(client, sender, places, handed, visits, first), listener)
        told(link)
        await server.serve(sockets=[listener])


def server_for(gateway: WebGateway, listener: socket.socket) -> tuple[uvicorn.Server, str]:
    """The server of a gateway, and the link that admits a browser; errors of peers are not logged to the terminal."""
    port = listener.getsockname()[1]
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        gateway.app([f"{name}:{port}" for name in NAMES]), log_config=None, log_level=logging.CRITICAL,
        access_log=False, lifespan="off", server_header=False, limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=LAST_SECONDS, ws=WebSocketsSansIOProtocol, ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False, proxy_headers=False, http=GatheringConnection,
        h11_max_incomplete_event_size=HEAD_OCTETS,
    )  # fmt: skip
    return LoopbackServer(config), f"http://{HOST}:{port}{gateway.base}?token={gateway.token}"
