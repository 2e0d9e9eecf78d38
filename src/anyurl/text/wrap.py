"""Writing a URL for mail or print so that it can be read back: ``<URL:...>``, folded (RFC 1738 appendix).

Rule: ``unwrap(wrap(url)) == url`` for every URL and every width. A line never ends after a hyphen, since a reader
could not tell whether it belongs to the URL, nor inside a ``%XX``.
"""

from __future__ import annotations

from array import array

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.text.fold import as_typed, unfold
from anyurl.text.scan import rows
from anyurl.text.scan.scan import Scanner
from anyurl.url import URL

WIDTH = 72
"""Characters of a line: as in RFCs, and in mail with room for quote marks (RFC 5322 2.1.1 allows 78)."""

_GOOD_ENDS = "/?&;=#"
"""Characters after which a line preferably ends, so that the parts of the URL stay together."""


def wrap(url: URL | str, *, width: int = WIDTH, indent: str = "") -> str:
    """Write a URL as ``<URL:...>``, folded into lines.

    Args:
        url: The URL; a fragment stays inside the brackets.
        width: The most characters of a line; only a line that can't be broken, after hyphens and inside a ``%XX``,
            is longer.
        indent: White space before each line except the first.

    Raises:
        URLSyntaxError: `url` is a text that is not a URL.
        ValueError: The width is less than 1, or the indent is not spaces and tabs.
    """
    if not isinstance(width, int):
        raise TypeError(f"the width of a line is an int, not {type(width).__name__}")
    if not isinstance(indent, str):
        raise TypeError(f"an indent is a str, not {type(indent).__name__}")
    if not isinstance(url, str | URL):
        raise TypeError(f"expected a URL or a str, not {type(url).__name__}")
    if width < 1:
        raise ValueError(f"a line has at least 1 character, not {width}")
    if indent.strip(" \t"):
        raise ValueError(f"an indent is spaces and tabs, not {indent!r}")
    rest = f"<URL:{URL(url) if isinstance(url, str) else url}>"
    lines = []
    room = width
    while len(rest) > room:
        end = _line_end(rest, room)
        if end == len(rest):
            break
        lines.append(rest[:end])
        rest = rest[end:]
        room = max(1, width - len(indent))
    return f"\n{indent}".join([*lines, rest])


def _line_end(text: str, room: int) -> int:
    """The position at which to break a text longer than `room`."""
    for end in range(room, max(room * 2 // 3, 1) - 1, -1):
        if text[end - 1] in _GOOD_ENDS and _may_break(text, end):
            return end
    for end in range(room, 0, -1):
        if _may_break(text, end):
            return end
    return next((end for end in range(room + 1, len(text)) if _may_break(text, end)), len(text))


def _may_break(text: str, end: int) -> bool:
    # The <URL: of the wrapper stays in one piece, with as much as a reader needs to recognise it
    return end > len("<URL:") and text[end - 1] != "-" and text[end - 1] != "%" and text[end - 2] != "%"


def unwrap(text: str) -> URL:
    """Read one URL, with its fragment, from the form for mail or print.

    White space and the marks of quoted mail are removed; a hyphen before a line break is kept. The wrapper may be
    ``<URL:...>``, ``<...>``, ``URL:...`` or missing; `anyurl.text.find` reports all readings.

    Raises:
        URLSyntaxError: The rest is not a URL.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a str, not {type(text).__name__}")
    start = text.find("<") + 1
    stop = text.find(">", start)
    # In quoted mail, lines begin with >; the one that closes the wrapper is the last
    stop = max(stop, text.rfind(">"))
    if start == 0 or stop < start:
        start, stop = len(text) - len(text.lstrip()), len(text)
    if text[start : start + 4].upper() == "URL:":
        start += 4
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = (error.start, error.start + 1)
        raise URLSyntaxError(
            text, (Diagnostic("surrogate", "error", place, "URI", "RFC 3987 2", "a lone surrogate is not a character"),)
        ) from None
    first = len(text[:start].encode())
    last = len(text[:stop].encode())
    scanner = Scanner({}, memoryview(array("q", bytes(8 * rows.COLUMNS * rows.MAX_ROWS))), 0)
    scanner.load(data, 0, last, last, True)
    return URL(as_typed(unfold(scanner.pieces(first, last)))[0])
