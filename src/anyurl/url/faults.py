"""The faults of the kernel, each with its name, rule, clause and sentence.

Rule: no message quotes the text, since any piece of it may be a password; the span shows the position. Messages propose
no remedy: `anyurl.grammar` tests each remedy before it is shown.
"""

from __future__ import annotations

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url import syntax
from anyurl.url.cut import numbers

ONE = "one"
"""The span is one character."""
ESCAPE = "escape"
"""The span is a ``%`` and the two characters that should be its digits."""
REST = "rest"
"""The span extends to the next delimiter of the authority."""
END = "end"
"""The span extends to the end of the text."""
GAP = "gap"
"""The span is empty: something is missing there."""

FAULTS: dict[int, tuple[str, str, str, str, str]] = {
    numbers.FAULT_EMPTY: (
        "empty", GAP, "URI", "RFC 3986 3",
        "an empty text is not a URL; a URL begins with a scheme and a colon",
    ),
    numbers.FAULT_TOO_LONG: (
        "too-long", END, "URI", "RFC 9110 4.1",
        "the URL is too long; anyurl reads URLs of at most 65,536 octets",
    ),
    numbers.FAULT_SCHEME_START: (
        "scheme-start", ONE, "scheme", "RFC 3986 3.1",
        "a scheme must begin with a letter",
    ),
    numbers.FAULT_SCHEME_CHAR: (
        "scheme-character", ONE, "scheme", "RFC 3986 3.1",
        "a scheme consists of letters, digits, '+', '-' and '.', followed by a colon",
    ),
    numbers.FAULT_NO_SCHEME: (
        "no-scheme", GAP, "scheme", "RFC 3986 3",
        "the text has no scheme; a URL begins with a scheme and a colon, as in http://",
    ),
    numbers.FAULT_CONTROL: (
        "control", ONE, "URI", "RFC 3986 2",
        "a URL can't contain a control character",
    ),
    numbers.FAULT_SPACE: (
        "space", ONE, "URI", "RFC 3986 2",
        "a URL can't contain a space",
    ),
    numbers.FAULT_BACKSLASH: (
        "backslash", ONE, "URI", "RFC 3986 2",
        "a URL can't contain a backslash",
    ),
    numbers.FAULT_CHAR: (
        "character", ONE, "URI", "RFC 3986 2",
        'a URL may contain none of " < > ^ ` { | }',
    ),
    numbers.FAULT_BRACKET: (
        "bracket", ONE, "URI", "RFC 3986 3.2.2",
        "square brackets are allowed only around an address in the host",
    ),
    numbers.FAULT_ESCAPE: (
        "percent", ESCAPE, "pct-encoded", "RFC 3986 2.1",
        "a '%' must be followed by two hexadecimal digits",
    ),
    numbers.FAULT_SECOND_HASH: (
        "second-hash", ONE, "fragment", "RFC 3986 3.5",
        "a fragment can't contain a second '#'",
    ),
    numbers.FAULT_NO_AUTHORITY: (
        "no-authority", GAP, "hier-part", "RFC 1738 3.1",
        "URLs of this scheme need '//' and a host after the colon",
    ),
    numbers.FAULT_AUTHORITY: (
        "authority", REST, "hier-part", "RFC 3986 3",
        "URLs of this scheme can't have '//' and a host",
    ),
    numbers.FAULT_SLASH: (
        "relative-path", GAP, "local-path", "RFC 8089 2",
        "the path of a file URL must begin with '/'",
    ),
    numbers.FAULT_TWO_AT: (
        "two-at", ONE, "authority", "RFC 3986 3.2",
        "an authority can contain only one '@'",
    ),
    numbers.FAULT_USERINFO: (
        "userinfo", REST, "authority", "RFC 1738 3.1",
        "URLs of this scheme can't have a user name or password",
    ),
    numbers.FAULT_EMPTY_HOST: (
        "empty-host", GAP, "host", "RFC 3986 3.2.2",
        "the host is empty; only file:/// and generic URLs without a user name and port may omit it",
    ),
    numbers.FAULT_HOST_ESCAPE: (
        "host-percent", ESCAPE, "host", "RFC 3986 3.2.2",
        "a host can't contain '%'; write a non-ASCII name as it is, or in its IDNA form (xn--)",
    ),
    numbers.FAULT_HOST_CHAR: (
        "host-character", ONE, "host", "RFC 3986 3.2.2",
        "a domain name consists of letters, digits, '-', '.', '_' and '~'",
    ),
    numbers.FAULT_HOST_COLON: (
        "host-colons", REST, "host", "RFC 3986 3.2.2",
        "only one colon may follow a host; an IPv6 address needs square brackets",
    ),
    numbers.FAULT_EMPTY_LABEL: (
        "empty-label", ONE, "host", "RFC 1034 3.1",
        "a domain name can't end in an empty label; the dot of the root must follow a label",
    ),
    numbers.FAULT_NUMERIC_HOST: (
        "numeric-host", REST, "IPv4address", "RFC 3986 7.4",
        "a host whose last label is a number must be an address: four decimals from 0 to 255 without leading zeros",
    ),
    numbers.FAULT_OPEN_BRACKET: (
        "open-bracket", REST, "IP-literal", "RFC 3986 3.2.2",
        "the '[' before an address needs a ']' after it",
    ),
    numbers.FAULT_AFTER_BRACKET: (
        "after-bracket", REST, "authority", "RFC 3986 3.2",
        "the ']' of an address must end the authority, or be followed by a colon and a port",
    ),
    numbers.FAULT_PORT: (
        "port", REST, "authority", "RFC 8089 2",
        "URLs of this scheme can't have a port",
    ),
    numbers.FAULT_PORT_DIGITS: (
        "port-not-digits", REST, "port", "RFC 3986 3.2.3",
        "a port must consist of decimal digits",
    ),
    numbers.FAULT_PORT_LARGE: (
        "port-too-large", REST, "port", "RFC 9293 3.1",
        "a port is at most 65535",
    ),
    numbers.FAULT_PATH_QUESTION: (
        "question-mark", GAP, "path-abempty", "RFC 3986 3.3",
        "in URLs of this scheme '?' is part of the path, and a path after a host must begin with '/'",
    ),
    numbers.FAULT_NOT_ASCII: (
        "not-ascii", ONE, "URI", "RFC 3986 2",
        "a URL can't contain characters beyond ASCII",
    ),
    numbers.FAULT_ADDRESS: (
        "address", REST, "IP-literal", "RFC 3986 3.2.2",
        "square brackets must enclose an IPv6 address, as in [2001:db8::1], or one of a later version, as in [v7.x]",
    ),
    numbers.FAULT_ZONE: (
        "zone", REST, "IPv6address", "RFC 3986 3.2.2",
        "an address in a URL can't have a zone, which would name an interface of one machine",
    ),
    numbers.FAULT_SURROGATE: (
        "surrogate", ONE, "URI", "RFC 3629 3",
        "a lone surrogate is not a character and has no UTF-8 octets",
    ),
    numbers.FAULT_IDNA: (
        "idna", REST, "host", "RFC 5891 4.2",
        "the host has no ASCII form by IDNA 2008 (UTS 46), or one that contains a delimiter",
    ),
    numbers.FAULT_MAPPED_NUMERIC: (
        "mapped-number", REST, "IPv4address", "RFC 3986 7.4",
        "a non-ASCII host must not map to an address; write addresses in ASCII digits",
    ),
}  # fmt: skip
"""By the kernel's number: code, extent of the span, rule, clause, sentence."""

