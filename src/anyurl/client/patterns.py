"""URLPattern: matches URLs by scheme, host, or the beginning of the path.

Rule: a pattern is compared with the parsed components of a URL, never with its text.
"""

from __future__ import annotations

from anyurl.guard.addresses import forms
from anyurl.guard.patterns import match, read_places, read_schemes
from anyurl.url import URL
from anyurl.url.host import parse_port
from anyurl.values import Value

_NOT_IN_A_PATH = frozenset(" ?#")

ANY = "*"
"""The scheme of a pattern that matches every scheme."""


class URLPattern(Value):
    """A pattern: ``doi``, ``urn:ietf``, ``ftp://*.example.org``, ``ftp://h:2121/pub``, ``*://host.example.org``.

    A path matches itself and everything below it. Directly after a scheme its case is ignored, as for the namespaces of
    ``urn`` (RFC 8141 2.1).

    Attributes:
        scheme: In lower case, or ``*``.
        host: A name, ``*.`` and a name, or an address; "" means any or none.
        port: The required port, or None.
        path: Encoded, with its ``/``; "" means any.
    """

    scheme: str
    host: str
    port: int | None
    path: str

    def __init__(self, text: str) -> None:
        """Raises ValueError for a malformed pattern."""
        scheme, colon, rest = text.strip().partition(":")
        host, port, path = "", None, rest.rstrip(":/") if colon else ""
        if rest.startswith("//"):
            authority, slash, behind = rest[2:].partition("/")
            path = (slash + behind).rstrip("/")
            host, port = _place(authority)
        elif scheme == ANY:
            raise ValueError("'*' is for a host: *://host.example.org")
        if not path.isascii() or not _NOT_IN_A_PATH.isdisjoint(path):
            raise ValueError(f"{path!r} is not the beginning of a path, encoded as in a URL")
        self._set(
            scheme=scheme if scheme == ANY else read_schemes("pattern", scheme)[0], host=host, port=port, path=path
        )

    def matches(self, url: URL) -> tuple[int, int, int] | None:
        """How specific the match is (larger is more specific); None if the URL does not match."""
        if self.scheme != url.scheme and (self.scheme != ANY or url.scheme == "file"):
            return None
        exact = 0
        if self.host:
            host = (url.host or "").removesuffix(".")
            if not host:
                return None
            exact = max(match((self.host,), each)[0] for each in (host, *map(str, forms(host))))
            if exact < 0 or (self.port is not None and self.port != url.port):
                return None
        if self.path and not self._is_above(url):
            return None
        return len(self.path), exact + (self.port is not None), self.scheme != ANY

    def _is_above(self, url: URL) -> bool:
        """Whether the URL's path equals the pattern's or is below it."""
        path, mine = url.path, self.path
        if not self.host:
            if url.authority is not None:
                return False
            path, mine = path.lower(), mine.lower()
        return path.startswith(mine) and path[len(mine) : len(mine) + 1] in ("", "/", ":")

    def __str__(self) -> str:
        if not self.host:
            return f"{self.scheme}:{self.path}" if self.path else self.scheme
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.port is None else f':{self.port}'}{self.path}"


def _place(authority: str) -> tuple[str, int | None]:
    """The host and the port. Raises ValueError if malformed."""
    host, colon, port = authority.rpartition(":")
    if not colon or "]" in port:
        host, port = authority, ""
    number = parse_port(port) if port else None
    if port and not number:
        raise ValueError(f"{port!r} is not a port: 1 to 65535 are")
    if not host:
        raise ValueError("there is no host after the '//'")
    return read_places("pattern", host)[0], number
