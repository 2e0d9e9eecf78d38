"""Text documents: the part that is shown, and its links.

Rule: links are found by `anyurl.find`, and have the text as their origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from anyurl.client.texts import is_html
from anyurl.errors import URLSyntaxError, escape
from anyurl.text import Found, find
from anyurl.text.readers.registry import TEXT, of_type
from anyurl.values import Value
from anyurl.web.links import Links

if TYPE_CHECKING:
    from anyurl.access import AsyncResource

TEXT_OCTETS = 2 * 1024 * 1024
"""The most octets of a text that a page shows; all of it is available as octets."""

MAX_LINKS = 2_000
"""The most links of one text."""

_DRAWN = re.compile(r"\S {3,}\S|\t\S|[─-╿|+]-{2,}|^ {2,}\S.*  \S", re.MULTILINE)
"""Matches columns, tables and drawings, which need a monospaced font."""


class TextLink(Value):
    """A link of a text.

    Attributes:
        start: The position of its first character in the text.
        end: The position after its last one.
        text: The link as written, escaped.
        href: The link to our page about it.
        url: Its URL, with the password masked.
    """

    start: int
    end: int
    text: str
    href: str
    url: str


def links_of(resource: AsyncResource, data: bytes, text: str, links: Links) -> list[TextLink]:
    """The links of a text, in order."""
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
    """The text in pieces, each with its link or None.

    Args:
        found: The links of the text between `place` and `stop`, in order.
        place: The position of the first character.
        stop: The position after the last one; None for the end of the text.
    """
    for link in found:
        if link.start < place:
            continue
        yield plain(text[place : link.start]), None
        yield plain(text[link.start : link.end]), link.href
        place = link.end
    yield plain(text[place:stop]), None


def plain(text: str) -> str:
    """A text of several lines with control, bidirectional and invisible characters escaped."""
    return "".join(char if char.isprintable() or char in "\n\t" else _shown(char) for char in text)


def _shown(char: str) -> str:
    return "" if char == "\r" else escape(char) if char != "\f" else "\n"


def is_drawn(text: str) -> bool:
    """Whether the text needs a monospaced font."""
    return _DRAWN.search(text[:20_000]) is not None
