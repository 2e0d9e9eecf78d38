"""robots.txt: the paths of a server that a program may request when it follows links (RFC 9309).

Rule: the group that names us applies, else that of ``*``; the longest matching rule decides, and Allow wins a tie. A
path and a pattern are compared in one form, so that no other spelling of a URL gets another answer.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from anyurl.errors import ReplyError
from anyurl.url.cut import percent_encode
from anyurl.url.cut.compose import remove_dot_segments

if TYPE_CHECKING:
    from anyurl.url import URL

PRODUCT = "anyurl"
"""Our name in the groups (RFC 9309 2.2.1)."""

KINDS = {"gemini": "archiver"}
"""By scheme the name of programs that keep what they fetch (robots.txt for Gemini, "virtual user agents")."""

MAX_ROBOTS_OCTETS = 500 * 1024
"""The part that is read: RFC 9309 2.5 requires at least this much."""

_NAME = re.compile(r"[a-z_-]*")
"""The product token of a name, in lower case (RFC 9309 2.2.1)."""

_SAFE = b"!$&'()*+,;=:@/%?-._~"

_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class HasOctets(Protocol):
    """An open resource."""

    def iter_bytes(self) -> Iterator[bytes]:
        """They, in pieces."""
        ...


class AsyncHasOctets(Protocol):
    """The same, asynchronous."""

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """They, in pieces."""
        ...


def robots_of(url: URL) -> URL:
    """The URL of the robots.txt for a URL (RFC 9309 2.3)."""
    return url.replace(user=None, password=None, path="/robots.txt", query=None, fragment=None)


def read_robots(opened: Callable[[], AbstractContextManager[HasOctets]]) -> str | None:
    """Read a robots.txt; None if the server has no rules. Raises AnyURLError if that can't be determined."""
    octets = b""
    try:
        with opened() as content:
            for piece in content.iter_bytes():
                octets += piece
                if len(octets) > MAX_ROBOTS_OCTETS:
                    break
    except ReplyError as error:
        _check_absent(error)
        return None
    return _text(octets)


async def read_robots_async(opened: Awaitable[AbstractAsyncContextManager[AsyncHasOctets]]) -> str | None:
    """The same, asynchronous."""
    octets = b""
    try:
        async with await opened as content:
            async for piece in content.iter_bytes():
                octets += piece
                if len(octets) > MAX_ROBOTS_OCTETS:
                    break
    except ReplyError as error:
        _check_absent(error)
        return None
    return _text(octets)


def _check_absent(error: ReplyError) -> None:
    """RFC 9309 2.3.1: a server without robots.txt allows everything; one that fails now (5xx; gemini: 4x) nothing."""
    if error.code >= 500 or 40 <= error.code < 50:
        raise error


def _text(octets: bytes) -> str:
    return octets[:MAX_ROBOTS_OCTETS].decode("utf-8", "replace")


class Robots:
    """The rules that apply to us.

    Args:
        text: The file; None if there is none, which allows everything (RFC 9309 2.3.1.3).
        scheme: That of the server.

    >>> Robots("User-agent: *\\nDisallow: /private").allows("/private/x")
    False
    """

    def __init__(self, text: str | None, scheme: str = "http") -> None:
        ours = (PRODUCT, KINDS.get(scheme, PRODUCT))
        own: list[tuple[str, bool]] = []
        others: list[tuple[str, bool]] = []
        named = for_us = for_all = False
        names_end = True
        for line in (text or "").lstrip("\ufeff").splitlines():
            field, colon, value = line.partition("#")[0].partition(":")
            field, value = field.strip().lower(), value.strip()
            if not colon:
                continue
            if field == "user-agent":
                # Rules for other names are not stored. Attack: ten thousand names before ten thousand rules.
                is_us = _NAME.match(value.lower())[0] in ours  # type: ignore[index]
                for_us, for_all = is_us or (for_us and not names_end), value == "*" or (for_all and not names_end)
                named, names_end = named or is_us, False
            elif field in ("allow", "disallow"):
                names_end = True
                if value and for_us:
                    own.append((value, field == "allow"))
                if value and for_all:
                    others.append((value, field == "allow"))
        chosen = own if named else others
        self._rules = [(pattern.length, allowed, pattern) for pattern, allowed in ((_Pattern(a), b) for a, b in chosen)]

    def allows_url(self, url: URL) -> bool:
        """Whether this URL may be requested."""
        path = url.path or "/"
        return self.allows(path if url.query is None else f"{path}?{url.query}")

    def allows(self, target: str) -> bool:
        """Whether a path with its query may be requested."""
        if not self._rules:
            return True
        path, mark, query = _spelled(target).partition("?")
        # In a path these are characters like others; in a pattern they are written so (RFC 9309 2.2.3).
        target = (remove_dot_segments(path) + mark + query).replace("*", "%2A").replace("$", "%24")
        if target == "/robots.txt":
            return True
        matching = [(length, allowed) for length, allowed, pattern in self._rules if pattern.matches(target)]
        return not matching or max(matching)[1]


def _spelled(text: str) -> str:
    """The same path as everybody spells it (RFC 9309 2.2.2, RFC 3986 6.2.2): unreserved characters are not encoded."""
    encoded = percent_encode(text.encode("utf-8", "surrogateescape"), _SAFE)
    return _ESCAPE.sub(_read_escape, encoded) if "%" in encoded else encoded


def _read_escape(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if char in _UNRESERVED else found[0].upper()


def _without_dots(pattern: str, is_whole: bool) -> str:
    """A pattern without dot segments; its last segment may be the beginning of another, such as ``/.`` of ``/.git``."""
    path, mark, query = pattern.partition("?")
    if not path.startswith("/"):
        return pattern
    if is_whole or mark:
        return remove_dot_segments(path) + mark + query
    head, slash, last = path.rpartition("/")
    return remove_dot_segments(head + slash) + last


class _Pattern:
    """The pattern of a rule, as the texts between its stars, in order (RFC 9309 2.2.3).

    Attack: as a regular expression, eight stars take seconds on a path of fifty characters. Here each part matches at
    its first possible position, which is always optimal, so there is no backtracking.
    """

    __slots__ = ("length", "_first", "_more", "_last", "_exact")

    def __init__(self, pattern: str) -> None:
        ends = pattern.endswith("$")
        written = _spelled(pattern[:-1] if ends else pattern).replace("$", "%24")
        written = _without_dots(written, ends)
        self.length: int = len(written) + ends
        self._first, *self._more = written.split("*")
        self._exact = ends and not self._more
        self._last = self._more.pop() if ends and self._more else ""

    def matches(self, target: str) -> bool:
        """Whether the pattern matches the beginning of a path; with ``$``, the whole path."""
        if self._exact or not target.startswith(self._first):
            return self._exact and target == self._first
        place = len(self._first)
        for part in self._more:
            found = target.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return len(target) - len(self._last) >= place and target.endswith(self._last)
