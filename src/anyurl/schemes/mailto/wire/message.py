"""Mail messages: drafts composed from fields, and complete messages of the user, sent unchanged (RFC 5322).

Rule: a field is one line of the header, folded at spaces; no value can begin another field. A draft's body is text in
UTF-8, in quoted-printable unless it is plain ASCII, so that every mail server can carry it (RFC 2045, RFC 2047).
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from anyurl.errors import LocalProtocolError, sample
from anyurl.schemes.mailto.wire.address import Address
from anyurl.schemes.mailto.wire.smtp import MAX_LINE_BYTES, has_long_lines, network_lines

FOLD = 78
"""Characters of a header line that should not be exceeded (RFC 5322 2.1.1)."""

MAX_WORD_OCTETS = 39
"""Octets in one encoded word: base64 makes 52 of them, ``=?utf-8?B??=`` and ``Keywords: `` 74 of the 76 of a line
(RFC 2047 2)."""

LATEST = 253_402_300_799.0
"""Seconds since the epoch at the end of the year 9999: a Date field has four digits for the year (RFC 5322 3.3)."""

_NAME = re.compile(rb"[!-9;-~]+(?=[ \t]*:)")
_MESSAGE_ID = re.compile(r"<[^<>@\s]+@[^<>@\s]+>\Z")
_SEPARATORS = "\u2028\u2029"
_CONTROL = re.compile(rb"[^\t\r\n -~]")
_TEXT_TYPE = re.compile(r"text/[a-z0-9.+-]{1,60}\Z")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


# --- fields ----------------------------------------------------------------------------------------------------------


def address_field(name: str, addresses: Iterable[Address]) -> str:
    """``To: a@b, c@d``, folded after commas. International local parts are in UTF-8 (RFC 6532)."""
    return _fold(f"{name}: " + ", ".join(map(str, addresses)), ", ")


def text_field(name: str, value: str) -> str:
    """A field of free text: unchanged if it is ASCII, otherwise in encoded words (RFC 2047).

    Args:
        value: The text, as `clean_text` returns it.
    """
    clean = clean_text(value)
    longest = max(map(len, clean.split(" ")), default=0)
    if clean.isascii() and longest < MAX_LINE_BYTES - len(name) - 2:
        return _fold(f"{name}: {clean}", " ")
    return f"{name}: " + "\r\n ".join(_encoded_words(clean))


def clean_text(value: str) -> str:
    """The text of a field on one line: control characters and line separators become spaces."""
    return "".join(
        " " if char < " " or "\x7f" <= char <= "\x9f" or char in _SEPARATORS else char for char in value
    ).strip()


def ids_field(name: str, value: str) -> str | None:
    """A field of message identifiers (``In-Reply-To``, ``References``); None if they are invalid (RFC 5322 3.6.4)."""
    ids = value.split()
    if (
        not ids
        or not value.isascii()
        or not all(map(_MESSAGE_ID.match, ids))
        or max(map(len, ids)) > MAX_LINE_BYTES // 2
    ):
        return None
    return _fold(f"{name}: {' '.join(ids)}", " ")


def date_field(seconds: float) -> str:
    """A ``Date`` field in UTC (RFC 5322 3.3), independent of the locale.

    >>> date_field(786_240_000.0)
    'Date: Thu, 01 Dec 1994 00:00:00 +0000'
    """
    timestamp = datetime.fromtimestamp(min(max(seconds, 0.0), LATEST), UTC)
    day = f"{_WEEKDAYS[timestamp.weekday()]}, {timestamp.day:02} {_MONTHS[timestamp.month - 1]} {timestamp.year:04}"
    return f"Date: {day} {timestamp:%H:%M:%S} +0000"


def _fold(line: str, separator: str) -> str:
    """Fold a line at separators, so that the pieces have at most `FOLD` characters if possible."""
    pieces = line.split(separator)
    lines = [pieces[0]]
    for piece in pieces[1:]:
        # A line of white space would end the header for some readers; RFC 5322 3.2.2 forbids it.
        if len(lines[-1]) + len(separator) + len(piece) < FOLD or not piece.strip() or not lines[-1].strip():
            lines[-1] += separator + piece
        else:
            lines[-1] += separator.rstrip(" ")
            lines.append(piece)
    return "\r\n ".join(lines)


def _encoded_words(text: str) -> Iterable[str]:
    word = b""
    for char in text:
        octets = char.encode("utf-8", "replace")
        if len(word) + len(octets) > MAX_WORD_OCTETS:
            yield _encoded_word(word)
            word = b""
        word += octets
    yield _encoded_word(word)


def _encoded_word(octets: bytes) -> str:
    return f"=?utf-8?B?{binascii.b2a_base64(octets, newline=False).decode('ascii')}?="


# --- a draft ---------------------------------------------------------------------------------------------------------


def write_draft(fields: Sequence[str], body: str, type: str = "text/plain") -> bytes:
    """The complete message: the fields, and the body as UTF-8 text with CR LF (RFC 6068 5).

    Args:
        fields: Fields made by the functions above.
        body: The text.
        type: The media type of the text; other types than ``text/...`` count as text/plain.
    """
    type = type if _TEXT_TYPE.match(type) else "text/plain"
    text = network_lines(body.encode("utf-8", "replace"))
    lines = [*fields, "MIME-Version: 1.0"]
    # Control characters are not allowed in text: encoded they do not harm servers on the way.
    if text.isascii() and not has_long_lines(text) and not _CONTROL.search(text):
        lines += [f"Content-Type: {type}; charset=us-ascii", "Content-Transfer-Encoding: 7bit"]
    else:
        lines += [f"Content-Type: {type}; charset=utf-8", "Content-Transfer-Encoding: quoted-printable"]
        quoted = binascii.b2a_qp(text.replace(b"\r\n", b"\n"), quotetabs=False, istext=True, header=False)
        text = quoted.replace(b"\n", b"\r\n")
    return "\r\n".join([*lines, "", ""]).encode() + text


# --- a message of the user's -----------------------------------------------------------------------------------------

UNSENT = frozenset({b"bcc", b"resent-bcc", b"return-path"})
"""Fields that are removed before sending: blind recipients (RFC 5322 3.6.3), the return path (RFC 5321 4.4)."""


class Message:
    """A complete message with its header parsed.

    Attributes:
        fields: The fields in order, each with its folded lines and its last CR LF.
        body: Everything after the empty line.
        left_out: The names of the fields of `UNSENT` that it had, in lower case.
    """

    __slots__ = ("fields", "body", "left_out")

    def __init__(self, data: bytes) -> None:
        """Parse a message.

        Args:
            data: Octets with any line ends. A ``From ...`` line of a mailbox file before the header is dropped.

        Raises:
            LocalProtocolError: A line of the header is not a field.
        """
        whole = network_lines(data)
        if whole.startswith(b"From "):
            whole = whole.partition(b"\r\n")[2]
        head, _, self.body = (b"\r\n" + whole).partition(b"\r\n\r\n")
        lines = head.removeprefix(b"\r\n").removesuffix(b"\r\n").split(b"\r\n")
        folded: list[list[bytes]] = []
        for number, line in enumerate(lines, 1):
            if line[:1] in (b" ", b"\t") and folded:
                folded[-1].append(line + b"\r\n")
            elif _NAME.match(line):
                folded.append([line + b"\r\n"])
            else:
                raise LocalProtocolError(
                    f"Line {number:,} of the message is not a header field (name: value): {sample(line[:60])}"
                )
        raw = [b"".join(field) for field in folded]
        self.fields = [field for field in raw if _name_of(field) not in UNSENT]
        self.left_out = sorted({_name_of(field).decode("ascii") for field in raw} & {n.decode("ascii") for n in UNSENT})

    def has(self, name: str) -> bool:
        """Whether there is a field of that name."""
        return any(_name_of(field) == name.lower().encode("ascii") for field in self.fields)

    @property
    def head(self) -> bytes:
        """All fields, encoded."""
        return b"".join(self.fields)

    def encode(self, more: Sequence[str] = ()) -> bytes:
        """The message, with further fields in front."""
        return b"".join(field.encode() + b"\r\n" for field in more) + self.head + b"\r\n" + self.body


def _name_of(field: bytes) -> bytes:
    return field.partition(b":")[0].strip().lower()
