"""Character references of HTML (HTML 13.5) in URLs.

Rule: only named references with a semicolon, and numeric ones; ``?a=1&copy=2`` has a parameter named copy.
"""

from __future__ import annotations

import html
import re

from anyurl.text.runs import Runs

_PATTERN = r"&(?:#[0-9]{1,7};?|#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};)"
_REFERENCE = re.compile(_PATTERN)
_REFERENCE_OCTETS = re.compile(_PATTERN.encode())


def unescape(text: str) -> str:
    """The text with its character references replaced."""
    return _REFERENCE.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def undo(data: bytes, start: int, end: int) -> tuple[bytes, Runs | None]:
    """A part of a text with its references replaced, and the place of each octet; None if there were none."""
    if data.find(b"&", start, end) < 0:
        return data[start:end], None
    out = Runs()
    for match in _REFERENCE_OCTETS.finditer(data, start, end):
        out.copy(data, start, match.start())
        start = match.end()
        out.put(html.unescape(match[0].decode("ascii")).encode("utf-8", "surrogatepass"), match.start(), start)
    out.copy(data, start, end)
    return b"".join(text for text, _ in out.take()), out
