"""Web links: the Link fields of a response, as `Resource.links` (RFC 8288).

Rule: a link has the responding server as its origin, and is judged accordingly when it is followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.errors import URLSyntaxError
from anyurl.schemes.http.wire.links import LinkValue, read_links
from anyurl.url import URL
from anyurl.values import Provenance, Value


class WebLink(Value):
    """A link in the head of a response; ``client.get(link)`` follows it.

    Attributes:
        url: The target; None if it is not a URL.
        rel: Its relation types: ``next``, ``canonical``; those of the IANA registry in lower case.
        title: The title, or None.
        type: The expected media type of the target, or None.
        anchor: The context of the link if it is not the resource itself, or None.
        target: The text between ``<`` and ``>``.
        parameters: All parameters in order: names in lower case, with values.
        origin: Who named it.
    """

    url: URL | None
    rel: tuple[str, ...]
    title: str | None
    type: str | None
    anchor: URL | None
    target: str
    parameters: tuple[tuple[str, str], ...]
    origin: Provenance


def web_links(fields: Sequence[str], base: URL, origin: Provenance) -> tuple[WebLink, ...]:
    """The links in the Link fields of a response.

    Args:
        base: The base URL for relative targets.
        origin: Who named them.
    """
    return tuple(_resolved(link, base, origin) for link in read_links(fields))


def _resolved(link: LinkValue, base: URL, origin: Provenance) -> WebLink:
    anchor = link.first("anchor")
    # RFC 8288 3.2: relative targets are resolved against the base even if the link has an anchor.
    return WebLink(
        _joined(base, link.target),
        link.relations,
        link.title,
        link.first("type") or None,
        _joined(base, anchor) if anchor else None,
        link.target,
        link.parameters,
        origin,
    )


def _joined(base: URL, reference: str) -> URL | None:
    try:
        return base.join(reference)
    except URLSyntaxError:
        return None
