"""The page of a URL: a table, a text, a picture, a form, or an error message.

Rule: the client fetches it under its policy, with the origin of the link. Octets that the browser shows itself are
served by `anyurl.web.octets`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from anyurl.client.sizes import human_size
from anyurl.client.texts import is_html, is_text, read_beginning
from anyurl.errors import (
    AnyURLError,
    AuthRequiredError,
    ConnectError,
    LimitError,
    LocalFileError,
    LocalProtocolError,
    NotFoundError,
    PolicyError,
    ReplyError,
    SchemeError,
    SecretNeededError,
    UnknownSchemeError,
    URLSyntaxError,
    escape,
)
from anyurl.errors.reasons import sentence_of
from anyurl.grammar import guess
from anyurl.grammar.prefixes import is_known
from anyurl.guard.hops import named_in
from anyurl.schemes.kit.lines import capital
from anyurl.schemes.kit.scheme import WAITS
from anyurl.schemes.mailto.parts import MailtoParts
from anyurl.url import URL
from anyurl.url.fields import form_decoded
from anyurl.url.masking import login_span
from anyurl.url.stored import is_echo
from anyurl.url.syntax import FTP
from anyurl.values import STRANGER, USER, Provenance
from anyurl.web.about import who
from anyurl.web.article import TYPES as ARTICLES
from anyurl.web.article import values_of as article_values
from anyurl.web.documents import TEXT_OCTETS, is_drawn, lines_of, links_of, plain
from anyurl.web.gemtext import TYPE as GEMTEXT
from anyurl.web.gemtext import blocks_of
from anyurl.web.links import Links
from anyurl.web.listing import (
    ADDITIONS,
    COLUMNS,
    ORDERS,
    THREADS,
    human_date,
    is_group,
    is_searched,
    kind_of,
    row_of,
    sort,
    sorts_of,
    threaded,
)
from anyurl.web.viewer import Viewer, Wire, following

if TYPE_CHECKING:
    from anyurl.access import AsyncResource
    from anyurl.dialogue import Entry
    from anyurl.web.pages import PageWriter
    from anyurl.web.visits import Visits

FIRST_ROWS, ROWS = 40, 400
"""Rows of one piece of a listing: the first piece is small, so that it appears soon."""

SHOWN = {"image": "image", "audio": "audio", "video": "video"}
"""The element that shows a document within our page, by its major type."""


class Browse:
    """The pages about a URL.

    Args:
        client: The client that fetches.
        pages: Writes the pages.
        visits: Records the visited pages.
    """

    def __init__(self, client: Viewer, pages: PageWriter, visits: Visits) -> None:
        self._client = client
        self._pages = pages
        self._links = pages.links
        self._visits = visits

    def go(self, text: str) -> Response:
        """Redirect to the page of the URL that a text in the address bar means; its origin is the person."""
        try:
            url = guess(text).url
        except URLSyntaxError as error:
            return self.failure(error, escape(text) if "@" not in text else "")
        self._client.keep_secret(url)
        if not is_known(url.scheme) and login_span(text) is not None:
            # It would appear in the links of the page about its unknown scheme.
            return self.failure(LocalProtocolError("A login needs a scheme before it, as in ftp://user@host."), "")
        return RedirectResponse(self._links.to("view", url, USER), 303)

    async def view(self, request: Request) -> Response:
        """The page of a URL."""
        return await self._opened(dict(request.query_params))

    async def index(self, request: Request) -> Response:
        """The page of a search by ``ISINDEX``, with a link as the path (`Links.index`) and only words in the query."""
        # It is answered at once: lynx follows no redirect from here.
        words = dict(form_decoded(f"words={request.url.query}"))["words"]
        return await self._opened({**request.path_params, "words": words})

    async def _opened(self, fields: dict[str, str]) -> Response:
        wire = Wire()
        url: URL | None = None
        origin = STRANGER
        try:
            url, origin = self._links.read(fields)
            with following(wire):
                words = fields.get("words", "").strip()
                match = fields.get("match") or None if words else None
                resource = await self._client.open(
                    url, "search" if words else "get", words=words, match=match, view=fields.get("as") or None,
                    came_from=origin,
                )  # fmt: skip
        except AnyURLError as error:
            shown = "" if url is None else url.masked
            about = "" if url is None else self._about(url, origin, wire)
            return self.failure(error, shown, about, url, origin)
        if any(hop.reason.isdigit() for hop in resource.history):  # these words were not meant for a redirect's target
            fields |= {"words": "", "match": ""}
        return await self.shown(resource, origin, fields, wire)

    async def shown(
        self, resource: AsyncResource, origin: Provenance, fields: Mapping[str, str], wire: Wire, *, once: bool = False
    ) -> Response:
        """The page of an opened resource.

        Args:
            origin: Who named the requested URL.
            once: It answers something that was sent, so it can't be fetched again and is not put into the history.
        """
        url = resource.url
        # The target of a redirect was named by a server, not by the origin of the first URL.
        own = origin if not resource.history else resource.content_origin
        title = title_of(resource)
        if not once:
            self._remember(title, resource, origin, own)
        frame: dict[str, Any] = {"address": url.masked, "crumbs": self._pages.crumbs(url, own, title)}
        values = self._facts(resource, own, wire)
        if resource.kind == "listing":
            body = self._table(resource, own, fields, title, values)
            return self._pages.stream(title, body, **frame)
        try:
            async with resource:
                if resource.kind != "document":
                    name, more = self._unread(resource, own, fields)
                    return self._pages.page(name, title, **more, **values, **frame)
                more = {"as": fields.get("as", "")}
                values["octets"] = "" if once else self._links.to("octets", url, own, **more)
                major = (resource.type or "").partition("/")[0]
                if major in SHOWN and not once:
                    return self._pages.page("media", title, element=SHOWN[major], **values, **frame)
                data, whole = await read_beginning(resource, TEXT_OCTETS)
                values["notes"] = notes_of(resource)
            return self._document(resource, own, data, whole, title, values, frame)
        except AnyURLError as error:
            return self.failure(error, url.masked, values["about"])

    def _remember(self, title: str, resource: AsyncResource, origin: Provenance, own: Provenance) -> None:
        """Add a page to the history; in place of a URL with a server's echo of a password, the one that led there."""
        url = resource.url
        if is_echo(url) and resource.history:
            url, own = resource.history[0].url, origin
        if not is_echo(url):
            self._visits.history.add(title, url, own)

    def _document(
        self,
        resource: AsyncResource,
        origin: Provenance,
        data: bytes,
        whole: bool,
        title: str,
        values: dict[str, Any],
        frame: dict[str, Any],
    ) -> Response:
        """The page of a document. Raises AnyURLError for an article that can't be parsed."""
        if resource.type in ARTICLES and whole:
            more = article_values(data, resource.url, origin, resource.content_origin, self._links)
            text = more.pop("body")
            found = links_of(resource, text.encode("utf-8", "surrogateescape"), text, self._links)
            return self._pages.page(
                "article", more.pop("subject") or title, pieces=lines_of(text, found), drawn=is_drawn(text), **more,
                **values, **frame,
            )  # fmt: skip
        if not is_text(resource, data):
            return self._pages.page("download", title, **values, **frame)
        text = resource.decode(data)
        found = links_of(resource, data, text, self._links)
        if is_html(resource, data):
            return self._pages.page("html", title, source=plain(text), found=found, whole=whole, **values, **frame)
        if resource.type == GEMTEXT:
            return self._pages.page("gemtext", title, blocks=blocks_of(text, found), whole=whole, **values, **frame)
        pieces = lines_of(text, found)
        return self._pages.page("text", title, pieces=pieces, whole=whole, drawn=is_drawn(text), **values, **frame)

    def _unread(
        self, resource: AsyncResource, origin: Provenance, fields: Mapping[str, str]
    ) -> tuple[str, dict[str, Any]]:
        """The template for a resource without content, and its values."""
        hidden = self._links.fields(resource.url, origin)
        attributes: Mapping[str, Any] = resource.attributes
        form, parts = resource.form, resource.url.parts
        if form is not None:
            numbers = count()
            asked = [(next(numbers) if question.wants_answer else None, question) for question in form.questions]
            verdict = self._client.policy.judge_form(resource.url)  # before the person fills it in, in vain
            refused = "" if verdict.allowed else capital(f"{verdict.message}.")
            return "ask", {"hidden": hidden, "questions": asked, "refused": refused}
        if isinstance(parts, MailtoParts):
            said = {name.lower(): value for name, value in parts.headers}
            return "mailbox", {
                "hidden": hidden,
                "recipients": escape(", ".join(parts.recipients)),
                "body": said.get("body", ""),
                "subject": said.get("subject", ""),
                "server": self._client.mail_server,
            }
        if resource.kind == "service":
            return "service", {"there": resource.url.masked, "hidden": hidden, "who": "" if origin.own else who(origin)}
        helps = attributes.get("help", ())
        led = [
            (escape(str(one["title"])), self._links.to("view", URL(one["url"]), resource.content_origin))
            for one in helps
        ]
        description = escape(str(attributes.get("description", "")))
        return "other", {
            **self._search(resource.url, origin, fields),
            "asks": escape(str(attributes.get("prompt", ""))),
            "help": led,
            "description": description,
        }

    def _search(self, url: URL, origin: Provenance, fields: Mapping[str, str]) -> dict[str, Any]:
        """The values of a search form: the words and the kind of match of the current search."""
        return {
            "asks": "", "words": fields.get("words", ""), "match": fields.get("match", ""), "sorts": sorts_of(url),
            "hidden": self._links.fields(url, origin), "index": self._links.index(url, origin),
        }  # fmt: skip

    def _facts(self, resource: AsyncResource, origin: Provenance, wire: Wire) -> dict[str, Any]:
        return {
            "kind": kind_of(resource.kind, resource.type, resource.url),
            "type": escape(resource.type or ""),
            "size": human_size(resource.size),
            "date": human_date(resource.modified),
            "notes": notes_of(resource),
            "history": [(escape(hop.url.masked), escape(hop.reason)) for hop in resource.history],
            "about": self._about(resource.url, origin, wire),
            "kept": self._links.fields(resource.url, origin),
            "compose": self._compose(resource, origin),
            "threads": self._links.to("view", resource.url, origin, sort=THREADS) if is_group(resource) else "",
        }

    def _compose(self, resource: AsyncResource, origin: Provenance) -> tuple[str, str] | None:
        """The action that adds to a listing, and the link to its form; None if nothing can."""
        name = ""
        if is_group(resource):
            name = ADDITIONS["post"]
        elif resource.kind == "listing" and resource.url.scheme in FTP:
            name = ADDITIONS["upload"]
        return (name, self._links.to("compose", resource.url, origin)) if name else None

    def _about(self, url: URL, origin: Provenance, wire: Wire) -> str:
        return self._links.to("about", url, origin, wire=self._visits.wires.keep(wire))

    async def _table(
        self,
        resource: AsyncResource,
        origin: Provenance,
        fields: Mapping[str, str],
        title: str,
        values: dict[str, Any],
    ) -> AsyncIterator[bytes]:
        column, down = fields.get("sort", ""), fields.get("down") == "1"
        heads = [
            (name, column == name, down, self._links.to(
                "view", resource.url, origin, sort=name, down="1" if column == name and not down else "",
                words=fields.get("words", ""), match=fields.get("match", ""),
            ))
            for name in COLUMNS
        ]  # fmt: skip
        asked = self._search(resource.url, origin, fields) if is_searched(resource) else {"hidden": None}
        yield self._pages.render("table", title=title, heads=heads, **asked, **values)
        lines, number, sized, dated, fault = 0, 0, False, False, None
        try:
            async with resource:
                async for rows in self._batches(resource, column, down):
                    shown = [row_of(entry, self._links, depth) for entry, depth in rows]
                    number += sum(row.kind != "" for row in shown)
                    sized, dated = sized or any(row.size for row in shown), dated or any(row.date for row in shown)
                    further = lines >= FIRST_ROWS + ROWS
                    cells = [row.cells for row in shown]
                    yield self._pages.render("rows", rows=cells, further=further, title=title, columns=COLUMNS)
                    lines += len(rows)
        except AnyURLError as error:
            fault = sentence_of(error)
        notes = notes_of(resource)
        yield self._pages.render("end", lines=lines, count=number, sized=sized, dated=dated, fault=fault, notes=notes)

    async def _batches(
        self, resource: AsyncResource, column: str, down: bool
    ) -> AsyncIterator[list[tuple[Entry, int]]]:
        """The entries in batches, each with its indentation; to be sorted, they are collected first."""
        rows: list[tuple[Entry, int]] = []
        most = FIRST_ROWS
        async for entry in resource.entries():
            rows.append((entry, 0))
            if len(rows) >= most and column not in ORDERS:
                yield rows
                rows, most = [], ROWS
        if column in COLUMNS:
            rows = [(entry, 0) for entry in sort([entry for entry, _ in rows], column, down)]
        elif column == THREADS:
            rows = threaded([entry for entry, _ in rows])
        for start in range(0, len(rows), ROWS):
            yield rows[start : start + ROWS]

    def failure(
        self,
        error: AnyURLError,
        address: str,
        about: str = "",
        url: URL | None = None,
        origin: Provenance = STRANGER,
        pending: str = "",
    ) -> Response:
        """The page of an error.

        Args:
            url: The requested URL, if a login may help.
            origin: Who named it: only the person's own URLs are offered a login.
            pending: The token of the upload that waits for the login.
        """
        asks = url is not None and url.scheme == "gemini"
        # From 60 on gemini wants a certificate, which no form gives.
        wants = isinstance(error, AuthRequiredError | SecretNeededError) and not (
            asks and getattr(error, "code", 0) >= 60
        )
        login = None if not wants or url is None or not origin.own else self._links.fields(url, origin)
        if login is not None:
            login = {**login, "pending": pending}
        code = getattr(getattr(error, "verdict", None), "code", "")
        title = "The server asks a question" if asks and wants else heading(error)
        sentence = sentence_of(error) if login is None else without_advice(sentence_of(error))
        return self._pages.page(
            "failure", title, status=status_of(error), address=address, code=code,
            sentence=below_heading(sentence, title), about=about, login=login, asks=asks,
            led=wants and login is None and url is not None, user="" if url is None else url.user or "",
            target=_target_of(self._links, error, url),
        )  # fmt: skip


