"""Character references of HTML (HTML 13.5) in URLs.

Rule: only named references with a semicolon, and numeric ones; ``?a=1&copy=2`` has a parameter named copy.
"""

from __future__ import annotations

import html
import re

_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};)")


def unescape(text: str) -> str:
    """The text with its character references replaced."""
    return _REFERENCE.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text
