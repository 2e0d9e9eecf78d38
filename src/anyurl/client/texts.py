"""Detection of texts among documents, and of HTML among texts.

Rule: the server's media type decides; the octets count only if there is none (RFC 9110 8.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.client.aio_resource import AsyncResource
    from anyurl.client.resource import Description

HTML = ("text/html", "application/xhtml+xml")
TEXTS = ("application/json", "application/xml", "application/javascript", "application/x-sh", "application/toml",
         "application/x-wais-source")  # fmt: skip


def is_text(resource: Description, data: bytes) -> bool:
    """Whether a document is a text, by its media type, or else by its octets."""
    said = resource.type
    if said is not None and (said.startswith("text/") or said in TEXTS or said.endswith(("+json", "+xml"))):
        return True
    if said not in (None, "application/octet-stream") or b"\0" in data:
        return False
    try:
        data[: len(data) - 3].decode("utf-8")  # the last character may be cut
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 6
    return True


async def read_beginning(resource: AsyncResource, most: int) -> tuple[bytes, bool]:
    """The beginning of a text document, and whether it is complete; of others, only enough to detect that.

    Args:
        most: The maximum number of octets.
    """
    data = bytearray()
    async for piece in resource.iter_bytes():
        data += piece
        if len(data) > most:
            return bytes(data[:most]), False
        if b"\0" in piece and not is_text(resource, piece):
            return bytes(data), False
    return bytes(data), True


def is_html(resource: Description, data: bytes) -> bool:
    """Whether a text is HTML, by its media type, or else by its beginning."""
    if resource.type is not None:
        return resource.type in HTML
    return data[:256].lstrip().lower().startswith((b"<!doctype html", b"<html"))
