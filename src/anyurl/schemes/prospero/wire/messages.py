"""Prospero messages: the requests that a client needs, and incremental reading of replies (RFC 1738 3.11, RFC 4157).

Rule: a message is lines of text carried by ARDP. A request may have several commands; their replies follow in order,
and the first command that fails ends it. Tolerant of variations between servers (an empty line, a missing last line
end, an omitted type word), strict about limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anyurl.errors import RemoteProtocolError, sample
from anyurl.schemes.prospero.wire.lines import (  # fmt: skip
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
from anyurl.schemes.prospero.wire.text import QuotedLineReader
from anyurl.url import syntax

__all__ = [
    "Attribute", "Complaint", "Forwarded", "Line", "Link", "Names", "ReplyLine", "ReplyLineReader", "Text",
    "read_reply", "read_request", "write_message",
]  # fmt: skip

DEFAULT_PORT = syntax.row("prospero").port
VERSION = b"5"
"""Of the protocol: the only one but the first that was ever spoken."""

ANONYMOUS = b"anonymous"
"""Who we say to be: it only matters to access lists that name a user at an address."""

ALL_ATTRIBUTES = b"#ALL"
"""Real servers fail a request for ACCESS-METHOD alone about a plain file, and send more than was asked for anyway."""

CONTENTS = b"CONTENTS"
ASCII = b"ASCII"

_HEAD = (Line(b"VERSION", VERSION), Line(b"AUTHENTICATE", b"", b"UNAUTHENTICATED", ANONYMOUS))

Fields = Sequence[tuple[bytes, bytes]]


def list_request(hsoname: bytes, version: int = 0, names: Sequence[bytes] = (), fields: Fields = ()) -> bytes:
    """Ask for the links of a directory and their attributes.

    Args:
        hsoname: The directory.
        version: Which one of it, or 0.
        names: The way down from there, name by name; the last ones may hold ``*`` and ``?``, or be a regular expression
            in parentheses. Everything in the directory when there are none.
        fields: What identifies the directory further, by name.

    Raises:
        LocalProtocolError: NUL.
    """
    directory = (hsoname, b"%d" % version) if version else (hsoname,)
    # One token for the whole path is what every server understands; an empty name crashes some.
    path = (Names(*filter(None, names)),) if any(names) else ()
    return write_message((
        *_HEAD,
        Line(b"DIRECTORY", ASCII, *directory),
        *_selects(fields),
        Line(b"LIST", b"ATTRIBUTES", b"COMPONENTS", *path),
    ))  # fmt: skip


def resolve_request(hsoname: bytes, version: int = 0, fields: Fields = ()) -> bytes:
    """Ask for the attributes of an object and, if it is a directory, for its links: all that a URL needs.

    Raises:
        LocalProtocolError: NUL.
    """
    object = (ASCII, hsoname, b"%d" % version)
    return write_message((
        *_HEAD,
        Line(b"GET-OBJECT-INFO", ALL_ATTRIBUTES, *object),
        *_selects(fields),
        Line(b"DIRECTORY", *object),
        *_selects(fields),
        Line(b"LIST", b"ATTRIBUTES", b"COMPONENTS"),
    ))  # fmt: skip


def attributes_request(attributes: bytes, hsoname: bytes, version: int = 0, fields: Fields = ()) -> bytes:
    """Ask for attributes of an object: `ALL_ATTRIBUTES`, or `CONTENTS`, the octets of a file.

    Raises:
        LocalProtocolError: NUL.
    """
    asked = Line(b"GET-OBJECT-INFO", attributes, ASCII, hsoname, b"%d" % version)
    return write_message((*_HEAD, asked, *_selects(fields)))


def _selects(fields: Fields) -> list[Line]:
    # A server that does not know the name needs the type of the value: without it, it is an ERROR.
    return [Line(b"SELECT", b"OBJECT", b"FIELD", name, b"SEQUENCE", value) for name, value in fields]


def write_message(lines: Iterable[ReplyLine]) -> bytes:
    """A request or a reply as it is sent: a bare line feed ends each line (servers take CR for an empty line)."""
    written = [line.write() + b"\n" for line in lines]
    # The servers send VERSION-NOT-SUPPORTED without a line feed, and nothing behind it.
    if written and written[-1].startswith(b"VERSION-NOT-SUPPORTED"):
        written[-1] = written[-1][:-1]
    return b"".join(written)


def read_request(data: bytes) -> list[Line]:
    """The commands of a whole request.

    Raises:
        RemoteProtocolError: It ends inside quotes.
        LimitError: It is too long, or a line has too many tokens.
    """
    reader = QuotedLineReader(reply=False)
    return [read_line(line) for line in (*reader.feed(data), *reader.finish())]


def read_reply(data: bytes) -> list[ReplyLine]:
    """The lines of a whole reply. Raises as `ReplyLineReader`."""
    reader = ReplyLineReader()
    return [*reader.feed(data), *reader.finish()]


class ReplyLineReader:
    """Octets in, the lines of a reply out."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines = QuotedLineReader()

    def feed(self, data: bytes) -> list[ReplyLine]:
        """The lines that these octets complete.

        Raises:
            RemoteProtocolError: A link or an attribute lacks tokens; or there is a bare CR in a line, or NUL elsewhere
                than in the octets of a file.
            LimitError: The reply is too long, a line has too many tokens, or attributes are nested too deep.
        """
        return [self._read(line) for line in self._lines.feed(data)]

    def finish(self) -> list[ReplyLine]:
        """The last line, if it had no end. Raises as `feed`, and RemoteProtocolError for an end inside quotes."""
        return [self._read(line) for line in self._lines.finish()]

    def _read(self, raw: bytes) -> ReplyLine:
        line = read_reply_line(raw)
        # The octets of a file are sent as they are; in names and words NUL would end what the other side reads.
        if b"\0" in raw and not (isinstance(line, Attribute) and line.name == CONTENTS):
            raise RemoteProtocolError(f"A reply of Prospero holds NUL: {sample(raw[:60])}", sample=sample(raw))
        return line
