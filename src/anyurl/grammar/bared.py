"""Addresses and identifiers as mail and news programs write them, made those of a URL: no names, brackets and blanks.

Rule: only parts that the readers of mailto and news URLs leave out as well; header fields are those of RFC 6068 2.
"""

from __future__ import annotations

import re

Edit = tuple[tuple[int, int], str, str]
"""A span, its replacement, and a sentence."""

_MAIL = re.compile(r"mailto:([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_NEWS = re.compile(r"s?news:(?://[^/?#]*/)?(<)[^<>\s]+(>)\Z", re.IGNORECASE)
_NAMED = re.compile(r"\s*([^<>,;\"]*<\s*)?([^<>,;\"]*?)(\s*>)?\s*")

_BRACKETS = "the angle brackets around an identifier are not part of it"
_NAMES = "names, brackets and blanks around an address are not part of a mailto URL"
_AND = "an '&' that begins no header field is text"


def addresses_bared(text: str) -> list[Edit]:
    """The edits, in the order of the text."""
    found = _NEWS.match(text)
    if found is not None:
        return [(found.span(1), "", _BRACKETS), (found.span(2), "", _BRACKETS)]
    mail = _MAIL.match(text)
    if mail is None:
        return []
    edits: list[Edit] = []
    if '"' not in mail[1]:  # a quoted name or local part may hold a comma
        at = mail.start(1)
        for piece in re.split("([,;])", mail[1]):
            edits += _bared(piece, at)
            at += len(piece)
    return edits + _ands(text, mail)


def _bared(piece: str, at: int) -> list[Edit]:
    if piece == ";":
        return [((at, at + 1), ",", "a comma separates the addresses of a mailto URL")]
    named = _NAMED.fullmatch(piece)
    if named is None or (named[1] is None) is not (named[3] is None) or "@" not in named[2]:
        return []
    start, end = named.span(2)
    around = ((at, at + start), (at + end, at + len(piece)))
    return [(span, "", _NAMES) for span in around if span[0] < span[1]]


def _ands(text: str, mail: re.Match[str]) -> list[Edit]:
    """A field without ``=`` that holds a blank is prose: the ``&`` before it belongs to the text."""
    if mail[2] is None:
        return []
    edits: list[Edit] = []
    at = mail.start(2)
    for number, field in enumerate(mail[2].split("&")):
        if number and "=" not in field and (" " in field or "%20" in field) and field.strip():
            edits.append(((at - 1, at), "%26", _AND))
        at += len(field) + 1
    return edits
