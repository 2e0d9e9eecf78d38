"""Why a text is not a URL: each fault of the kernel with its name, rule, clause and sentence (RFC 3986).

Rule: no message repeats a piece of the text, for any piece of it may be a password; the span tells where it is.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.kernel import split

FAULTS: dict[int, tuple[str, str, str, str]] = {
    split.FAULT_EMPTY: ("empty", "URI", "RFC 3986 3", "an empty text is not a URL"),
    split.FAULT_TOO_LONG: ("too-long", "URI", "RFC 9110 4.1", "a URL has at most 65,536 octets"),
}


def syntax_error(text: str, fault: int) -> URLSyntaxError:
    """The error for a packed fault."""
    number, place = fault >> split.FAULT_SHIFT, fault & ((1 << split.FAULT_SHIFT) - 1)
    code, rule, section, message = FAULTS.get(number, ("syntax", "URI", "RFC 3986 3", "the text is not a URL"))
    end = min(place + 1, len(text))
    return URLSyntaxError(text, (Diagnostic(code, "error", (place, max(place, end)), rule, section, message),))
