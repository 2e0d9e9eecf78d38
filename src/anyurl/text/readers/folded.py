r"""Calendars and visiting cards (iCalendar RFC 5545, vCard RFC 6350), and Java's properties: lines that are folded.

Rule: the parts of a folded line are joined, and the escapes of a value are undone: ``\,`` and ``\n``, ``\:`` and
``\u0026``.
"""

from __future__ import annotations

import re

from anyurl.text.readers.backslash import BackslashDecoder
from anyurl.text.readers.json import JsonDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

_FOLD = re.compile(rb"\r?\n[ \t]")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?BEGIN:V(?:CALENDAR|CARD)\r?\n", re.IGNORECASE)


class IcalDecoder(BackslashDecoder):
    """Joins the lines that are folded (RFC 5545 3.1), and undoes the escapes of a text (3.3.11)."""

    simple = {b"n": b"\n", b"N": b"\n", b",": b",", b";": b";", b":": b":", b"\\": b"\\"}
    escape = re.compile(rb"\\\r?\n[ \t]([nN,;:\\])")  # a fold may be anywhere
    longest = len(b"\\\r\n n")
    marked = True

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Keep a line end back until it is known what follows it."""
        tail = b"" if final else data[-2:]
        return super().decode(data[: len(data) - len(tail) + len(tail.rstrip(b"\r\n"))], final, out)

    def plain(self, data: bytes, start: int, stop: int, out: Runs) -> object:
        """Write it without its folds."""
        for fold in _FOLD.finditer(data, start, stop):
            out.copy(data, start, fold.start())
            start = fold.end()
        out.copy(data, start, stop)
        return None

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the character that it means."""
        out.put(self.simple[match[1]], place, match.end())
        return match.end()


class PropertiesDecoder(JsonDecoder):
    """Decodes the output of `java.util.Properties.store`."""

    simple = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"f": b"\f", b"\\": b"\\"}
    escape = re.compile(
        rb"\\(?:u([0-9A-Fa-f]{4})(?:\\u([dD][c-fC-F][0-9A-Fa-f]{2}))?|(?P<fold>\r?\n[ \t\f]{0,64}+)|(?P<same>[^u\r\n]))"
    )
    longest = 72

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the character that it means; nothing for a line that continues in the next one."""
        if match[1] is not None:
            return super().write(match, place, out)
        out.put(match["same"] or b"", place, match.end())
        return match.end()


READERS = (
    Reader(
        name="ical", summary="calendars and visiting cards (iCalendar, vCard): folded lines joined",
        suffixes=(".ics", ".ifb", ".vcf", ".vcard"), types=("text/calendar", "text/vcard", "text/x-vcard"),
        begins=lambda head: _BEGIN.match(head) is not None, decode=IcalDecoder,
    ),
    Reader(
        name="properties", summary="Java's properties: escapes undone", suffixes=(".properties",),
        decode=PropertiesDecoder,
    ),
)  # fmt: skip
