"""Parsing Set-Cookie fields (RFC 6265bis 5.1 and 5.6).

Rule: a field is accepted or refused as in browsers, which accept nearly everything. The cookie jar decides whether a
cookie is kept and where it is sent.
"""

from __future__ import annotations

import re
from typing import Literal

from anyurl.dates import MONTH_NAMES, timestamp
from anyurl.values import Value

SameSite = Literal["strict", "lax", "none"]

MAX_PAIR = 4096
"""Octets of name and value together (RFC 6265bis 5.6)."""

MAX_ATTRIBUTE = 1024
"""Octets of the value of an attribute (RFC 6265bis 5.6)."""

MAX_ATTRIBUTES = 32
"""Attributes of one cookie: there are eight."""

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

# RFC 6265bis 5.1.1: a date is split into words, and each word is read as the first component that it matches.
_DELIMITERS = re.compile(r"[\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?", re.ASCII | re.DOTALL)
_DAY = re.compile(r"(\d{1,2})(?:\D.*)?", re.ASCII | re.DOTALL)
_YEAR = re.compile(r"(\d{2,4})(?:\D.*)?", re.ASCII | re.DOTALL)


class SetCookie(Value):
    """One Set-Cookie field.

    Attributes:
        name: May be empty.
        value: The value to send back.
        domain: The domain to send it to, in lower case without a leading dot; empty for the host alone.
        path: The path to send it to, or None for that of the URL.
        secure: Whether it is sent over TLS only.
        http_only: Whether it is hidden from scripts.
        same_site: Whether it is sent when another site led here; None if not specified.
        expires: The time it expires, in seconds since the epoch, or None.
        max_age: Seconds until it expires, which take precedence over `expires`, or None.
    """

    name: str
    value: str
    domain: str
    path: str | None
    secure: bool
    http_only: bool
    same_site: SameSite | None
    expires: float | None
    max_age: int | None

    def __repr__(self) -> str:
        return f"SetCookie({self.name!r}, ***)"


def read_set_cookie(text: str) -> SetCookie | None:
    """Parse a Set-Cookie field; None if it must be ignored."""
    if _CONTROL.search(text):
        return None
    pair, _, rest = text.partition(";")
    name, equals, value = pair.partition("=")
    if not equals:
        name, value = "", pair
    name, value = name.strip(" \t"), value.strip(" \t")
    if not (name or value) or _octets(name) + _octets(value) > MAX_PAIR:
        return None
    said = _attributes(rest)
    path = said.get("path", "")
    same_site = said.get("samesite", "").lower()
    return SetCookie(
        name,
        value,
        said.get("domain", "").removeprefix(".").lower(),
        path if path.startswith("/") else None,
        "secure" in said,
        "httponly" in said,
        "strict" if same_site == "strict" else "lax" if same_site == "lax" else "none" if same_site == "none" else None,
        cookie_date(said["expires"]) if "expires" in said else None,
        _max_age(said.get("max-age", "")),
    )


def _attributes(rest: str) -> dict[str, str]:
    """The attributes by name in lower case; of repeated ones the last valid one counts."""
    said: dict[str, str] = {}
    for part in rest.split(";", MAX_ATTRIBUTES)[:MAX_ATTRIBUTES]:
        name, _, value = part.partition("=")
        name, value = name.strip(" \t").lower(), value.strip(" \t")
        if _octets(value) > MAX_ATTRIBUTE:
            continue
        if (name == "expires" and cookie_date(value) is None) or (name == "max-age" and _max_age(value) is None):
            continue
        said[name] = value
    return said


def _octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _max_age(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    return int(text[:12])


def cookie_date(text: str) -> float | None:
    """Seconds since the epoch of a cookie date, or None (RFC 6265bis 5.1.1)."""
    clock: tuple[int, ...] | None = None
    day = month = year = None
    for word in _DELIMITERS.split(text):
        if clock is None and (found := _TIME.fullmatch(word)):
            clock = tuple(map(int, found.groups()))
        elif day is None and (found := _DAY.fullmatch(word)):
            day = int(found[1])
        elif month is None and word[:3].lower() in MONTH_NAMES:
            month = MONTH_NAMES.index(word[:3].lower()) + 1
        elif year is None and (found := _YEAR.fullmatch(word)):
            year = int(found[1])
    if clock is None or day is None or month is None or year is None:
        return None
    if 70 <= year <= 99:
        year += 1900
    elif year <= 69:
        year += 2000
    if year < 1601 or clock[2] > 59:
        return None
    return timestamp(year, month, day, *clock)
