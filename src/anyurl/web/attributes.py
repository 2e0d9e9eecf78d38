"""The attributes of a resource: those of Gopher+ with its views, and those of other schemes.

Rule: they are shown as the server sent them, escaped; a view is a link to that view.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anyurl.errors import escape

if TYPE_CHECKING:
    from anyurl.url import URL
    from anyurl.values import Provenance
    from anyurl.web.links import Links

MAX_SHOWN = 500
"""The most values of one resource."""

MAX_DEPTH = 6


def views_of(attributes: Mapping[str, Any], url: URL, origin: Provenance, links: Links) -> list[tuple[str, str]]:
    """The alternative representations of a resource (RFC 1738 3.4.8), each with a link to our page of it."""
    found: list[tuple[str, str]] = []
    for view in attributes.get("views", ()):
        if isinstance(view, Mapping) and view.get("type"):
            name = " ".join(str(view[key]) for key in ("type", "language") if view.get(key))
            size = f" ({view['size']})" if view.get("size") else ""
            found.append((escape(name + size), links.to("view", url, origin, **{"as": name})))
    return found[:MAX_SHOWN]


def flat(attributes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """All attributes as pairs of a name and a value; a nested one has the names of the outer ones in front."""
    found: list[tuple[str, str]] = []
    for pair in _pairs("", attributes, 0):
        if len(found) == MAX_SHOWN:
            break
        found.append(pair)
    return found


def _pairs(name: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(f"{name} {key}".strip(), inner, depth + 1)
    elif isinstance(value, list | tuple):
        if all(not isinstance(one, Mapping | list | tuple) for one in value):
            yield escape(name), escape(", ".join(map(str, value)))
        else:
            for one in value:
                yield from _pairs(name, one, depth + 1)
    elif value not in (None, ""):
        yield escape(name), "\n".join(escape(line) for line in str(value).splitlines())
