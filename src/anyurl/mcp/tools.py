"""The tools that a model has: fetch, list, search, find_urls, explain_url, check_url, and put where it is allowed.

Rule: each call ends in an answer, whatever happens: content with where it comes from, or a verdict. Nothing is decided
here that the guard decides.
"""

from __future__ import annotations

import asyncio
import functools
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

from mcp.types import CallToolResult
from pydantic import Field

from anyurl.access import AsyncClient
from anyurl.client.judgement import judge
from anyurl.client.options import RequestOptions
from anyurl.client.resource import Description
from anyurl.client.texts import is_html, is_text, read_beginning
from anyurl.errors import AnyURLError, RefusedError, ReplyError, escape
from anyurl.guard.hops import named_in
from anyurl.guard.verdict import Verdict
from anyurl.mcp.answers import answer, quoting, refusal, shown, strangers_words, visible, without_vain_remedy
from anyurl.mcp.markdown import MAX_PROCESSES, to_markdown
from anyurl.mcp.pages import PAGE, Pages
from anyurl.mcp.records import (
    entry_record,
    json_line,
    notes_of,
    record_of,
    shown_value,
)
from anyurl.saving.robots import PRODUCT, Robots, read_robots_async, robots_of
from anyurl.saving.save import Destination, safe_name
from anyurl.url import URL
from anyurl.url.masking import without_secret
from anyurl.url.syntax import WEB
from anyurl.values import USER, Provenance, Value

MAX_AGE_SECONDS = 24 * 3600.0
"""RFC 9309 2.4."""

MAX_SERVERS = 256
"""Whose rules are kept."""

REMEDY = "--ignore-robots of anyurl mcp would allow it"


