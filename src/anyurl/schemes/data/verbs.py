"""data: small documents within the URL itself (RFC 2397).

Rule: neither verb asks for anything; they only deliver. The guard decides who may lead to such a URL: its content comes
from the author of the URL, not from a server.
"""

from __future__ import annotations

from anyurl.dialogue import Describe, Dialogue, Emit, Options, Steps
from anyurl.schemes.data.parts import DataParts, read
from anyurl.schemes.kit.media import suffix_of
from anyurl.schemes.kit.scheme import Scheme
from anyurl.url import URL

__all__ = ["SCHEMES", "DataParts", "get", "read", "stat"]


def get(url: URL, options: Options) -> Dialogue:
    """The document. Raises URLSyntaxError where the URL holds none."""
    parts = yield from _describe(url)
    if parts.content:
        yield from Emit(parts.content)
    return None


def stat(url: URL, options: Options) -> Dialogue:
    """Its type and size. Raises URLSyntaxError where the URL holds no document."""
    yield from _describe(url)
    return None


def _describe(url: URL) -> Steps[DataParts]:
    parts = read(url)
    attributes: dict[str, object] = {} if parts.charset is None else {"charset": parts.charset}
    if others := {name: value for name, value in parts.parameters if name != "charset"}:
        attributes["parameters"] = others
    yield from Describe(
        "document", type=parts.type, size=len(parts.content), name=f"data{suffix_of(parts.type)}", attributes=attributes
    )
    return parts


SCHEMES = (
    Scheme(
        "data",
        reference="RFC 2397",
        summary="A small document contained in the URL itself.",
        read=read,
        verbs={"get": get, "stat": stat},
        check=read,
    ),
)
