"""Text documents: the part that is shown, and its links.

Rule: links are found by `anyurl.find`, and have the text as their origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from anyurl.access.texts import is_html
from anyurl.errors import URLSyntaxError, escape
from anyurl.text import Found, find
from anyurl.text.readers.registry import TEXT, of_type
from anyurl.values import Value
from anyurl.web.links import Links

if TYPE_CHECKING:
    from anyurl.access import AsyncResource

TEXT_OCTETS = 2 * 1024 * 1024
"""Of a text that is shown in a page; the whole of it can be had as octets."""

MAX_LINKS = 2_000
"""Of one text."""

_DRAWN = re.compile(r"\S {3,}\S|\t\S|[─-╿|+]-{2,}|^ {2,}\S.*  \S", re.MULTILINE)
"""Columns, tables and drawings, which want letters of one width."""


class TextLink(Value):
    """A link of a text.

    Attributes:
        start: Where it begins, in characters.
        end: Where it ends.
        text: As it stands there, escaped.
        href: Our page about it.
        url: Its URL, without a password.
    """

    start: int
    end: int
    text: str
    href: str
    url: str


def links_of(resource: AsyncResource, data: bytes, text: str, links: Links) -> list[TextLink]:
    """The links of a text, in their order."""
    origin = resource.content_origin
    try:
        format = "html" if is_html(resource, data) else of_type(resource.type or "") or TEXT
        found = find(text, format=format, base=resource.base, came_from=origin)
        return [_link(one, links) for one in islice(found, MAX_LINKS)]
    except URLSyntaxError:
        return []


def _link(found: Found, links: Links) -> TextLink:
    start, end = found.span
    return TextLink(start, end, escape(found.raw), links.to("view", found.url, found.origin), found.url.masked)


def lines_of(
    text: str, found: list[TextLink], place: int = 0, stop: int | None = None
) -> Iterator[tuple[str, str | None]]:
    """The text in pieces, each with where it leads, or None.

    Args:
        found: Its links from `place` to `stop`, in their order.
    """
    for link in found:
        if link.start < place:
            continue
        yield plain(text[place : link.start]), None
        yield plain(text[link.start : link.end]), link.href
        place = link.end
    yield plain(text[place:stop]), None


def plain(text: str) -> str:
    """A text of several lines without what would turn it round or hide something."""
    return "".join(char if char.isprintable() or char in "\n\t" else _shown(char) for char in text)


def _shown(char: str) -> str:
    return "" if char == "\r" else escape(char) if char != "\f" else "\n"


def is_drawn(text: str) -> bool:
    """Whether its lines want letters of one width."""
    return _DRAWN.search(text[:20_000]) is not None
