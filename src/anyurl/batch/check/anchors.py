"""Anchors: the fragments of an HTML page (HTML 7.4.6.4: an ``id``, or the ``name`` of an ``a``).

Rule: time is linear in the length of any page; text in a comment or script is not an anchor.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from anyurl.text.entities import unescape
from anyurl.url.cut import percent_decode

TOP = frozenset(("", "top"))
"""Fragments of every page (HTML 7.4.6.4)."""

DIRECTIVE = ":~:"
"""The start of a text fragment, which does not name an element (WICG, URL Fragment Text Directives)."""

USER_CONTENT = b"user-content-"
"""The prefix of ids that GitHub, GitLab and Gitea write, and their scripts leave out."""

_UNDECIDED = re.compile(r"[!/]|L[0-9]+(?:C[0-9]+)?(?:-L?[0-9]+(?:C[0-9]+)?)?\Z|lines-[0-9]+")
"""Fragments that a script reads: routes of an application, and lines of a file."""

MAX_TRIES = 1000
"""False matches in a page after which the search for anchors stops: each costs a search backwards."""

MAX_TAG = 65_536
"""Octets before an attribute within which its tag must begin."""

# A value ends at its quote, so that no part is scanned twice.
_ANCHOR = re.compile(rb"[\s\"'/](?:id|name)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>=`]+))", re.IGNORECASE)

_SILENT = ((b"<!--", b"-->"), (b"<script", b"</script"), (b"<style", b"</style"))


def is_undecided(fragment: str) -> bool:
    """Whether a fragment that a page does not have may still lead somewhere, by a script of the page."""
    return _UNDECIDED.match(fragment) is not None


def missing_anchors(page: bytes, fragments: Collection[str]) -> list[str]:
    """The fragments that a page lacks, in alphabetical order.

    Args:
        fragments: As in URLs, without the ``#``.
    """
    wanted: dict[bytes, list[str]] = {}
    for fragment in fragments:
        text = fragment.partition(DIRECTIVE)[0]
        if text.lower() not in TOP:
            for name in (percent_decode(text), text.encode("utf-8", "surrogateescape")):
                wanted.setdefault(name, []).append(fragment)
                wanted.setdefault(USER_CONTENT + name, []).append(fragment)
    found: set[str] = set()
    tries = 0
    for match in _ANCHOR.finditer(page) if wanted else ():
        value = match[match.lastindex or 1]
        if b"&" in value:
            value = unescape(value.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        if value in wanted and not found.issuperset(wanted[value]):
            if _is_in_tag(page, match.start()):
                found.update(wanted[value])
            tries += 1
            if tries > MAX_TRIES + len(wanted):
                break
    return sorted({each for several in wanted.values() for each in several} - found)


def _is_in_tag(page: bytes, place: int) -> bool:
    """Whether a tag is still open at this position, outside of comments and other elements that contain no tags."""
    least = max(0, place - MAX_TAG)
    begun = page.rfind(b"<", least, place)
    if begun < 0 or not page[begun + 1 : begun + 2].isalpha():
        return False
    outside = re.sub(rb"\"[^\"]*\"|'[^']*'", b"", page[begun:place])
    if b">" in outside or b'"' in outside or b"'" in outside:  # the tag is closed, or a value is open
        return False
    return not any(_is_inside(page, begun, *each) for each in _SILENT)


def _is_inside(page: bytes, place: int, begin: bytes, end: bytes) -> bool:
    begun = page.rfind(begin, max(0, place - MAX_TAG), place)
    return begun >= 0 and page.find(end, begun, place) < 0
