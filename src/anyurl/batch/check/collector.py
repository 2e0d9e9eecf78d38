"""Collector: takes URLs from files, pages and the caller, leaves out what is not wanted, and notes the rest.

Rule: a URL whose server has a token of the user's for checks is asked for as one of the user's configuration: without
the login that somebody wrote into it, and with the token.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from anyurl.access.tree import SCHEMES, SITES, WEB
from anyurl.batch.check.links import Link
from anyurl.batch.check.run import way_of
from anyurl.batch.check.state import CheckState, Mention
from anyurl.url import URL
from anyurl.values import CONFIGURATION, Provenance


class Collector:
    """Notes what is to be asked for.

    Args:
        state: Where.
        include: Patterns (`fnmatch`) of URLs: only those that fit one; all when empty.
        narrower: The same; a URL has to fit one of both.
        exclude: Patterns of URLs that are left out.
        trusted: Origins (``https://host``) for which the user has a token.
        fragments: Fragments are looked up: a page that is named with one is read.

    Attributes:
        left_out: How many mentions of URLs were not wanted.
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
        self._state = state
        self._includes = [tuple(patterns) for patterns in (include, narrower) if patterns]
        self._exclude = tuple(exclude)
        self._trusted = frozenset(trusted)
        self._fragments = fragments

    def root(self, url: URL, origin: Provenance) -> None:
        """Take a URL that the caller named: what it leads to is looked through."""
        number = self._state.add(url, origin, way_of(url, read=url.scheme in (*SCHEMES, *SITES)))
        self._state.place(number, Mention("", fragment=url.fragment))

    def add(self, url: Link, origin: Provenance, place: Mention, depth: int = 0, read: bool = False) -> None:
        """Take a URL that stands somewhere.

        Args:
            depth: Steps from what the caller named.
            read: It is looked through itself.
        """
        if not self._is_wanted(url):
            self.left_out += 1
            return
        if isinstance(url, URL) and url.origin in self._trusted and not origin.own:
            url, origin = url.replace(user=None, password=None), CONFIGURATION
        read = read or (self._fragments and bool(place.fragment) and url.scheme in (*WEB, "file"))
        self._state.place(self._state.add(url, origin, way_of(url, read=read), depth), place)

    def _is_wanted(self, url: Link) -> bool:
        text = str(url) if self._includes or self._exclude else ""
        if _fits(text, self._exclude):
            return False
        return all(_fits(text, patterns) for patterns in self._includes)


def _fits(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)
