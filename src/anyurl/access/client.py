"""Client: the verbs of RFC 1738 section 2 on any URL, in the caller's own thread.

Rule: the consumer drives. `open` runs the scheduler until the resource is described, reading runs it further, and
nothing runs in the background. A client may be used by many threads: each gets its own scheduler.
"""

from __future__ import annotations

import os
from _thread import _local as local
from _weakrefset import WeakSet  # and nothing else of `weakref`
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from os import getpid

from anyurl._typing import TYPE_CHECKING, Any, Unpack
from anyurl.access import given
from anyurl.access.mapper import Mapper, Result, check_urls
from anyurl.access.named import CLOSED, CameFrom, Target, named, origin_from, to_urls
from anyurl.access.options import check_counts, with_options
from anyurl.access.redirect import RedirectChain
from anyurl.access.resource import Resource
from anyurl.access.source import Upload, UploadSource, needed
from anyurl.access.taken import check
from anyurl.dialogue import Options, Resume, Verb, WaisForm
from anyurl.guard.policy import Policy
from anyurl.net.closing import close_with
from anyurl.net.provenance import configured_servers
from anyurl.net.room import Room
from anyurl.net.system import is_main_thread
from anyurl.net.tls import TLSConfig
from anyurl.url import URL
from anyurl.values import Provenance

if TYPE_CHECKING:
    from anyurl.access.cookies import CookieJar
    from anyurl.access.mirror import Mirrored
    from anyurl.access.multipart import Files
    from anyurl.access.requests import Content, RequestOptions
    from anyurl.access.session import Session
    from anyurl.dialogue import Login, Secret, Terminal
    from anyurl.net.connector import Network
    from anyurl.net.scheduler import Scheduler
    from anyurl.net.task import AskForConsent, AskForSecret, Source
    from anyurl.url.fields import Pairs

MAP_LIMIT = 64
"""Transfers at once in `Client.map`: where the rate on loopback stops growing; browsers use 6 for each host."""

MIRROR_LIMIT = 8
"""Transfers at once in `Client.mirror`: browsers ask one host for six; what a host refuses is found out."""


def consent_to_all(question: str) -> bool:
    """Consent to everything that is sent in the user's name: ``Client(ask_consent=consent_to_all)``.

    Args:
        question: What would be shown to a person; nobody sees it.
    """
    return True


