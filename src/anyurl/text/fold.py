"""Folded URLs: taking out what a line break brought in, and the two readings of a hyphen (RFC 1738 appendix).

Rule: white space is never part of the URL; a hyphen before a line break may be, so both readings are reported. The one
that keeps it comes first, since it changes nothing.
"""

from __future__ import annotations

from itertools import product

from anyurl.text.scan.characters import JOINERS

MAX_HYPHENS = 3
"""Hyphens at line breaks of which all readings are reported: eight. With more, only all kept and all dropped."""

SOFT_HYPHENS = (b"\xc2\xad", b"\xe2\x80\x90")
"""U+00AD and U+2010: typesetters write them at the end of a line; URLs do not contain them."""


_OUT = {ord(octets.decode()): None for octets in JOINERS}


def without_hidden(text: str) -> str:
    """The text as it is seen: without the invisible characters that leave its order as it is."""
    return text if text.isascii() else text.translate(_OUT)


def unfold(pieces: list[tuple[bytes, bool]]) -> list[str]:
    """The readings of a folded URL, hyphens kept first.

    Args:
        pieces: The pieces between white space, each with whether a line break follows it.
    """
    parts: list[list[bytes]] = [[]]
    for piece, broke in pieces:
        soft = next((each for each in SOFT_HYPHENS if piece.endswith(each)), b"") if broke else b""
        parts[-1].append(piece.removesuffix(soft))
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
