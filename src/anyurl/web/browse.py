"""A URL becomes a page: a table, a text, a picture, a question, or the sentence that says why not.

Rule: it is fetched by the client, under its policy, as what whoever named it may ask for. Octets that a browser shows
by itself (`Browse.octets`) come in a sandbox.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from anyurl.access.save import safe_name
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    LocalFileError,
    NotFoundError,
    PolicyError,
    SchemeError,
    URLSyntaxError,
    escape,
)
from anyurl.grammar import guess
from anyurl.url import URL
from anyurl.values import STRANGER, USER, Provenance
from anyurl.web.documents import TEXT_OCTETS, is_drawn, is_html, is_text, lines_of, links_of, plain
from anyurl.web.listing import COLUMNS, human_date, human_size, kind_of, row_of, sort
from anyurl.web.viewer import Viewer, Wire, following

if TYPE_CHECKING:
    from anyurl.access import AsyncResource
    from anyurl.dialogue import Entry
    from anyurl.web.pages import PageWriter
    from anyurl.web.visits import Visits

SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'self'"
"""For what came from elsewhere: no script, no form, nothing fetched, and an origin that is nobody's."""

FIRST_ROWS, ROWS = 40, 400
"""Rows of one piece of a listing: the first one soon, and then as many as are written at once."""

SHOWN = {"image": "image", "audio": "audio", "video": "video"}
"""What a browser shows within our page, by the first half of its type."""

_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60}", re.ASCII)


