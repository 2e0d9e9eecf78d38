"""The characters of RFC 1738's productions (section 5), in the form in which the strict kernel looks them up.

Rule: facts only, and the same facts as in ``anyurl/grammar/rfc1738.bnf``: a test compares them. A class contains what
may stand for itself in a production, apart from escapes.
"""

from __future__ import annotations

_ALPHA = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_UCHAR = _ALPHA + _DIGITS + b"$-_.+" + b"!*'(),"

CLASSES = {
    "alpha": _ALPHA,
    "digit": _DIGITS,
    "hex": _DIGITS + b"ABCDEFabcdef",
    "scheme": _ALPHA + _DIGITS + b"+-.",
    "toplabel": _ALPHA + _DIGITS + b"-",
    "uchar": _UCHAR,
    "user": _UCHAR + b";?&=",
    "fpath": _UCHAR + b"?:@&=/",
    "hpath": _UCHAR + b";:@&=/",
    "search": _UCHAR + b";:@&=",
    "xchar": _UCHAR + b";/?:@&=",
    "group": _ALPHA + _DIGITS + b"-.+_",
    "article": _UCHAR + b";/?:&=",
    "fieldname": _UCHAR + b"?:@&",
    "ftptype": b"AIDaid",
}
"""The characters that stand for themselves in each production, apart from escapes."""


def _planes() -> bytes:
    return b"".join(bytes(code in chars for code in range(128)) for chars in CLASSES.values())


PLANES = _planes()
"""One byte for each ASCII character in each class: for character c and the class at offset p it is at ``p + c``."""
