"""What a candidate is: a URL in one or more readings, a template, or a URL that was made unusable.

Rule: what is reported is what the text names. A part that is to be filled in makes another URL of what stands around
it, so such a candidate is no URL; nor is one whose writer took care that nobody follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.kernel import rows
from anyurl.url import URL

BROKEN_OUT = str.maketrans({"[": "%5B", "]": "%5D", "|": "%7C", "{": "%7B", "}": "%7D", "^": "%5E", "`": "%60"})
"""How octets that a URL must encode are encoded where a text has them plain."""

_VARIABLE = re.compile(r"(?<![A-Za-z0-9)])\$(?:[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_])|\([^)]*\))")
"""A variable of a shell: in a path ``$`` stands for itself, and names in lower case are those of a service."""

_GLUE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+")


def is_unusable(raw: str) -> bool:
    """Whether what stands in a text is to be filled in (``$HOST``), or was made unusable (``hxxp://``)."""
    if "$" in raw and _VARIABLE.search(raw) is not None:
        return True
    return raw[1:3] in ("xx", "XX") and raw[:1] in ("h", "H") and raw[3:4] in ("p", "P")


def glued_before(data: bytes, start: int) -> int:
    """Letters and digits directly before a name; the first of a name is a letter (RFC 3986 3.1)."""
    first = start
    while first > 0 and start - first < rows.MAX_NAME and data[first - 1] in _GLUE:
        first -= 1
    while first < start and not data[first : first + 1].isalpha():
        first += 1
    return start - first


def _query(text: str) -> int:
    """Where query or fragment begin, or the end."""
    return min((place for mark in "?#" if (place := text.find(mark)) >= 0), default=len(text))


def read_each(readings: list[str], kind: int, read: Callable[[str], URL] | None) -> list[URL]:
    """The readings that are URLs; none if the first is not."""
    urls: list[URL] = []
    for text in readings:
        if kind & rows.EMAIL:
            text = f"mailto:{text}"
        elif kind & rows.WWW:
            text = f"http://{text}"
        if kind & rows.SPACED:
            text = text.replace(" ", "%20").replace("\t", "%09")
        if kind & rows.UNSAFE:
            at = _query(text)
            text = text[:at] + text[at:].translate(BROKEN_OUT)
        try:
            urls.append(URL(text) if read is None else read(text))
        except ValueError:
            if not urls:
                return urls
    return urls
