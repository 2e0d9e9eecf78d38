"""Mail (RFC 5322), mailboxes (RFC 4155) and their parts (MIME, RFC 2045 to 2047, 3676).

Rule: each text part is decoded and read by its Content-Type; other parts are skipped. Message identifiers look like
addresses, but are not. A mailbox is a sequence of messages.
"""

from __future__ import annotations

import re
from itertools import takewhile

from anyurl.text.readers.registry import Reader, of_type
from anyurl.text.readers.transfer import TransferDecoder, encoded_words
from anyurl.text.runs import Runs
from anyurl.text.source import HEAD

MAX_LINE = 65_536
"""Octets of a line, or of a field with its continuation lines, that are awaited."""

MAX_PARTS = 20
"""The nesting of parts; deeper ones are read as one text."""

SKIPPED_FIELDS = (b"message-id", b"in-reply-to", b"references", b"content-id", b"resent-message-id")
"""Header fields with identifiers in angle brackets (RFC 5322 3.6.4), which are not addresses."""

_CODINGS = (b"quoted-printable", b"base64")

_MESSAGES = frozenset(
    ("message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers", "message/global-headers")
)
"""Parts that have a header of their own (RFC 2046 5.2.1, 6522 4, 6532 3.7, 6533 6); other reports are text."""

_PARAMETER = re.compile(rb';\s*+((?>[A-Za-z\-]+))(\*?+)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^\s;]+))', re.DOTALL)
_FIELD = re.compile(rb"[!-9;-~]{1,76}[ \t]*+:(?!//)")
"""The name of a field: any graphic characters but a colon (RFC 5322 2.2)."""
_TELLING = re.compile(
    rb"(?:From|Sender|Reply-To|Subject|Message-ID|MIME-Version|Received|Received-SPF|Return-Path|Delivered-To"
    rb"|Delivery-Date|Envelope-To|Authentication-Results|DKIM-Signature|Newsgroups|(?:ARC|List)-[\w-]+)[ \t]*+:",
    re.IGNORECASE,
)
"""Fields that only letters and articles have (RFC 5322 3.6, RFC 5536 3, RFC 8617)."""
_COMMON = re.compile(rb"(?:To|Cc|Date|Path|Content-Type)[ \t]*+:", re.IGNORECASE)
"""Fields that these begin with, and other files may have further down."""
_MARK = re.compile(rb"\n(?:--|From )")
"""A line that may end a part."""
_LINES = re.compile(rb"\n(?![ \t])")


class _MailPart:
    """The description of a body in the header of a part."""

    def __init__(self, is_digest: bool = False) -> None:
        self.type = "message/rfc822" if is_digest else "text/plain"
        self.parameters: dict[bytes, bytes] = {}
        self.coding = b""

    def field(self, line: bytes) -> None:
        """Read a field with its continuation lines."""
        name, _, value = line.partition(b":")
        match name.strip().lower():
            case b"content-type":
                self.type = value.partition(b";")[0].strip().lower().decode("ascii", "replace") or "text/plain"
                for key, is_extended, quoted, plain in (found.groups(b"") for found in _PARAMETER.finditer(value)):
                    text = re.sub(rb"\\(.)", rb"\1", quoted) or plain
                    if is_extended and text.count(b"'") >= 2:  # charset'language'text (RFC 2231 4)
                        text = text.split(b"'", 2)[2]
                    self.parameters.setdefault(key.lower(), text)
            case b"content-transfer-encoding":
                self.coding = value.strip().lower()


