"""Client: the verbs of RFC 1738 section 2 on any URL, in the caller's own thread.

Rule: the consumer drives. `open` runs the scheduler until the resource is described, reading runs it further, and
nothing runs in the background. A client may be used by many threads: each gets its own scheduler.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from os import getpid
from typing import TYPE_CHECKING, Any, Unpack
from weakref import WeakSet, finalize

from anyurl.client.base import BaseClient, added, prepared
from anyurl.client.mapper import Mapper, Result, check_urls
from anyurl.client.named import CLOSED, CameFrom, Target, named, origin_from
from anyurl.client.options import Content, RequestOptions, with_options
from anyurl.client.redirect import RedirectChain
from anyurl.client.resource import Resource
from anyurl.client.session import Session
from anyurl.client.session import begin as begin_session
from anyurl.client.source import Files, Upload, UploadSource, needed
from anyurl.dialogue import Options, Resume, Terminal, Verb
from anyurl.errors.reasons import exhaustion_translated
from anyurl.net.loop.connection_limit import ConnectionLimit
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.loop.task import RequestBudget, Source
from anyurl.saving.mirrored import Mirrored
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.components import Pairs
from anyurl.values import Provenance

if TYPE_CHECKING:
    from anyurl.saving.several import SavedUrl, Several

MAP_LIMIT = 64
"""Transfers at once in `Client.map`: where the rate on loopback stops growing; browsers use 6 for each host."""

MIRROR_LIMIT = 8
"""Transfers at once in `Client.mirror`: browsers use six for one host; a host's own limit is detected."""


def consent_to_all(question: str) -> bool:
    """Consent to everything that is sent in the user's name: ``Client(ask_consent=consent_to_all)``.

    Args:
        question: The text that a user would be shown; it is ignored.
    """
    return True


def scheduler_of(client: Client) -> Scheduler:
    """The client's scheduler for the calling thread, for uses other than the verbs (the user's external programs)."""
    return client._scheduler()


class _Own:
    """A thread's scheduler, closed when the thread, the client or the interpreter ends."""

    __slots__ = ("scheduler", "__weakref__")

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler: Scheduler = scheduler
        # Not __del__: at interpreter exit the sockets could be finalized first, with ResourceWarnings. A scheduler that
        # a daemon thread still uses ends with the process.
        ending = finalize(self, scheduler.close)
        ending.atexit = threading.current_thread() is threading.main_thread()


