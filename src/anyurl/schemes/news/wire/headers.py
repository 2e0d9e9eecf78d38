"""The head of an article: fields, dates, and words in other charsets (RFC 5536, RFC 5322, RFC 2047).

Rule: octets in, values out. Text that can't be decoded is kept as written; a malformed header never hides an article.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby

from anyurl.dates import MONTHS, timestamp
from anyurl.url.charsets import codec_of

MAX_HEAD_BYTES = 256 * 1024
"""Octets of an article's head, as for HTTP responses; long threads have some ten thousand octets of References."""

_DATE = re.compile(
    r"\s{0,9}(?:[A-Za-z]{3,9},?\s{0,9})?(\d{1,2})\s{1,9}([A-Za-z]{3})[a-z]{0,6}\s{1,9}(\d{2,4})\s{1,9}(\d{1,2}):(\d{2})"
    r"(?::(\d{2}))?\s{0,9}([+-]\d{4}|[A-Za-z]{1,5})?",
    re.ASCII,
)
_ZONES = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
"""Hours east of Greenwich (RFC 5322 4.3); all other names count as UTC."""

_WORD = re.compile(rb"=\?([A-Za-z0-9!#$%&'+^_`{}~-]{1,40})(?:\*[A-Za-z0-9-]{1,40})?\?([bBqQ])\?([^?\t\r\n]{0,2000})\?=")
"""An encoded word; some programs leave spaces in it, where RFC 2047 4.2 has ``_``."""

_HEX = re.compile(rb"=([0-9A-Fa-f]{2})")


def read_head(data: bytes) -> Mapping[str, bytes]:
    """The fields of a head by name in lower case, unfolded; of repeated ones the first counts (RFC 5322 2.2)."""
    fields: dict[str, list[bytes]] = {}
    name = ""
    begun = False
    for line in data.replace(b"\r\n", b"\n").split(b"\n"):
        if line[:1] in (b" ", b"\t"):
            if begun:
                fields[name].append(line.strip())
            continue
        label, colon, value = line.partition(b":")
        name = label.strip().decode("ascii", "replace").lower()
        begun = bool(colon) and bool(name) and name not in fields
        if begun:
            fields[name] = [value.strip()]
    return {name: b" ".join(lines) for name, lines in fields.items()}


def read_date(text: str | bytes) -> float | None:
    """Seconds since the epoch; None if it is not a valid date (RFC 5322 3.3 and its obsolete forms, 4.3)."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    found = _DATE.match(text)
    if found is None:
        return None
    day, month, year, hour, minute, second, zone = found.groups()
    midnight = _midnight(day, month, year)
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if midnight is None or hours > 23 or minutes > 59 or seconds > 60:
        return None
    return midnight + (hours * 60 + minutes) * 60 + seconds - (_offset(zone) if zone else 0.0)


@lru_cache(maxsize=1024)  # up to 100,000 articles in a listing, from few different days
def _midnight(day: str, month: str, year: str) -> float | None:
    number = MONTHS.get(month.lower().encode("ascii"))
    if number is None:
        return None
    full = int(year)
    if len(year) == 2:
        full += 2000 if full < 50 else 1900
    elif len(year) == 3:
        full += 1900
    return timestamp(full, number, int(day))


@lru_cache(maxsize=64)
def _offset(zone: str) -> float:
    """Seconds east of Greenwich."""
    if zone[0] in "+-":
        hours, minutes = int(zone[1:3]), int(zone[3:5])
        return (-1 if zone[0] == "-" else 1) * (hours * 3600.0 + minutes * 60.0)
    return _ZONES.get(zone.upper(), 0) * 3600.0


def decode_field(field: str | bytes) -> str:
    """A field for display: encoded words decoded (RFC 2047), the rest as UTF-8 or else Latin-1.

    Args:
        field: Its octets, or its text with octets that are not UTF-8 as surrogates.
    """
    if isinstance(field, str):
        if field.isascii() and "=?" not in field:  # nearly always
            return field
        field = field.encode("utf-8", "surrogateescape")
    if b"=?" not in field:
        return _text(field)
    pieces: list[str] = []
    words: list[tuple[str, bytes]] = []
    at = 0
    for found in _WORD.finditer(field):
        between = field[at : found.start()]
        word = _read_word(*found.groups())
        if word is None:
            continue
        # RFC 2047 6.2: white space between two encoded words is not shown.
        if not words or between.strip():
            pieces += (_joined(words), _text(between))
            words = []
        words.append(word)
        at = found.end()
    return "".join((*pieces, _joined(words), _text(field[at:])))


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _read_word(charset: bytes, coding: bytes, data: bytes) -> tuple[str, bytes] | None:
    """The codec and the octets of an encoded word; None if it is not one."""
    try:
        codec = codec_of(charset.decode("ascii"))
        if coding in b"bB":
            return codec, binascii.a2b_base64(data + b"=" * (-len(data) % 4))
        return codec, _HEX.sub(lambda found: bytes((int(found[1], 16),)), data.replace(b"_", b" "))
    except (ValueError, LookupError):
        return None


def _joined(words: list[tuple[str, bytes]]) -> str:
    """The text of adjacent words: programs cut the octets of a charset anywhere, even within a character."""
    out: list[str] = []
    for codec, group in groupby(words, key=lambda word: word[0]):
        octets = b"".join(data for _, data in group)
        try:
            out.append(octets.decode(codec, "replace"))
        except (ValueError, LookupError):
            out.append(_text(octets))
    return "".join(out)
