"""Collector: filters the URLs from files, pages and the caller, and adds them to the state.

Rule: if the user has configured a token for a URL's server, the URL is requested as part of that configuration: with
the token, and without a login that was written into the URL.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from anyurl.batch.check.links import Link
from anyurl.batch.check.run import way_of
from anyurl.batch.check.state import CheckState, Mention
from anyurl.saving.tree import SCHEMES, SITES
from anyurl.url import URL
from anyurl.url.syntax import WEB
from anyurl.values import CONFIGURATION, Provenance


class Collector:
    """Collects the URLs to request.

    Args:
        state: The state to which they are added.
        include: Patterns (`fnmatch`) of URLs: only those that match one; empty means all.
        narrower: A second such list; a URL must match both lists.
        exclude: Patterns of URLs to leave out.
        trusted: Origins (``https://host``) for which the user has a token.
        fragments: Check fragments: a page that is mentioned with one is read.

    Attributes:
        left_out: The number of mentions that were left out.
        parts: The number of mentions with a fragment that is not checked, for want of `fragments`.
    """

    def __init__(
        self,
        state: CheckState,
        *,
        include: Sequence[str] = (),
        narrower: Sequence[str] = (),
        exclude: Sequence[str] = (),
        trusted: Collection[str] = (),
        fragments: bool = False,
    ) -> None:
        self.left_out: int = 0
        self.parts: int = 0
        self._state = state
        self._includes = [tuple(map(folded, patterns)) for patterns in (include, narrower) if patterns]
        self._exclude = tuple(map(folded, exclude))
        self._trusted = frozenset(trusted)
        self._fragments = fragments

    def root(self, url: URL, origin: Provenance) -> None:
        """Add a URL that the caller named: its content is searched."""
        number = self._state.add(url, origin, way_of(url, read=url.scheme in (*SCHEMES, *SITES)))
        self._state.place(number, Mention("", fragment=url.fragment))

    def add(self, url: Link, origin: Provenance, place: Mention, depth: int = 0, read: bool = False) -> None:
        """Add a URL that was found somewhere.

        Args:
            depth: Steps from the caller's URL.
            read: Its own content is searched.
        """
        if not self._is_wanted(url, place.fragment):
            self.left_out += 1
            return
        if self._trusted and isinstance(url, URL) and url.origin in self._trusted and not origin.own:
            url, origin = url.replace(user=None, password=None), CONFIGURATION
        if place.fragment and url.scheme in (*WEB, "file"):
            read = read or self._fragments
            self.parts += not self._fragments
        self._state.place(self._state.add(url, origin, way_of(url, read=read), depth), place)

    def _is_wanted(self, url: Link, fragment: str | None) -> bool:
        if not (self._includes or self._exclude):
            return True
        texts = [folded(str(url))]
        if fragment is not None:
            texts.append(f"{texts[0]}#{fragment}")
        return not _fits(texts, self._exclude) and all(_fits(texts, patterns) for patterns in self._includes)


def folded(text: str) -> str:
    """A URL, or a pattern of URLs, with its scheme and host in small letters (RFC 3986 6.2.2.1)."""
    scheme, mark, rest = text.partition("://")
    if not mark:
        head, colon, tail = text.partition(":")
        return f"{head.lower()}{colon}{tail}"
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}{mark}{host.lower()}{slash}{path}"


def _fits(texts: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns for text in texts)
