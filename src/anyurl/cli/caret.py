"""Where a text is not a URL: the text, and a caret under each fault.

Rule: a password is shown to nobody, not even in a text that is no URL; what is shown has no control characters, and the
caret stands under the fault all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyurl.cli.console import MASK
from anyurl.errors import Diagnostic, escape

_ANY_SECRET = re.compile(r"(//[^\s:/?#]*:)\S*@")

CONTEXT = 60
"""Characters shown on each side of the first fault of a long text: two lines of a terminal."""


def secret_span(text: str) -> tuple[int, int] | None:
    """Where in a text, URL or not, a password stands (RFC 1738 3.1: ``//user:password@``), or None.

    A password with a ``/``, ``?`` or ``#`` that was not encoded ends the authority too early; what would then be a port
    is no number, and all up to the last ``@`` is taken for the password: better too much than a part of it.
    """
    start = text.find("//") + 2
    if start < 2:
        return None
    end = min((at for at in (text.find(char, start) for char in "/?#") if at >= 0), default=len(text))
    at = text.rfind("@", start, end)
    if at < 0:
        port = text[start:end].partition(":")[2]
        if not port or (port.isascii() and port.isdigit()) or text.startswith("[", start):
            return None
        at = text.rfind("@")
    colon = text.find(":", start, max(at, 0))
    return None if colon < 0 else (colon + 1, at)


def masked(text: str) -> str:
    """The text with its password, if it has one, as ``***``."""
    span = secret_span(text)
    return text if span is None else text[: span[0]] + MASK + text[span[1] :]


def masked_everywhere(text: str) -> str:
    """A sentence that may quote any number of texts like URLs, each with its password as ``***``."""
    return _ANY_SECRET.sub(rf"\1{MASK}@", text)


def point_out(text: str, diagnostics: Sequence[Diagnostic]) -> list[str]:
    """The text, escaped and masked, and a line with carets for each diagnostic.

    >>> fault = Diagnostic("space", "error", (8, 9), "uchar", "RFC 1738 2.2", "a space must be encoded: %20")
    >>> print(*point_out("http://a b", [fault]), sep="\\n")
    http://a b
            ^ RFC 1738 2.2: a space must be encoded: %20
    """
    cells = _cells(text)
    first = diagnostics[0].span[0] if diagnostics else 0
    start, end = _window(len(text), first)
    before, after = ("..." if start else ""), ("..." if end < len(text) else "")
    lines = [before + "".join(cells[start:end]) + after]
    for diagnostic in diagnostics:
        left, right = (min(max(at, start), end) for at in diagnostic.span)
        indent = len(before) + _width("".join(cells[start:left]))
        carets = "^" * max(1, _width("".join(cells[left:right])))
        lines.append(f"{' ' * indent}{carets} {escape(str(diagnostic))}")
    return lines


def _cells(text: str) -> list[str]:
    """What is shown for each character of the text: so that places in the text are places in this list."""
    cells = [escape(char) for char in text]
    span = secret_span(text)
    if span is not None:
        start, end = span
        cells[start:end] = [""] * (end - start)
        cells[end] = MASK + cells[end]  # stands with the "@", as the password may be empty
    return cells


def _window(length: int, place: int) -> tuple[int, int]:
    if length <= 2 * CONTEXT:
        return 0, length
    start = max(0, min(place - CONTEXT, length - 2 * CONTEXT))
    return start, start + 2 * CONTEXT


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
