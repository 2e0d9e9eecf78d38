"""Source descriptions: a WAIS server's description of a database (``.src`` files, documents of type WSRC).

Rule: one list in parentheses, ``(:source :key value ...)``; a value is a word, a quoted string or a list of words. The
host, port and database that it names are judged when they are followed.
"""

from __future__ import annotations

from anyurl.errors import LimitError, RemoteProtocolError, sample
from anyurl.values import Value

MAX_SOURCE_BYTES = 64 * 1024
"""Octets of a description: known ones have some hundred, or more if they list the subjects of a database."""

MAX_DEPTH = 8
"""The nesting of lists: known descriptions have two levels."""

_SPACE = b" \t\r\n\f"


class SourceDescription(Value):
    """One description.

    Attributes:
        fields: Values by key, without the colon and in lower case: a word or a string, or a list of them.
    """

    fields: dict[str, bytes | list[bytes]]

    def text(self, key: str) -> bytes | None:
        """The value of a key if it is one word or string, or None."""
        value = self.fields.get(key)
        return value if isinstance(value, bytes) else None

    def words(self, key: str) -> list[bytes]:
        """The value of a key as a list; a single word is a list of one."""
        value = self.fields.get(key, [])
        return [value] if isinstance(value, bytes) else list(value)

    @property
    def host(self) -> bytes | None:
        """The name of the server, or its address if it has no name."""
        return self.text("ip-name") or self.text("ip-address") or None

    @property
    def port(self) -> int | None:
        """The port of the server; None means 210."""
        digits = self.text("tcp-port") or b""
        return int(digits) if digits.isdigit() and len(digits) <= 5 else None

    @property
    def database(self) -> bytes | None:
        """The name of the database."""
        return self.text("database-name")


def read_source(data: bytes) -> SourceDescription:
    """Parse a description; text before and after it is ignored.

    Raises:
        RemoteProtocolError: It is not a source description.
        LimitError: It is longer than `MAX_SOURCE_BYTES`, or nested deeper than `MAX_DEPTH`.
    """
    if len(data) > MAX_SOURCE_BYTES:
        raise LimitError(
            f"A WAIS source description has more than {MAX_SOURCE_BYTES:,} octets: the limit allows no more.",
            limit="MAX_SOURCE_BYTES",
        )
    start = data.lower().find(b"(:source")
    if start < 0:
        raise RemoteProtocolError("A WAIS source description begins with '(:source'.", sample=sample(data))
    reader = _SourceReader(data, start + len(b"(:source"))
    return SourceDescription(reader.read_pairs())


class _SourceReader:
    """One pass over the text."""

    __slots__ = ("_data", "_at")

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def read_pairs(self) -> dict[str, bytes | list[bytes]]:
        """Read up to the parenthesis that closes the description."""
        fields: dict[str, bytes | list[bytes]] = {}
        key: str | None = None
        while (token := self._token()) != b")":
            if token is None:
                raise RemoteProtocolError("A WAIS source description is not closed.", sample=sample(self._data[-40:]))
            if token.startswith(b":") and (key is None or key in fields):
                key = token[1:].decode("latin-1").lower()
                continue
            value: bytes | list[bytes] = self._list(1) if token == b"(" else _unquoted(token)
            if key is not None:
                fields.setdefault(key, value)
        return fields

    def _list(self, depth: int) -> list[bytes]:
        words: list[bytes] = []
        if depth > MAX_DEPTH:
            raise LimitError(
                f"A WAIS source description nests deeper than {MAX_DEPTH} lists: the limit allows no more.",
                limit="MAX_DEPTH",
            )
        while (token := self._token()) is not None and token != b")":
            if token == b"(":
                words += self._list(depth + 1)
            else:
                words.append(_unquoted(token))
        return words

    def _token(self) -> bytes | None:
        data, at, end = self._data, self._at, len(self._data)
        while at < end and data[at] in _SPACE:
            at += 1
        if at >= end:
            self._at = end
            return None
        start = at
        if data[at] in b"()":
            self._at = at + 1
        elif data[at] == 0x22:
            self._at = self._end_of_string(at + 1)
        else:
            while at < end and data[at] not in _SPACE and data[at] not in b'()"':
                at += 1
            self._at = at
        return data[start : self._at]

    def _end_of_string(self, at: int) -> int:
        data = self._data
        while at < len(data):
            if data[at] == 0x22:
                return at + 1
            at += 2 if data[at] == 0x5C else 1
        raise RemoteProtocolError("A string in a WAIS source description is not closed.", sample=sample(data[-40:]))


def _unquoted(token: bytes) -> bytes:
    """A string without its quotes and backslashes; a word unchanged (``:free`` keeps its colon)."""
    if not token.startswith(b'"'):
        return token
    out = bytearray()
    escaped = False
    for octet in token[1:-1]:
        if octet == 0x5C and not escaped:
            escaped = True
            continue
        escaped = False
        out.append(octet)
    return bytes(out)
