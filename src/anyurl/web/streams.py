"""Streamed: a response that is sent piece by piece for as long as the browser is there.

Rule: when a browser disconnects, its transfer ends, even one that is waiting for its server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send


class Streamed(Response):
    """Replaces the `StreamingResponse` of Starlette, with one task instead of a group of them.

    Args:
        pieces: The content.
    """

    def __init__(
        self, pieces: AsyncIterator[bytes], *, media_type: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self._pieces = pieces
        self.status_code = 200
        self.media_type = media_type
        self.background = None
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        sender = asyncio.current_task()
        assert sender is not None
        has_left = False

        async def watch() -> None:
            nonlocal has_left
            while (await receive())["type"] != "http.disconnect":
                pass
            has_left = True
            sender.cancel()

        watcher = asyncio.ensure_future(watch())
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for piece in self._pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            watcher.cancel()  # after the last piece everybody counts as having left
            await send({"type": "http.response.body", "body": b""})
        except asyncio.CancelledError:
            if not has_left or sender.uncancel() > 0:
                raise
        finally:
            watcher.cancel()
