"""Interactive services in the browser: a consent page, then a terminal over a WebSocket (RFC 1738 3.8, RFC 6455).

Rule: each consent opens one session: the terminal page has a ticket, which the WebSocket presents. The service's output
passes the same filter as in the command's terminal before any script sees it. Binary messages carry keys and output;
text messages are about the session.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from anyurl.client.aio_session import AsyncSession
from anyurl.client.session import check_service
from anyurl.dialogue import Command, Input, Keys, Terminal
from anyurl.errors import AnyURLError, LimitError, LocalProtocolError, TransferTimeout, escape
from anyurl.schemes.telnet.wire.screen import Screen
from anyurl.url import URL
from anyurl.values import Provenance, Value
from anyurl.web.gate import PAGE_POLICY
from anyurl.web.links import field
from anyurl.web.tokens import TokenStore

if TYPE_CHECKING:
    from starlette.requests import Request

    from anyurl.web.browse import Browse
    from anyurl.web.pages import PageWriter
    from anyurl.web.viewer import Viewer

MAX_TICKETS = 20
TICKET_SECONDS = 60.0
"""Lifetime of a ticket: a browser needs less than a second to use it."""

MAX_SESSIONS = 8
SESSION_SECONDS = 8 * 3600.0
QUIET_SECONDS = 30 * 60.0
"""After this time without input, an open page counts as abandoned."""

MAX_MESSAGE = 16 * 1024
"""Octets of one message from the browser: its script sends pasted text in pieces of half this size."""

MAX_AHEAD = 256 * 1024
"""Octets in transit to the screen: a service that never stops must not fill the browser's memory."""

MAX_SIDE = 1_000
"""Columns or rows."""

NAME = "xterm-256color"
REFUSED = 1008
"""The close code for a forbidden connection (RFC 6455 7.4.1)."""


class Ticket(Value):
    """The permission for one session, to which the person has consented.

    Attributes:
        url: The URL of the service.
        origin: Who named it.
        until: When the ticket expires, by the monotonic clock.
    """

    url: URL
    origin: Provenance
    until: float


class Terminals:
    """The sessions of one gateway.

    Args:
        client: The client that connects.
        pages: Writes the pages.
        browse: Shows the errors.
    """

    def __init__(self, client: Viewer, pages: PageWriter, browse: Browse) -> None:
        self._client = client
        self._pages = pages
        self._browse = browse
        self._tickets: TokenStore[Ticket] = TokenStore(MAX_TICKETS)
        self._running = 0

    async def terminal(self, request: Request, fields: Mapping[str, str]) -> Response:
        """The page of the terminal, after the person's consent; it contains a ticket for one session."""
        url: URL | None = None
        try:
            url, origin = self._pages.links.read(fields)
            async with await self._client.open(url, came_from=origin) as resource:
                check_service(resource)
        except AnyURLError as error:
            return self._browse.failure(error, "" if url is None else url.masked)
        name = self._tickets.keep(Ticket(url, origin, time.monotonic() + TICKET_SECONDS))
        nonce = secrets.token_urlsafe(16)
        page = self._pages.page(
            "terminal", escape(url.host or ""), address=url.masked, there=url.masked, nonce=nonce,
            socket=f"{self._pages.links.base}session?ticket={field(name)}",
        )  # fmt: skip
        # xterm.js inserts style rules for the size and colours of its cells; only it gets the nonce.
        page.headers["content-security-policy"] = PAGE_POLICY.replace("style-src", f"style-src 'nonce-{nonce}'")
        return page

    async def session(self, websocket: WebSocket) -> None:
        """Run the session that a ticket permits."""
        ticket = self._tickets.take(websocket.query_params.get("ticket", ""))
        if ticket is None or ticket.until < time.monotonic():
            await websocket.close(REFUSED)
            return
        await websocket.accept()
        self._running += 1
        try:
            if self._running > MAX_SESSIONS:
                raise LimitError(f"At most {MAX_SESSIONS} sessions are open at once.", limit="MAX_SESSIONS")
            said = await BrowserSession(websocket).run(self._client, ticket)
        except AnyURLError as error:
            said = escape(str(error))
        except WebSocketDisconnect:
            return
        finally:
            self._running -= 1
        try:
            await websocket.send_text(said)
            await websocket.close()
        except (WebSocketDisconnect, RuntimeError):  # the browser has disconnected
            pass


class BrowserSession:
    """The session of one person with one service.

    Args:
        websocket: The connection to the terminal in the browser.
    """

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._screen = Screen()
        self._ahead = 0
        self._room = asyncio.Event()
        self._room.set()

    async def run(self, client: Viewer, ticket: Ticket) -> str:
        """Run until one side ends the session; returns a sentence that says which.

        Raises:
            AnyURLError: The connection failed or broke, or the session was idle too long.
            WebSocketDisconnect: The browser has disconnected.
        """
        size = await self._next()
        if not isinstance(size, Terminal):
            raise LocalProtocolError("The terminal did not report its size.")
        session = await client.session(ticket.url, ticket.origin, size)
        tasks = [asyncio.ensure_future(self._show(session)), asyncio.ensure_future(self._listen(session))]
        try:
            ended, _ = await asyncio.wait(tasks, timeout=SESSION_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if not ended:
                raise TransferTimeout(f"A session lasts at most {SESSION_SECONDS / 3600:.0f} hours.", clock="total")
            for task in ended:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await session.close()
        return "The service has closed the connection."

    async def _show(self, session: AsyncSession) -> None:
        """Relay the service's output, as fast as the terminal accepts it."""
        try:
            while (piece := await session.next_piece()) is not None:
                await self._room.wait()
                await self._write(self._screen.show(piece))
        finally:
            await self._write(self._screen.end())

    async def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        if not data:
            return
        self._ahead += len(data)
        if self._ahead > MAX_AHEAD:
            self._room.clear()
        await self._websocket.send_bytes(data)

    async def _listen(self, session: AsyncSession) -> None:
        while True:
            given = await self._next()
            if given is not None:
                session.give(given)

    async def _next(self) -> Input | None:
        """The next input from the terminal; None for a message that the service does not get.

        Raises:
            LocalProtocolError: The message is malformed.
            TransferTimeout: No message arrived in time.
            WebSocketDisconnect: The browser has disconnected.
        """
        try:
            async with asyncio.timeout(QUIET_SECONDS):
                while True:
                    message = await self._websocket.receive()
                    if message["type"] == "websocket.disconnect":
                        raise WebSocketDisconnect(message.get("code", 1006))
                    if message.get("bytes") is not None:
                        return Keys(message["bytes"])
                    said = said_by(message.get("text") or "")
                    if not isinstance(said, int):
                        return said
                    self._ahead = max(self._ahead - said, 0)
                    if self._ahead <= MAX_AHEAD:
                        self._room.set()
        except TimeoutError:
            raise TransferTimeout("Nothing has been typed for half an hour.", clock="idle") from None


def said_by(text: str) -> Command | Terminal | int:
    """Parse a text message of the terminal: its size, a signal, or the number of octets that it has shown.

    Raises:
        LocalProtocolError: It is not one of these.
    """
    try:
        match json.loads(text):
            case {"columns": int(columns), "rows": int(rows)} if 0 < columns <= MAX_SIDE and 0 < rows <= MAX_SIDE:
                return Terminal(NAME, int(columns), int(rows))
            case {"signal": str(name)}:
                return Command(name)  # type: ignore[arg-type]  # it says itself which there are
            case {"shown": int(octets)} if octets >= 0:
                return octets
    except (ValueError, RecursionError):
        pass
    raise LocalProtocolError("The terminal sent a message that this gateway does not know.")
