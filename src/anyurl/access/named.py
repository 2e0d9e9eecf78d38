"""What a caller may pass where a URL is taken, and who named it.

Rule: a text or a bare `URL` is the caller's own. An entry, or what `anyurl.find` found, carries who named it; and what
the caller says of where it came from can only take trust away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from anyurl.errors import UnsupportedError
from anyurl.guard.hops import named_in
from anyurl.url import URL
from anyurl.values import USER, Fetched, Provenance, origin_of


class Named(Protocol):
    """Something that leads to a URL that somebody else named: an `anyurl.dialogue.Entry`, an `anyurl.text.Found`."""

    @property
    def url(self) -> URL | None:
        """Where it leads."""
        ...

    @property
    def origin(self) -> Provenance:
        """Who named it."""
        ...


Target: TypeAlias = "URL | str | Named"
CameFrom: TypeAlias = "Provenance | Fetched | Named | URL | str"


def named(given: Target, came_from: CameFrom | None = None) -> tuple[URL, Provenance]:
    """The URL that a caller gave, and who named it.

    Whoever rebinds the name has no text in a frame that a traceback could show.

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
        raise TypeError(f"what is opened is a URL, a str, an entry or what was found, not {type(given).__name__}")
    if not isinstance(url, URL):
        raise UnsupportedError("This entry can't be opened: it has no URL.")
    return url, origin


def origin_from(came_from: CameFrom) -> Provenance:
    """Who named what came from there: a resource, an entry whose content was read, or the URL of a text.

    Raises:
        URLSyntaxError: It is a text, and no URL.
        TypeError: It is none of these.
    """
    if isinstance(came_from, str | URL):
        return named_in(named(came_from)[0])
    if isinstance(came_from, Provenance) or not hasattr(came_from, "origin"):
        return origin_of(came_from)
    url, origin = _led_to(came_from)
    return named_in(url).lowered(origin)


def to_urls(given: Sequence[Target] | Target) -> list[URL]:
    """One, or several, as URLs. Raises as `named`."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    return [named(item)[0] for item in several]


CLOSED = "This client is closed: make another one."
