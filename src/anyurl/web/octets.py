"""Resources as raw octets, shown by the browser itself or saved.

Rule: foreign octets are served in a sandbox, without the rights of our origin, whatever type they declare.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from anyurl.client.article import MAX_ARTICLE_BYTES
from anyurl.errors import AnyURLError, LocalFileError, LocalProtocolError
from anyurl.saving.save import safe_name
from anyurl.web.article import part_of
from anyurl.web.streams import Streamed

if TYPE_CHECKING:
    from anyurl.access import AsyncResource
    from anyurl.web.browse import Browse
    from anyurl.web.links import Links
    from anyurl.web.viewer import Viewer

SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'self'"
"""The policy for foreign content: no script, no form, no subresources, and an opaque origin."""

SHOWN_AS = frozenset({"document", "iframe", "image", "audio", "video", "empty"})
"""Destinations that foreign octets are served to (Sec-Fetch-Dest, Fetch Metadata 2.2); ``empty`` is a download."""

_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60}", re.ASCII)


class OctetPages:
    """The octets of one gateway.

    Args:
        client: The client that fetches.
        links: Reads the links to them.
        browse: Shows the errors.
    """

    def __init__(self, client: Viewer, links: Links, browse: Browse) -> None:
        self._client = client
        self._links = links
        self._browse = browse

    async def octets(self, request: Request) -> Response:
        """The content of a URL, or one part of an article, unchanged."""
        if request.headers.get("sec-fetch-dest", "document") not in SHOWN_AS:
            # Attack: foreign octets as the script or the style of one of our pages.
            return self._browse.failure(
                LocalProtocolError("Content from elsewhere can't be part of a page of this gateway."), ""
            )
        fields = dict(request.query_params)
        try:
            url, origin = self._links.read(fields)
            resource = await self._client.open(url, view=fields.get("as") or None, came_from=origin)
            if "part" in fields:
                return await self._part(resource, fields)
            pieces = resource.iter_bytes()
            first = await anext(pieces, b"")
        except AnyURLError as error:
            return self._browse.failure(error, "")
        type = _shown_type(resource.type)
        headers = {"content-security-policy": SANDBOX, "referrer-policy": "no-referrer"}
        if resource.size is not None:
            headers["content-length"] = str(resource.size)
        if type is None or "save" in fields:
            headers["content-disposition"] = f'attachment; filename="{_file_name(resource)}"'
        if type is not None and type.startswith("text/"):
            type += f"; charset={resource.charset}" if re.fullmatch(r"[\w.:-]{1,40}", resource.charset or "") else ""

        async def body() -> AsyncIterator[bytes]:
            async with resource:
                if request.method == "HEAD":  # no client would get the fetched content
                    return
                yield first
                async for piece in pieces:
                    yield piece

        answer = Streamed(body(), headers=headers)
        answer.headers["content-type"] = type or "application/octet-stream"
        return answer

    async def _part(self, resource: AsyncResource, fields: Mapping[str, str]) -> Response:
        """One part of an article. Raises AnyURLError if there is no such part."""
        async with resource:
            part = part_of(await resource.read(MAX_ARTICLE_BYTES), fields["part"])
        headers = {"content-security-policy": SANDBOX, "referrer-policy": "no-referrer"}
        type = _shown_type(part.type)
        if "save" in fields or type is None:
            headers["content-disposition"] = f'attachment; filename="{_ascii_name(part.name or "part")}"'
        answer = Response(part.data, headers=headers)
        answer.headers["content-type"] = type or "application/octet-stream"
        return answer


def _shown_type(said: str | None) -> str | None:
    """The declared media type if the browser may show it; None if the octets must be saved."""
    if said is None or not _TYPE.fullmatch(said):
        return None
    # Attack: the parts of multipart/x-mixed-replace have header fields, which may set cookies for this host.
    return None if said.startswith("multipart/") else said


def _file_name(resource: AsyncResource) -> str:
    return _ascii_name(resource.name or resource.url.name or "index")


def _ascii_name(text: str) -> str:
    try:
        name = safe_name(text)
    except LocalFileError:
        name = "index"
    return re.sub(r'[^\x20-\x7e]|["\\]', "_", name)