class RobotsRules:
    """robots.txt of the servers that a model asks (RFC 9309): read once a day each, and heeded.

    A server without rules allows all; one whose rules are unavailable allows nothing (RFC 9309 2.3.1).

    Args:
        client: Reads them, under its own policy.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._known: OrderedDict[tuple[str, str | None, int | None], tuple[float, Robots]] = OrderedDict()

    async def check(self, url: URL, came_from: Provenance = USER) -> None:
        """Raises RefusedError when the server's rules forbid this URL; AnyURLError when they can't be read."""
        if url.scheme not in WEB:
            return
        self._client.policy.judge_url(url, came_from).check()  # before any request to its server
        if not (await self._rules(url, came_from)).allows_url(url):
            self._refuse(f"the robots.txt of {url.host} asks programs called {PRODUCT} not to fetch this", url)

    async def _rules(self, url: URL, came_from: Provenance) -> Robots:
        key = (url.scheme, url.host, url.port)
        known = self._known.get(key)
        now = time.monotonic()
        if known is not None and now - known[0] < MAX_AGE_SECONDS:
            return known[1]
        rules = Robots(await self._read(url, came_from))
        self._known[key] = (now, rules)
        while len(self._known) > MAX_SERVERS:
            self._known.popitem(last=False)
        return rules

    async def _read(self, url: URL, came_from: Provenance) -> str | None:
        try:
            return await read_robots_async(self._client.get(robots_of(url), came_from=came_from))
        except ReplyError as error:
            self._refuse(
                f"the robots.txt of {url.host} can't be fetched now ({error.code}), so nothing is fetched "
                "from there (RFC 9309 2.3.1.4)",
                url,
            )

    def _refuse(self, message: str, url: URL) -> NoReturn:
        raise RefusedError(f"Refused: {message}.", verdict=Verdict(False, "robots", message, url.host or "", REMEDY))


if TYPE_CHECKING:
    from anyurl.access import AsyncResource
    from anyurl.dialogue import Verb
    from anyurl.guard.policy import Policy

Tool = Callable[..., Awaitable[CallToolResult]]
Format = Literal["auto", "main", "text", "markdown", "file"]
ACCEPTED = "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5"
"""The Accept field of fetch: some servers have Markdown of their pages, which is shorter (RFC 7763)."""

MARKDOWN = ("text/markdown", "text/x-markdown")

TextFormat = Literal[
    "auto", "text", "css", "csv", "gemtext", "har", "html", "ical", "jsonl", "json", "latex", "log", "mail", "man",
    "markdown", "notebook", "office", "po", "properties", "rst", "tsv", "xml",
]  # fmt: skip
"""The formats of `anyurl.text.formats` that are text, for a model gives no octets."""

MAX_TEXT_OCTETS = 2 * 1024 * 1024
"""Of a document that becomes text: a hundred pages of it; the rest is left, and the answer says so."""

MAX_ENTRIES = 10_000
"""Of one listing; the rest is left, and the answer says so."""

MAX_GIVEN = 1024 * 1024
"""Characters of a text that a model gives to be searched or sent."""

LISTINGS = ("listing", "index")

Url = Annotated[str, Field(description="A URL of any scheme, such as https://..., ftp://..., gopher://...")]
CameFrom = Annotated[
    str | None, Field(description="The URL of the page that named this one, if one did: it is judged as a link there.")
]
Cursor = Annotated[str | None, Field(description="Of an earlier answer: read on there. All else is then ignored.")]


class Rights(Value, kw_only=True):
    """The rights that the operator of the server gives to a model.

    Attributes:
        policy: The policy for every URL.
        folder: Where files may be written; None for nowhere.
        may_put: Whether anything may be sent.
        heeds_robots: Whether robots.txt is heeded.
        page: Characters of a page.
    """

    policy: Policy
    folder: str | None = None
    may_put: bool = False
    heeds_robots: bool = True
    page: int = PAGE


def restricted(policy: Policy) -> Policy:
    """The policy with everything removed that models never get: the user's passwords, mail, news, sessions and proxies.

    A name is judged before it is looked up: with ``allow_hosts`` not even a name server learns a secret.
    """
    return policy.replace(
        netrc=False, services=False, allow_delivery=False, allow_forms=False, allow_proxies=(), proxy_resolves=False
    )


def _answered(tool: Tool) -> Tool:
    """Exceptions of a tool become verdicts."""

    @functools.wraps(tool)
    async def answered(*args: Any, **arguments: Any) -> CallToolResult:
        try:
            return await tool(*args, **arguments)
        except AnyURLError as error:
            return refusal(error)
        except Exception as error:  # its text may hold anything: a model gets only its type
            return refusal(AnyURLError(f"This is a fault of anyurl itself ({type(error).__name__})."))

    return answered


class Tools:
    """The tools of one server.

    Args:
        client: Reaches what the policy allows.
        rights: Further rights.

    Raises:
        LocalFileError: The folder can't be opened.
    """

    def __init__(self, client: AsyncClient, rights: Rights) -> None:
        self._client = client
        self._rights = rights
        self._pages = Pages(rights.page)
        self._converting = asyncio.Semaphore(MAX_PROCESSES)
        self._robots = RobotsRules(client) if rights.heeds_robots else None
        self._folder = -1
        if rights.folder is not None:
            from anyurl.files.channel import local_error, open_folder

            try:  # once: later changes of its name lead nowhere else
                self._folder = open_folder(os.fsencode(rights.folder))
            except OSError as error:
                raise local_error(error, f"Writing to {shown(rights.folder)}") from error

    def close(self) -> None:
        """Let go of the folder."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1

    @property
    def may_save(self) -> bool:
        """Whether a file may be written."""
        return self._folder >= 0

    @_answered
    async def fetch(
        self,
        url: Url,
        format: Annotated[
            Format,
            Field(
                description="auto: Markdown of HTML, other texts as they are; main: without navigation and footers; "
                "text: also HTML as it is; file: save."
            ),
        ] = "auto",
        file_name: Annotated[
            str | None, Field(description="With format=file: the name in the server's folder, without any path.")
        ] = None,
        cursor: Cursor = None,
        came_from: CameFrom = None,
    ) -> CallToolResult:
        """Get what a URL points at, whatever its scheme, page by page; or save it as a file."""
        if cursor is not None:
            return answer(*self._pages.next(cursor))
        if format == "file":
            return await self._save(url, file_name, came_from)
        async with self._open(url, "get", came_from, wants=None if format == "text" else ACCEPTED) as resource:
            facts = record_of(resource, url, came_from)
            if resource.kind in LISTINGS:
                return await self._entries(resource, url, came_from)
            if resource.kind != "document":
                return answer({**facts, "format": "none", "note": f"a {resource.kind} has no content to be read"})
            data, complete = await read_beginning(resource, MAX_TEXT_OCTETS)
            facts.update(complete=complete, notes=notes_of(resource, url, came_from))
            if not is_text(resource, data):
                note = (
                    "no text; format=file would save it"
                    if self.may_save
                    else ("no text, and no file may be written: --allow-write DIR of anyurl mcp would allow it")
                )
                return answer({**facts, "format": "none", "note": note})
            if format != "text" and is_html(resource, data):
                async with self._converting:
                    made = to_markdown(resource.decode(data), resource.base, is_main=format == "main")
                    title, text, is_whole = await made
                facts["complete"] = complete and is_whole
                text = text if title is None else f"{title}\n\n{text}"  # a stranger's text, too
                return answer(*self._pages.first({**facts, "format": "markdown"}, visible(text)))
            shown_as = "markdown" if resource.content_type in MARKDOWN else "text"
            return answer(*self._pages.first({**facts, "format": shown_as}, visible(resource.decode(data))))

    @_answered
    async def list(self, url: Url, cursor: Cursor = None, came_from: CameFrom = None) -> CallToolResult:
        """List a folder, a menu, a newsgroup or a database: an object of JSON a line, each with a URL for fetch."""
        if cursor is not None:
            return answer(*self._pages.next(cursor))
        async with self._open(url, "list", came_from) as resource:
            return await self._entries(resource, url, came_from)

    @_answered
    async def search(
        self,
        url: Annotated[str, Field(description="The index to search: a gopher index, a wais database, archie ...")],
        words: Annotated[str, Field(description="What to search for.")],
        cursor: Cursor = None,
        came_from: CameFrom = None,
    ) -> CallToolResult:
        """Search an index by its own protocol (gopher, wais, prospero): an object of JSON a line for each result."""
        if cursor is not None:
            return answer(*self._pages.next(cursor))
        async with self._open(url, "search", came_from, words=words) as resource:
            return await self._entries(resource, url, came_from)

    @_answered
    async def find_urls(
        self,
        text: Annotated[str, Field(description="Any text.", max_length=MAX_GIVEN)],
        format: Annotated[TextFormat, Field(description="The format of the text.")] = "text",
        base: Annotated[str | None, Field(description="The base of relative links.")] = None,
        also: Annotated[
            tuple[Literal["emails", "www", "bare", "templates", "refang", "malformed"], ...],
            Field(
                description="Further things to find: addresses, www. names, other domains, http://h/{id}, hxxp://,"
                " links that are not URLs."
            ),
        ] = (),
        cursor: Cursor = None,
    ) -> CallToolResult:
        """Find the URLs in a text, and say of each whether it may be fetched: an object of JSON a line."""
        from anyurl.text import find
        from anyurl.text.kinds import WITHOUT_URL

        if cursor is not None:
            return answer(*self._pages.next(cursor))
        came_from = None if base is None else named_in(URL(base))
        lines = []
        for found in find(text, format=format, base=base, came_from=came_from, **dict.fromkeys(also, True)):  # type: ignore[arg-type]
            # A template or a malformed link can't be fetched
            url = None if found.kind in WITHOUT_URL else found.url
            verdict = None if url is None else self._client.policy.judge_url(url, found.origin)
            record = {
                "url": url and shown(url.masked), "fragment": found.fragment and shown(found.fragment),
                "start": found.span[0], "end": found.span[1], "line": found.line, "kind": found.kind,
                "lookalike": found.lookalike, "allowed": verdict is not None and verdict.allowed,
                "code": found.kind if verdict is None else verdict.code,
            }  # fmt: skip
            lines.append(json_line(record))
        return answer(*self._pages.first({"ok": True, "found": len(lines), "untrusted": True}, "".join(lines)))

    @_answered
    async def explain_url(
        self, text: Annotated[str, Field(description="A text that is, or should be, a URL.")]
    ) -> CallToolResult:
        """Show the components of a text by each grammar, its faults with their rules, and where programs differ."""
        from anyurl.grammar import explain

        told = explain(without_secret(text))
        readings = [
            {
                "grammar": reading.grammar, "accepted": reading.accepted,
                "components": {name: shown_value(value) for name, value in reading.components.items()},
                "diagnostics": [
                    {"code": one.code, "severity": one.severity, "start": one.span[0], "end": one.span[1],
                     "section": one.section, "message": shown(one.message), "fix": one.fix and shown(one.fix)}
                    for one in reading.diagnostics[:MAX_DIAGNOSTICS]
                ],
            }
            for reading in told.readings
        ]  # fmt: skip
        differences = [
            {"component": one.component, "loud": one.loud, "message": shown(one.message)} for one in told.differences
        ]
        return answer({"ok": True, "text": shown(told.text), "host_differs": told.host_differs,
                       "readings": readings, "differences": differences}, quotes=False)  # fmt: skip

    @_answered
    async def check_url(self, url: Url, came_from: CameFrom = None) -> CallToolResult:
        """Say whether a URL may be fetched, and why not, without any request: a name is looked up only by fetch."""
        target, origin = _read(url, came_from)
        judgement = judge(target, self._client.policy, origin)
        record = judgement.record()
        message, remedy = without_vain_remedy(str(record["message"]), judgement.verdict)
        record["message"] = shown(message)
        facts = {"ok": True, "url": shown(target.masked), **record, "remedy": shown(remedy)}
        return answer(facts if came_from is None else quoting(facts, strangers_words(target)))

    @_answered
    async def put(
        self,
        url: Url,
        content: Annotated[str, Field(description="The text that is sent.", max_length=MAX_GIVEN)],
        content_type: Annotated[str | None, Field(description="Its media type.")] = None,
        append: Annotated[bool, Field(description="Append it to the resource, instead of replacing it.")] = False,
    ) -> CallToolResult:
        """Send a text to a URL: it replaces the resource, or is appended to it."""
        target, origin = _read(url, None)
        if target.scheme == "file":
            message = "files of this machine are written only in the folder of --allow-write, by fetch with format=file"
            raise RefusedError(f"Refused: {message}.", verdict=Verdict(False, "file-write", message, "file"))
        send = self._client.append if append else self._client.put
        resource = await send(target, content.encode("utf-8", "surrogatepass"), type=content_type, came_from=origin)
        return answer(record_of(resource, url, None))

    # --- common parts -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _open(
        self, text: str, verb: Verb, came_from: str | None, *, words: str = "", wants: str | None = None
    ) -> AsyncIterator[AsyncResource]:
        """The resource, if its server's rules allow it: also where a redirection has led.

        Args:
            wants: The value of Accept, for the schemes of HTTP.
        """
        url, origin = _read(text, came_from)
        request: RequestOptions = {}
        if wants is not None and url.scheme in WEB:
            request["headers"] = {"Accept": wants}
        strange: tuple[URL, ...] = () if came_from is None else (url,)
        try:
            if self._robots is not None:
                await self._robots.check(url, origin)
            async with await self._client.open(url, verb, words=words, came_from=origin, **request) as resource:
                if resource.history:
                    strange += (resource.url,)
                    if self._robots is not None:
                        await self._robots.check(resource.url, resource.content_origin)
                yield resource
        except AnyURLError as error:
            error.strange = (*getattr(error, "strange", ()), *strange)
            raise

    async def _entries(self, resource: AsyncResource, asked: str, came_from: str | None) -> CallToolResult:
        lines: list[str] = []
        facts = {**record_of(resource, asked, came_from), "format": "entries", "complete": True}
        async for entry in resource.entries():
            if len(lines) == MAX_ENTRIES:
                facts["complete"] = False
                break
            lines.append(json_line(entry_record(entry)))
        facts["notes"] = notes_of(resource, asked, came_from)
        return answer(*self._pages.first(facts, "".join(lines)))

    async def _save(self, text: str, name: str | None, came_from: str | None) -> CallToolResult:
        if not self.may_save:
            message = "this server writes no files"
            raise RefusedError(
                f"Refused: {message}.",
                verdict=Verdict(False, "write", message, "file", "--allow-write DIR of anyurl mcp would allow it"),
            )
        async with self._open(text, "get", came_from) as resource:
            last = resource.name or resource.url.path.rpartition("/")[2]
            given = name if name is not None else URL(text).path.rpartition("/")[2] if came_from is None else None
            # A bare name in the folder that is open: no path leads out of it. A name that is taken, by whatever, stays.
            file_name = safe_name(last if name is None else name)
            strange = () if given is not None and file_name == safe_name(given) else (file_name, escape(last))
            try:
                with Destination(file_name, folder=self._folder) as destination:
                    destination.prepare(_Kept(resource))
                    async for piece in resource.iter_bytes():
                        destination.write(piece)
                    size = destination.finish()
                    saved = destination.shown
            except AnyURLError as error:
                error.strange = (*getattr(error, "strange", ()), *strange)
                raise
            facts = {**record_of(resource, text, came_from), "format": "file", "size": size}
            return answer({**facts, "saved": quoting(saved, strange)})


class _Kept:
    """A resource as `Destination` wants to know it; its content is written by its reader."""

    def __init__(self, resource: Description) -> None:
        self.url = resource.url
        self.kind: str = resource.kind
        self.content_type = resource.content_type
        self.start = resource.start
        self.size = resource.size
        self.modified = resource.modified
        self.etag = resource.etag
        self.attributes = resource.attributes

    def iter_bytes(self) -> Any:
        """Nothing."""
        return iter(())


MAX_DIAGNOSTICS = 20
"""Of one grammar."""


def _read(url: str, came_from: str | None) -> tuple[URL, Provenance]:
    """Raises URLSyntaxError."""
    return URL(url), USER if came_from is None else named_in(URL(came_from))
