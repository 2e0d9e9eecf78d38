"""robots.txt: which paths of a server a program that follows links may ask for (RFC 9309).

Rule: the group that names us, else that of ``*``; of its rules the longest that matches decides, and Allow wins a tie.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from anyurl.errors import ReplyError
from anyurl.kernel import percent_encode

if TYPE_CHECKING:
    from anyurl.url import URL

PRODUCT = "anyurl"
"""What a group calls us (RFC 9309 2.2.1)."""

MAX_ROBOTS_OCTETS = 500 * 1024
"""RFC 9309 2.5: at least so much of it is read; the rest is not."""

_NAME = re.compile(r"[a-z_-]*")
"""The product token of a name, in lower case (RFC 9309 2.2.1)."""

_SAFE = b"!$&'()*+,;=:@/%?-._~"


class HasOctets(Protocol):
    """What has octets."""

    def iter_bytes(self) -> Iterator[bytes]:
        """They, in pieces."""
        ...


class AsyncHasOctets(Protocol):
    """The same, asynchronous."""

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """They, in pieces."""
        ...


def robots_of(url: URL) -> URL:
    """Where the rules for a URL are (RFC 9309 2.3)."""
    return url.replace(user=None, password=None, path="/robots.txt", query=None, fragment=None)


def read_robots(opened: Callable[[], AbstractContextManager[HasOctets]]) -> str | None:
    """A robots.txt; None where the server has none. Raises AnyURLError when it can't say."""
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
    """RFC 9309 2.3.1: a server that has none allows all; one that can't say now (5xx) allows nothing."""
    if error.code >= 500:
        raise error


def _text(octets: bytes) -> str:
    return octets[:MAX_ROBOTS_OCTETS].decode("utf-8", "replace")


class Robots:
    """The rules for us.

    Args:
        text: The file; None where there is none, which allows everything (RFC 9309 2.3.1.3).

    >>> Robots("User-agent: *\\nDisallow: /private").allows("/private/x")
    False
    """

    def __init__(self, text: str | None) -> None:
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
                # Of all other names nothing is kept. Attack: ten thousand of them before ten thousand rules.
                is_us = _NAME.match(value.lower())[0] == PRODUCT  # type: ignore[index]
                for_us, for_all = is_us or (for_us and not names_end), value == "*" or (for_all and not names_end)
                named, names_end = named or is_us, False
            elif field in ("allow", "disallow"):
                names_end = True
                if value and for_us:
                    own.append((value, field == "allow"))
                if value and for_all:
                    others.append((value, field == "allow"))
        chosen = own if named else others
        self._rules = [(len(pattern), allowed, _Pattern(pattern)) for pattern, allowed in chosen]

    def allows_url(self, url: URL) -> bool:
        """Whether what this URL designates may be asked for."""
        path = url.path or "/"
        return self.allows(path if url.query is None else f"{path}?{url.query}")

    def allows(self, target: str) -> bool:
        """Whether a path, with its query, may be asked for."""
        if target == "/robots.txt":
            return True
        matching = [(length, allowed) for length, allowed, pattern in self._rules if pattern.matches(target)]
        return not matching or max(matching)[1]


class _Pattern:
    """A pattern of a rule: what stands between its stars, in this order (RFC 9309 2.2.3).

    Attack: as a regular expression, eight stars keep a path of fifty characters for seconds. The first place of each
    part is as good as any other, so that nothing is tried twice.
    """

    __slots__ = ("_first", "_more", "_last", "_exact")

    def __init__(self, pattern: str) -> None:
        ends = pattern.endswith("$")
        written = percent_encode((pattern[:-1] if ends else pattern).encode("utf-8", "surrogateescape"), _SAFE)
        self._first, *self._more = written.split("*")
        self._exact = ends and not self._more
        self._last = self._more.pop() if ends and self._more else ""

    def matches(self, target: str) -> bool:
        """Whether a path begins so; with ``$``, whether all of it is so."""
        if self._exact or not target.startswith(self._first):
            return self._exact and target == self._first
        place = len(self._first)
        for part in self._more:
            found = target.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return len(target) - len(self._last) >= place and target.endswith(self._last)
