"""Listings of news servers: overviews, groups, capabilities; and wildmats (RFC 3977 4, 7.6, 8.3).

Rule: octets in, values out. A malformed line gives None: one bad article does not hide the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anyurl.errors import LimitError
from anyurl.schemes.kit.lines import LineReader
from anyurl.values import Value

MAX_LINE_BYTES = 64 * 1024
"""Octets of one line: an overview line has all References and Xref of an article; INN's limit is 64 KiB."""

MAX_CAPABILITIES = 1_000
"""Lines of CAPABILITIES; INN has some fifteen."""

MAX_COLLECTED_LINES = 200_000
"""Lines of a listing collected in memory (descriptions of groups): the largest servers have some 110,000 groups."""

MAX_COLLECTED_BYTES = 16 * 1024 * 1024
"""Octets of such a listing: 80 for each line."""

MAX_LISTING_BYTES = 256 * 1024 * 1024
"""Octets of one listing: 100,000 entries, the guard's limit, of 2.5 KiB each."""

HIGHEST_NUMBER = 2**63 - 1
"""RFC 3977 6 stops at 2,147,483,647; binary groups have exceeded it, and servers use 64 bits."""


MAX_DIGITS = 19
"""Digits of `HIGHEST_NUMBER`."""


class GroupListReader:
    """Splits a block (already dot-unstuffed) into lines: `feed` it.

    Args:
        max_bytes: The most octets of all lines.
        max_lines: The most lines, if they are collected; None if they are emitted as they arrive.
    """

    __slots__ = ("_lines", "_max_bytes", "_max_lines", "_size", "_count")

    def __init__(self, max_bytes: int = MAX_LISTING_BYTES, max_lines: int | None = None) -> None:
        what = "a line of a news server's listing"
        self._lines = LineReader(MAX_LINE_BYTES, limit="MAX_LINE_BYTES", what=what, strict=False)
        self._max_bytes = max_bytes
        self._max_lines = max_lines
        self._size = self._count = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that these octets complete.

        Raises:
            LimitError: A line, or the listing, is too long, or has too many lines.
        """
        self._size += len(data)
        if self._size > self._max_bytes:
            raise _too_long(f"{self._max_bytes:,} octets", "MAX_LISTING_BYTES")
        self._lines.feed(data)
        lines: list[bytes] = []
        while more := self._lines.lines():
            lines += more
        self._count += len(lines)
        if self._max_lines is not None and self._count > self._max_lines:
            raise _too_long(f"{self._max_lines:,} lines", "MAX_COLLECTED_LINES")
        return lines


def _too_long(what: str, limit: str) -> LimitError:
    return LimitError(f"A listing of the news server has more than {what}: the limit allows no more.", limit=limit)


OVERVIEW_FIELDS = 8
"""Number, subject, from, date, message-id, references, octets, lines (RFC 3977 8.3.2); further fields have names."""

LEAST_FIELDS = 5
"""Those up to the message-id, which some servers end with: the others are empty then."""


def read_overview(line: bytes) -> list[str] | None:
    """One line of OVER or XOVER: its fields as text, octets that are not UTF-8 as surrogates (RFC 2980 2.8).

    Returns:
        Eight fields or more; None if there is no number, or less than a message-id.
    """
    fields = line.decode("utf-8", "surrogateescape").split("\t", OVERVIEW_FIELDS)
    number = fields[0]
    if len(fields) < LEAST_FIELDS or not (number.isascii() and number.isdigit()) or len(number) > MAX_DIGITS:
        return None
    return fields + [""] * (OVERVIEW_FIELDS - len(fields))


def count_in(digits: str) -> int | None:
    """A count, or None where there is none."""
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_DIGITS:
        return None
    number = int(digits)
    return number if number <= HIGHEST_NUMBER else None


def number_in(digits: bytes) -> int | None:
    """A count, or None where there is none."""
    return count_in(digits.strip().decode("ascii", "replace"))


class Group(Value):
    """A newsgroup, as its server describes it.

    Attributes:
        name: The name of the group, as octets.
        count: The estimated number of articles (RFC 3977 6.1.1.2), or None.
        low: The lowest article number, or None.
        high: The highest article number, or None.
        status: ``y`` open, ``n`` closed, ``m`` moderated, or something else; empty if unknown.
    """

    name: bytes
    count: int | None = None
    low: int | None = None
    high: int | None = None
    status: str = ""


def read_selected(arguments: Sequence[bytes]) -> Group | None:
    """The reply to GROUP: count, low, high, name (RFC 3977 6.1.1); a group with high below low is empty."""
    if len(arguments) < 3:
        return None
    count, low, high = map(number_in, arguments[:3])
    if count is None or low is None or high is None:
        return None
    return Group(arguments[3] if len(arguments) > 3 else b"", count if high >= low else 0, low, high)


def read_active(line: bytes) -> Group | None:
    """One line of LIST ACTIVE: name, high, low, status (RFC 3977 7.6.3)."""
    fields = line.split()
    if len(fields) < 4:
        return None
    high, low = number_in(fields[1]), number_in(fields[2])
    count = None if high is None or low is None else max(0, high - low + 1)
    return Group(fields[0], count, low, high, fields[3].decode("ascii", "replace"))


def read_description(line: bytes) -> tuple[bytes, bytes] | None:
    """One line of LIST NEWSGROUPS: name and description of a group, which may be empty (RFC 3977 7.6.6)."""
    fields = [*line.split(None, 1), b""]
    return (fields[0], fields[1].strip()) if fields[0] else None


def read_header_line(line: bytes) -> tuple[int, bytes] | None:
    """One line of HDR: the number of an article (0 if requested by identifier) and the field (RFC 3977 8.5)."""
    number, _, value = line.partition(b" ")
    found = number_in(number)
    return None if found is None else (found, value)


def read_capabilities(lines: Iterable[bytes]) -> Mapping[str, tuple[str, ...]]:
    """The server's capabilities: arguments by label, in capitals (RFC 3977 3.3, 5.2)."""
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        label, *arguments = line.decode("ascii", "replace").upper().split() or [""]
        if label:
            found[label] = tuple(arguments)
    return found


# --- wildmats --------------------------------------------------------------------------------------------------------


class Wildmat:
    """A pattern for the names of groups (RFC 3977 4): of patterns separated by commas, the last that matches decides.

    >>> [name for name in ("comp.lang.c", "comp.os", "alt.x") if Wildmat("comp.*,!*.os").matches(name)]
    ['comp.lang.c']
    """

    __slots__ = ("_patterns",)

    def __init__(self, text: str) -> None:
        self._patterns = [(part.removeprefix("!"), not part.startswith("!")) for part in text.split(",")]

    def matches(self, name: str) -> bool:
        """Whether the pattern matches this name."""
        for pattern, takes in reversed(self._patterns):
            if _fits(pattern, name):
                return takes
        return False


def _fits(pattern: str, name: str) -> bool:
    """Whether a pattern with ``*`` (any characters) and ``?`` (one) matches the name, in quadratic time at most.

    Attack: a regular expression would take exponential time for ``*a*a*a*a*b``.
    """
    at, star, resume = 0, -1, 0
    here = 0
    while here < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, here
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", name[here]):
            at += 1
            here += 1
        elif star >= 0:
            resume += 1
            at, here = star + 1, resume
        else:
            return False
    return all(char == "*" for char in pattern[at:])
