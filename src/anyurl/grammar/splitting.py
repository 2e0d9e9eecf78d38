"""The cut of a program that checks nothing: the regular expression of RFC 3986 appendix B, which fits every text.

Rule: nothing here is a URL. Many programs split a text this way before, or instead of, checking it; `explain` compares
it with the grammars, since a host that two programs read differently is a security hole.
"""

from __future__ import annotations

import re

from anyurl.errors import URLSyntaxError
from anyurl.url import URL
from anyurl.url.host import bracketed, canonical, to_ascii

_GENERIC = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_PORT = re.compile(r":([0-9]*)$")


class Unchecked:
    """The components of a text, undecoded and unchecked; None where there is none.

    Attributes:
        host_start: The start of the host; 0 without a host.
        host_end: The end of the host.
    """

    __slots__ = ("scheme", "user", "password", "host", "port", "path", "query", "fragment", "host_start", "host_end")

    def __init__(self, text: str) -> None:
        found = _GENERIC.fullmatch(text)
        assert found is not None  # every part of the expression may be empty
        self.scheme: str | None = found[1]
        authority: str | None = found[2]
        self.path: str = found[3]
        self.query: str | None = found[4]
        self.fragment: str | None = found[5]
        self.user: str | None = None
        self.password: str | None = None
        self.host: str | None = None
        self.port: str | None = None
        self.host_start = self.host_end = 0
        if authority is not None:
            self._take_apart(authority, found.start(2))

    def _take_apart(self, authority: str, start: int) -> None:
        userinfo, at, hostport = authority.rpartition("@")
        if at:
            self.user, colon, password = userinfo.partition(":")
            self.password = password if colon else None
        port = _PORT.search(hostport)
        self.host = hostport if port is None else hostport[: port.start()]
        self.port = None if port is None else port[1]
        self.host_start = start + len(userinfo) + len(at)
        self.host_end = self.host_start + len(self.host)


def split_unchecked(text: str) -> Unchecked:
    """Cut a text as the regular expression of RFC 3986 appendix B does.

    >>> split_unchecked("http://good.example\\\\@evil.example/").host
    'evil.example'
    """
    return Unchecked(text)


def same_host(one: str | None, other: str | None) -> bool:
    """Whether two hosts are the same one: no host is as good as an empty one, case and scripts don't count."""
    return plain_host(one) == plain_host(other)


def plain_host(host: str | None) -> str:
    """The one text of all spellings of a host, in ASCII where it has such a form; empty where there is none."""
    if not host:
        return ""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare.isascii():
        mapped = to_ascii(bare)
        return mapped if isinstance(mapped, str) else bare.lower()
    return canonical(bare)


def plausible_host(host: str) -> bool:
    """Whether a program could look a host up: it is one in some URL."""
    written = bracketed(host)
    try:
        return isinstance(written, str) and URL(f"http://{written}/").raw_host == written
    except URLSyntaxError:
        return False
