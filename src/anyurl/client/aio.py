"""AsyncClient: the same verbs over the same dialogues, on asyncio.

Rule: the scheduler's selector is a single descriptor of the event loop; a callback runs it without blocking. Cancelling
a call drops its dialogue and closes everything that it had open.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Any, Unpack

from anyurl.client.aio_resource import AsyncResource
from anyurl.client.base import BaseClient, added, prepared
from anyurl.client.client import MAP_LIMIT, MIRROR_LIMIT
from anyurl.client.mapper import Mapper, Result, check_urls
from anyurl.client.named import CLOSED, CameFrom, Target, named, origin_from
from anyurl.client.options import Content, RequestOptions, with_options
from anyurl.client.redirect import RedirectChain
from anyurl.client.source import Files, Upload, UploadSource, needed
from anyurl.dialogue import Options, Resume, Verb
from anyurl.errors.reasons import exhaustion_translated
from anyurl.net.loop.asyncio_driver import Answers, AsyncioDriver, Waker
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.task import RequestBudget, Source
from anyurl.saving.mirrored import Mirrored
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.components import Pairs
from anyurl.values import Provenance


@with_options
class AsyncClient(BaseClient):
    """`Client` for asyncio: the same options and verbs, awaited.

    It belongs to the event loop in which it is first used. Uploads are read from bytes, a binary file or an iterable of
    bytes, in the loop's thread: an empty pipe would block it.
    """

    def _set_up(self) -> None:
        self._driver: AsyncioDriver[Scheduler] | None = None
        self._closed = False

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    def _driven(self) -> AsyncioDriver[Scheduler]:
        if self._closed:
            raise RuntimeError(CLOSED)
        if self._driver is None or self._driver.scheduler.loop.closed:
            scheduler = self._new_scheduler()
            self._driver = AsyncioDriver(scheduler)
            scheduler.await_answer = Answers(self._driver).await_answer
        elif not self._driver.is_own():
            raise RuntimeError("this AsyncClient belongs to the process that used it first, and this is a child of it")
        elif not self._driver.is_here():
            raise RuntimeError("this AsyncClient belongs to another event loop: use one client for each")
        return self._driver

    async def open(
        self,
        url: Target,
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
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> AsyncResource:
        """Like `Client.open`, with the same errors."""
        url, origin = named(url, came_from)
        upload = None if source is None else UploadSource(source)
        options = self._options_of_call(
            upload, resume, words, upload_type, view, answers, like, limit, match, verb, request
        )
        return await self._open(added(url, request), verb, options, upload, origin)

    async def _open(
        self, url: URL, verb: Verb, options: Options, upload: Source | None, came_from: Provenance
    ) -> AsyncResource:
        driver, waker = self._driven(), Waker()
        chain = RedirectChain(
            driver.scheduler, url, verb, options, source=upload, ask_secret=self._secret, notify=waker,
            gateways=self._gateways, retries=self._retries, patient=True,
        ).start(came_from)  # fmt: skip
        try:
            while not chain.arrived():
                await driver.change(waker)
            chain.check()
        except BaseException:
            chain.drop()
            raise
        return AsyncResource(driver, chain, waker)

    async def get(
        self,
        url: Target,
        *,
        resume: Resume | None = None,
        view: str | None = None,
        answers: Sequence[str] = (),
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> AsyncResource:
        """Like `Client.get`."""
        url, came_from = named(url, came_from)
        return await self.open(url, "get", resume=resume, view=view, answers=answers, came_from=came_from, **request)

    async def request(
        self,
        method: str,
        url: Target,
        *,
        content: Upload | None = None,
        json: object = None,
        form: Pairs | None = None,
        files: Files | None = None,
        type: str | None = None,
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> AsyncResource:
        """Like `Client.request`."""
        url, origin = named(url, came_from)
        content_of: Content = {"content": content, "json": json, "form": form, "files": files}
        url, http, source = prepared(method, url, content_of, request, type)
        return await self._open(url, "get", self._options.replace(http=http), source, origin)

    async def list(self, url: Target, *, came_from: CameFrom | None = None) -> AsyncResource:
        """Like `Client.list`."""
        url, came_from = named(url, came_from)
        return await self.open(url, "list", came_from=came_from)

    async def search(
        self,
        url: Target,
        words: str,
        *,
        like: Sequence[URL | str] | URL | str = (),
        limit: int | None = None,
        match: str | None = None,
        came_from: CameFrom | None = None,
    ) -> AsyncResource:
        """Like `Client.search`."""
        url, came_from = named(url, came_from)
        return await self.open(
            url, "search", words=words, like=like, limit=limit, match=match, came_from=came_from
        )  # fmt: skip

    async def stat(
        self, url: Target, *, came_from: CameFrom | None = None, **request: Unpack[RequestOptions]
    ) -> AsyncResource:
        """Like `Client.stat`."""
        url, came_from = named(url, came_from)
        async with await self.open(url, "stat", came_from=came_from, **request) as resource:
            return resource

    async def put(
        self,
        url: Target,
        source: Upload,
        *,
        type: str | None = None,
        mtime: float | None = None,
        go_on: bool = False,
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> AsyncResource:
        """Like `Client.put`."""
        url, came_from = named(url, came_from)
        return await self._upload(url, "put", source, type, came_from, mtime, go_on, **request)

    async def append(
        self, url: Target, source: Upload, *, type: str | None = None, came_from: CameFrom | None = None
    ) -> AsyncResource:
        """Like `Client.append`."""
        url, came_from = named(url, came_from)
        return await self._upload(url, "append", source, type, came_from)

    async def _upload(
        self,
        url: URL,
        verb: Verb,
        source: Upload,
        type: str | None,
        came_from: Provenance,
        mtime: float | None = None,
        go_on: bool = False,
        **request: Unpack[RequestOptions],
    ) -> AsyncResource:
        upload = UploadSource(needed(source))
        options = self._options_of_upload(url, upload, type, verb, mtime, go_on, request)
        resource = await self._open(added(url, request), verb, options, upload, came_from)
        await resource.keep_answer()
        return resource

    def map(
        self,
        urls: Iterable[Target],
        limit: int = MAP_LIMIT,
        *,
        verb: Verb = "get",
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> AsyncIterator[Result[AsyncResource]]:
        """Like `Client.map`; each result's resource is an `AsyncResource`.

        Raises:
            TypeError: `urls` is one URL.
        """
        check_urls(urls)
        options = self._options_of_map(verb, request)
        return self._map(urls, limit, verb, options, None if came_from is None else origin_from(came_from), request)

    async def _map(
        self,
        urls: Iterable[Target],
        limit: int,
        verb: Verb,
        options: Options,
        came_from: Provenance | None,
        request: RequestOptions,
    ) -> AsyncIterator[Result[AsyncResource]]:
        driver, waker = self._driven(), Waker()
        mapper = self._mapper(urls, limit, verb, options, came_from, request, waker)
        try:
            while mapper.fill():
                result = mapper.next_ready()
                if result is None:
                    await driver.change(waker)
                    continue
                driver.rearm()  # transfers continue while the consumer awaits something else
                yield result
        finally:
            mapper.drop()

    def _mapper(
        self,
        urls: Iterable[Target],
        limit: int,
        verb: Verb,
        options: Options,
        came_from: Provenance | None,
        request: RequestOptions,
        waker: Waker,
    ) -> Mapper:
        driver = self._driven()

        def start(
            url: URL, origin: Provenance, notify: Any, crowd: Any, resume: Resume | None, budget: RequestBudget | None
        ) -> RedirectChain:
            def both() -> None:
                notify()
                waker()

            if request:
                url = added(url, request)
            asked = options if resume is None else options.replace(resume=resume)
            return RedirectChain(
                driver.scheduler, url, verb, asked, ask_secret=self._secret, eager=True, notify=both,
                gateways=self._gateways, retries=self._retries, patient=True, crowd=crowd, budget=budget,
            ).start(origin)  # fmt: skip

        return Mapper(urls, limit, start, partial(_stream, driver), came_from, driver.scheduler)

    @exhaustion_translated()
    @checked
    def mirror(
        self,
        url: Target,
        folder: str | os.PathLike[str],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        depth: int | None = None,
        dry_run: bool = False,
        force: bool = False,
        requisites: bool = False,
        limit: int | None = None,
        rate: int | None = None,
        came_from: CameFrom | None = None,
    ) -> AsyncIterator[Mirrored]:
        """Like `Client.mirror`, with the same errors."""
        root, origin = named(url, came_from)
        most = MIRROR_LIMIT if limit is None else limit
        from anyurl.client import mirroring
        from anyurl.saving.mirror import Mirror

        mirror = Mirror(
            root, origin, folder, include=include, exclude=exclude, depth=depth, dry_run=dry_run, force=force,
            requisites=requisites, archive=self._archive_path, rate=rate, reader=self.policy.remedies,
        )  # fmt: skip
        waker = Waker()
        result: AsyncIterator[Mirrored] = mirroring.mirrored_async(
            mirror, self._driven(), lambda items: self._mapper(items, most, "get", self._options, None, {}, waker),
            waker, self.open,
        )  # fmt: skip
        return result

    async def close(self) -> None:
        """Close every connection; using the client afterwards is an error."""
        self._closed = True
        if self._driver is not None:
            self._driver.close()
            self._driver = None
        self._save_cookies()
        self._index_archive()


def _stream(driver: AsyncioDriver[Scheduler], chain: RedirectChain) -> AsyncResource:
    waker = Waker()
    chain.stream.notify = waker
    return AsyncResource(driver, chain, waker)
