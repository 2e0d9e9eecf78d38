"""Prospero messages: the requests that a client needs, and incremental reading of replies (RFC 1738 3.11, RFC 4157).

Rule: a message is lines of text carried by ARDP. A request may have several commands; their replies follow in order,
and the first command that fails ends it. Tolerant of variations between servers (an empty line, a missing last line
end, an omitted type word), strict about limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyurl.errors import RemoteProtocolError
from anyurl.schemes.prospero.wire.lines import (
    Attribute,
    Complaint,
    Forwarded,
    Line,
    Link,
    Names,
    ReplyLine,
    Text,
    read_line,
    read_reply_line,
)
from anyurl.schemes.prospero.wire.text import QuotedLineReader, holds_bare_cr
from anyurl.url import syntax

__all__ = [
    "Attribute", "Complaint", "Forwarded", "Line", "Link", "Names", "ReplyLine", "ReplyLineReader", "Text",
    "read_reply", "read_request", "write_message",
]  # fmt: skip

DEFAULT_PORT = syntax.row("prospero").port
VERSION = b"5"
"""The version of the protocol: the only one in use, besides version 1."""

ANONYMOUS = b"anonymous"
"""The user name that is sent: it matters only to access lists that name a user at an address."""

ALL_ATTRIBUTES = b"#ALL"
"""Requests for all attributes: servers fail one for ACCESS-METHOD alone on a plain file, and send more anyway."""

CONTENTS = b"CONTENTS"
ASCII = b"ASCII"

_HEAD = (Line(b"VERSION", VERSION), Line(b"AUTHENTICATE", b"", b"UNAUTHENTICATED", ANONYMOUS))

Fields = Sequence[tuple[bytes, bytes]]


def list_request(hsoname: bytes, version: int = 0, names: Sequence[bytes] = (), fields: Fields = ()) -> bytes:
    """Ask for the links of a directory and their attributes.

    Args:
        hsoname: The directory.
        version: The version of the directory, or 0.
        names: The path from there, name by name; the last ones may contain ``*`` and ``?``, or be a regular expression
            in parentheses. Empty for everything in the directory.
        fields: Further fields that identify the directory, by name.

    Raises:
        LocalProtocolError: A name or field contains NUL.
    """
    directory = (hsoname, b"%d" % version) if version else (hsoname,)
    # Every server understands the whole path as one token; an empty name crashes some.
    path = (Names(*filter(None, names)),) if any(names) else ()
    return write_message(
        (
            *_HEAD,
            Line(b"DIRECTORY", ASCII, *directory),
            *_selects(fields),
            Line(b"LIST", b"ATTRIBUTES", b"COMPONENTS", *path),
        )
    )


def resolve_request(hsoname: bytes, version: int = 0, fields: Fields = ()) -> bytes:
    """Ask for the attributes of an object and, if it is a directory, for its links: all that a URL needs.

    Raises:
        LocalProtocolError: A name or field contains NUL.
    """
    object = (ASCII, hsoname, b"%d" % version)
    return write_message(
        (
            *_HEAD,
            Line(b"GET-OBJECT-INFO", ALL_ATTRIBUTES, *object),
            *_selects(fields),
            Line(b"DIRECTORY", *object),
            *_selects(fields),
            Line(b"LIST", b"ATTRIBUTES", b"COMPONENTS"),
        )
    )


def attributes_request(attributes: bytes, hsoname: bytes, version: int = 0, fields: Fields = ()) -> bytes:
    """Ask for attributes of an object: `ALL_ATTRIBUTES`, or `CONTENTS`, the octets of a file.

    Raises:
        LocalProtocolError: A name or field contains NUL.
    """
    asked = Line(b"GET-OBJECT-INFO", attributes, ASCII, hsoname, b"%d" % version)
    return write_message((*_HEAD, asked, *_selects(fields)))


def _selects(fields: Fields) -> list[Line]:
    # A server that does not know the attribute replies ERROR unless the type of the value is given.
    return [Line(b"SELECT", b"OBJECT", b"FIELD", name, b"SEQUENCE", value) for name, value in fields]


def write_message(lines: Iterable[ReplyLine]) -> bytes:
    """Encode a request or a reply: lines end with a bare line feed, since servers take CR for an empty line."""
    written = [line.write() + b"\n" for line in lines]
    # Servers send VERSION-NOT-SUPPORTED without a line feed, and nothing after it.
    if written and written[-1].startswith(b"VERSION-NOT-SUPPORTED"):
        written[-1] = written[-1][:-1]
    return b"".join(written)


def read_request(data: bytes) -> list[Line]:
    """Parse the commands of a complete request.

    Raises:
        RemoteProtocolError: It ends inside quotes.
        LimitError: It is too long, or a line has too many tokens.
    """
    reader = QuotedLineReader(reply=False)
    return [read_line(line) for line in (*reader.feed(data), *reader.finish())]


def read_reply(data: bytes) -> list[ReplyLine]:
    """Parse the lines of a complete reply. Raises as `ReplyLineReader`."""
    reader = ReplyLineReader()
    return [*reader.feed(data), *reader.finish()]


class ReplyLineReader:
    """Octets in, the lines of a reply out; a malformed one is a `Text`, so that it does not hide the others."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = QuotedLineReader()

    def feed(self, data: bytes) -> list[ReplyLine]:
        """The lines that these octets complete.

        Raises:
            LimitError: The reply is too long, a line has too many tokens, or attributes are nested too deep.
        """
        return self._read(self._lines.feed(data))

    def finish(self) -> list[ReplyLine]:
        """The last line, if it had no line end. Raises as `feed`, and RemoteProtocolError for an end inside quotes."""
        return self._read(self._lines.finish())

    def _read(self, lines: list[bytes]) -> list[ReplyLine]:
        return [*map(_understood, lines)]


def _understood(raw: bytes) -> ReplyLine:
    if holds_bare_cr(raw):
        return Text(raw)
    try:
        line = read_reply_line(raw)
    except RemoteProtocolError:
        return Text(raw)
    # The content of a file may contain NUL; in names and words it would end the text for the peer.
    if b"\0" in raw and not (isinstance(line, Attribute) and line.name == CONTENTS):
        return Text(raw)
    return line
