"""Our own pages, made from templates with automatic escaping.

Rule: no page has an inline script or style; all of them work without the script that enhances some of them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from anyurl.errors import URLSyntaxError, escape
from anyurl.url import URL
from anyurl.url.echoes import hidden_in
from anyurl.url.lookalike import find_lookalike
from anyurl.values import Provenance
from anyurl.web.links import Links
from anyurl.web.streams import Streamed

DATA = Path(__file__).resolve().parent / "data"


class Crumb(NamedTuple):
    """A breadcrumb: a folder above a URL, or its host.

    Attributes:
        name: The text of the link.
        href: Our page about it.
    """

    name: str
    href: str


class PageWriter:
    """Makes the pages of one server.

    Args:
        links: Writes their links.
        key: The secret that each form sends, so that no other page can send it.
    """

    def __init__(self, links: Links, key: str) -> None:
        self.links: Links = links
        self._environment = Environment(
            loader=FileSystemLoader(DATA), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True, auto_reload=False,
        )  # fmt: skip
        self._environment.globals.update(base=links.base, key=key)
        self._foot = self.render("foot")

    def render(self, name: str, **values: Any) -> bytes:
        """Render one template, encoded."""
        text = self._environment.get_template(f"{name}.html").render(**values)
        return text.encode("utf-8", "backslashreplace")

    def page(
        self,
        name: str,
        title: str,
        *,
        status: int = 200,
        address: str = "",
        crumbs: Iterable[Crumb] = (),
        **values: Any,
    ) -> HTMLResponse:
        """A whole page: head, this template, foot."""
        head = self._head(title, address, list(crumbs))
        return HTMLResponse(head + self.render(name, title=title, **values) + self._foot, status)

    def stream(self, title: str, body: AsyncIterator[bytes], *, address: str, crumbs: list[Crumb]) -> Streamed:
        """A page whose content is sent piece by piece."""

        async def whole() -> AsyncIterator[bytes]:
            yield self._head(title, address, crumbs)
            async for piece in body:
                yield piece
            yield self._foot

        return Streamed(whole(), media_type="text/html")

    def _head(self, title: str, address: str, crumbs: list[Crumb]) -> bytes:
        """The head of a page: the address, with a warning if its host may be mistaken for another one."""
        try:
            reason = find_lookalike(URL(address).host or "")
        except URLSyntaxError:
            reason = None
        return self.render("head", title=title, address=address, crumbs=crumbs, lookalike=reason)

    def crumbs(self, url: URL, origin: Provenance, title: str = "") -> list[Crumb]:
        """The breadcrumbs of a URL: its host, and the folders above it if its scheme has folders.

        Args:
            title: The name of the last one if the scheme has no folders, since the end of such a URL may be anything.
        """
        found: list[Crumb] = []

        def add(name: str, there: URL) -> None:
            found.append(Crumb(escape(hidden_in(url, name)), self.links.to("view", there, origin)))

        try:
            if url.host and url.scheme not in ("file", "telnet"):
                place = (url.authority or "").rpartition("@")[2]
                add(f"{url.scheme}://{place}", url.replace(path="/", query=None, fragment=None))
            if url.scheme in HIERARCHIES:
                if url.scheme == "file":
                    add("file:///", url.replace(path="/"))
                names = [name for name in url.path.split("/") if name]
                for count, name in enumerate(names[:-1], 1):
                    add(name, url.replace(path="/" + "/".join(names[:count]) + "/", query=None, fragment=None))
                if names:
                    add(names[-1], url)
            elif not found or url.path not in ("", "/"):
                add(title or url.name or url.path.strip("/") or url.masked, url)
        except (URLSyntaxError, ValueError):  # no valid URL of its scheme designates such a folder
            pass
        return found


HIERARCHIES = frozenset({"ftp", "ftps", "http", "https", "file"})
"""Schemes whose paths consist of folders."""
