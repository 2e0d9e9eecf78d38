"""AsyncSession: an interactive service in use by a person, on asyncio (RFC 1738 3.8).

Rule: as `anyurl.access.session`: silence is no fault, and what is typed never waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.access.session import check_service
from anyurl.errors import LimitError

if TYPE_CHECKING:
    from anyurl.access.aio_resource import AsyncResource
    from anyurl.dialogue import Input

MAX_WAITING = 256
"""Of what was typed and the service has not taken: pieces."""


class AsyncSession:
    """A person at a service. Nothing is connected to before `next_piece` is awaited.

    Args:
        resource: What the URL designates, opened with ``get``.

    Raises:
        UnsupportedError: It is no service.
    """

    def __init__(self, resource: AsyncResource) -> None:
        check_service(resource)
        self.resource: AsyncResource = resource
        self._task = resource._task
        self._driver = resource._driver
        self._task.attended = True

    async def next_piece(self) -> bytes | None:
        """The next of what is to be shown, however long that takes; None at the end.

        Raises:
            AnyURLError: It could not be connected to, or the connection broke.
        """
        piece = await self.resource._next()
        return piece if piece is None or isinstance(piece, bytes) else b""

    def give(self, given: Input) -> None:
        """Keys of the person, a signal, or the terminal's new size.

        Raises:
            LimitError: The service takes nothing, and too much waits for it.
        """
        if len(self._task.inputs or ()) >= MAX_WAITING:
            raise LimitError("The service does not accept input.", limit="MAX_WAITING")
        if not self._task.done:
            self._driver.scheduler.give(self._task, given)
            self._driver.turn()

    async def close(self) -> None:
        """Hang up; may be called twice."""
        await self.resource.close()
