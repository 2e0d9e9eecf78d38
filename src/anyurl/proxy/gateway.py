"""URLs of every other scheme, served over http: the gateway of RFC 1738 section 4.

Rules: resources are fetched by the client of their scheme, under the role's policy; only GET and HEAD are allowed, so
that nothing is put, posted or sent. A listing becomes a page of escaped links, in which no script may run. If the
transfer breaks, so does the response: its last chunk is never written.
"""

from __future__ import annotations

import html
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from anyurl.access import AsyncClient
from anyurl.errors import RefusedError, escape
from anyurl.guard import Policy
from anyurl.proxy.answers import SAFE, Problem
from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.url.fields import form_decoded

if TYPE_CHECKING:
    from anyurl.client.aio_resource import AsyncResource
    from anyurl.dialogue import Entry
    from anyurl.proxy.head import RequestHead
    from anyurl.proxy.state import Asker
    from anyurl.proxy.streams import Flow
    from anyurl.url import URL

OPEN = Policy.open().replace(files=False, services=False, allow_delivery=False, netrc=False)
"""The policy of a report-only role."""

STYLE = "body{font:1em/1.5 sans-serif;margin:2em;max-width:60em}td{padding:0 1em 0 0}.n{text-align:right}"


class HttpGateway:
    """The clients that fetch, one for each policy."""

    def __init__(self) -> None:
        self._clients: dict[Policy, AsyncClient] = {}
        self._users: Counter[AsyncClient] = Counter()

    def forget(self) -> None:
        """Use new clients from now on: the old ones are closed when their transfers are finished."""
        self._clients.clear()

    async def close(self) -> None:
        """Close them all."""
        self.forget()
        await self._close_unused()

    async def serve(self, asker: Asker, request: RequestHead, url: URL, flow: Flow) -> None:
        """Respond with the resource of a URL. Raises Problem, AnyURLError, LimitError."""
        if request.method not in ("GET", "HEAD"):
            raise Problem(405, "method", f"A {url.scheme} URL can only be fetched from here: nothing is sent to it.")
        try:
            client, resource = await self._opened(asker.policy, url)
        except RefusedError as error:
            if not asker.is_reported(error):
                raise
            client, resource = await self._opened(OPEN.replace(limits=asker.policy.limits), url)
        try:
            async with resource:
                await _answer(asker, request, resource, flow)
        finally:
            await self._done(client)

    async def _opened(self, policy: Policy, named: URL) -> tuple[AsyncClient, AsyncResource]:
        url, words = asked(named)
        client = self._clients.get(policy)
        if client is None:
            client = self._clients[policy] = AsyncClient(policy=policy)
        self._users[client] += 1
        try:
            return client, await (client.open(url) if words is None else client.search(url, words))
        except BaseException:
            await self._done(client)
            raise

    async def _done(self, client: AsyncClient) -> None:
        self._users[client] -= 1
        await self._close_unused()

    async def _close_unused(self) -> None:
        kept = self._clients.values()
        for client in [one for one, users in self._users.items() if not users and one not in kept]:
            del self._users[client]
            await client.close()


async def _answer(asker: Asker, request: RequestHead, resource: AsyncResource, flow: Flow) -> None:
    """Write the head and the content."""
    is_page = resource.kind != "document"
    kind = "text/html; charset=utf-8" if is_page else resource.content_type or "application/octet-stream"
    client = asker.client
    chunked = request.minor == 1
    size = None if is_page else resource.size
    lines = [b"HTTP/1.1 200 OK\r\nContent-Type: ", _field(kind), b"\r\n", SAFE, b"Via: ", asker.via, b"\r\n"]
    if resource.modified is not None and not is_page:
        lines += [b"Last-Modified: ", _date(resource.modified), b"\r\n"]
    if size is not None:
        lines += [b"Content-Length: %d\r\n" % size]
    elif chunked:
        lines += [b"Transfer-Encoding: chunked\r\n"]
    lines += [b"Connection: close\r\n\r\n"]
    asker.begin_answer()
    await client.write(b"".join(lines))
    if request.method == "HEAD":
        return
    async for piece in _page(resource) if is_page else resource.iter_bytes():
        flow.count(len(piece))
        if size is not None or not chunked:
            await client.write(piece)
        elif piece:
            await client.write(b"%x\r\n" % len(piece) + piece + b"\r\n")
    if size is None and chunked:
        await client.write(b"0\r\n\r\n")