@with_options
class Client(BaseClient):
    """A client that gets, lists, searches, describes, puts and appends resources.

    Threads may share a client. Each thread has its own connections, and the per-host limits of `map` and mirrors
    (`per_host`, `delay`, the host's refusals) are counted for each thread: run large batches in one of them.

    >>> with Client() as client:
    ...     resource = client.open("file:///etc/hostname")
    """

    def _set_up(self) -> None:
        self._closed = False
        self._local = threading.local()
        self._connections = ConnectionLimit(self.policy.limits.open_connections)
        self._schedulers: WeakSet[Scheduler] = WeakSet()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _scheduler(self) -> Scheduler:
        """The scheduler of this thread (a child process never uses its parent's connections).

        Raises:
            RuntimeError: The client was closed.
        """
        if self._closed:
            raise RuntimeError(CLOSED)
        own: _Own | None = getattr(self._local, "own", None)
        scheduler = None if own is None else own.scheduler
        if scheduler is None or scheduler.process != getpid() or scheduler.loop.closed:
            scheduler = self._new_scheduler(self._connections_here())
            with exhaustion_translated():
                self._local.own = _Own(scheduler)
            self._schedulers.add(scheduler)
            self._check_open(scheduler)  # it may have been closed meanwhile, by another thread
        return scheduler

    def _connections_here(self) -> ConnectionLimit:
        """The count that the schedulers of all threads of this process share."""
        if self._connections.process != getpid():
            self._connections = ConnectionLimit(self.policy.limits.open_connections)
        return self._connections

    def _check_open(self, new: Scheduler) -> None:
        if self._closed:
            new.close()
            raise RuntimeError(CLOSED)

    def open(
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
    ) -> Resource:
        """Perform one of the six verbs; the content is transferred as it is read.

        Args:
            url: A string or a URL, which count as the caller's own; or an entry of a listing or a result of
                `anyurl.find`, which carry their origin.
            verb: ``get``, ``list``, ``search``, ``stat``, ``put`` or ``append``.
            source: The data to put or append: bytes, a binary file, an iterable of bytes.
            resume: Where an earlier transfer was interrupted.
            words: The search words.
            like: Documents to find similar ones to (WAIS relevance feedback).
            limit: The maximum number of search results.
            match: The kind of match (archie: ``exact``, ``substring``, ``case``, ``regex`` ...).
            upload_type: Media type of the source.
            view: The representation: a media type, optionally followed by a space and a language (Gopher+ views).
            answers: The answers to the questions of a form, in order (`Form.fill`).
            came_from: Where the URL came from, if it is not the caller's own: a resource, an entry, or the URL of a
                text. The policy then judges it as a hop from there.
            request: For http: ``headers``, ``query``, ``etag``, ``modified``, ``check``
                (`anyurl.client.requests.RequestOptions`).

        Raises:
            AnyURLError: `URLSyntaxError`, `SchemeError`, `PolicyError`, `AccessError` or `LocalFileError`.
        """
        url, origin = named(url, came_from)
        upload = None if source is None else UploadSource(source)
        options = self._options_of_call(
            upload, resume, words, upload_type, view, answers, like, limit, match, verb, request
        )
        return self._open(added(url, request), verb, options, upload, origin)

    def _open(
        self,
        url: URL,
        verb: Verb,
        options: Options,
        upload: Source | None,
        came_from: Provenance,
        patient: bool = False,
    ) -> Resource:
        scheduler = self._scheduler()
        chain = RedirectChain(
            scheduler, url, verb, options, upload, self._secret, False, None, self._gateways, self._retries, patient
        ).start(came_from)
        try:
            while not chain.arrived():
                scheduler.loop.turn()
            chain.check()
        except BaseException:
            chain.drop()
            raise
        return Resource(scheduler, chain)

    def _get_in_turn(self, target: Target) -> Resource:
        """Like `get`, but as one of many: it waits for its turn at its host, as in `map`."""
        url, origin = named(target)
        return self._open(url, "get", self._options, None, origin, patient=True)

    def get(
        self,
        url: Target,
        *,
        resume: Resume | None = None,
        view: str | None = None,
        answers: Sequence[str] = (),
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> Resource:
        """Open the resource that the URL designates (RFC 1738 2: access); the arguments are those of `open`."""
        url, origin = named(url, came_from)
        if resume is None and view is None and answers == () and not request:
            return self._open(url, "get", self._options, None, origin)
        return self.open(url, "get", resume=resume, view=view, answers=answers, came_from=origin, **request)

    def request(
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
    ) -> Resource:
        """Make an HTTP request; the response is the resource.

        It is sent once: a request that is not safe to repeat (POST, PATCH) never uses a reused connection, and is
        never retried.

        Args:
            method: ``GET``, ``POST``, ``PATCH``, ``DELETE``, ``OPTIONS`` or any other.
            content: Octets to send.
            json: A value to send as JSON.
            form: The form fields to send.
            files: The files to send with them (multipart/form-data): for each field the content, or a tuple of name,
                content and media type.
            type: Media type of the content.

        Raises:
            UnsupportedError: The URL is not an http or https URL.
            AnyURLError: As for `open`.
        """
        url, origin = named(url, came_from)
        content_of: Content = {"content": content, "json": json, "form": form, "files": files}
        url, http, source = prepared(method, url, content_of, request, type)
        return self._open(url, "get", self._options.replace(http=http), source, origin)

    def list(self, url: Target, *, came_from: CameFrom | None = None) -> Resource:
        """Open the listing of a directory, menu or group."""
        url, came_from = named(url, came_from)
        return self.open(url, "list", came_from=came_from)

    def search(
        self,
        url: Target,
        words: str,
        *,
        like: Sequence[URL | str] | URL | str = (),
        limit: int | None = None,
        match: str | None = None,
        came_from: CameFrom | None = None,
    ) -> Resource:
        """Search an index and open the listing of results; `like`, `limit` and `match` are those of `open`."""
        url, came_from = named(url, came_from)
        return self.open(url, "search", words=words, like=like, limit=limit, match=match, came_from=came_from)

    @exhaustion_translated()
    def session(self, url: Target, terminal: Terminal | None = None, *, came_from: CameFrom | None = None) -> Session:
        """Connect to the interactive service that the URL designates (RFC 1738 3.8).

        Args:
            terminal: The terminal; None means a dumb one of 80 columns and 24 rows.

        Raises:
            UnsupportedError: The URL designates something else.
            AnyURLError: As `open`.
        """
        url, came_from = named(url, came_from)
        scheduler = self._scheduler()
        options = self._options if terminal is None else self._options.replace(terminal=terminal)
        chain = RedirectChain(
            scheduler, url, "get", options, None, self._secret, False, None, self._gateways, self._retries
        )
        return begin_session(scheduler, chain.start(came_from))

    def stat(self, url: Target, *, came_from: CameFrom | None = None, **request: Unpack[RequestOptions]) -> Resource:
        """Find attributes (RFC 1738 2): returns a resource without content; `request` is that of `open`."""
        url, came_from = named(url, came_from)
        with self.open(url, "stat", came_from=came_from, **request) as resource:
            return resource

    def put(
        self,
        url: Target,
        source: Upload,
        *,
        type: str | None = None,
        mtime: float | None = None,
        go_on: bool = False,
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> Resource:
        """Replace the resource (RFC 1738 2: replace); returns the server's description of it.

        Args:
            mtime: The modification time to give it, in seconds since the epoch, by servers that can set one (MFMT of
                FTP); the description has it then.
            go_on: Continue an interrupted upload after the octets that the server has (ftp, ftps), only if the last of
                them match `source`.
        """
        url, came_from = named(url, came_from)
        return self._upload(url, "put", source, type, came_from, mtime, go_on, **request)

    def append(
        self, url: Target, source: Upload, *, type: str | None = None, came_from: CameFrom | None = None
    ) -> Resource:
        """Append to the resource (RFC 1738 2: update); returns the server's description of it."""
        url, came_from = named(url, came_from)
        return self._upload(url, "append", source, type, came_from)

    def _upload(
        self,
        url: URL,
        verb: Verb,
        source: Upload,
        type: str | None,
        came_from: Provenance,
        mtime: float | None = None,
        go_on: bool = False,
        **request: Unpack[RequestOptions],
    ) -> Resource:
        upload = UploadSource(needed(source))
        options = self._options_of_upload(url, upload, type, verb, mtime, go_on, request)
        resource = self._open(added(url, request), verb, options, upload, came_from)
        resource.keep_answer()  # read to the end: only then is it certain that everything has arrived
        return resource

    def map(
        self,
        urls: Iterable[Target],
        limit: int = MAP_LIMIT,
        *,
        verb: Verb = "get",
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> Iterator[Result[Resource]]:
        """Get many URLs in parallel, in this thread; results are yielded as they complete.

        A small resource is yielded complete; a large one as soon as a piece has arrived, and streams as it is read.

        Args:
            urls: May be infinite: at most `limit` of them are in progress.
            limit: The number of parallel transfers.
            came_from: The origin of all of them, as in `open`; entries carry their own.
            request: The options of each request, as in `open`.

        Raises:
            TypeError: `urls` is one URL. The error of a single one among them is in its `Result`.
        """
        check_urls(urls)
        options = self._options_of_map(verb, request)
        return self._map(urls, limit, verb, options, None if came_from is None else origin_from(came_from), request)

    def _map(
        self,
        urls: Iterable[Target],
        limit: int,
        verb: Verb,
        options: Options,
        came_from: Provenance | None,
        request: RequestOptions,
    ) -> Iterator[Result[Resource]]:
        mapper = self._mapper(urls, limit, verb, options, came_from, request)
        try:
            while mapper.fill():
                result = mapper.next_ready()
                if result is None:
                    self._scheduler().loop.turn()
                    continue
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
    ) -> Mapper:
        scheduler = self._scheduler()
        ask_secret, gateways, retries = self._secret, self._gateways, self._retries

        def start(
            url: URL, origin: Provenance, notify: Any, crowd: Any, resume: Resume | None, budget: RequestBudget | None
        ) -> RedirectChain:
            if request:
                url = added(url, request)
            asked = options if resume is None else options.replace(resume=resume)
            return RedirectChain(
                scheduler, url, verb, asked, None, ask_secret, True, notify, gateways, retries, True,
                crowd=crowd, budget=budget,
            ).start(origin)  # fmt: skip

        def make(chain: RedirectChain) -> Resource:
            return Resource(scheduler, chain)

        return Mapper(urls, limit, start, make, came_from, scheduler)

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
    ) -> Iterator[Mirrored]:
        """Mirror everything below a URL into a folder, yielding the outcome of each URL as it is known.

        Files that it saved before are kept if unchanged on the server, else replaced; other files, and files edited
        since, are kept and reported as a `LocalFileError`. Nothing is deleted. After any interruption the same call
        resumes. Modification times are kept. The server's names are made safe.

        Args:
            url: A directory, menu, group, or page of the web (links below its path are followed; robots.txt is obeyed).
            folder: The target folder; created if missing.
            include: Patterns (`fnmatch`) of names or paths: only documents that match one; empty means all.
            exclude: Patterns of names or paths to leave out; a folder is left out with its content.
            depth: The maximum number of steps from `url`.
            dry_run: Write nothing.
            force: Also replace files that this mirror did not save, or that were edited since.
            requisites: Also the parts of pages (styles, scripts, pictures, fonts), beyond `depth` and from elsewhere on
                the same server.
            limit: The number of parallel transfers; None means `MIRROR_LIMIT`.
            rate: The most octets per second of all of them together, on average; None means no limit.

        Raises:
            UnsupportedError: The scheme has neither listings nor links.
            LocalFileError: The folder can't be written to, or another process mirrors into it.
            ValueError: The rate or the limit is less than 1.
            AnyURLError: robots.txt can't be read, or forbids it. The error of a single URL is in its `Mirrored`.
        """
        root, origin = named(url, came_from)
        most = MIRROR_LIMIT if limit is None else limit
        from anyurl.client import mirroring
        from anyurl.saving.mirror import Mirror

        mirror = Mirror(
            root, origin, folder, include=include, exclude=exclude, depth=depth, dry_run=dry_run, force=force,
            requisites=requisites, archive=self._archive_path, rate=rate, reader=self.policy.remedies,
        )  # fmt: skip
        outcomes = mirroring.mirrored(
            mirror, self._scheduler(), lambda items: self._mapper(items, most, "get", self._options, None, {}),
            self._get_in_turn,
        )  # fmt: skip
        return mirroring.MirrorRun(mirror, outcomes)

    def close(self) -> None:
        """Close every connection of every thread; using the client afterwards is an error."""
        self._closed = True
        for scheduler in list(self._schedulers):
            scheduler.close()
        self._save_cookies()
        self._index_archive()


def save_several(
    client: Client, work: Several, limit: int, came_from: Provenance, **request: Unpack[RequestOptions]
) -> Generator[SavedUrl, None, None]:
    """Save several URLs, each to a file of its own, yielding the outcome of each as it is known.

    Args:
        limit: The number of parallel transfers.
        came_from: The origin of all of them; items carry their own.
        request: The options of each request.
    """
    from anyurl.client.together import saved_together

    options = client._options_of_map("get", request)
    try:
        yield from saved_together(
            work, client._scheduler(), lambda items: client._mapper(items, limit, "get", options, came_from, request)
        )
    finally:
        work.close()
