"""AsyncResource: the resource that a URL designates, read on asyncio.

Rule: as in `anyurl.client.resource`; a cancelled call also closes the resource.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from anyurl.client.redirect import RedirectChain
from anyurl.client.resource import (
    MAX_ANSWER_BYTES,
    NOT_KEPT,
    ONE_READER,
    Description,
    Whole,
    as_file,
    check_process,
    joined,
    octets_of,
)
from anyurl.dialogue import Entry, Resume
from anyurl.errors import LimitError, LocalProtocolError
from anyurl.net.loop.asyncio_driver import AsyncioDriver, Waker
from anyurl.net.loop.provenance import named_by
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.stream import Piece
from anyurl.values import Provenance

if TYPE_CHECKING:
    from anyurl.client.web_links import WebLink


class AsyncResource(Description):
    """A resource that is open for reading. Created by `AsyncClient.open`."""

    def __init__(self, driver: AsyncioDriver[Scheduler], chain: RedirectChain, waker: Waker) -> None:
        stream = chain.stream
        super().__init__(stream.parties.url, stream.described, chain.history, stream.notes)
        self._driver = driver
        self._stream = stream
        self._waker = waker
        self._reading = False
        self._chain = chain
        self._rest = bytearray()
        self._position = self.start
        self._reached = self.start
        self._closed = False

    @property
    def content_origin(self) -> Provenance:
        """As `Resource.content_origin`."""
        parties = self._stream.parties
        return named_by(parties, parties.lists if self.kind == "listing" else "document")

    @property
    def links(self) -> tuple[WebLink, ...]:
        """As `Resource.links`."""
        return self._links(self.content_origin)

    async def __aenter__(self) -> AsyncResource:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """The content, piece by piece; a listing as text/uri-list. Raises AnyURLError when the transfer fails."""
        while not self._is_beyond():
            if self._rest:
                yield self._taken(len(self._rest))
                continue
            await self._arrive()
            piece = await self._next()
            if piece is None:
                return
            yield self._passed(joined(self._stream, piece))

    async def read(self, size: int | None = -1, *, limit: int | None = None) -> bytes:
        """As `Resource.read`, and with the same errors."""
        if size is not None and size >= 0:
            while len(self._rest) < size and await self._get_more():
                pass
            return self._taken(size)
        if self._position != self._reached:
            if self._is_beyond():
                return b""
            await self._arrive()
        whole = Whole(self, self._driver.scheduler.policy.limits.max_read, limit)
        self._begin_to_read()
        try:
            if self._rest:
                whole.add(self._taken(len(self._rest)))
            while (piece := await self._next_of_one()) is not None:
                whole.add(self._passed(octets_of(piece)))
        except BaseException as error:
            whole.clear()  # as in `Resource`
            if isinstance(error, LimitError):
                await self.close()
            raise
        finally:
            self._reading = False
        return whole.octets()

    async def text(self) -> str:
        """Read the whole content as text (`Description.decode`)."""
        return self.decode(await self.read())

    async def keep_answer(self) -> None:
        """As `Resource.keep_answer`."""
        answer = bytearray()
        try:
            async for piece in self.iter_bytes():
                answer += piece if len(answer) <= MAX_ANSWER_BYTES else b""
        except BaseException:
            await self.close()
            raise
        if len(answer) > MAX_ANSWER_BYTES:
            self.notes.append(NOT_KEPT)
            await self.close()
        else:
            self._rest, self._position, self._reached = answer, self.start, self.start

    async def entries(self) -> AsyncIterator[Entry]:
        """The entries of a listing, as they come. Raises AnyURLError when the transfer fails."""
        while (piece := await self._next()) is not None:
            if not isinstance(piece, bytes):
                for entry in piece:
                    yield entry

    def _begin_to_read(self) -> None:
        check_process(self._driver.scheduler)
        if self._reading:  # two readers would each get only some of the pieces
            raise LocalProtocolError(ONE_READER)
        self._reading = True

    async def _next(self) -> Piece | None:
        self._begin_to_read()
        try:
            return await self._next_of_one()
        finally:
            self._reading = False

    def _whole(self) -> bytes | None:
        """All octets, if the content has arrived completely and none of it was read; else None."""
        check_process(self._driver.scheduler)
        return self._stream.whole()

    async def _next_of_one(self) -> Piece | None:
        stream, loop = self._stream, self._driver.scheduler.loop
        while True:
            piece = stream.take()
            if piece is not None:
                return piece
            if stream.done:
                if stream.error is not None:
                    raise stream.error
                return None
            stream.demand()
            if (not stream.outbox or loop.is_behind()) and not stream.done:
                try:
                    # A peer that always has data ready must not starve other tasks of the event loop.
                    await (self._driver.breathe() if stream.outbox else self._driver.change(self._waker))
                except BaseException:  # cancelled
                    await self.close()
                    raise

    # --- as a file ---------------------------------------------------------------------------------------------------

    async def _arrive(self) -> None:
        """Move to the position of the last seek."""
        if self._position == self._reached:
            return
        self._rest.clear()
        self._stream.close()
        waker = Waker()
        chain = self._chain.again(Resume(self._position, self.etag, self.modified, self.size, anew=True), waker)
        try:
            while not chain.arrived():
                await self._driver.change(waker)
            chain.check()
            described = chain.stream.described
            if described is not None and described.start != self._position:
                raise as_file().changed(self)
        except BaseException:
            chain.drop()
            raise
        self._stream, self._waker, self._reached = chain.stream, waker, self._position

    async def _get_more(self) -> bool:
        """Get another piece; False at the end."""
        if self._closed:
            raise ValueError("this resource is closed")
        if self._is_beyond():
            return False
        await self._arrive()
        piece = await self._next()
        if piece is None:
            return False
        self._rest += octets_of(piece)
        return True

    def _taken(self, size: int) -> bytes:
        data = bytes(self._rest[:size])
        del self._rest[:size]
        return self._passed(data)

    def _passed(self, data: bytes) -> bytes:
        """Count octets that the caller gets."""
        self._position += len(data)
        self._reached += len(data)
        return data

    def _is_beyond(self) -> bool:
        """Whether the last seek led to the end or beyond it, where there is nothing to request."""
        return self._position != self._reached and self.size is not None and self._position >= self.size

    async def read1(self, size: int = -1) -> bytes:
        """Read at most `size` octets, as many as are available."""
        if not self._rest and size != 0:
            await self._get_more()
        return self._taken(len(self._rest) if size < 0 else size)

    async def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fill a buffer; returns the number of octets, which is less than its size only at the end."""
        view = memoryview(buffer).cast("B")
        data = await self.read(len(view))
        view[: len(data)] = data
        return len(data)

    async def readline(self, size: int | None = -1) -> bytes:
        """Read the next line with its LF; ``b""`` at the end."""
        most = -1 if size is None else size
        seen = 0
        while (end := self._rest.find(b"\n", seen)) < 0 and (most < 0 or len(self._rest) < most):
            seen = len(self._rest)
            if not await self._get_more():
                break
        length = len(self._rest) if end < 0 else end + 1
        return self._taken(length if most < 0 else min(length, most))

    async def readlines(self, hint: int = -1) -> list[bytes]:
        """Read the remaining lines."""
        lines, size = [], 0
        async for line in self:
            lines.append(line)
            size += len(line)
            if 0 < hint <= size:
                break
        return lines

    def __aiter__(self) -> AsyncResource:
        return self

    async def __anext__(self) -> bytes:
        line = await self.readline()
        if not line:
            raise StopAsyncIteration
        return line

    def seekable(self) -> bool:
        """As `Resource.seekable`."""
        return bool(as_file().has_ranges(self))

    async def seek(self, offset: int, whence: int = 0) -> int:
        """As `Resource.seek`; the next read begins there."""
        if not self.seekable():
            raise as_file().no_parts()
        there: int = as_file().place(offset, whence, self._position, self.size)
        ahead = there - self._position
        if self._position == self._reached and 0 <= ahead <= len(self._rest):
            self._taken(ahead)
        else:
            self._rest.clear()
            self._position = there
            if there == self._reached:
                self._reached = -1  # the old transfer has been dropped
        return there

    def tell(self) -> int:
        """The offset of the next octet."""
        return self._position

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    async def close(self) -> None:
        """Close everything that is still open; the rest is not transferred."""
        self._closed = True
        self._stream.close()

    def __del__(self) -> None:
        stream = self.__dict__.get("_stream")  # as in `Resource`
        if stream is not None:
            stream.abandon()
