"""Crawl: finds links and fragments in the pages and listings that a check reads.

Rule: links are followed only below a URL that the caller named and if robots.txt allows it; other links are requested
but not read. A page's links have the page as their origin and are judged as such. One page at a time is in memory, and
at most MAX_PAGE of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from anyurl.batch.check.anchors import is_undecided, missing_anchors
from anyurl.batch.check.links import EchoedLink, Link, as_written, link_of
from anyurl.batch.check.outcome import Finding
from anyurl.batch.check.site_rules import SiteRules
from anyurl.batch.check.slugs import missing_slugs
from anyurl.batch.check.state import MAX_REQUESTS, CheckItem, CheckState, Mention
from anyurl.errors import AnyURLError
from anyurl.net.loop.task import RequestBudget
from anyurl.saving.robots import robots_of
from anyurl.saving.tree import SITES, Tree
from anyurl.schemes.kit.media import PAGES
from anyurl.text import find
from anyurl.text.readers.registry import tell
from anyurl.text.source import AUTO, Octets
from anyurl.url import URL
from anyurl.url.charsets import codec_of
from anyurl.url.echoes import hidden_in
from anyurl.url.stored import is_echo, without_echo
from anyurl.url.syntax import WEB
from anyurl.values import USER, Provenance, Scope

if TYPE_CHECKING:
    from anyurl.access import Client
    from anyurl.client.resource import Resource

MAX_PAGE = 8 * 1024 * 1024
"""Octets of a page that are searched; search engines stop at 2 to 15 million."""

MAX_SITEMAPS = 100
"""Sitemaps of one site; each may name 50,000 others (sitemaps.org), which count as well."""

HTML = "html"
CONTEXTS = {HTML: ("html-attribute", "css"), "gemtext": ("gemtext",)}
"""The contexts that count as links in a page, by its format: URLs in plain text do not."""

CUT = f"more than {MAX_PAGE:,} octets are not searched"
FOLDERS = "a folder without an index page has no parts"
OTHERS = "only those of HTML and of Markdown files are known"
SCRIPTS = "a script reads them, as it does routes and lines"
OBJECTS = "a Sphinx project may have objects of these names"
"""Why fragments are not looked for."""

Add = Callable[[Link, Provenance, Mention, int, bool], None]
"""Accepts a link: URL, who named it, its place, its depth, and whether its content is read."""


class Crawl:
    """Searches opened pages and listings.

    Args:
        state: Knows the fragments to look for.
        roots: The URLs that the caller named.
        add: Accepts the links.
        depth: The number of steps from a root that are followed; 0 requests its links without reading them.
        private: Pages may lead to private addresses.
        fragments: Look for fragments.
        gives: Whether the project of a Markdown file gives a name, wherever in it; None if unknown.

    Attributes:
        undecided: The number of fragments of which nothing is known, by the reason.
    """

    def __init__(
        self,
        state: CheckState,
        roots: Iterable[URL],
        add: Add,
        *,
        depth: int = 0,
        private: bool = False,
        fragments: bool = False,
        gives: Callable[[URL, str], bool | None] = lambda url, fragment: False,
    ) -> None:
        self._state = state
        self._gives = gives
        self._trees = [Tree(url if url.fragment is None else url.without_fragment()) for url in roots]
        self._add = add
        self._depth = depth
        self._private = private
        self._fragments = fragments
        self.undecided: Counter[str] = Counter()
        self._rules = SiteRules()

    # --- before it begins --------------------------------------------------------------------------------------------

    def prepare(self, client: Client, *, sitemap: bool) -> None:
        """Read robots.txt of each followed site, and its sitemaps if `sitemap`."""
        for tree in self._trees:
            root = tree.root
            origin = root.origin
            if root.scheme not in SITES or origin is None or self._rules.knows(origin):
                continue
            text = self._rules.learn(origin, partial(_opened, client, robots_of(root)))
            if sitemap and root.scheme in WEB:
                self._read_sitemaps(client, root, text or "")

    def _read_sitemaps(self, client: Client, root: URL, robots: str) -> None:
        todo = [*_sitemaps(robots, root), root.replace(path="/sitemap.xml", query=None)]
        seen: set[str] = set()
        while todo and len(seen) < MAX_SITEMAPS:
            url = todo.pop(0)
            if str(url) in seen or url.origin != root.origin:
                continue
            seen.add(str(url))
            try:
                with _opened(client, url) as resource:
                    text, origin = _content(resource).decode("utf-8", "replace"), resource.content_origin
            except AnyURLError:
                continue
            is_index = "<sitemapindex" in text
            # Its URLs are text content, in which `&amp;` must be decoded.
            for found in find(text, format="html", came_from=_as_named(origin, self._private)):
                if found.context != "html-text":
                    continue
                if is_index:
                    todo.append(found.url)
                elif self._holds(found.url):
                    place = Mention(url.masked, found.line, found.column, found.fragment, as_written(found.raw))
                    self._take(found.url, found.origin, place, 1)

    def refusal(self, item: CheckItem) -> Finding | None:
        """Why an item is not requested; None if it is."""
        return self._rules.refusal(item)

    # --- responses ---------------------------------------------------------------------------------------------------

    def look(self, item: CheckItem, resource: Any) -> Sequence[str]:
        """Add the links of a followed page; returns the fragments that the page lacks. Raises AnyURLError."""
        follows = item.depth <= self._depth and self._holds(item.url) and self._holds(resource.base)
        fragments = self._state.fragments(item.number) if self._fragments else set()
        if resource.kind == "listing":
            if follows:
                self._take_entries(item, resource)
            self._leave(fragments, FOLDERS)
            return ()
        is_page = resource.kind == "document" and resource.type in PAGES
        is_markdown = resource.kind == "document" and is_markdown_file(item.url)
        if not is_markdown and not is_page:
            self._leave(fragments, OTHERS)
            return ()
        if not (follows or fragments):
            return ()
        page = _content(resource)
        if is_page and follows:
            self._take_links(item, resource, page)
        if is_page and PAGES[resource.type] != HTML:
            self._leave(fragments, OTHERS)
            return ()
        text = _in_utf8(page, resource.charset)
        if is_markdown:
            missing = self._not_given(item.url, missing_slugs(text, fragments))
        else:
            missing = missing_anchors(text, fragments)
        if len(page) >= MAX_PAGE:
            self._leave(missing, CUT)
            return ()
        self._leave([each for each in missing if is_undecided(each)], SCRIPTS)
        return [each for each in missing if not is_undecided(each)]

    def _not_given(self, url: URL, fragments: Sequence[str]) -> list[str]:
        """The fragments that the project of a Markdown file does not give elsewhere."""
        given = {each: self._gives(url, each) for each in fragments}
        self._leave([each for each in fragments if given[each] is None], OBJECTS)
        return [each for each in fragments if given[each] is False]

    def _leave(self, fragments: Collection[str], why: str) -> None:
        """Count fragments of which nothing is known."""
        if fragments:
            self.undecided[why] += len(fragments)

    def _take_links(self, item: CheckItem, resource: Any, page: bytes) -> None:
        origin = _as_named(resource.content_origin, self._private)
        encoding = _encoding(resource, page)
        shown = resource.base.masked
        format = PAGES[resource.type]
        for found in find(page, format=format, base=resource.base, encoding=encoding, came_from=origin, malformed=True):
            if found.context in CONTEXTS[format]:
                place = Mention(shown, found.line, found.column, found.fragment, as_written(found.raw))
                self._take(link_of(found), found.origin, place, item.depth + 1)

    def _take_entries(self, item: CheckItem, resource: Any) -> None:
        shown = item.url.masked
        for number, entry in enumerate(resource.entries(), 1):
            if entry.url is not None and entry.url != item.url:
                place = Mention(shown, number, 1, entry.url.fragment)
                self._take(entry.url, _as_named(entry.origin, self._private), place, item.depth + 1)

    def _take(self, url: Link, origin: Provenance, place: Mention, depth: int) -> None:
        if isinstance(url, URL) and is_echo(url):
            plain = without_echo(url)
            if plain is None:
                text = None if place.text is None else hidden_in(url, place.text)
                place = Mention(place.file, place.line, place.column, None, text)
            url = EchoedLink(url.masked) if plain is None else plain
        self._add(url, origin, place, depth, isinstance(url, URL) and self._is_followed(url, depth))

    def _is_followed(self, url: URL, depth: int) -> bool:
        return depth <= self._depth and self._holds(url)

    def _holds(self, url: URL) -> bool:
        return any(tree.holds(url) for tree in self._trees)


def _opened(client: Client, url: URL) -> Resource:
    """Open a URL in its turn: the delay between requests to one host is kept. Raises AnyURLError."""
    item = CheckItem(0, 0, url, USER, 0)
    item.budget = RequestBudget(MAX_REQUESTS)
    result = next(iter(client.map([item], 1)))
    if result.resource is None:
        raise result.error or AnyURLError("")
    return result.resource


def _as_named(origin: Provenance, private: bool) -> Provenance:
    """The origin of the links of a page.

    Links from a TLS page to a clear connection are checked like others: nothing of the page is sent there.
    """
    return Provenance(
        origin.who, scope=Scope.LOCAL if private else origin.scope, scheme=origin.scheme, host=origin.host,
        port=origin.port, user=origin.user, kept=origin.kept,
    )  # fmt: skip


def is_markdown_file(url: URL) -> bool:
    """Whether a URL is that of a Markdown file of this machine; a server's rendering of one is unknown."""
    return url.scheme == "file" and tell(url.path, b"") == "markdown"


def _in_utf8(page: bytes, charset: str | None) -> bytes:
    """A page in UTF-8, from the charset of its response or the one that it declares."""
    try:
        octets = Octets(page, AUTO if charset is None else codec_of(charset))
        octets.begin()
        return b"".join(octets)
    except (LookupError, ValueError):
        return page


def _content(resource: Any) -> bytes:
    pieces, size = [], 0
    for piece in resource.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size >= MAX_PAGE:
            break
    return b"".join(pieces)[:MAX_PAGE]


def _encoding(resource: Any, page: bytes) -> str:
    try:
        return codec_of(resource.charset or "utf-8")
    except LookupError:
        return "utf-8"


def _sitemaps(robots: str, root: URL) -> Iterator[URL]:
    """The sitemaps that robots.txt names (sitemaps.org)."""
    for line in robots.splitlines():
        field, _, value = line.partition(":")
        if field.strip().lower() == "sitemap" and value.strip():
            try:
                yield root.join(value.strip())
            except AnyURLError:
                continue
