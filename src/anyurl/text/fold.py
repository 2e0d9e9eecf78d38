"""Folded URLs: removing the traces of a line break, and the two readings of a hyphen (RFC 1738 appendix).

Rule: white space is never part of the URL; a hyphen before a line break may be, so both readings are reported. The one
that keeps it comes first, since it changes nothing.
"""

from __future__ import annotations

from itertools import product

from anyurl.text.scan.characters import JOINERS

MAX_HYPHENS = 3
"""Hyphens at line breaks of which all readings are reported: eight. With more, only all kept and all dropped."""

SOFT_HYPHEN = b"\xc2\xad"
"""U+00AD: typesetters write it at the end of a line; URLs do not contain it."""

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
    """The readings of a folded URL, hyphens kept first.

    Args:
        pieces: The pieces between white space, each with whether a line break follows it.
    """
    parts: list[list[bytes]] = [[]]
    for piece, broke in pieces:
        if broke:
            piece = piece.removesuffix(SOFT_HYPHEN)
            if piece.endswith(_HYPHENS):
                piece = piece[: -len(_HYPHENS[0])] + b"-"
        parts[-1].append(piece)
        if broke and piece.endswith(b"-"):
            parts.append([])
    texts = [without_hidden(b"".join(part).decode("utf-8", "surrogateescape")) for part in parts]
    if len(texts) > 1 and not texts[-1]:  # the last line ends with a hyphen, and nothing follows
        texts.pop()
    count = len(texts) - 1
    if count > MAX_HYPHENS:
        return ["".join(texts), "".join(text.removesuffix("-") for text in texts[:-1]) + texts[-1]]
    readings = []
    for kept in product((True, False), repeat=count):
        heads = (text if keep else text.removesuffix("-") for text, keep in zip(texts[:-1], kept, strict=True))
        readings.append("".join(heads) + texts[-1])
    return readings