def _target_of(links: Links, error: AnyURLError, url: URL | None) -> dict[str, str]:
    """The refused URL that a server has led to, as a link of that server's page: a person may follow it."""
    shown = getattr(error, "target", None)
    try:
        return (
            {} if shown is None or url is None else {"text": shown, "link": links.to("view", URL(shown), named_in(url))}
        )
    except AnyURLError:
        return {}


def title_of(resource: AsyncResource) -> str:
    """The title of a page: the name of the resource, or its URL if that has no letter or digit (``*``: all groups)."""
    name = resource.name or resource.url.name
    return escape(name) if any(char.isalnum() for char in name) else resource.url.masked


def notes_of(resource: AsyncResource) -> list[str]:
    """The notes on a resource; reading its content may add to them. That it waits for words, its form shows."""
    return [escape(note) for note in resource.notes if not note.startswith(WAITS)]


# --- failures --------------------------------------------------------------------------------------------------------


def heading(error: AnyURLError) -> str:
    """The heading of the page of an error."""
    for kind, heading in _HEADINGS.items():
        if isinstance(error, kind):
            return heading
    return "The transfer failed"


_HEADINGS: dict[type[AnyURLError], str] = {
    URLSyntaxError: "This is not a URL", UnknownSchemeError: "This scheme is not known",
    SchemeError: "This scheme can't do that", NotFoundError: "Not found",
    AuthRequiredError: "A login is needed", SecretNeededError: "A login is needed", LimitError: "A limit was reached",
    PolicyError: "Refused", LocalFileError: "This file can't be read", LocalProtocolError: "This can't be done",
    ConnectError: "No connection", ReplyError: "The server said no",
}  # fmt: skip


def below_heading(sentence: str, title: str) -> str:
    """A sentence without a beginning that repeats the heading."""
    rest = sentence.removeprefix(f"{title}: ")
    return sentence if rest == sentence else rest[:1].upper() + rest[1:]


def without_advice(sentence: str) -> str:
    """A sentence without advice about terminals, netrc or the URL: the form below it asks for the login."""
    return _ADVICE.sub(".", sentence)


_ADVICE = re.compile(
    "(?:; write the user into the URL|; no password was given: an entry for"
    "|, and neither netrc nor a terminal can give).*"
)


def status_of(error: AnyURLError) -> int:
    """The HTTP status of the page of an error."""
    for kind, status in _STATUSES.items():
        if isinstance(error, kind):
            return status
    return 502


_STATUSES: dict[type[AnyURLError], int] = {
    URLSyntaxError: 400, LocalProtocolError: 400, SchemeError: 501, PolicyError: 403, NotFoundError: 404,
}  # fmt: skip
