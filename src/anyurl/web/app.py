"""The web application and its routes.

Rule: every request that changes or sends something is a POST with the key that only our own forms have.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import python_multipart  # noqa: F401  # parses forms with a file; starlette reports only later that it is missing
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from anyurl.errors import AnyURLError, escape
from anyurl.errors.reasons import fault_of
from anyurl.url import URL
from anyurl.url.masking import without_secret
from anyurl.values import STRANGER, USER, Provenance, Value
from anyurl.web.about import explained
from anyurl.web.browse import Browse
from anyurl.web.forms import Forms
from anyurl.web.gate import Entrance
from anyurl.web.links import Links
from anyurl.web.octets import OctetPages
from anyurl.web.pages import DATA, PageWriter
from anyurl.web.terminal import Terminals
from anyurl.web.viewer import Viewer
from anyurl.web.visits import SeenPage, Visits

if TYPE_CHECKING:
    from starlette.types import ASGIApp

FORM_SECONDS = 20.0
"""The time for the content of a form, which comes from this machine."""

MAX_FIELDS = 20
"""The most fields of a form with a file."""

EXAMPLES = (
    "gopher://gopher.floodgap.com/",
    "ftp://ftp.gnu.org/gnu/",
    "https://www.rfc-editor.org/rfc/rfc1738",
    "news:comp.infosystems",
    "telnet://towel.blinkenlights.nl",
)
"""The suggestions on the start page if the history is empty."""

Endpoint = Callable[[Request, Mapping[str, str]], Awaitable[Response]]


class StartPlace(Value):
    """A place that the start page links to.

    Attributes:
        name: The text of the link.
        url: Its target.
    """

    name: str
    url: URL


class WebGateway:
    """One gateway: its pages, and the application that serves them.

    Args:
        client: The client that fetches, under its policy.
        sender: The client that sends content with the user's consent.
        places: The person's own places, for the start page.
        handed: A URL that another program asks to open; it always counts as a stranger's.
        visits: The history and the bookmarks; kept in memory only if None.
        first: The user's own URL, whose page is opened first; the start page if None.
    """

    def __init__(
        self,
        client: Viewer,
        sender: Viewer,
        places: Iterable[StartPlace] = (),
        handed: URL | None = None,
        visits: Visits | None = None,
        first: URL | None = None,
    ) -> None:
        self.base: str = f"/{secrets.token_hex(8)}/"
        self.token: str = secrets.token_urlsafe(24)
        self._key = secrets.token_urlsafe(24)
        self._client = client
        self._places = tuple(places)
        self._handed = handed
        self._links = Links(self.base)
        self._first = "" if first is None else self._links.to("view", first, USER)
        self._pages = PageWriter(self._links, self._key)
        self._visits = Visits() if visits is None else visits
        self._browse = Browse(client, self._pages, self._visits)
        self._octets = OctetPages(client, self._links, self._browse)
        self._forms = Forms(client, sender, self._pages, self._browse)
        self._terminals = Terminals(client, self._pages, self._browse)

    def app(self, hosts: Iterable[str]) -> ASGIApp:
        """The ASGI application.

        Args:
            hosts: The values of Host that the server accepts, with the port.
        """
        browse, forms = self._browse, self._forms
        routes = [
            Route("/", self._start),
            Route("/go", self._posted(self._go), methods=["POST"]),
            Route("/keep", self._posted(self._keep), methods=["POST"]),
            Route("/forget", self._posted(self._forget), methods=["POST"]),
            Route("/clear", self._posted(self._clear), methods=["POST"]),
            Route("/view", browse.view),
            Route("/index/{o}/{s}/{u:path}", browse.index),
            Route("/octets", self._octets.octets),
            Route("/about", self._about),
            Route("/compose", forms.compose),
            Route("/attributes", self._attributes),
            *(
                Route(f"/{endpoint.__name__}", self._posted(endpoint), methods=["POST"])
                for endpoint in (
                    forms.mail,
                    forms.post,
                    forms.upload,
                    forms.answer,
                    forms.send,
                    forms.login,
                    self._terminals.terminal,
                )
            ),
            WebSocketRoute("/session", self._terminals.session),
            Route("/explain", self._explain),
            Route("/explain", self._posted(self._explained), methods=["POST"]),
            Mount("/static", _OwnFiles(directory=DATA / "static")),
        ]
        app = Starlette(routes=[Mount(self.base[:-1], routes=routes)], exception_handlers={Exception: _faulty})
        return Entrance(app, self.base, hosts, self.token, self._first)

    def _posted(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """Wrap an endpoint so that only our own forms reach it; it is called with their fields."""

        async def checked(request: Request) -> Response:
            try:
                async with asyncio.timeout(FORM_SECONDS):
                    body = await request.body()
            except (ClientDisconnect, TimeoutError):
                return PlainTextResponse("The form did not arrive in time.\n", 408)
            try:
                if request.headers.get("content-type", "").startswith("multipart/form-data"):
                    form = await request.form(max_files=1, max_fields=MAX_FIELDS)
                    fields = {name: value for name, value in form.items() if isinstance(value, str)}
                else:
                    fields = dict(QueryParams(body))
                if not hmac.compare_digest(fields.get("key", "").encode(), self._key.encode()):
                    return PlainTextResponse("This form does not belong to this gateway.\n", 403)
                return await endpoint(request, fields)
            finally:
                await request.close()  # the file of a form

        return checked

    async def _start(self, request: Request) -> Response:
        places = [(place.name, place.url.masked, self._links.to("view", place.url, USER)) for place in self._places]
        examples = [(text, text, self._links.to("view", URL(text), USER)) for text in EXAMPLES]
        handed = None
        if self._handed is not None:
            handed = (self._handed.masked, self._links.to("view", self._handed, STRANGER))
        visits = self._visits
        return self._pages.page(
            "start", "Start", handed=handed, places=places, examples=examples,
            bookmarks=[(*self._shown(page), self._links.fields(page.url, page.origin))
                       for page in visits.bookmarks.latest()],
            visits=[self._shown(page) for page in visits.history.latest()],
            notes=[fault for fault in (visits.bookmarks.fault, visits.history.fault) if fault],
        )  # fmt: skip

    def _shown(self, page: SeenPage) -> tuple[str, str, str]:
        return page.title, page.url.masked, self._links.to("view", page.url, page.origin)

    async def _keep(self, request: Request, fields: Mapping[str, str]) -> Response:
        try:
            url, origin = self._links.read(fields)
        except AnyURLError as error:
            return self._browse.failure(error, "")
        self._visits.bookmarks.add(fields.get("title", "") or url.masked, url, origin)
        return self._to_start()

    async def _forget(self, request: Request, fields: Mapping[str, str]) -> Response:
        try:
            self._visits.bookmarks.remove(self._links.read(fields)[0])
        except AnyURLError as error:
            return self._browse.failure(error, "")
        return self._to_start()

    async def _clear(self, request: Request, fields: Mapping[str, str]) -> Response:
        self._visits.history.clear()
        return self._to_start()

    def _to_start(self) -> Response:
        return RedirectResponse(self.base, 303)

    async def _go(self, request: Request, fields: Mapping[str, str]) -> Response:
        return self._browse.go(fields.get("u", ""))

    async def _about(self, request: Request) -> Response:
        fields = dict(request.query_params)
        try:
            url, origin = self._links.read(fields)
        except AnyURLError as error:
            return self._browse.failure(error, "")
        return self._pages.page(
            "about", "About this URL", address=url.masked, wire=self._visits.wires.get(fields.get("wire", "")),
            attributes=self._links.to("attributes", url, origin), text=url.masked,
            crumbs=self._pages.crumbs(url, origin), **explained(url.masked, self._client.policy, origin),
        )  # fmt: skip

    async def _attributes(self, request: Request) -> Response:
        url: URL | None = None
        try:
            url, origin = self._links.read(dict(request.query_params))
            async with await self._client.open(url, "stat", came_from=origin) as resource:
                facts, notes = resource.attributes, [escape(note) for note in resource.notes]
        except AnyURLError as error:
            return self._browse.failure(error, "" if url is None else url.masked)
        return self._pages.page(
            "attributes", "Attributes", address=url.masked, crumbs=self._pages.crumbs(url, origin), pairs=flat(facts),
            views=views_of(facts, url, origin, self._links), notes=notes,
        )  # fmt: skip

    async def _explain(self, request: Request) -> Response:
        return self._pages.page("explain", "Explain", text="", masked=False, explained=None)

    async def _explained(self, request: Request, fields: Mapping[str, str]) -> Response:
        text = fields.get("text", "").strip()
        shown = without_secret(text)
        return self._pages.page(
            "explain",
            "Explain",
            text=shown,
            masked=shown != text,
            explained=explained(text, self._client.policy) if text else None,
        )


class _OwnFiles(StaticFiles):
    """The styles, scripts and icons of the pages. A browser keeps them: no other gateway has the same path."""

    def file_response(self, *given: Any, **named: Any) -> Response:
        answer = super().file_response(*given, **named)
        answer.headers["cache-control"] = "private, max-age=86400"
        return answer


async def _faulty(request: Request, error: Exception) -> Response:
    """The page of an unexpected error: no traceback reaches the terminal."""
    return PlainTextResponse(f"{fault_of(error)}. Please report it with the URL.\n", 500)


# --- attributes: as the server sent them, escaped --------------------------------------------------------------------


MAX_SHOWN = 500
"""The most values of one resource."""

MAX_DEPTH = 6


def views_of(attributes: Mapping[str, Any], url: URL, origin: Provenance, links: Links) -> list[tuple[str, str]]:
    """The alternative representations of a resource (RFC 1738 3.4.8), each with a link to our page of it."""
    found: list[tuple[str, str]] = []
    for view in attributes.get("views", ()):
        if isinstance(view, Mapping) and view.get("type"):
            name = " ".join(str(view[key]) for key in ("type", "language") if view.get(key))
            size = f" ({view['size']})" if view.get("size") else ""
            found.append((escape(name + size), links.to("view", url, origin, **{"as": name})))
    return found[:MAX_SHOWN]


def flat(attributes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """All attributes as pairs of a name and a value; a nested one has the names of the outer ones in front."""
    found: list[tuple[str, str]] = []
    for pair in _pairs("", attributes, 0):
        if len(found) == MAX_SHOWN:
            break
        found.append(pair)
    return found


def _pairs(name: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(f"{name} {key}".strip(), inner, depth + 1)
    elif isinstance(value, list | tuple):
        if all(not isinstance(one, Mapping | list | tuple) for one in value):
            yield escape(name), escape(", ".join(map(str, value)))
        else:
            for one in value:
                yield from _pairs(name, one, depth + 1)
    elif value not in (None, ""):
        yield escape(name), "\n".join(escape(line) for line in str(value).splitlines())
