"""AsyncClient: the same verbs over the same dialogues, on asyncio.

Rule: the reactor's selector is one descriptor of the event loop; a callback turns it without waiting. Cancelling a
call drops its dialogue, and with it everything it had open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Any

from anyurl.access.client import CLOSED, MAP_LIMIT, Settings, to_urls
from anyurl.access.crowd import Crowd, Result
from anyurl.access.redirect import Journey
from anyurl.access.resource import ONE_READER, Description, Whole, as_url, check_process, uri_list
from anyurl.access.source import Upload, UploadSource
from anyurl.dialogue import Entry, Resume, Verb
from anyurl.errors import LimitError, LocalProtocolError
from anyurl.net.policy import Policy
from anyurl.net.pump import Bell, Pump
from anyurl.net.task import Piece
from anyurl.url import URL


class AsyncResource(Description):
    """A resource that is open for reading. Made by `AsyncClient.open`."""

    def __init__(self, pump: Pump, journey: Journey, bell: Bell) -> None:
        task = journey.task
        super().__init__(task.url, task.described, journey.history, task.remarks)
        self._pump = pump
        self._task = task
        self._bell = bell
        self._reading = False

    async def __aenter__(self) -> AsyncResource:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """The content, piece by piece; a listing as text/uri-list. Raises AnyURLError when the transfer fails."""
        while (piece := await self._next()) is not None:
            yield piece if isinstance(piece, bytes) else uri_list(piece)

    async def read(self, limit: int | None = None) -> bytes:
        """As `Resource.read`, and with the same errors."""
        whole = Whole(self, self._pump.reactor.policy.limits.max_read, limit)
        self._begin_to_read()
        try:
            while (piece := await self._next_of_one()) is not None:
                whole.add(piece if isinstance(piece, bytes) else uri_list(piece))
        except BaseException as error:
            whole.clear()  # as in `Resource`
            if isinstance(error, LimitError):
                await self.close()
            raise
        finally:
            self._reading = False
        return whole.octets()

    async def text(self) -> str:
        """All of the content, as characters (`Description.decode`)."""
        return self.decode(await self.read())

    async def entries(self) -> AsyncIterator[Entry]:
        """The entries of a listing, as they come. Raises AnyURLError when the transfer fails."""
        while (piece := await self._next()) is not None:
            if not isinstance(piece, bytes):
                for entry in piece:
                    yield entry

    def _begin_to_read(self) -> None:
        check_process(self._pump.reactor)
        if self._reading:  # it would get some of the pieces, and the other one the rest
            raise LocalProtocolError(ONE_READER)
        self._reading = True

    async def _next(self) -> Piece | None:
        self._begin_to_read()
        try:
            return await self._next_of_one()
        finally:
            self._reading = False

    async def _next_of_one(self) -> Piece | None:
        task, reactor = self._task, self._pump.reactor
        while True:
            piece = task.take()
            if piece is not None:
                return piece
            if task.done:
                if task.error is not None:
                    raise task.error
                return None
            reactor.demand(task)
            if (not task.outbox or reactor.loop.is_behind()) and not task.done:
                try:
                    # A peer that is always ahead must not keep everybody else waiting.
                    await (self._pump.breathe() if task.outbox else self._pump.change(self._bell))
                except BaseException:  # cancelled
                    await self.close()
                    raise

    async def close(self) -> None:
        """Let go of everything that is still open; the rest is not transferred."""
        self._pump.reactor.drop(self._task)

    def __del__(self) -> None:
        task = self.__dict__.get("_task")  # as in `Resource`
        if task is not None:
            self._pump.reactor.forget(task)


class AsyncClient(Settings):
    """`anyurl.access.client.Client` for asyncio: the same arguments, the same verbs, awaited.

    It belongs to the event loop that it is first used in. What is put or appended is read from bytes, a binary file
    or an iterable of bytes, in the loop's thread: a pipe that nobody fills would block it.
    """

    def __init__(self, policy: Policy | None = None, **settings: Any) -> None:
        super().__init__(policy, **settings)
        self._pump: Pump | None = None
        self._closed = False

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    def _pumped(self) -> Pump:
        if self._closed:
            raise RuntimeError(CLOSED)
        if self._pump is None or self._pump.reactor.loop.closed:
            self._pump = Pump(self.new_reactor())
        elif not self._pump.is_here():
            raise RuntimeError("this AsyncClient belongs to another event loop: use one client for each")
        return self._pump

    async def open(
        self,
        url: URL | str,
        verb: Verb = "get",
        *,
        source: Upload | None = None,
        resume: Resume | None = None,
        words: str = "",
        upload_type: str | None = None,
        view: str | None = None,
        answers: Sequence[str] = (),
        like: Sequence[URL | str] | URL | str = (),
        limit: int | None = None,
        match: str | None = None,
    ) -> AsyncResource:
        """As `Client.open`, and with the same errors."""
        url = as_url(url)
        pump = self._pumped()
        upload = None if source is None else UploadSource(source)
        options = self.options(
            resume=resume, words=words, upload_type=upload_type, upload_size=None if upload is None else upload.size,
            view=view, answers=answers, like=to_urls(like),
            limit=limit, match=match,
        )  # fmt: skip
        bell = Bell()
        journey = Journey(
            pump.reactor, url, verb, options, source=upload, ask_secret=self.ask_secret, notify=bell,
            gateways=self.gateways,
        )  # fmt: skip
        try:
            while not journey.arrived():
                await pump.change(bell)
            journey.check()
        except BaseException:
            journey.drop()
            raise
        return AsyncResource(pump, journey, bell)

    async def get(
        self, url: URL | str, *, resume: Resume | None = None, view: str | None = None, answers: Sequence[str] = ()
    ) -> AsyncResource:
        """As `Client.get`."""
        url = as_url(url)
        return await self.open(url, "get", resume=resume, view=view, answers=answers)

    async def list(self, url: URL | str) -> AsyncResource:
        """As `Client.list`."""
        url = as_url(url)
        return await self.open(url, "list")

    async def search(
        self,
        url: URL | str,
        words: str,
        *,
        like: Sequence[URL | str] | URL | str = (),
        limit: int | None = None,
        match: str | None = None,
    ) -> AsyncResource:
        """As `Client.search`."""
        url = as_url(url)
        return await self.open(url, "search", words=words, like=like, limit=limit, match=match)

    async def stat(self, url: URL | str) -> AsyncResource:
        """As `Client.stat`."""
        url = as_url(url)
        async with await self.open(url, "stat") as resource:
            return resource

    async def put(self, url: URL | str, source: Upload, *, type: str | None = None) -> AsyncResource:
        """As `Client.put`."""
        url = as_url(url)
        return await self._upload(url, "put", source, type)

    async def append(self, url: URL | str, source: Upload, *, type: str | None = None) -> AsyncResource:
        """As `Client.append`."""
        url = as_url(url)
        return await self._upload(url, "append", source, type)

    async def _upload(self, url: URL | str, verb: Verb, source: Upload, type: str | None) -> AsyncResource:
        async with await self.open(url, verb, source=source, upload_type=type) as resource:
            async for _ in resource.iter_bytes():
                pass
            return resource

    async def map(
        self, urls: Iterable[URL | str], limit: int = MAP_LIMIT, *, verb: Verb = "get"
    ) -> AsyncIterator[Result]:
        """As `Client.map`; each result's resource is an `AsyncResource`."""
        pump = self._pumped()
        bell, options = Bell(), self.options()

        def start(url: URL, notify: Any) -> Journey:
            def both() -> None:
                notify()
                bell()

            return Journey(
                pump.reactor, url, verb, options, ask_secret=self.ask_secret, eager=True, notify=both,
                gateways=self.gateways,
            )  # fmt: skip

        crowd = Crowd(urls, limit, start, partial(_stream, pump))
        try:
            while crowd.fill():
                result = crowd.next_ready()
                if result is None:
                    await pump.change(bell)
                    continue
                pump.rearm()  # what was begun goes on while the consumer awaits something else
                yield result
        finally:
            crowd.drop()

    async def close(self) -> None:
        """Close every connection; what is used afterwards is an error."""
        self._closed = True
        if self._pump is not None:
            self._pump.close()
            self._pump = None


def _stream(pump: Pump, journey: Journey) -> AsyncResource:
    bell = Bell()
    journey.task.notify = bell
    return AsyncResource(pump, journey, bell)
