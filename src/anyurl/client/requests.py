"""HTTP request arguments (header fields, query, content), converted to options of a dialogue.

Rule: everything is checked here, before any connection; a call without such arguments costs nothing.
"""

from __future__ import annotations

import json as json_codec
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anyurl.client.options import Content, RequestOptions
from anyurl.client.source import UploadSource
from anyurl.dialogue.http import HttpOptions, check_fields, check_method
from anyurl.errors import LocalProtocolError
from anyurl.guard.hops import SAFE_METHODS
from anyurl.schemes.http.fields import format_date
from anyurl.url import URL
from anyurl.url.arguments import check_value
from anyurl.url.fields import form_encoded, pairs, searched

if TYPE_CHECKING:
    from anyurl.dialogue.secret import Field
    from anyurl.net.loop.task import Source


_TAKEN = {"etag": "str | None", "modified": "float | None", "check": "bool"}
"""The annotations of the options that are not collections; collections are checked by their own readers."""

METHODS: Mapping[str, str] = {"stat": "HEAD", "put": "PUT"}
"""The HTTP method of verbs that do not use GET."""


def http_options(
    method: str, given: RequestOptions, fields: tuple[Field, ...] = (), *, content: bool = False
) -> HttpOptions:
    """Convert the arguments to the options of a dialogue.

    Args:
        method: The request method, which determines the kind of condition.
        fields: Default header fields.
        content: Whether the caller's source is the content.

    Raises:
        LocalProtocolError: A header field that can't be sent.
        TypeError: An unknown argument, or one of another type.
    """
    unknown = given.keys() - RequestOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"a request has no argument {min(unknown)!r}")
    for name, annotation in _TAKEN.items():
        if name in given:
            check_value(name, given.get(name), annotation)
    own = (*check_fields(given.get("headers") or ()), *_conditions(method, given.get("etag"), given.get("modified")))
    named = {name.lower() for name, _ in own}
    fields = (*(field for field in fields if field[0].lower() not in named), *own)
    return HttpOptions(method, fields, content=content, check=given.get("check", True))


def _conditions(method: str, etag: str | None, modified: float | None) -> list[Field]:
    """RFC 9110 13.1: a safe request asks for changes, any other one acts only if nothing has changed."""
    safe = method in SAFE_METHODS
    fields: list[Field] = []
    if etag is not None:
        fields += check_fields([("If-None-Match" if safe else "If-Match", etag)])
    if modified is not None:
        date = format_date(modified)
        if date is None:
            raise LocalProtocolError(
                f"{modified} is not a time that HTTP can express: its year does not have four digits."
            )
        fields.append(("If-Modified-Since" if safe else "If-Unmodified-Since", date))
    return fields


def add_query(url: URL, given: RequestOptions) -> URL:
    """The URL with `query` added. Raises URLSyntaxError if that can't be encoded in a URL."""
    query = given.get("query")
    if not query:
        return url
    more = query if isinstance(query, str) else searched(query)
    return url.replace(query=f"{url.query}&{more}" if url.query else more)


def request(
    method: str, url: URL, content: Content, given: RequestOptions, type: str | None = None
) -> tuple[URL, HttpOptions, Source | None]:
    """A request by any method: its URL, its options, and its content.

    Args:
        type: The media type of the content.

    Raises:
        LocalProtocolError: A method or a header field that can't be sent.
        TypeError: More than one kind of content.
    """
    method = check_method(method)
    source, media = _source(content)
    if source is None and method in ("POST", "PUT", "PATCH"):
        source = UploadSource(b"")  # RFC 9110 8.6: these methods send Content-Length: 0
    check_value("type", type, "str | None")
    media = type or media
    fields: tuple[Field, ...] = () if media is None else check_fields([("Content-Type", media)])
    return add_query(url, given), http_options(method, given, fields, content=source is not None), source


def _source(given: Content) -> tuple[Source | None, str | None]:
    """The content, and its media type if its kind determines one."""
    kinds: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if len(kinds) > 1 and kinds.keys() != {"form", "files"}:
        raise TypeError(f"a request has one content, not {' and '.join(sorted(kinds))}")
    if "files" in kinds:
        from anyurl.client.multipart import Multipart

        form = Multipart(pairs(kinds.get("form", ())), kinds["files"])
        return form, form.type
    if "form" in kinds:
        return UploadSource(form_encoded(kinds["form"]).encode("ascii")), "application/x-www-form-urlencoded"
    if "json" in kinds:
        return UploadSource(_json(kinds["json"])), "application/json"
    return (UploadSource(kinds["content"]), None) if "content" in kinds else (None, None)


def _json(value: object) -> bytes:
    try:
        return json_codec.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # RFC 8259 8.1 and 8.2: a lone surrogate has no UTF-8, but can be escaped
        return json_codec.dumps(value, allow_nan=False, separators=(",", ":")).encode()