def _field(text: str) -> bytes:
    """A server's text in a form that is valid in a field."""
    plain = text.encode("ascii", "replace").decode("ascii")
    return "".join(char if " " <= char <= "~" else "?" for char in plain).encode("ascii")


def _date(seconds: float) -> bytes:
    try:
        when = time.gmtime(seconds)
    except (OverflowError, ValueError, OSError):  # a server may send any number
        when = time.gmtime(0)
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    return (
        f"{days[when.tm_wday]}, {when.tm_mday:02} {months[when.tm_mon - 1]} {when.tm_year:04} "
        f"{when.tm_hour:02}:{when.tm_min:02}:{when.tm_sec:02} GMT"
    ).encode("ascii")


async def _page(resource: AsyncResource) -> AsyncIterator[bytes]:
    """A listing or a search form, as a page."""
    title = html.escape(escape(resource.url.masked))
    yield (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f"<h1>{title}</h1>"
    ).encode()
    if resource.kind == "index":
        yield f"<p>This is searched.</p>{form_of(resource.url)}".encode()
    elif resource.kind != "listing":
        yield f"<p>This is a {html.escape(resource.kind)}, which is not opened from here.</p>".encode()
    if resource.kind == "listing":
        yield b"<table>"
        async for entry in resource.entries():
            yield _row(entry)
        yield b"</table>"
    yield b"\n"


def _row(entry: Entry) -> bytes:
    shown = html.escape(escape(entry.title or entry.name))
    if entry.url is not None:
        shown = f'<a href="{html.escape(str(entry.url))}">{shown}</a>'
    size = "" if entry.size is None else f"{entry.size:,}"
    kind = html.escape(escape(entry.kind or ""))
    return f'<tr><td>{kind}<td>{shown}<td class="n">{size}\n'.encode()


# --- searches: the form on the page of an index, and the URL that a browser makes of it ------------------------------


# A form sends a URL that RFC 1738 does not allow, so that no URL has two readings: after the ``%09`` of a gopher search
# there is no bare ``?`` (section 5), and after the ``;`` of a prospero URL a field has its ``=`` (3.11). Browsers of
# the time have only the form ``ISINDEX``, which puts the words after a ``?``, blanks as ``+``.

FIELD = "anyurl-words"
"""The name of the form's field, which begins its query."""

_ENDS = {"gopher": "%09", "gophers": "%09", "prospero": ";", "wais": ""}
"""The separator of the URL of an index and a ``?``; it gives ISINDEX a single reading. WAIS has it by itself (3.9)."""


def asked(url: URL) -> tuple[URL, str | None]:
    """The index that is searched by a URL that a form or ISINDEX made, and the words; else the URL itself and None.

    >>> asked(URL("gopher://h/7idx%09?two+words"))
    (URL('gopher://h/7idx'), 'two words')
    """
    place, mark, query = str(url.without_fragment()).rpartition("?")
    end = _ENDS.get(url.scheme)
    is_form = query.startswith(f"{FIELD}=")
    if not mark or not (is_form or (end and place.endswith(end))):
        return url, None
    words = dict(form_decoded(query if is_form else f"{FIELD}={query}"))[FIELD]
    return URL(place.removesuffix(end or "")), words


def form_of(url: URL) -> str:
    """The search form of an index, as HTML; empty if its scheme has no search."""
    if "search" not in registry.find_scheme(url.scheme).verbs:
        return ""
    end = _ENDS.get(url.scheme)
    place = html.escape(str(url.without_fragment()).partition("?")[0] if url.scheme == "wais" else str(url))
    form = (
        f'<form action="{place}{end or ""}" role="search"><label>Search for <input name="{FIELD}"></label> '
        "<button>Search</button></form>"
    )
    if end is None:
        return form
    return f'{form}<isindex prompt="Search, without a form: " action="{place}{end}">'