class BaseClient:
    """What both clients are made of: their options (`anyurl.access.options` describes each) and what follows from them.

    Attributes:
        policy: What may be followed.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        timeout: float | None = None,
        max_bytes: int | None = None,
        gateways: Mapping[str, str] | None = None,
        lenient: bool = False,
        ftp_text: bool = False,
        wais_form: WaisForm = "libwww",
        identity: str | None = None,
        news_server: str | None = None,
        mail_server: str | None = None,
        mail_from: str | None = None,
        auth: Mapping[str, Login] | None = None,
        ask_consent: AskForConsent | None = None,
        ask_secret: AskForSecret | None = None,
        cookies: CookieJar | bool = False,
        cookie_jar: str | os.PathLike[str] | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        cert: str | os.PathLike[str] | None = None,
        pins: str | os.PathLike[str] | None = None,
        http3: bool = False,
        user_agent: str | None = None,
        trace: Callable[[str], None] | None = None,
        retries: int = 0,
        per_host: int | None = None,
        delay: float = 0.0,
        proxy: str | Mapping[str, str] | None = None,
        no_proxy: Iterable[str] = (),
        zone: str | None = None,
        warc: str | os.PathLike[str] | None = None,
        network: Network | None = None,
    ) -> None:
        """Raises URLSyntaxError for an invalid server or proxy, ValueError for other invalid values."""
        check(
            policy=policy, timeout=timeout, max_bytes=max_bytes, gateways=gateways, lenient=lenient, ftp_text=ftp_text,
            wais_form=wais_form, identity=identity, news_server=news_server, mail_server=mail_server,
            mail_from=mail_from, auth=auth, ask_consent=ask_consent, ask_secret=ask_secret, cookies=cookies,
            cookie_jar=cookie_jar, ca_file=ca_file, cert=cert, pins=pins, http3=http3, user_agent=user_agent,
            trace=trace, retries=retries, per_host=per_host, delay=delay, proxy=proxy, no_proxy=no_proxy, zone=zone,
            warc=warc, network=network,
        )  # fmt: skip
        check_counts(retries=retries, per_host=per_host, delay=delay)
        self.policy: Policy = given.policy(policy, timeout, max_bytes)
        self._options = Options(
            identity=identity, news_server=news_server, mail_server=mail_server, mail_from=mail_from,
            lenient=lenient, ftp_text=ftp_text, wais_form=wais_form, patience=self.policy.limits.idle, trace=trace,
            logins=given.logins(auth), jar=given.jar(cookies, cookie_jar), archive=given.archive(warc),
            reader=self.policy.remedies,
        )  # fmt: skip
        self._configured = configured_servers(news_server, mail_server)
        self._ask_consent, self._ask_secret = ask_consent, ask_secret
        self._gateways = given.gateways(gateways)
        self._tls_config = TLSConfig(ca_file, cert, pins, http3=http3)
        self._user_agent, self._proxies = given.user_agent(user_agent), given.proxies(proxy, no_proxy)
        self._retries, self._per_host, self._delay, self._zone, self._network = retries, per_host, delay, zone, network
        self._set_up()

    def _set_up(self) -> None:
        """What a client has beside its options."""

    def _save_cookies(self) -> None:
        """Raises LocalFileError when their file can't be written."""
        if self._options.jar is not None:
            self._options.jar.save()

    def _secret(
        self, host: str, user: str, kind: str, kept: bool = True, by_person: bool = True
    ) -> Secret | Awaitable[Secret | None] | None:
        """A password from netrc (where the policy reads it), then from the caller; None when nobody has one.

        Args:
            kept: Whether it may be one of netrc: not where a URL that somebody else named leads.
            by_person: Whether the caller may be asked.
        """
        if kept and self.policy.netrc:
            from anyurl.access.secrets import netrc_secret

            secret = netrc_secret(host, user)
            if secret is not None:
                return secret
        return self._ask_secret(host, user, kind) if self._ask_secret is not None and by_person else None

    def _options_of_call(
        self,
        upload: UploadSource | None,
        resume: Resume | None,
        words: str,
        upload_type: str | None,
        view: str | None,
        answers: Sequence[str],
        like: Sequence[URL | str] | URL | str,
        limit: int | None,
        match: str | None,
        verb: Verb,
        request: RequestOptions,
    ) -> Options:
        """The client's own options, and what one call adds: most add nothing, and no time is spent on them.

        Raises:
            TypeError: One of them is nothing that its argument takes.
        """
        check(
            resume=resume, words=words, upload_type=upload_type, view=view, answers=answers, limit=limit, match=match,
            verb=verb,
        )  # fmt: skip
        changed: dict[str, Any] = {}
        if request:
            changed["http"] = given.request_options(verb, request, content=upload is not None)
        if resume is not None:
            changed["resume"] = resume
        if upload is not None or words or upload_type is not None or view is not None or answers or like != ():
            changed.update(
                words=words, upload_type=upload_type, upload_size=None if upload is None else upload.size,
                view=view, answers=answers, like=to_urls(like),
            )  # fmt: skip
        if limit is not None or match is not None:
            changed.update(limit=limit, match=match)
        return self._options.replace(**changed) if changed else self._options

    def _options_of_map(self, verb: Verb, request: RequestOptions) -> Options:
        check(verb=verb)
        return self._options.replace(http=given.request_options(verb, request)) if request else self._options

    def _new_scheduler(self, room: Room | None = None) -> Scheduler:
        """A scheduler for the calling thread, and its state shared with other threads."""
        return given.scheduler_of(
            self.policy, network=self._network, tls_config=self._tls_config, configured=self._configured,
            ask_consent=self._ask_consent, user_agent=self._user_agent, per_host=self._per_host,
            delay=self._delay, proxies=self._proxies, zone=self._zone, room=room,
        )  # fmt: skip


