"""The links of a page, as the listing of an http URL (RFC 1738 3.3).

Rule: http has no directories; a server shows a page instead. The entries of the listing are the links of that page, and
they count as named by the document, not by the server.
"""

from __future__ import annotations

from collections.abc import Iterable

from anyurl.dialogue import Describe, Dialogue, Emit, Entry, GiveWay, Receive, Response, Steps
from anyurl.errors import PeerText, UnsupportedError
from anyurl.schemes.http.answers import description, response_error
from anyurl.schemes.http.outcome import REDIRECTIONS, check_whole, follow
from anyurl.schemes.kit.ends import tell_end
from anyurl.schemes.kit.scheme import NO_URL
from anyurl.text.found import Found
from anyurl.text.kinds import MALFORMED
from anyurl.text.page import PageLinks
from anyurl.text.readers.registry import of_type
from anyurl.text.source import LEAST_PIECE
from anyurl.url import URL
from anyurl.url.cut import percent_decode
from anyurl.url.masking import mask

BATCH = 200
"""Entries per batch."""


def links_of(url: URL, response: Response) -> Dialogue:
    """The links of the page in a response.

    Raises:
        ReplyError: The response is an error.
        UnsupportedError: Its content is not of a type with links.
        Truncated: The page is incomplete.
    """
    if response.status in REDIRECTIONS:
        return (yield from follow(url, response))
    if not 200 <= response.status < 300:
        raise response_error(url, response)
    check_whole(response)
    page = description(response)
    format = of_type(page.type or "text/html")
    if not format:
        what = f"{url.masked} is not a page with links ({PeerText(page.type or '')}): use get."
        raise UnsupportedError(what, scheme=url.scheme, verb="list")
    yield from Describe(
        "listing", page.type, modified=page.modified, etag=page.etag, attributes=page.attributes, headers=page.headers
    )
    charset = page.attributes.get("charset")
    yield from _emit(
        url, response, PageLinks(url, format, charset if isinstance(charset, str) else None, malformed=True)
    )
    return None


def _emit(url: URL, response: Response, links: PageLinks) -> Steps[None]:
    while piece := (yield from Receive(response.body, LEAST_PIECE)):
        yield from _hand_over(url, links.accept(piece))
        yield from GiveWay()
    yield from _hand_over(url, links.finish())
    yield from tell_end(response.body)


def _hand_over(page: URL, links: Iterable[Found]) -> Steps[None]:
    entries: list[Entry] = []
    for found in links:
        # As in every listing, a link that leads nowhere is an entry without a URL.
        entries.append(
            Entry(mask(found.raw), None, attributes={NO_URL: "this is not a URL"})
            if found.kind == MALFORMED
            else _entry(page, found.url)
        )
        if len(entries) == BATCH:
            yield from Emit(entries)
            entries = []
    if entries:
        yield from Emit(entries)


def _entry(page: URL, url: URL) -> Entry:
    """The entry of a link; if it leads below the page, its name is the rest of the path."""
    base = (page.path or "/").rpartition("/")[0] + "/"
    below = url.origin == page.origin and url.path.startswith(base) and url.query is None and url.raw_user is None
    rest = url.path[len(base) :]
    if not below or not rest:
        return Entry(url.masked, url)
    name = percent_decode(rest).decode("utf-8", "surrogateescape")
    return Entry(name, url, kind="listing" if name.endswith("/") else None)