class MailDecoder:
    """Reads headers field by field and bodies line by line."""

    def __init__(self) -> None:
        self._part = _MailPart()
        self._in_header = True
        self._boundaries: list[tuple[bytes, bool]] = []  # of the open parts, outermost first; is it a digest
        self._transfer: TransferDecoder | None = None  # None: the body is skipped
        self._after_empty = True  # a "From " line here begins a message
        self._in_mailbox: bool | None = None

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Read line by line."""
        start = 0
        while start < len(data):
            stop = self._field_end(data, start, final) if self._in_header else self._line_end(data, start, final)
            if stop < 0:
                break
            if self._in_header:
                self._header_line(data, start, stop, out)
            else:
                stop = self._body_line(data, start, stop, out)
            start = stop
        if final and self._transfer is not None:
            self._transfer.end(out)
        return start

    def _line_end(self, data: bytes, start: int, final: bool) -> int:
        """The end of the line at `start`; -1 if it is incomplete."""
        stop = data.find(b"\n", start, start + MAX_LINE) + 1
        if stop == 0 and (final or len(data) - start >= MAX_LINE):
            return min(len(data), start + MAX_LINE)
        return stop or -1

    def _field_end(self, data: bytes, start: int, final: bool) -> int:
        """The end of the field at `start`, with its continuation lines; -1 if it is incomplete."""
        stop = start
        while True:
            stop = data.find(b"\n", stop, start + MAX_LINE) + 1
            if stop == 0 or stop == len(data):
                is_over = final or len(data) - start >= MAX_LINE
                return min(len(data), start + MAX_LINE) if is_over else -1
            if data[stop] not in b" \t" or data[start] in b"\r\n":
                return stop

    def _header_line(self, data: bytes, start: int, stop: int, out: Runs) -> None:
        if data[start] in b"\r\n" and not data[start:stop].strip():
            self._begin_body(start, out)
            return
        if data.startswith(b"--", start) and self._boundary(data[start:stop], start, out):  # a header without a body
            return
        out.name("mail-header")
        if self._in_mailbox is None:
            self._in_mailbox = data.startswith(b"From ", start)
        line = data[start:stop]
        if line.lower().startswith(SKIPPED_FIELDS):
            out.cut(start)
        else:
            self._part.field(line)
            encoded_words(data, start, stop, out)
        out.name(None)

    def _begin_body(self, place: int, out: Runs) -> None:
        """Begin the body that the header describes; a message in a message has its own header."""
        part = self._part
        self._in_header = False
        self._transfer = None
        boundary = part.parameters.get(b"boundary")
        if part.type.startswith("multipart/") and boundary and len(self._boundaries) < MAX_PARTS:
            self._boundaries.append((b"--" + boundary, part.type == "multipart/digest"))
        elif part.type in _MESSAGES:
            self._part, self._in_header = _MailPart(), True
        else:
            format = of_type("text/plain" if part.type.startswith("message/") else part.type)
            if format:
                out.begin(f"{format};{part.coding.decode('ascii')}" if part.coding in _CODINGS else format)
                self._transfer = TransferDecoder(part.coding, part.parameters, part.type)
        self._after_empty = True

    def _body_line(self, data: bytes, start: int, stop: int, out: Runs) -> int:
        """Read a line of a body; returns the start of the next one."""
        if data.startswith(b"--", start) and self._boundary(data[start:stop], start, out):
            return stop
        if self._after_empty and self._in_mailbox and data.startswith(b"From ", start):
            self._end_body(out)
            self._boundaries.clear()
            self._begin_header(_MailPart(), out)
            return start
        if self._transfer is None or self._transfer.takes_lines:  # all available lines
            last = data.rfind(b"\n", stop) + 1
            if last > stop:
                mark = _MARK.search(data, stop - 1, last)
                stop = last if mark is None else mark.start() + 1
        self._after_empty = data[max(start, data.rfind(b"\n", start, stop - 1) + 1)] in b"\r\n"
        if self._transfer is not None:
            self._transfer.line(data, start, stop, out)
        return stop

    def _boundary(self, line: bytes, place: int, out: Runs) -> bool:
        """Process a line that may end the part and begin another (RFC 2046 5.1.1); returns whether it does."""
        line = line.rstrip()
        for depth in reversed(range(len(self._boundaries))):
            boundary, is_digest = self._boundaries[depth]
            if line == boundary:
                self._end_body(out)
                del self._boundaries[depth + 1 :]
                self._begin_header(_MailPart(is_digest), out)
                return True
            if line == boundary + b"--":
                self._end_body(out)
                del self._boundaries[depth:]
                self._after_empty = False
                return True
        return False

    def _end_body(self, out: Runs) -> None:
        if self._transfer is not None:
            self._transfer.end(out)
        self._transfer = None

    def _begin_header(self, part: _MailPart, out: Runs) -> None:
        out.begin("text")
        self._part, self._in_header = part, True


def is_mail(head: bytes) -> bool:
    """Whether a text begins with three fields and one is of mail, or as a mailbox with a From line and two fields."""
    lines = _LINES.split(head)
    least = 3
    if head.startswith(b"From "):
        lines = lines[1:]
        least = 2
    if len(head) >= HEAD:  # the last field is cut, and there may be room for two only
        lines = lines[:-1]
        least = 2
    fields = list(takewhile(bytes.strip, lines))
    first = fields[:least]
    return (
        len(first) == least
        and all(map(_FIELD.match, first))
        and (any(map(_COMMON.match, first)) or any(map(_TELLING.match, fields)))
    )


READERS = (
    Reader(
        name="mail", summary="mail and mailboxes: MIME parts decoded, each read by its type",
        suffixes=(".eml", ".mbox", ".mbx", ".mht", ".mhtml"), types=("message/rfc822", "message/global"),
        begins=is_mail, decode=MailDecoder,
    ),
)  # fmt: skip