SCHEMES_OWN = frozenset(
    {numbers.FAULT_NO_AUTHORITY, numbers.FAULT_AUTHORITY, numbers.FAULT_USERINFO, numbers.FAULT_PORT}
)
"""Faults defined by the scheme's own document, which is cited instead of the clause in the table."""


def error_at(text: str, number: int, span: tuple[int, int]) -> URLSyntaxError:
    """The error for a fault number of the kernel, with its span in the text."""
    code, _, rule, section, message = FAULTS[number]
    if number in SCHEMES_OWN:
        own = syntax.row(text.partition(":")[0].strip().lower()).reference
        # A registry is not a document, and a clause of the same document says more than its number
        section = section if own == syntax.IANA or section.startswith(f"{own} ") else own
    diagnostic = Diagnostic(code, "error", span, rule, section, message)
    return URLSyntaxError(text, (diagnostic,))


def end_of(text: str, number: int, place: int) -> int:
    """The end of the span of a fault that begins at this position."""
    extent = FAULTS[number][1]
    if extent == GAP:
        return place
    if extent == ONE:
        return min(place + 1, len(text))
    if extent == ESCAPE:
        end = place + 1
        while end < min(place + 3, len(text)) and text[end] in "0123456789abcdefABCDEF":
            end += 1
        return end
    if extent == END:
        return len(text)
    end = place + 2 if number == numbers.FAULT_AUTHORITY else place
    while end < len(text) and text[end] not in "/?#@":
        end += 1
    return max(end, min(place + 1, len(text)))
