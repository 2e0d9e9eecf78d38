"""JSON (RFC 8259), and JSON lines: the escapes of strings are undone.

Rule: a backslash occurs in strings only, and the quotation marks around a string end any URL in it; so only the escapes
are decoded, and reading continues after a syntax error.
"""

from __future__ import annotations

import re

from anyurl.text.readers.backslash import BackslashDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

_ESCAPE = re.compile(rb"\\u([0-9A-Fa-f]{4})(?:\\u([dD][c-fC-F][0-9A-Fa-f]{2}))?")
_MEANS = {b'"': b'"', b"\\": b"\\", b"/": b"/", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}

_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:\{\s*+["}]|\[\s*+(?:["{\[]|\]\s*+\Z))')


class JsonDecoder(BackslashDecoder):
    """Undoes the escapes of JSON strings (RFC 8259 7)."""

    simple = _MEANS
    escape = _ESCAPE
    longest = len(rb"\ud83d\ude00")

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the character that it means."""
        unit, end = int(match[1], 16), match.end(1)
        if 0xD800 <= unit < 0xDC00 and match[2] is not None:
            unit, end = 0x10000 + (unit - 0xD800 << 10) + (int(match[2], 16) - 0xDC00), match.end()
        # Half of a pair is not a character, and ends a URL like octets that are not UTF-8
        out.put(chr(unit).encode("utf-8", "surrogatepass"), place, end)
        return end


def is_json(head: bytes) -> bool:
    """Whether an object or a list of strings, lists or objects begins there."""
    return _BEGIN.match(head) is not None


def is_lines(head: bytes) -> bool:
    """Whether the first two lines are objects of their own."""
    lines = head.split(b"\n", 2)
    return len(lines) > 2 and all(line[:1] == b"{" and line.rstrip()[-1:] == b"}" for line in lines[:2])


READERS = (
    Reader(
        name="json", summary="JSON: the escapes of its strings are undone", suffixes=(".json", ".geojson"),
        types=("application/json", "application/ld+json"), begins=is_json, decode=JsonDecoder,
    ),
    Reader(
        name="jsonl", summary="JSON lines, as JSON", suffixes=(".jsonl", ".ndjson"), types=("application/x-ndjson",),
        begins=is_lines, decode=JsonDecoder,
    ),
)  # fmt: skip
