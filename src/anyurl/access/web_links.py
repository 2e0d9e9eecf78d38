"""What an answer says that it is related to: `Resource.links` (RFC 8288).

Rule: a link is named by who answered, and is judged as such when it is followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.errors import URLSyntaxError
from anyurl.schemes.http.wire.links import LinkValue, read_links
from anyurl.url import URL
from anyurl.values import Provenance, Value


class WebLink(Value):
    """A link of an answer's head; ``client.get(link)`` follows it.

    Attributes:
        url: Where it leads; None where that is no URL.
        rel: Its relation types: ``next``, ``canonical``; those of the IANA registry in lower case.
        title: What it is called, or None.
        type: The media type that is to be expected there, or None.
        anchor: What is related to `url`, where it is not the resource itself, or None.
        target: What stands between ``<`` and ``>``.
        parameters: All that is said of it: names in lower case and values, in their order.
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
    """The links of an answer's Link fields.

    Args:
        base: What they are relative to.
        origin: Who names them.
    """
    return tuple(_resolved(link, base, origin) for link in read_links(fields))


def _resolved(link: LinkValue, base: URL, origin: Provenance) -> WebLink:
    anchor = link.first("anchor")
    # RFC 8288 3.2: what is relative in a link with an anchor is relative to the base all the same.
    return WebLink(
        _joined(base, link.target), link.relations, link.title, link.first("type") or None,
        _joined(base, anchor) if anchor else None, link.target, link.parameters, origin,
    )  # fmt: skip


def _joined(base: URL, reference: str) -> URL | None:
    try:
        return base.join(reference)
    except URLSyntaxError:
        return None
