"""Parsing and rewriting of HTTP heads in a proxy (RFC 9112 2 to 7).

Rule: octets in, values out. Ambiguous heads are refused, so that no server can read another request than the one that
was judged: two lengths, a length with a transfer coding, white space before a colon, a bare CR or LF.
"""

from __future__ import annotations

import re

from anyurl.errors import RemoteProtocolError
from anyurl.values import Value

HEAD_OCTETS_AT_MOST = 65_536
"""The largest head; nginx accepts 32 KiB, Apache 8 KiB per line and a hundred lines."""

FIELDS_AT_MOST = 200
"""The most fields in a head; Apache accepts 100, Node 2,000."""

HOP_BY_HOP = frozenset((
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authentication-info", b"proxy-authorization",
    b"proxy-connection", b"te", b"trailer", b"upgrade",
))  # fmt: skip
"""Hop-by-hop fields (RFC 9110 7.6.1); Transfer-Encoding is kept, since the body keeps its coding."""

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_REQUEST = re.compile(rb"(" + _TOKEN + rb") ([\x21-\x7e]+) HTTP/1\.([01])")
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: [\t\x20-\x7e\x80-\xff]*)?")
_FIELD = re.compile(
    rb"(" + _TOKEN + rb"):[ \t]*"
    rb"((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[ \t]*"
)

Fields = tuple[tuple[bytes, bytes], ...]


class RequestHead(Value):
    """The head of a request.

    Attributes:
        method: As written; methods are case-sensitive (RFC 9110 9.1).
        target: As written.
        minor: 0 or 1, of ``HTTP/1.``.
        fields: Names as written, and values without white space around them.
    """

    method: str
    target: str
    minor: int
    fields: Fields


class ResponseHead(Value):
    """The head of a response.

    Attributes:
        status: Three digits.
        line: The status line, with the version of this side (RFC 9110 2.5).
        fields: As in a request.
    """

    status: int
    line: bytes
    fields: Fields


def _parse(head: bytes, line: re.Pattern[bytes], rule: str) -> tuple[re.Match[bytes], Fields]:
    """The first line and the fields. Raises RemoteProtocolError, with `rule` if the first line is malformed."""
    if len(head) > HEAD_OCTETS_AT_MOST:
        raise RemoteProtocolError(f"A head has at most {HEAD_OCTETS_AT_MOST:,} octets.")
    if not head.endswith(b"\r\n\r\n"):
        raise RemoteProtocolError(
            "A head consists of lines without control characters that end with CR LF, the last one empty."
        )
    first, *lines = head[:-4].split(b"\r\n")
    if len(lines) > FIELDS_AT_MOST:
        raise RemoteProtocolError(f"A head has at most {FIELDS_AT_MOST} fields.")
    fields = []
    for one in lines:
        match = _FIELD.fullmatch(one)
        if match is None:
            raise RemoteProtocolError("A line of the head is not a name, a colon and a value.")
        fields.append((match[1], match[2]))
    start = line.fullmatch(first)
    if start is None:
        raise RemoteProtocolError(rule)
    return start, tuple(fields)


def parse_request(head: bytes) -> RequestHead:
    """Read the head of a request, its empty line included.

    Raises:
        RemoteProtocolError: It is malformed.
    """
    rule = "A request begins with a method, a target and HTTP/1.0 or HTTP/1.1."
    match, fields = _parse(head, _REQUEST, rule)
    return RequestHead(match[1].decode("ascii"), match[2].decode("ascii"), int(match[3]), fields)


def body_length(request: RequestHead) -> int | None:
    """The length of the body of a request; None if it is chunked.

    Attack: smuggling. Raises RemoteProtocolError if another program could read another body or host in the head.
    """
    length = content_length(request.fields, request.minor)
    if request.method == "CONNECT" and length != 0:  # where the tunnel begins here (RFC 9110 9.3.6)
        raise RemoteProtocolError("A CONNECT has no body.")
    if len(values(request.fields, b"host")) > 1:  # RFC 9112 3.2
        raise RemoteProtocolError("A request has one Host.")
    return length


def parse_response(head: bytes) -> ResponseHead:
    """Read the head of a response, its empty line included.

    Raises:
        RemoteProtocolError: It is malformed.
    """
    match, fields = _parse(head, _STATUS, "A response begins with HTTP/1.0 or HTTP/1.1 and three digits.")
    return ResponseHead(int(match[1]), b"HTTP/1.1" + match[0][8:], fields)


def values(fields: Fields, name: bytes) -> list[bytes]:
    """The values of all fields of a name, which is in lower case."""
    # Most names are told apart by their length: a request is asked for a dozen of them.
    return [value for key, value in fields if len(key) == len(name) and key.lower() == name]


def content_length(fields: Fields, minor: int = 1) -> int | None:
    """The length of the body of a message; None if it is chunked (RFC 9112 6.3).

    Args:
        minor: 0 or 1, of ``HTTP/1.``.

    Raises:
        RemoteProtocolError: It is unknown or ambiguous.
    """
    lengths = values(fields, b"content-length")
    codings = values(fields, b"transfer-encoding")
    if codings:
        if not minor:  # RFC 9112 6.1: a server without transfer codings would read the body as the next request
            raise RemoteProtocolError("HTTP/1.0 has no transfer coding.")
        if lengths:
            raise RemoteProtocolError("A body has a length or a transfer coding, not both.")
        if [one.lower() for one in codings] != [b"chunked"]:
            raise RemoteProtocolError("The transfer coding of a request is chunked, and nothing else.")
        return None
    if not lengths:
        return 0
    if len(lengths) > 1 or not re.fullmatch(rb"[0-9]{1,18}", lengths[0]):
        raise RemoteProtocolError("A body has one Content-Length, which is a number.")
    return int(lengths[0])


def may_keep(request: RequestHead) -> bool:
    """Whether a client's connection may carry another request after this one, if it has no body (RFC 9112 9.3).

    Not in HTTP/1.0, where a proxy on the way need not understand it.
    """
    named = (*values(request.fields, b"connection"), *values(request.fields, b"proxy-connection"))
    options = {one.strip().lower() for value in named for one in value.split(b",")}
    return request.minor == 1 and b"close" not in options


def end_to_end(fields: Fields) -> list[tuple[bytes, bytes]]:
    """The end-to-end fields: without those in `HOP_BY_HOP` and those that Connection names."""
    named = {one.strip().lower() for value in values(fields, b"connection") for one in value.split(b",")}
    # Connection must not remove the fields that frame the body or name the host.
    near = HOP_BY_HOP | named - {b"transfer-encoding", b"content-length", b"host"}
    return [(name, value) for name, value in fields if name.lower() not in near]


def write(first: bytes, fields: list[tuple[bytes, bytes]]) -> bytes:
    """A head with this first line and these fields."""
    return b"".join((first, b"\r\n", *(name + b": " + value + b"\r\n" for name, value in fields), b"\r\n"))
