"""A page of gemtext (text/gemini): its headings, links, lists, quotations, and preformatted text.

Rule: the first characters of a line determine its type (the Gemini specification, "The text/gemini media type"); its
link was found by `anyurl.web.documents`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from anyurl.web.documents import TextLink, lines_of, plain

TYPE = "text/gemini"

Pieces: TypeAlias = list[tuple[str, str | None]]
"""A line in pieces: each a text, and its link or None."""

_MARKS = (("```", ""), ("###", "h4"), ("##", "h3"), ("#", "h2"), ("=>", "links"), ("* ", "items"), (">", "quote"))
"""The beginnings of lines, with their kinds; headings start at h2, below the title of the page."""

_LINE = re.compile(r"([^\n]*?)\r?(?:\n|\Z)")


def blocks_of(text: str, found: list[TextLink]) -> Iterator[tuple[str, list[Pieces]]]:
    """The page in blocks of lines of one kind: the kind, and the lines.

    A kind is ``h2``, ``h3``, ``h4``, ``links``, ``items``, ``quote``, ``drawn`` or ``text``.

    Args:
        found: The links of the text, in order.
    """
    starts = [link.start for link in found]
    lines = (
        (kind, _pieces(kind, text, start, stop, found[bisect_left(starts, start) : bisect_left(starts, stop)]))
        for kind, start, stop in _lines(text)
    )
    for kind, block in groupby(lines, key=itemgetter(0)):
        yield kind, [pieces for _, pieces in block]


def _lines(text: str) -> Iterator[tuple[str, int, int]]:
    """Each line that is shown: its kind, its start after the mark, and its end."""
    is_drawn = False
    for match in _LINE.finditer(text):
        start, stop = match.span(1)
        mark, kind = next((pair for pair in _MARKS if text.startswith(pair[0], start, stop)), ("", "text"))
        if not kind:
            is_drawn = not is_drawn
        elif is_drawn:
            yield "drawn", start, stop
        elif stop > start:
            start += len(mark)
            while mark and start < stop and text[start] in " \t":
                start += 1
            yield kind, start, stop


def _pieces(kind: str, text: str, start: int, stop: int, found: list[TextLink]) -> Pieces:
    """A line in pieces; those of a link line are its name and its URL."""
    if kind == "links" and found:
        name = plain(text[found[0].end : stop]).strip()
        return [(name or found[0].text, found[0].href), (found[0].url if name else "", None)]
    return list(lines_of(text, found, start, stop))
