"""Folded URLs: removing the traces of a line break, and the two readings of a hyphen (RFC 1738 appendix).

Rule: white space is never part of the URL; a hyphen before a line break may be, so both readings are reported. The one
that keeps a typed hyphen comes first, since it changes nothing; a typographic one is more often the typesetter's.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from anyurl.text.scan.characters import JOINERS

MAX_HYPHENS = 3
"""Hyphens at line breaks of which all readings are reported: eight. With more, only the likeliest and its opposite."""

SOFT_HYPHEN = b"\xc2\xad"
"""U+00AD: typesetters write it at the end of a line; URLs do not contain it."""

HYPHEN = b"\xe2\x80\x90"
"""U+2010: groff hyphenates words with it, and prints it for a hyphen that was typed, unless told otherwise."""

HYPHENS = {0x2010: "-", 0x2011: "-", 0x2212: "-"}
"""Characters that groff and others print for a hyphen or a minus sign; URLs rarely contain them."""

LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
"""Ligatures that typesetters print."""

_OUT = {ord(octets.decode()): None for octets in JOINERS}
_TYPED = HYPHENS | LIGATURES
_HYPHENS = tuple(chr(code).encode() for code in HYPHENS)


def as_typed(texts: list[str]) -> list[str]:
    """Readings as they were typed before a typesetter had them; where that differs, the first as printed comes last."""
    if texts[0].isascii():
        return texts
    typed = [text.translate(_TYPED) for text in texts]
    return typed if typed == texts else [*typed, texts[0]]


def without_hidden(text: str) -> str:
    """The visible text: without the invisible characters that do not change its order."""
    return text if text.isascii() else text.translate(_OUT)


def unfold(pieces: list[tuple[bytes, bool]]) -> list[str]:
    """The readings of a folded URL, the likeliest first: a typed hyphen kept, a typesetter's (U+2010) dropped.

    If the URL has one within a line, too, then it is printed for each hyphen that was typed, and kept.

    Args:
        pieces: The pieces between white space, each with whether a line break follows it.
    """
    parts: list[list[bytes]] = [[]]
    kept: list[tuple[bool, bool]] = []
    is_typed = any(HYPHEN in piece[:-1] for piece, _ in pieces)
    for piece, broke in pieces:
        order = (True, False)
        if broke:
            piece = piece.removesuffix(SOFT_HYPHEN)
            if piece.endswith(_HYPHENS):
                order = (False, True) if piece.endswith(HYPHEN) and not is_typed else order
                piece = piece[: -len(HYPHEN)] + b"-"
        parts[-1].append(piece)
        if broke and piece.endswith(b"-"):
            parts.append([])
            kept.append(order)
    texts = [without_hidden(b"".join(part).decode("utf-8", "surrogateescape")) for part in parts]
    if len(texts) > 1 and not texts[-1]:  # the last line ends with a hyphen, and nothing follows
        texts.pop()
        kept.pop()
    choices: Iterable[tuple[bool, ...]] = product(*kept)
    if len(kept) > MAX_HYPHENS:
        choices = zip(*kept, strict=True)  # the first of each, and the others
    readings = []
    for choice in choices:
        heads = (text if keep else text.removesuffix("-") for text, keep in zip(texts[:-1], choice, strict=True))
        readings.append("".join(heads) + texts[-1])
    return readings
