"""Host and user texts that programs read differently, or that are written to be taken for something else.

Rule: text only; nothing is looked up. A host that one program takes for a name and another for an address is refused
wherever it leads (RFC 3986 7.4 and 7.6).
"""

from __future__ import annotations

from anyurl.guard.addresses import AddressForm
from anyurl.values import Scope

MAX_NAME = 253
"""Characters of a name, without the root's dot (RFC 1035 2.3.4: 255 octets, of which two are not characters)."""

MAX_LABEL = 63
"""Characters of one label (RFC 1035 2.3.4)."""

_JOINERS = {0x200C: None, 0x200D: None}
"""Invisible characters that are nevertheless allowed in names (RFC 5892 A.1, A.2)."""

_DELIMITERS = frozenset(' \t\r\n\0\x7f:%[]@/\\?#<>"^`{|}')


def is_unclear(host: str, found: tuple[AddressForm, ...]) -> bool:
    """Whether programs differ in how they read this host: an address to one, a name to another, an error to a third.

    Args:
        host: In lower case, without brackets and final dot.
        found: Its forms, if it is an address.
    """
    if found:
        # A zone (RFC 4007 11) selects a link: on any other address it is noise that confuses filters.
        return "%" in host and found[0].row.scope != Scope.LINK
    last = host.rpartition(".")[2]
    # WHATWG's "ends in a number": 2130706433, 0x7f.1 and 127.1 are 127.0.0.1 to getaddrinfo and to browsers.
    number = last.isdecimal() or (last.startswith("0x") and all(char in "0123456789abcdef" for char in last[2:]))
    if number or not host.isascii() or not _DELIMITERS.isdisjoint(host) or ".." in host or host[:1] in ("", "."):
        return True
    labels = host.split(".")
    if len(host) > MAX_NAME or max(map(len, labels)) > MAX_LABEL:
        return True
    # 127.0.0.1e0 is 127.0.0.1 to a reader that stops where the number does.
    if last[:1].isdecimal() and len(labels) > 1 and all(label.isdecimal() for label in labels[:-1]):
        return True
    return "xn--" in host and any(_is_unclear_label(label) for label in labels if label.startswith("xn--"))


def _is_unclear_label(label: str) -> bool:
    """Whether a label with the prefix of an A-label (RFC 5890 2.3.2.1) is invalid, or not in the form that IDNA
    writes."""
    from unicodedata import normalize  # needed for the few hosts that are not ASCII

    try:
        text = label[4:].encode("ascii").decode("punycode")
        again = text.encode("punycode").decode("ascii")
    except UnicodeError:
        return True
    shown = text.translate(_JOINERS)
    return text.isascii() or again != label[4:] or not shown.isprintable() or text != normalize("NFKC", text).lower()


_DELIMITING = frozenset("/\\?#")
_TWICE_ENCODED = ("%2f", "%5c", "%3f", "%23")
_LOOK_ALIKE = frozenset("\u2024\u2044\u2215\u2216\u29f5\u29f8\u29f9")


def is_disguised(user: str) -> bool:
    """Whether the part before the @ is made to look like a host, as in ``http://127.0.0.1%5C@host/``.

    An encoded @ is not a disguise: many services use e-mail addresses as user names.
    """
    if not user.isascii():
        from unicodedata import normalize  # needed for the few users that are not ASCII

        if not _LOOK_ALIKE.isdisjoint(user):
            return True
        user = normalize("NFKC", user)
        if "@" in user or ":" in user:
            return True
    if "%" in user and any(code in user.lower() for code in _TWICE_ENCODED):
        return True
    return not _DELIMITING.isdisjoint(user)
