"""Texts among documents, and pages among texts: decided here for the library, the terminal, the gateway and models.

Rule: the server's media type decides; the octets count only if there is none (RFC 9110 8.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.url.charsets import codec_marked_by

if TYPE_CHECKING:
    from anyurl.client.aio_resource import AsyncResource
    from anyurl.client.resource import Description

TEXT_TYPES = frozenset({
    "application/ecmascript", "application/javascript", "application/json", "application/sql", "application/toml",
    "application/x-sh", "application/x-wais-source", "application/xml", "application/yaml", "message/global",
    "message/rfc822",
})  # fmt: skip
"""Media types other than ``text/...``, ``...+json`` and ``...+xml`` that people can read."""

UNKNOWN = "application/octet-stream"
"""The type that servers give to any content."""

LOOKED_AT = 4_096
"""Octets that tell a text of an unknown type from other data."""

MOST_CONTROLS = 20
"""One control character in so many octets of a text; of random octets every ninth is one."""


def is_text(resource: Description, first: bytes) -> bool:
    """Whether a document is a text, by its media type, or else by its first octets."""
    type = resource.type
    if type is not None and type != UNKNOWN:
        return type in TEXT_TYPES or type.startswith("text/") or type.endswith(("+json", "+xml"))
    if codec_marked_by(first) is not None:
        return True
    if b"\0" in first:
        return False
    controls = sum(octet < 32 and octet not in b"\t\n\r\f\x1b" for octet in first[:LOOKED_AT])
    return controls * MOST_CONTROLS <= len(first[:LOOKED_AT])


def is_html(resource: Description, data: bytes) -> bool:
    """Whether a text is HTML, by its media type, or else by its beginning."""
    if resource.type is not None:
        from anyurl.text.readers.registry import of_type

        return of_type(resource.type) == "html"
    return data[:256].lstrip().lower().startswith((b"<!doctype html", b"<html"))


async def read_beginning(resource: AsyncResource, most: int) -> tuple[bytes, bool]:
    """The beginning of a text document, and whether it is complete; of others, only enough to detect that.

    Args:
        most: The maximum number of octets.
    """
    data = bytearray()
    is_judged = False
    async for piece in resource.iter_bytes():
        data += piece
        if len(data) > most:
            return bytes(data[:most]), False
        if not is_judged and b"\0" in piece:
            # One NUL decides: apart from it only the media type and the first octets count, and these do not change.
            is_judged = True
            if not is_text(resource, bytes(data)):
                return bytes(data), False
    return bytes(data), True
