"""AsyncSession: an interactive service in use by a person, on asyncio (RFC 1738 3.8).

Rule: as in `anyurl.client.session`: silence is not an error, and typing never blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.client.session import check_service
from anyurl.errors import LimitError

if TYPE_CHECKING:
    from anyurl.client.aio_resource import AsyncResource
    from anyurl.dialogue import Input

MAX_WAITING = 256
"""Pieces of typed input that may wait for the service."""


class AsyncSession:
    """A person's session with a service. It connects when `next_piece` is first awaited.

    Args:
        resource: The resource of the URL, opened with ``get``.

    Raises:
        UnsupportedError: The resource is not a service.
    """

    def __init__(self, resource: AsyncResource) -> None:
        check_service(resource)
        self.resource: AsyncResource = resource
        self._stream = resource._stream
        self._driver = resource._driver
        self._stream.attended = True

    async def next_piece(self) -> bytes | None:
        """The next octets to show, with no time limit; None at the end.

        Raises:
            AnyURLError: The connection failed or broke.
        """
        piece = await self.resource._next()
        return piece if piece is None or isinstance(piece, bytes) else b""

    def give(self, given: Input) -> None:
        """Send typed keys, a signal, or the terminal's new size.

        Raises:
            LimitError: The service does not read, and too much input is waiting.
        """
        if len(self._stream.inputs or ()) >= MAX_WAITING:
            raise LimitError("The service does not accept input.", limit="MAX_WAITING")
        if not self._stream.done:
            self._stream.give(given)
            self._driver.turn()

    async def close(self) -> None:
        """Hang up; may be called twice."""
        await self.resource.close()
