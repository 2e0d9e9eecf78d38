"""archie: searching the index of anonymous FTP servers, as directories of a Prospero server.

Rule: a search is the listing of a virtual directory, ``ARCHIE/MATCH(hits,strings,hits a string,offset,sort)/words``.
The words are one string, sent unchanged; hosts are names in the directory ``ARCHIE/HOST``.
"""

from __future__ import annotations

import re

from anyurl.errors import UnsupportedError
from anyurl.schemes.kit.scheme import octets

ROOT = b"ARCHIE"

HITS = 95
"""Hits that the original client requests. Servers have their own limit, and refuse more."""

TYPES = {
    "exact": b"=", "substring": b"S", "case": b"C", "regex": b"R", "exact-substring": b"s", "exact-case": b"c",
    "exact-regex": b"r", "strings": b"K", "strings-case": b"Z", "strings-regex": b"X",
}  # fmt: skip
"""Sorts of search and their letters. ``exact-...`` tries an exact match first; ``strings...`` finds names, no files."""

_MATCH = re.compile(rb"ARCHIE/MATCH\(([^()/]*)\)(?:/(.*))?", re.DOTALL)
_GOPHER_QUERY = re.compile(rb"GOPHER-GW/[^/]*/7/.*", re.DOTALL)
_WAIS_QUERY = re.compile(rb"(WAIS-GW/[^/]*/QUERY/[^/]+)(?:/.*)?", re.DOTALL)


def is_database(hsoname: bytes) -> bool:
    """Whether words are searched there in archie's own sorts: its root, or a search."""
    return is_root(hsoname) or is_match(hsoname)


def is_root(hsoname: bytes) -> bool:
    """Whether the search covers its directories; it need not be a directory itself."""
    return hsoname.rstrip(b"/") == ROOT


def is_match(hsoname: bytes) -> bool:
    """Whether it names a search, with its words or without."""
    return _MATCH.fullmatch(hsoname) is not None


def lacks_words(hsoname: bytes) -> bool:
    """Whether it names a search that has no words yet."""
    found = _MATCH.fullmatch(hsoname)
    return found is not None and not found[2]


def with_words(hsoname: bytes, words: str, sort: str | None = None, limit: int | None = None) -> bytes | None:
    """The name of the directory that is the search for these words, or None where the name makes no search of its own.

    Args:
        hsoname: ``ARCHIE``, or a search with its words or without, or a gateway's WAIS query.
        sort: One of `TYPES`, or such a letter; None for the one that the name says, or an exact match.
        limit: Hits that are wanted; None for the number in the name, or `HITS`.

    Raises:
        UnsupportedError: There is no such sort of search.
    """
    gateway = _WAIS_QUERY.fullmatch(hsoname)
    if gateway is not None:
        return gateway[1] + b"/" + octets(words)
    if not is_database(hsoname):
        return None
    found = _MATCH.fullmatch(hsoname)
    numbers = None if found is None else found[1].split(b",")
    if numbers is None or len(numbers) < 3:
        numbers = [b"%d" % HITS] * 3 + [b"0", b"="]
    if limit is not None:
        numbers[0] = b"%d" % limit
        if len(numbers) == 5:
            numbers[1:3] = numbers[:1] * 2
    if sort is not None:
        numbers[-1] = _letter(sort)
    return b"ARCHIE/MATCH(%b)/%b" % (b",".join(numbers), octets(words))


def names_of(hsoname: bytes, words: str) -> tuple[bytes, ...]:
    """The names that are looked up in a directory: a path of them, or all words as one in a gateway's Gopher search."""
    if _GOPHER_QUERY.fullmatch(hsoname) is not None:
        return (octets(words),)
    return tuple(filter(None, octets(words).split(b"/")))


def _letter(sort: str) -> bytes:
    letter = TYPES.get(sort.lower(), sort.encode("ascii", "replace"))
    if letter not in b"=SsCcRrKkZzXx" or len(letter) != 1:
        raise UnsupportedError(
            f"Archie has no search of the kind {sort!r}: {', '.join(TYPES)} are the kinds.",
            scheme="prospero",
            verb="search",
        )
    return letter