def added(url: URL, request: RequestOptions) -> URL:
    """The URL with what the request adds to its search part."""
    return given.with_query(url, request) if "query" in request else url


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
        close_with(self, scheduler.close, at_exit=is_main_thread())


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
        self._local = local()
        self._room = Room()
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
            scheduler = self._new_scheduler(self._room_here())
            self._local.own = _Own(scheduler)
            self._schedulers.add(scheduler)
            self._check_open(scheduler)  # it may have been closed meanwhile, by another thread
        return scheduler

    def _room_here(self) -> Room:
        """The state that the schedulers of all threads of this process share."""
        if self._room.process != getpid():
            self._room = Room()
        return self._room

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
                (`anyurl.access.requests.RequestOptions`).

        Raises:
            AnyURLError: `URLSyntaxError`, `SchemeError`, `PolicyError`, `AccessError` or `LocalFileError`.
        """
        url, origin = named(url, came_from)
        upload = None if source is None else UploadSource(source)
        options = self._options_of_call(
            upload, resume, words, upload_type, view, answers, like, limit, match, verb, request
        )
        return self._open(added(url, request), verb, options, upload, origin)

    def _open(self, url: URL, verb: Verb, options: Options, upload: Source | None, came_from: Provenance) -> Resource:
        scheduler = self._scheduler()
        chain = self._chain(scheduler, url, verb, options, upload, came_from)
        try:
            while not chain.arrived():
                scheduler.loop.turn()
            chain.check()
        except BaseException:
            chain.drop()
            raise
        return Resource(scheduler, chain.task, chain.history, chain)

    def _chain(
        self,
        scheduler: Scheduler,
        url: URL,
        verb: Verb,
        options: Options,
        source: Source | None,
        came_from: Provenance,
    ) -> RedirectChain:
        return RedirectChain(
            scheduler, url, verb, options, source, self._secret, False, None, self._gateways, came_from, self._retries
        )  # fmt: skip

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
        url, http, source = given.request(method, url, content_of, request, type)
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
        return given.session_of(scheduler, self._chain(scheduler, url, "get", options, None, came_from))

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
        came_from: CameFrom | None = None,
        **request: Unpack[RequestOptions],
    ) -> Resource:
        """Replace the resource (RFC 1738 2: replace); returns the server's description of it."""
        url, came_from = named(url, came_from)
        return self._upload(url, "put", source, type, came_from, **request)

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
        **request: Unpack[RequestOptions],
    ) -> Resource:
        resource = self.open(url, verb, source=needed(source), upload_type=type, came_from=came_from, **request)
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
        scheduler = self._scheduler()
        ask_secret, gateways, retries = self._secret, self._gateways, self._retries

        def start(url: URL, origin: Provenance, notify: Any) -> RedirectChain:
            if request:
                url = added(url, request)
            return RedirectChain(
                scheduler, url, verb, options, None, ask_secret, True, notify, gateways, origin, retries, True
            )  # fmt: skip

        def make(chain: RedirectChain) -> Resource:
            return Resource(scheduler, chain.task, chain.history, chain)

        mapper = Mapper(urls, limit, start, make, came_from, scheduler)
        try:
            while mapper.fill():
                result = mapper.next_ready()
                if result is None:
                    scheduler.loop.turn()
                    continue
                yield result
        finally:
            mapper.drop()

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
        limit: int | None = None,
        came_from: CameFrom | None = None,
    ) -> Iterator[Mirrored]:
        """Mirror everything below a URL into a folder, yielding the outcome of each URL as it is known.

        What it saved before is kept if unchanged on the server, else replaced; other files, and files edited since, are
        kept and reported as a `LocalFileError`. Nothing is deleted. After any interruption the same call resumes.
        Modification times are kept. The server's names are made safe.

        Args:
            url: A directory, menu, group, or page of the web (links below its path are followed; robots.txt is obeyed).
            folder: The target folder; created if missing.
            include: Patterns (`fnmatch`) of names or paths: only documents that match one; empty means all.
            exclude: Patterns of names or paths to leave out; a folder is left out with its content.
            depth: The maximum number of steps from `url`.
            dry_run: Write nothing.
            force: Also replace files that this mirror did not save, or that were edited since.
            limit: The number of parallel transfers; None means `MIRROR_LIMIT`.

        Raises:
            UnsupportedError: The scheme has neither listings nor links.
            LocalFileError: The folder can't be written to, or another process mirrors into it.
            AnyURLError: robots.txt can't be read, or forbids it. The error of a single URL is in its `Mirrored`.
        """
        check(folder=folder, include=include, exclude=exclude, depth=depth, dry_run=dry_run, force=force, limit=limit)
        root, origin = named(url, came_from)
        most = MIRROR_LIMIT if limit is None else limit
        mirror, run = given.mirror_of(
            root, origin, folder, include=include, exclude=exclude, depth=depth, dry_run=dry_run, force=force
        )
        result: Iterator[Mirrored] = run.mirrored(
            mirror, lambda targets: self.map(targets, most), lambda item, resume: self.open(item, resume=resume)
        )
        return result

    def close(self) -> None:
        """Close every connection of every thread; using the client afterwards is an error."""
        self._closed = True
        for scheduler in list(self._schedulers):
            scheduler.close()
        self._save_cookies()
