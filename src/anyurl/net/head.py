"""The head of an HTTP answer: lines as libcurl hands them out, to a `Response` (RFC 9112 4 and 5).

Rule: whatever stands before the final answer (interim replies, a tunnel's answer) is dropped; limits are the
policy's.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue import Channel, Response
from anyurl.errors import LimitError, RemoteProtocolError, sample
from anyurl.net.limits import Limits

MAX_INTERIM = 10
"""Interim (1xx) replies to one request: servers send one or two; nothing else bounds them."""


def is_interim(lines: Sequence[bytes]) -> bool:
    """Whether the block of header lines that has just ended is an interim (1xx) reply."""
    start = len(lines) - 1
    while start > 0 and lines[start - 1] not in (b"\r\n", b"\n"):
        start -= 1
    return lines[start].startswith(b"HTTP/") and lines[start].partition(b" ")[2].lstrip(b" ")[:1] == b"1"


def is_whole(lines: Sequence[bytes]) -> bool:
    """Whether the head of the final answer has come to its end, whatever stands behind it."""
    start = 0
    for index, line in enumerate(lines):
        if line in (b"\r\n", b"\n"):
            if not is_interim(lines[start : index + 1]):
                return True
            start = index + 1
    return False


def read_head(lines: Sequence[bytes], body: Channel, limits: Limits) -> Response:
    """Status line and header lines as a `Response`.

    Raises:
        LimitError: More lines or octets than the policy allows, or too many interim replies.
        RemoteProtocolError: It does not begin as an HTTP answer does.
    """
    if len(lines) > limits.headers + 2:
        raise LimitError(f"The answer's head has more than {limits.headers:,} lines.", limit="headers")
    data = b"".join(lines)
    if len(data) > limits.header_bytes:
        raise LimitError(f"The answer's head has more than {limits.header_bytes:,} octets.", limit="header_bytes")
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    blocks = text.rstrip("\n").split("\n\n")
    if len(blocks) > MAX_INTERIM + 1:
        raise LimitError(
            f"More than {MAX_INTERIM} interim replies came: the limit allows no more.", limit="MAX_INTERIM"
        )
    # The trailer fields of an empty chunked body come behind the head, and look like one more block.
    final = next((block for block in blocks if block.partition(" ")[2].lstrip(" ")[:1] != "1"), blocks[-1])
    first, *rest = final.split("\n")
    version, _, status = first.partition(" ")
    number = status.lstrip(" ")[:3]
    if not version.startswith("HTTP/") or len(number) != 3 or not (number.isascii() and number.isdigit()):
        raise RemoteProtocolError("The answer does not begin as an HTTP answer does.", sample=sample(data))
    headers: list[tuple[str, str]] = []
    for line in rest:
        name, _, value = line.partition(":")
        if line[:1] in (" ", "\t") and headers:  # a folded line (RFC 9112 5.2)
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        else:
            headers.append((name.strip().lower(), value.strip(" \t")))
    return Response(int(number), version[5:], headers, body)
