"""What RFC 1738 refuses and today's RFCs accept: which document changed the rule (behind `current`'s remarks).

Rule: facts only: by the code of the fault in the grammar ``rfc1738``, the document that allowed it and the word for it.
A fault that has no row is one that the scheme's own RFC of today leaves free.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic
from anyurl.url import syntax

CHANGES: dict[str, tuple[str, str]] = {
    "address": ("RFC 2368 2", "header fields and several addresses are allowed"),
    "address-missing": ("RFC 2368 2", "a mailto URL may have header fields alone"),
    "host-bracket": ("RFC 2732 2", "an IPv6 address stands in brackets"),
    "host-character": ("RFC 3986 3.2.2", "a name that is not the DNS's is allowed"),
    "host-digit": ("RFC 3986 3.2.2", "allowed"),
    "host-dot": ("RFC 2396 3.2.2", "the dot of the DNS's root is allowed"),
    "host-empty": ("RFC 3986 3.2.2", "a host may be empty"),
    "host-hyphen": ("RFC 3986 3.2.2", "allowed"),
    "host-label": ("RFC 3986 3.2.2", "allowed"),
    "host-label-long": ("RFC 3986 3.2.2", "allowed"),
    "host-long": ("RFC 3986 3.2.2", "allowed"),
    "host-not-ascii": ("RFC 3490 4", "an internationalised name is read in its ASCII form"),
    "mailto-question": ("RFC 2368 2", "header fields may follow the address"),
    "news-server": ("RFC 5538 2.2", "a news URL may name a server"),
    "not-ascii": ("RFC 3987 3.1", "read as the %XX of its UTF-8 octets"),
    "port-empty": ("RFC 2396 3.2.2", "a port may be empty"),
    "reserved": ("RFC 2396 3.3", "allowed"),
    "slash-missing": ("RFC 2396 3", 'a "?" may follow the host'),
    "slashes": ("RFC 8089 2", "a file URL may do without a host"),
    "typecode": ("RFC 3986 3.3", "a parameter as any other"),
    "typecode-case": ("RFC 3986 3.3", "a parameter as any other"),
    "unsafe": ("RFC 2396 2.3", "unreserved"),
    "userinfo": ("RFC 2396 3.2.2", "allowed (and deprecated by RFC 9110 4.2.4)"),
}
"""By code: since which clause, and what it is since then."""

_QUERY = ("RFC 2396 3.4", "allowed in a query")


def remark_change(fault: Diagnostic, scheme: str) -> Diagnostic:
    """A fault of ``rfc1738`` in a text that ``current`` accepts, told as a remark: who changed the rule."""
    known = CHANGES.get(fault.code)
    if fault.code == "reserved" and fault.rule == "search":
        known = None if scheme == "gopher" else _QUERY
    since, told = syntax.row(scheme).reference, ""
    if known is None:
        told = f"allowed by {since}"
    else:
        since, word = known
        told = f"{word} since {since}"
    message = f"{told}; {fault.section}: {fault.message}"
    return Diagnostic("changed", "remark", fault.span, fault.rule, since, message)
