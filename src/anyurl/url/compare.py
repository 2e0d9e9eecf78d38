"""When two URLs are the same: the normal form, and equivalence (RFC 3986 6, RFC 1738 2.2).

Rules: normalizing never changes what a URL leads to: only unreserved octets are decoded, and none that the grammar
calls unsafe; dot segments go only where they mean nothing of their own. Equivalence is RFC 1738's: a character and its
``%XX`` are the same unless the scheme reserves the character there.
"""

from __future__ import annotations

from anyurl.kernel.percent import percent_decode, percent_encode
from anyurl.url import syntax
from anyurl.url.grammars import unknown_grammar
from anyurl.url.host import canonical
from anyurl.url.resolve import remove_dot_segments
from anyurl.url.url import URL

_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

_DECODED: dict[str, frozenset[int]] = {
    "current": frozenset(_UNRESERVED),  # RFC 3986 6.2.2.2
    "rfc1738": frozenset(_UNRESERVED) - frozenset(b"~"),  # RFC 1738 2.2: '~' is unsafe
    "rfc1738-draft07": frozenset(_UNRESERVED) - frozenset(b"~"),
    "browser": frozenset(),  # WHATWG URL 4.4 decodes nothing
}
"""The octets that normalizing decodes, by grammar."""

_UNSAFE: dict[str, str] = {"rfc1738": "~", "rfc1738-draft07": "~"}
"""Characters of the current grammar that another one wants encoded."""


def normalize(url: URL, grammar: str) -> URL:
    """See `URL.normalize`."""
    decoded = _DECODED.get(grammar)
    if decoded is None:
        raise unknown_grammar(grammar, tuple(_DECODED))
    unsafe = _UNSAFE.get(grammar, "")

    def clean(text: str) -> str:
        return _clean(text, decoded, unsafe)

    row = syntax.row(url.scheme)
    out = [url.scheme, ":"]
    path = clean(url.path)
    if row.dots:
        path = remove_dot_segments(path)
    if url.host is not None:
        out.append("//")
        if url.raw_user is not None:
            out.append(clean(url.raw_user))
            if url.raw_password is not None:
                out += [":", clean(url.raw_password)]
            out.append("@")
        out.append(_host(url))
        if url.explicit_port is not None and url.explicit_port != row.port:
            out.append(f":{url.explicit_port}")
        if not path and url.host:
            path = "/"  # RFC 3986 6.2.3
    elif path.startswith("//"):
        path = "/." + path
    out.append(path)
    if url.query is not None:
        out += ["?", clean(url.query)]
    if url.fragment is not None:
        out += ["#", clean(url.fragment)]
    return URL("".join(out))


def _host(url: URL) -> str:
    raw = url.raw_host or ""
    return f"[{canonical(raw[1:-1])}]" if raw.startswith("[") else raw.lower()


def _clean(text: str, decoded: frozenset[int], unsafe: str) -> str:
    """Escapes in upper case, or decoded where that is allowed; unsafe characters encoded."""
    for char in unsafe:
        text = text.replace(char, f"%{ord(char):02X}")
    if "%" not in text:
        return text
    pieces = text.split("%")
    out = [pieces[0]]
    for piece in pieces[1:]:
        octet = int(piece[:2], 16)
        out.append(chr(octet) if octet in decoded else f"%{octet:02X}")
        out.append(piece[2:])
    return "".join(out)


def is_equivalent(url: URL, other: URL) -> bool:
    """See `URL.is_equivalent`."""
    return url == other or _key(url) == _key(other)


def _key(url: URL) -> tuple[object, ...]:
    row = syntax.row(url.scheme)
    host = url.host
    if url.scheme == "file" and host in (None, "localhost"):
        host = ""  # RFC 8089 2, RFC 1738 3.10: three ways to say this machine
    path = _octets(url.path or ("/" if url.host else ""), row.reserved)
    if row.dots:
        path = remove_dot_segments(path)
    return (
        url.scheme,
        url.user,
        url.password,
        None if host is None else canonical(host),
        url.port,
        path,
        None if url.query is None else _octets(url.query, row.query_reserved),
        None if url.fragment is None else percent_decode(url.fragment),
    )


def _octets(text: str, reserved: str) -> str:
    """A text in which a character and its escape are one, and an escaped reserved character is another."""
    keep = reserved.encode()
    pieces = text.split("%")
    out = [percent_encode(pieces[0].encode(), keep)]
    for piece in pieces[1:]:
        out.append(percent_encode(bytes((int(piece[:2], 16),))))
        out.append(percent_encode(piece[2:].encode(), keep))
    return "".join(out)
