"""Comparison of URLs: the normal form, and equivalence (RFC 3986 6, RFC 1738 2.2).

Rules: normalizing never changes the meaning of a URL: only unreserved octets that the grammar does not call unsafe are
decoded, and dot segments are removed only if the scheme gives them no meaning and the grammar knows them: RFC 1738
has no relative links (2.3), so to it ``..`` is a name like any other. Equivalence is RFC 1738's: URLs are
equivalent if their scheme reads the same parts; for schemes without parts, a character and its ``%XX`` are equivalent,
unless the scheme reserves the character there.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from anyurl.errors import Diagnostic, SchemeError, URLSyntaxError
from anyurl.url import syntax
from anyurl.url.build import canonical_host, encode_strictly
from anyurl.url.cut.compose import remove_dot_segments
from anyurl.url.cut.percent import percent_decode, percent_encode, recode
from anyurl.url.grammars import DOCUMENTS, find_grammar
from anyurl.url.host import canonical

if TYPE_CHECKING:
    from anyurl.url.grammars import L, Locator

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

_DECODED: dict[str, bytes] = {
    "current": _UNRESERVED,  # RFC 3986 6.2.2.2
    "rfc1738": _UNRESERVED.replace(b"~", b""),  # RFC 1738 2.2: '~' is unsafe
    "rfc1738-draft07": _UNRESERVED.replace(b"~", b""),
    "browser": b"",  # WHATWG URL 4.4 decodes nothing
}
"""The octets that normalizing decodes, by grammar."""

_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")


def normalize(url: L, grammar: str) -> L:
    """See `URL.normalize`."""
    reader = find_grammar(grammar)
    normal: L = reader.read(_written(url, grammar, *_path_and_query(url, grammar)))
    # A browser removes dot segments in every scheme; in some they are an argument or a name.
    keeps_dots = grammar == "browser" and not syntax.row(url.scheme).dots
    if not _leads_alike(normal, url) or (keeps_dots and _meaning(normal) != _meaning(url)):
        message = f"the grammar {grammar} has no text with the same meaning"
        span = (0, len(str(url)))
        raise URLSyntaxError(str(url), (Diagnostic("normal-other", "error", span, "URI", "RFC 3986 6.2.2", message),))
    return normal


def _path_and_query(url: Locator, grammar: str) -> tuple[str, str | None]:
    if grammar in DOCUMENTS and url.grammar not in DOCUMENTS:
        try:
            parts = url.parts
        except (URLSyntaxError, SchemeError):
            parts = None
        write = getattr(parts, "rfc_path", None)
        if write is not None:  # parts that are written differently in today's grammar and in the document
            path, mark, query = write().partition("?")
            return "/" + path, query if mark else None
    return url.path, url.query


def _written(url: Locator, grammar: str, path: str, query: str | None) -> str:
    """The text of the normal form."""
    row = syntax.row(url.scheme)
    # A document reads an invalid host as opaque text. After decoding it could become a host.
    opaque = url.host is None and path.startswith("//")

    def clean(text: str, component: str) -> str:
        if grammar not in (url.grammar, "browser"):
            text = percent_encode(text.encode("ascii"), find_grammar(grammar).safe(url.scheme, component) + b"%")
        # To a document, a fragment is not part of a URL: its "%" need not start an escape.
        kept = opaque or (component == "fragment" and grammar in DOCUMENTS)
        return _clean(text, b"" if kept else _DECODED[grammar], grammar in DOCUMENTS)

    path = clean(path, "path" if row.query else "rest")
    if grammar == "browser":  # to it a "?" starts a query in every scheme; it removes dot segments itself
        path = path.replace("?", "%3F")
    elif row.dots and not opaque and grammar not in DOCUMENTS:  # an opaque path is not a hierarchy
        path = remove_dot_segments(path)
    out = [url.scheme, ":"]
    if url.host is not None:
        out.append("//")
        if url.raw_user is not None:
            out.append(clean(url.raw_user, "user"))
            if url.raw_password is not None:
                out += [":", clean(url.raw_password, "password")]
            out.append("@")
        out.append(_host(url))
        if url.explicit_port is not None and url.explicit_port != row.port:
            out.append(f":{url.explicit_port}")
        if _has_empty_path(url, path):
            path = row.empty_path
    elif path.startswith("//") and not url.path.startswith("//"):
        path = "/." + path
    out.append(path)
    if query is not None:
        out += ["?", clean(query, "query")]
    if url.fragment is not None:
        out += ["#", clean(url.fragment, "fragment")]
    return "".join(out)


def _has_empty_path(url: Locator, path: str) -> bool:
    """Whether the path after a host is empty, so that the scheme defines its meaning (RFC 3986 6.2.3)."""
    row = syntax.row(url.scheme)
    return path in ("", "/") and bool(url.host) and row.authority != "forbidden" and (row.query or url.query is None)


def _host(url: Locator) -> str:
    raw = url.raw_host or ""
    # An escape in a host stays one (RFC 3986 6.2.2.1): a decoded "/" of a socket's path would end the host.
    return f"[{canonical(raw[1:-1])}]" if raw.startswith("[") else _clean(raw.lower(), b"", strictly=False)


def _clean(text: str, decoded: bytes, strictly: bool) -> str:
    """Escapes in upper case, or decoded if allowed; characters that a document calls unsafe are encoded."""
    if strictly:
        text = encode_strictly(text)
    return recode(text, decoded) if "%" in text else text


def _leads_alike(url: Locator, other: Locator) -> bool:
    """Whether two URLs have the same place (scheme, login, host, port), which normalizing must not change."""
    return _place(url) == _place(other) and (url.query is None) == (other.query is None)


def _place(url: Locator) -> tuple[Any, ...]:
    host = canonical_host(url.raw_host)
    if url.scheme == "file" and host in (None, "localhost"):
        host = ""  # RFC 8089 2, RFC 1738 3.10: three ways to write this machine
    return url.scheme, url.user, url.password, host, url.port


def is_equivalent(url: Locator, other: Locator) -> bool:
    """See `URL.is_equivalent`."""
    if type(other) is not type(url):
        raise TypeError(f"a URL is equivalent to a URL, not to {type(other).__name__}")
    if url == other:
        return True
    dots = url.grammar not in DOCUMENTS and other.grammar not in DOCUMENTS
    return _key(url, dots) == _key(other, dots)


def _key(url: Locator, dots: bool) -> tuple[object, ...]:
    fragment = None if url.fragment is None else percent_decode(url.fragment)
    return *_place(url), fragment, _meaning(url, dots)


def _meaning(url: Locator, dots: bool = True) -> object:
    """Everything after the place: the scheme's parts; as written for a hierarchy and for schemes without parts.

    Args:
        dots: Whether dot segments are known: not to RFC 1738.
    """
    row = syntax.row(url.scheme)
    if not row.dots:
        with suppress(URLSyntaxError, SchemeError):
            return url.parts
    path = _octets(row.empty_path if _has_empty_path(url, url.path) else url.path, row.reserved)
    query = None if url.query is None else _octets(url.query, row.query_reserved)
    return remove_dot_segments(path) if dots and row.dots else path, query


def _octets(text: str, reserved: str) -> str:
    """A form in which a character equals its escape, unless it is reserved."""
    keep = reserved.encode()
    out, done = [], 0
    for found in _ESCAPE.finditer(text):
        out.append(percent_encode(text[done : found.start()].encode(), keep))
        out.append(percent_encode(bytes((int(found[1], 16),))))
        done = found.end()
    out.append(percent_encode(text[done:].encode(), keep))
    return "".join(out)
