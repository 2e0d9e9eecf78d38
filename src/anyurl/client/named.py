"""The values that callers may pass as a URL, with their provenance.

Rule: a str or a bare `URL` is the caller's own. Entries and results of `anyurl.find` carry their origin, and the
caller's `came_from` can only reduce trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from anyurl.errors import UnsupportedError
from anyurl.guard.hops import named_in
from anyurl.url import URL
from anyurl.values import USER, Fetched, Provenance, origin_of


class Named(Protocol):
    """A URL with its origin: an `anyurl.dialogue.Entry` or an `anyurl.text.Found`."""

    @property
    def url(self) -> URL | None:
        """Where it leads."""
        ...

    @property
    def origin(self) -> Provenance:
        """Who named it."""
        ...


Target: TypeAlias = URL | str | Named
CameFrom: TypeAlias = Provenance | Fetched | Named | URL | str


def named(given: Target, came_from: CameFrom | None = None) -> tuple[URL, Provenance]:
    """The URL that the caller passed, with its origin.

    Callers assign the result to the same name, so that no frame keeps the text for a traceback to show.

    Raises:
        URLSyntaxError: It is a text, and no URL.
        UnsupportedError: It is an entry that leads to no URL.
        TypeError: It is something else.
    """
    if isinstance(given, URL):
        url, origin = given, USER
    elif isinstance(given, str):
        url, origin = URL(given), USER
    else:
        url, origin = _led_to(given)
    return url, origin if came_from is None else origin.lowered(origin_from(came_from))


def _led_to(given: object) -> tuple[URL, Provenance]:
    origin, url = getattr(given, "origin", None), getattr(given, "url", None)
    if not isinstance(origin, Provenance):
        raise TypeError(f"expected a URL, a str, an entry or a found URL, not {type(given).__name__}")
    if not isinstance(url, URL):
        raise UnsupportedError("This entry can't be opened: it has no URL.")
    return url, origin


def origin_from(came_from: CameFrom) -> Provenance:
    """The origin of URLs found in a resource, in the content of an entry, or in a text with this URL.

    Raises:
        URLSyntaxError: It is a text, and no URL.
        TypeError: It is not one of these.
    """
    if isinstance(came_from, str | URL):
        return named_in(named(came_from)[0])
    if isinstance(came_from, Provenance) or not hasattr(came_from, "origin"):
        return origin_of(came_from)
    url, origin = _led_to(came_from)
    return named_in(url).lowered(origin)


def to_urls(given: Sequence[Target] | Target) -> list[URL]:
    """One or several targets as URLs. Raises as `named`."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    return [named(item)[0] for item in several]


CLOSED = "This client is closed: make another one."
