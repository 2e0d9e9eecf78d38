# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The percent codec: octets to ``%XX`` and back (RFC 1738 2.2, RFC 3986 2.1).

Rule: a codec never judges. A ``%`` without two hexadecimal digits after it stays as it is: either the grammar has
refused it already, or the caller wants it so. The caller says which octets may stand for themselves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

if TYPE_CHECKING:
    from anyurl.url.cut.letters import octets
elif cython.compiled:
    from cython.cimports.anyurl.url.cut.letters import octets
else:
    from anyurl.url.cut.letters import octets

COMPILED: bool = cython.compiled

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_HEX = b"0123456789ABCDEFabcdef"
_UPPER = cython.declare(bytes, _HEX[:16])
_OCTETS = {bytes((high, low)): bytes((int(chr(high) + chr(low), 16),)) for high in _HEX for low in _HEX}
_VALUES = cython.declare(bytes, bytes(int(chr(each), 16) if each in _HEX else 16 for each in range(256)))
"""The value of each octet as a hexadecimal digit; 16 for any other octet."""


def percent_decode(text: str) -> bytes:
    """The octets that an encoded text stands for.

    Args:
        text: ASCII text with ``%XX``; other characters stand for their UTF-8 octets, surrogates made by
            ``surrogateescape`` for the octet they were.
    """
    data = text.encode("utf-8", "surrogateescape")
    if b"%" not in data:
        return data
    pieces = data.split(b"%")
    out = [pieces[0]]
    for piece in pieces[1:]:
        octet = _OCTETS.get(piece[:2])
        if octet is None:
            out.append(b"%")
            out.append(piece)
        else:
            out.append(octet)
            out.append(piece[2:])
    return b"".join(out)


def recode(text: str, decoded: bytes) -> str:
    """An encoded text with its escapes in upper case, or decoded where the octet is one of these.

    Args:
        text: ASCII.
    """
    length: cython.Py_ssize_t = len(text)
    data: cython.p_const_uchar = octets(text)
    out = bytearray(length)
    i: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    octet: cython.int
    while i < length:
        octet = data[i]
        if octet == ord("%") and i + 2 < length and _VALUES[data[i + 1]] < 16 and _VALUES[data[i + 2]] < 16:
            octet = _VALUES[data[i + 1]] << 4 | _VALUES[data[i + 2]]
            i += 2
            if octet not in decoded:
                out[written] = ord("%")
                out[written + 1] = _UPPER[octet >> 4]
                written += 2
                octet = _UPPER[octet & 15]
        out[written] = octet
        written += 1
        i += 1
    return out[:written].decode("ascii")


def percent_encode(data: bytes, safe: bytes = b"") -> str:
    """Octets as ASCII text: unreserved and safe octets stand for themselves, all others are written ``%XX``.

    Args:
        data: Any octets.
        safe: Octets that may stand for themselves besides the unreserved ones (RFC 3986 2.3); ``%`` only when the
            data is encoded already; octets beyond ASCII are never safe.
    """
    table, kept = _table(safe)
    if not data.translate(None, kept):  # as nearly all data is
        return data.decode("ascii")
    return "".join([table[octet] for octet in data])


@lru_cache(maxsize=32)  # one table for each component that is encoded anywhere
def _table(safe: bytes) -> tuple[list[str], bytes]:
    """The text of each octet, and the octets that stand for themselves."""
    kept = bytes(octet for octet in UNRESERVED + safe if octet < 128)
    return [chr(octet) if octet in kept else f"%{octet:02X}" for octet in range(256)], kept


def decode_text(text: str) -> str:
    """Encoded text decoded as UTF-8; octets that are not UTF-8 become surrogates (``surrogateescape``)."""
    if "%" not in text and text.isascii():
        return text
    return percent_decode(text).decode("utf-8", "surrogateescape")


def encode_text(text: str, safe: bytes = b"") -> str:
    """The inverse of `decode_text`: text as UTF-8 octets, percent-encoded.

    Raises:
        UnicodeEncodeError: The text has a surrogate that does not stand for an octet.
    """
    if text.isascii() and text.isalnum():
        return text
    return percent_encode(text.encode("utf-8", "surrogateescape"), safe)