class Browse:
    """The pages about a URL.

    Args:
        client: Fetches.
        pages: Writes.
        visits: Remembers what was looked at.
    """

    def __init__(self, client: Viewer, pages: PageWriter, visits: Visits) -> None:
        self._client = client
        self._pages = pages
        self._links = pages.links
        self._visits = visits

    def go(self, text: str) -> Response:
        """What the address bar was told: the person's own word, whatever it may mean."""
        try:
            url = guess(text).url
        except URLSyntaxError as error:
            return self.failure(error, escape(text) if "@" not in text else "")
        self._client.keep_secret(url)
        return RedirectResponse(self._links.to("view", url, USER), 303)

    async def view(self, request: Request) -> Response:
        """The page of a URL."""
        fields = dict(request.query_params)
        wire = Wire()
        url: URL | None = None
        origin = STRANGER
        try:
            url, origin = self._links.read(fields)
            with following(wire):
                words = fields.get("words", "").strip()
                resource = await self._client.open(
                    url, "search" if words else "get", words=words, view=fields.get("as") or None, came_from=origin
                )
        except AnyURLError as error:
            shown = "" if url is None else url.masked
            about = "" if url is None else self._about(url, origin, wire)
            return self.failure(error, shown, about)
        return await self._shown(resource, origin, fields, wire)

    async def _shown(self, resource: AsyncResource, origin: Provenance, fields: dict[str, str], wire: Wire) -> Response:
        url = resource.url
        # Where a redirection has led was named by a server, and not by whoever named its beginning.
        own = origin if not resource.history else resource.content_origin
        title = escape(resource.name or url.name or url.masked)
        self._visits.add(title, self._links.to("view", url, own), url.masked)
        frame: dict[str, Any] = {"address": url.masked, "crumbs": self._pages.crumbs(url, own)}
        values = self._facts(resource, own, wire)
        if resource.kind == "listing":
            body = self._table(resource, own, fields, title, values)
            return self._pages.stream(title, body, **frame)
        try:
            async with resource:
                if resource.kind != "document":
                    return self._pages.page("other", title, resource=resource, hidden=self._links.fields(url, own),
                        words=fields.get("words", ""), **values, **frame)  # fmt: skip
                values["octets"] = self._links.to("octets", url, own)
                major = (resource.type or "").partition("/")[0]
                if major in SHOWN:
                    return self._pages.page("media", title, element=SHOWN[major], **values, **frame)
                data, whole = await _beginning(resource)
        except AnyURLError as error:
            return self.failure(error, url.masked, values["about"])
        if not is_text(resource, data):
            return self._pages.page("download", title, **values, **frame)
        text = resource.decode(data)
        found = links_of(resource, data, text, self._links)
        if is_html(resource, data):
            return self._pages.page("html", title, source=plain(text), found=found, whole=whole, **values, **frame)
        pieces = lines_of(text, found)
        return self._pages.page("text", title, pieces=pieces, whole=whole, drawn=is_drawn(text), **values, **frame)

    def _facts(self, resource: AsyncResource, origin: Provenance, wire: Wire) -> dict[str, Any]:
        return {
            "kind": kind_of(resource.kind, resource.type), "type": escape(resource.type or ""),
            "size": human_size(resource.size), "date": human_date(resource.modified),
            "notes": [escape(note) for note in resource.notes],
            "history": [(escape(hop.url.masked), escape(hop.reason)) for hop in resource.history],
            "about": self._about(resource.url, origin, wire),
        }  # fmt: skip

    def _about(self, url: URL, origin: Provenance, wire: Wire) -> str:
        return self._links.to("about", url, origin, wire=self._visits.keep(wire))

    async def _table(
        self, resource: AsyncResource, origin: Provenance, fields: dict[str, str], title: str, values: dict[str, Any]
    ) -> AsyncIterator[bytes]:
        column, down = fields.get("sort", ""), fields.get("down") == "1"
        heads = [
            (name, column == name, down, self._links.to(
                "view", resource.url, origin, sort=name, down="1" if column == name and not down else "",
                words=fields.get("words", ""),
            ))
            for name in COLUMNS
        ]  # fmt: skip
        yield self._pages.render("table", title=title, heads=heads, **values)
        count, fault = 0, None
        try:
            async with resource:
                async for rows in self._batches(resource, column, down):
                    count += len(rows)
                    yield self._pages.render("rows", rows=[row_of(entry, self._links) for entry in rows])
        except AnyURLError as error:
            fault = str(error)
        yield self._pages.render("end", count=count, fault=fault, notes=[escape(one) for one in resource.notes])

    async def _batches(self, resource: AsyncResource, column: str, down: bool) -> AsyncIterator[list[Entry]]:
        rows: list[Entry] = []
        most = FIRST_ROWS
        async for entry in resource.entries():
            rows.append(entry)
            if len(rows) >= most and column not in COLUMNS:
                yield rows
                rows, most = [], ROWS
        if column in COLUMNS:
            rows = sort(rows, column, down)
        for start in range(0, len(rows), ROWS):
            yield rows[start : start + ROWS]

    async def octets(self, request: Request) -> Response:
        """What a URL designates, as it came."""
        fields = dict(request.query_params)
        try:
            url, origin = self._links.read(fields)
            resource = await self._client.open(url, came_from=origin)
        except AnyURLError as error:
            return self.failure(error, "")
        type = resource.type if resource.type is not None and _TYPE.fullmatch(resource.type) else None
        headers = {"content-security-policy": SANDBOX, "referrer-policy": "no-referrer"}
        if resource.size is not None:
            headers["content-length"] = str(resource.size)
        if type is None or "save" in fields:
            headers["content-disposition"] = f'attachment; filename="{_file_name(resource)}"'
        if type is not None and type.startswith("text/"):
            type += f"; charset={resource.charset}" if re.fullmatch(r"[\w.:-]{1,40}", resource.charset or "") else ""

        async def body() -> AsyncIterator[bytes]:
            async with resource:
                async for piece in resource.iter_bytes():
                    yield piece

        answer = StreamingResponse(body(), headers=headers)
        answer.headers["content-type"] = type or "application/octet-stream"
        return answer

    def failure(self, error: AnyURLError, address: str, about: str = "") -> Response:
        """The page that says what went wrong."""
        code = getattr(getattr(error, "verdict", None), "code", "")
        return self._pages.page(
            "failure", _heading(error), status=_status(error), address=address, sentence=str(error), code=code,
            about=about,
        )  # fmt: skip


async def _beginning(resource: AsyncResource) -> tuple[bytes, bool]:
    """What of a document is shown as a text, and whether that is all of it."""
    data = bytearray()
    async for piece in resource.iter_bytes():
        data += piece
        if len(data) > TEXT_OCTETS:
            return bytes(data[:TEXT_OCTETS]), False
        if b"\0" in piece:
            return bytes(data), False
    return bytes(data), True


def _file_name(resource: AsyncResource) -> str:
    try:
        name = safe_name(resource.name or resource.url.name or "index")
    except LocalFileError:
        name = "index"
    return re.sub(r'[^\x20-\x7e]|["\\]', "_", name)


def _heading(error: AnyURLError) -> str:
    for kind, heading in _HEADINGS.items():
        if isinstance(error, kind):
            return heading
    return "It could not be got"


_HEADINGS: dict[type[AnyURLError], str] = {
    URLSyntaxError: "This is not a URL", SchemeError: "This scheme can't do that", PolicyError: "This is not done",
    NotFoundError: "There is no such thing", AuthRequiredError: "It wants a login",
    LocalFileError: "This file can't be read",
}  # fmt: skip


def _status(error: AnyURLError) -> int:
    for kind, status in ((URLSyntaxError, 400), (SchemeError, 501), (PolicyError, 403), (NotFoundError, 404)):
        if isinstance(error, kind):
            return status
    return 502
