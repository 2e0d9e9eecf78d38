"""An article or message as a page: its head, its text, its attachments.

Rule: an attachment is untrusted octets, whatever type it declares; it is extracted from the article again on each
request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anyurl.client.article import Article, Part
from anyurl.client.sizes import human_size
from anyurl.errors import AnyURLError, LocalFileError, NotFoundError, escape
from anyurl.saving.save import safe_name
from anyurl.schemes.news.wire.headers import decode_field, read_head
from anyurl.url import URL
from anyurl.url.cut import percent_encode
from anyurl.url.syntax import NEWS
from anyurl.values import Value
from anyurl.web.listing import kind_of

if TYPE_CHECKING:
    from anyurl.values import Provenance
    from anyurl.web.links import Links

FIELDS = ("From", "Date", "Newsgroups", "To", "Cc", "Followup-To", "Organization", "Message-ID")
"""The header fields that are shown."""

MAX_REFERENCES = 20
TYPES = ("message/rfc822", "message/news", "message/global")


class Attachment(Value):
    """A file in an article.

    Attributes:
        name: A safe file name, escaped.
        kind: The word for its kind.
        size: Its size, rounded and with a unit.
        href: The link to its octets.
        fault: Why it is damaged, or None.
        is_picture: Whether the page shows it as a picture.
    """

    name: str
    kind: str
    size: str
    href: str
    fault: str | None
    is_picture: bool


def values_of(data: bytes, url: URL, origin: Provenance, named: Provenance, links: Links) -> dict[str, Any]:
    """The template values of an article's page.

    Args:
        origin: Who named the article.
        named: The origin of the URLs in it.

    Raises:
        AnyURLError: It can't be parsed.
    """
    article = Article(data)
    message = read_head(data.partition(b"\r\n\r\n" if b"\r\n\r\n" in data else b"\n\n")[0])
    parts = article.parts()
    shown = next((part.number for part in parts if part.type.startswith("text/") and part.coding == "mime"), 0)
    return {
        "subject": escape(_field(message, "Subject")),
        "fields": [(name, escape(_field(message, name))) for name in FIELDS if _field(message, name)],
        "references": references(_field(message, "References"), url, named, links),
        "body": article.text,
        "attachments": [_attachment(part, url, origin, links) for part in parts if part.number != shown],
    }


def references(field: str, url: URL, named: Provenance, links: Links) -> list[tuple[str, str]]:
    """The articles that this one refers to, the oldest first, each with a link; of many, the last `MAX_REFERENCES`."""
    found = []
    for word in field.split()[-MAX_REFERENCES:]:
        identifier = word.strip("<>")
        if "@" not in identifier or url.scheme not in NEWS:
            continue
        scheme = "snews" if url.scheme in ("snews", "nntps") else "news"
        place = f"//{url.authority}/" if url.host else ""
        try:
            there = URL(f"{scheme}:{place}{percent_encode(identifier.encode('utf-8', 'replace'), b'$+!*(),@&=;:')}")
        except AnyURLError:
            continue
        found.append((escape(identifier), links.to("view", there, named)))
    return found


def part_of(data: bytes, number: str) -> Part:
    """One part of an article.

    Raises:
        NotFoundError: It has no such part.
        AnyURLError: It can't be parsed.
    """
    for part in Article(data).parts():
        if str(part.number) == number:
            return part
    raise NotFoundError("The article has no such part.")


def _attachment(part: Part, url: URL, origin: Provenance, links: Links) -> Attachment:
    try:
        name = safe_name(part.name or f"part-{part.number}")
    except LocalFileError:
        name = f"part-{part.number}"
    return Attachment(
        escape(name),
        kind_of("document", part.type),
        human_size(len(part.data)),
        links.to("octets", url, origin, part=str(part.number)),
        part.fault,
        part.type in ("image/png", "image/jpeg", "image/gif", "image/webp"),
    )


def _field(head: Mapping[str, bytes], name: str) -> str:
    return decode_field(head.get(name.lower(), b"")).strip()
