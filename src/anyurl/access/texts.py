"""Which documents are texts, and which texts are HTML.

Rule: what the server says of the type decides, and the octets only where it says nothing (RFC 9110 8.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.access.aio_resource import AsyncResource
    from anyurl.access.resource import Description

HTML = ("text/html", "application/xhtml+xml")
TEXTS = ("application/json", "application/xml", "application/javascript", "application/x-sh", "application/toml",
         "application/x-wais-source")  # fmt: skip


def is_text(resource: Description, data: bytes) -> bool:
    """Whether a document is a text, by its type, or by its octets where that says nothing."""
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
    """What of a document may be shown as a text, and whether that is all; of what is none, no more than tells that.

    Args:
        most: Octets, at most.
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
    """Whether a text is HTML, by its type, or by its beginning where there is none."""
    if resource.type is not None:
        return resource.type in HTML
    return data[:256].lstrip().lower().startswith((b"<!doctype html", b"<html"))
