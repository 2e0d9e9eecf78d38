"""The head of an HTTP answer and what its fields say: a value, None, or an error of the tree."""

from __future__ import annotations

from anyurl import dates
from anyurl.dialogue import Channel, Response
from anyurl.guard.limits import Limits
from anyurl.net.http.head import is_interim, is_whole, read_head
from anyurl.schemes.http import fields as http_fields
from anyurl.schemes.kit.media import MAX_PARAMETERS, parameters
from fuzz import kit

_LIMITS = Limits()


def fuzz(data: bytes) -> None:
    """Header lines, as libcurl hands them out: each with its end."""
    lines = data.splitlines(keepends=True) if b"\n" not in data else [line + b"\n" for line in data.split(b"\n")[:-1]]
    lines = lines or [b"\r\n"]
    is_interim(lines)
    is_whole(lines)
    response, _ = kit.outcome(lambda: read_head(lines, Channel(None), _LIMITS))
    if response is not None:
        kit.same(0 <= response.status <= 999, True, f"no such status: {response.status}")
        _check_fields(response)


def _check_fields(response: Response) -> None:
    length, _ = kit.outcome(lambda: http_fields.content_length(response))
    kit.same(length is None or 0 <= length < 2**63, True, f"no such length: {length}")
    http_fields.is_coded(response)
    for _name, value in response.headers:
        dates.parse_date(value)
        http_fields.media_type(value)
        http_fields.disposition_name(value)
        _value, found = parameters(value)
        kit.same(len(found) <= MAX_PARAMETERS, True, "more parameters than the limit allows")
