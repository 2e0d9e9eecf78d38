"""The head of an HTTP response: converts the lines from libcurl into a `Response` (RFC 9112 4 and 5).

Rule: everything before the final response (interim responses, the reply of a tunnel) is dropped; the policy sets the
limits.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyurl.dialogue.values import Channel, Response
from anyurl.errors import LimitError, RemoteProtocolError, sample
from anyurl.guard.limits import Limits

REMEMBERED = 512
"""Most lines cached with their meaning: a server sends nearly the same lines in each response, and parsing them is a
tenth of the cost of a small one."""

SHORT_HEAD = 2048
"""Most octets of a status line that are decoded: the status is at its beginning."""


_BLANK = (b"\r\n", b"\n")
_BLANKS = frozenset(b" \t")
_NO_FIELD = (b" ", b"\t", b"\r", b"\n")

SHORT_LINE = 256
"""Most octets of a line that is cached."""

_statuses: dict[bytes, tuple[int, str]] = {}
_fields: dict[bytes, tuple[str, str]] = {}
"""Never Content-Encoding: a cached line names no content coding."""


def is_blank(line: bytes) -> bool:
    """Whether this line ends a block of header lines."""
    return len(line) < 3 and line in _BLANK


def is_interim(lines: Sequence[bytes]) -> bool:
    """Whether the block of header lines that has just ended is an interim (1xx) response."""
    start = len(lines) - 1
    while start > 0 and not is_blank(lines[start - 1]):
        start -= 1
    return _begins_interim(lines[start])


def _begins_interim(line: bytes) -> bool:
    # cached status lines are final
    return line not in _statuses and line.startswith(b"HTTP/") and line.partition(b" ")[2].lstrip(b" ")[:1] == b"1"


def is_whole(lines: Sequence[bytes]) -> bool:
    """Whether the head of the final response is complete, whatever follows it."""
    start = 0
    for index, line in enumerate(lines):
        if is_blank(line):
            if not is_interim(lines[start : index + 1]):
                return True
            start = index + 1
    return False


def read_head(lines: Sequence[bytes], body: Channel, limits: Limits) -> Response:
    """Status line and header lines as a `Response`.

    Raises:
        LimitError: More lines or octets than the policy allows, or too many interim responses.
        RemoteProtocolError: It does not begin like an HTTP response.
    """
    if len(lines) > limits.headers + 2 and _longest(lines) > limits.headers + 2:
        raise LimitError(
            f"The answer's head has more than {limits.headers:,} lines: the limit allows no more.", limit="headers"
        )
    if len(b"".join(lines)) > limits.header_bytes:
        raise LimitError(
            f"The answer's head has more than {limits.header_bytes:,} octets: the limit allows no more.",
            limit="header_bytes",
        )
    plain = _read_plain(lines, body)
    if plain is not None:
        return plain
    blocks = _blocks(lines)
    # The trailer fields of an empty chunked body follow the head, and look like another block.
    finals = blocks if len(blocks) == 1 else [block for block in blocks if not _begins_interim(block[0])]
    first, *rest = (finals or blocks[-1:] or [[b""]])[0]
    status = _status(first)
    if status is None:
        raise RemoteProtocolError("The response does not start like an HTTP response.", sample=sample(b"".join(lines)))
    headers: list[tuple[str, str]] = []
    for line in rest:
        if line[0] in _BLANKS and headers:  # a folded line (RFC 9112 5.2)
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {_text(line).strip()}")
        else:
            headers.append(_field(line))
    return Response(*status, headers, body)


def _longest(lines: Sequence[bytes]) -> int:
    """Lines of the longest block: interim responses, which come while a server works, are bounded by their octets."""
    longest = start = 0
    for at, line in enumerate(lines, 1):
        longest = max(longest, at - start)
        start = at if line in _BLANK else start
    return longest


def _blocks(lines: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The lines between the empty ones."""
    if len(lines) > 1 and lines[-1] == b"\r\n" and lines.index(b"\r\n") == len(lines) - 1:  # nearly always
        return [lines[:-1]]
    blocks: list[list[bytes]] = [[]]
    for line in lines:
        if line in (b"\r\n", b"\n"):
            blocks.append([])
        else:
            blocks[-1].append(line)
    return [block for block in blocks if block]


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").rstrip("\r\n")


def _read_plain(lines: Sequence[bytes], body: Channel) -> Response | None:
    """Fast path: one block without folded lines, as in nearly all heads; None for any other."""
    end = len(lines) - 1
    if end < 1 or lines[end] != b"\r\n":
        return None
    status = _statuses.get(lines[0])
    if status is None:
        status = _status(lines[0])
        if status is None or status[0] < 200:
            return None
    headers: list[tuple[str, str]] = []
    may_be_coded = False
    for line in lines[1:end]:
        field = _fields.get(line)
        if field is None:
            if line[:1] in _NO_FIELD:
                return None
            field = _field(line)
            may_be_coded = may_be_coded or field[0] == "content-encoding"
        headers.append(field)
    return Response(status[0], status[1], headers, body, may_be_coded)


def _status(line: bytes) -> tuple[int, str] | None:
    """Status and version of a status line, or None if it is malformed."""
    version, _, status = _text(line[:SHORT_HEAD]).partition(" ")
    number = status.lstrip(" ").partition(" ")[0]
    if not version.startswith("HTTP/") or len(number) != 3 or not (number.isascii() and number.isdigit()):
        return None
    if len(line) <= SHORT_LINE and number[0] != "1":
        if len(_statuses) >= REMEMBERED:
            _statuses.clear()
        _statuses[line] = (int(number), version[5:])
    return int(number), version[5:]


def _field(line: bytes) -> tuple[str, str]:
    name, _, value = _text(line).partition(":")
    found = name.strip().lower(), value.strip(" \t")
    if len(line) <= SHORT_LINE and line[:1] not in _NO_FIELD and found[0] != "content-encoding":
        if len(_fields) >= REMEMBERED:
            _fields.clear()
        _fields[line] = found
    return found
