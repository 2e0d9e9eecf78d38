"""Directories, menus, groups, hits and links as the rows of a table.

Rule: an entry is shown as its server wrote it, escaped; its link has the page as its origin.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from anyurl.client.sizes import human_size
from anyurl.dialogue import Entry
from anyurl.errors import escape
from anyurl.schemes.kit.scheme import octets, why_no_url
from anyurl.schemes.prospero import archie
from anyurl.schemes.prospero.parts import ProsperoParts
from anyurl.url import URL
from anyurl.url.syntax import GOPHER, NEWS
from anyurl.web.links import Links

if TYPE_CHECKING:
    from anyurl.client.resource import Description


KINDS = {
    "document": "document", "listing": "folder", "index": "search", "form": "form", "service": "session",
    "mailbox": "mailbox",
}  # fmt: skip
"""The words for kinds of resources."""

LISTINGS = {"gopher": "menu", "gophers": "menu", "wais": "results", "dict": "list"} | dict.fromkeys(NEWS, "newsgroups")
"""The words for listings of protocols without folders."""

ICONS = {"menu": "folder", "results": "list", "newsgroups": "list", "newsgroup": "group"}
"""The icons of kinds without one of the same name."""

ADDITIONS = {"post": "Write an article", "upload": "Put a file here"}
"""Actions that add to a listing: the template of the form, and its title."""

MEDIA = {"image": "picture", "audio": "sound", "video": "film", "text": "text"}
"""The words for documents, by their major type."""

SORTS = {"I": "picture", "s": "sound", ";": "film", "5": "archive", "4": "archive", "6": "archive"}
"""The words for gopher items of unknown media type: the item type is a kind, not a format (RFC 1436 3.8)."""

ARCHIVES = frozenset({
    "application/zip", "application/gzip", "application/x-tar", "application/x-bzip2", "application/x-xz",
    "application/x-7z-compressed", "application/zstd",
})  # fmt: skip

COLUMNS = ("name", "kind", "size", "date")
"""The columns that a listing can be sorted by."""

THREADS = "threads"
ORDERS = (*COLUMNS, THREADS)

DEEPEST = 8
"""The most steps that a reply is indented: deeper replies stay at the last one."""


class ListingRow(NamedTuple):
    """One row of the table.

    Attributes:
        name: The name or title of the entry, escaped.
        href: The link to our page about it, or None.
        kind: The word for its kind; empty for a line that is only text.
        size: Its size, rounded and with a unit; empty if unknown.
        exact: Its size in octets; empty if unknown.
        date: Its date in UTC; empty if unknown.
        note: Further information, such as the author or the score.
        depth: Steps that it is indented, below the article that it answers.
    """

    name: str
    href: str | None
    kind: str
    size: str
    exact: str
    date: str
    note: str
    depth: int = 0

    @property
    def icon(self) -> str:
        """The name of its icon."""
        return ICONS.get(self.kind, self.kind)

    @property
    def cells(self) -> tuple[str | int | None, ...]:
        """The values for its template, which would otherwise look up each attribute by a call."""
        return (*self, self.icon)


def row_of(entry: Entry, links: Links, depth: int = 0) -> ListingRow:
    """The row of one entry."""
    url, title = entry.url, entry.title
    kind = _kind(entry)
    name = escape(title if title and entry.attributes.get("gopher_type") else entry.name)
    note = "" if not title or title == entry.name else escape(title)
    if entry.type == "message/rfc822" and title:
        name, note = escape(title), escape(str(entry.attributes.get("from", "")))
    if entry.score is not None:
        note = f"{note} (score {entry.score:g})".lstrip()
    if why := why_no_url(entry):
        note = f"{note} (no URL: {escape(why)})".lstrip()
    return ListingRow(
        name, None if url is None else links.to("view", url, entry.origin), kind if url is not None else "",
        human_size(entry.size), "" if entry.size is None else f"{entry.size:,} octets", human_date(entry.modified),
        note, depth,
    )  # fmt: skip


def kind_of(kind: str | None, type: str | None, url: URL | None = None) -> str:
    """The word for a kind of resource.

    Args:
        kind: Its kind, as in `Entry`.
        type: Its media type, if known.
        url: Its URL, which distinguishes menus and newsgroups from folders.
    """
    if kind == "listing" and url is not None:
        if url.scheme in NEWS and getattr(url.parts, "group", None):
            return "newsgroup"
        return "results" if is_search(url) else LISTINGS.get(url.scheme, "folder")
    if kind == "document" and type is not None:
        if type == "text/html":
            return "page"
        if type == "message/rfc822":
            return "message"
        return "archive" if type in ARCHIVES else MEDIA.get(type.partition("/")[0], "document")
    return KINDS.get(kind or "document", "document")


def _kind(entry: Entry) -> str:
    """The word for the kind of an entry."""
    kind = kind_of(entry.kind, entry.type, entry.url)
    return SORTS.get(str(entry.attributes.get("gopher_type")), kind) if kind in ("document", "text") else kind


def human_date(seconds: float | None) -> str:
    """A time in UTC, to the minute, with a space between date and time; empty if unknown or out of range."""
    try:
        return "" if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):  # a server may send any number
        return ""


_KEYS: dict[str, Callable[[Entry], Any]] = {
    "name": lambda entry: (entry.title or entry.name).casefold(),
    "kind": _kind,
    "size": lambda entry: -1 if entry.size is None else entry.size,
    "date": lambda entry: float("-inf") if entry.modified is None else entry.modified,
}


def sort(entries: list[Entry], column: str, down: bool) -> list[Entry]:
    """The entries in the order of a column; lines that are only text are left out, since they belong to their place."""
    return sorted((entry for entry in entries if entry.url is not None), key=_KEYS[column], reverse=down)


def is_group(resource: Description) -> bool:
    """Whether a listing holds the articles of a newsgroup, which can be threaded."""
    return resource.kind == "listing" and resource.url.scheme in NEWS and "first" in resource.attributes


def is_searched(resource: Description) -> bool:
    """Whether a listing can be searched: a directory of prospero, or the hits of WAIS or of a gopher index."""
    return resource.kind == "listing" and (resource.url.scheme in ("prospero", "wais") or is_search(resource.url))


def sorts_of(url: URL) -> tuple[str, ...]:
    """The kinds of match of a search there: those of archie (`anyurl.schemes.prospero.archie`), or none."""
    parts = url.parts
    is_archie = isinstance(parts, ProsperoParts) and archie.is_database(octets(parts.hsoname))
    return tuple(archie.TYPES) if is_archie else ()


def is_search(url: URL) -> bool:
    """Whether it is a gopher index (item type 7), with or without words."""
    parts = url.parts if url.scheme in GOPHER else None
    return getattr(parts, "type", "") == "7"


def threaded(entries: list[Entry]) -> list[tuple[Entry, int]]:
    """Sort articles below those that they answer (RFC 5536 3.2.10), each with its depth, up to `DEEPEST`.

    Each article appears exactly once, even if the references form a loop.
    """
    places = {_identifier(entry): place for place, entry in enumerate(entries)}
    answers: dict[int, list[int]] = {}
    first: list[int] = []
    for place, entry in enumerate(entries):
        references: Any = entry.attributes.get("references", ())
        above = next((places[one] for one in reversed(references) if places.get(one, place) != place), None)
        if above is None:
            first.append(place)
        else:
            answers.setdefault(above, []).append(place)
    found: list[tuple[Entry, int]] = []
    told: set[int] = set()
    for start in (*first, *range(len(entries))):  # those that only answer each other come last
        todo = [(start, 0)]
        while todo:
            place, depth = todo.pop()
            if place not in told:
                told.add(place)
                found.append((entries[place], min(depth, DEEPEST)))
                todo += [(answer, depth + 1) for answer in reversed(answers.get(place, ()))]
    return found


def _identifier(entry: Entry) -> str:
    return str(entry.attributes.get("news_url", "")).partition(":")[2]
