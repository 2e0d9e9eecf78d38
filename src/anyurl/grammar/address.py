# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Whether encoded text is an addr-spec (RFC 822): a mailto URL is the encoding of one (RFC 1738 3.5).

Rules: octets are read through their escapes, without a decoded copy. The answer is yes or no, without a reason:
`anyurl.grammar.requirements` explains. Comments and white space between tokens belong to the syntax of a header, not
to the address, so they are not accepted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

COMPILED: bool = cython.compiled

ATOM = bytes(0x20 < octet < 0x7F and octet not in b'()<>@,;:\\".[]' for octet in range(128))
"""For each octet, whether an atom may contain it: specials, space and control characters are excluded (RFC 822 3.3)."""

DOT = cython.declare(cython.int, 46)
AT = cython.declare(cython.int, 64)
QUOTE = cython.declare(cython.int, 34)
OPEN = cython.declare(cython.int, 91)
CLOSE = cython.declare(cython.int, 93)
BACKSLASH = cython.declare(cython.int, 92)
PERCENT = cython.declare(cython.int, 37)
CR = cython.declare(cython.int, 13)
LF = cython.declare(cython.int, 10)
SPACE = cython.declare(cython.int, 32)
TAB = cython.declare(cython.int, 9)

FAILED = cython.declare(cython.int, -1)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _digit(c: cython.int) -> cython.int:
    return c - 48 if c < 58 else (c | 32) - 87


@cython.cfunc
def _octet(text: str, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
    """The octet at a place, decoded if it is escaped; FAILED at the end."""
    if i >= end:
        return FAILED
    c: cython.int = ord(text[i])
    return c if c != PERCENT else _digit(ord(text[i + 1])) * 16 + _digit(ord(text[i + 2]))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _next(text: str, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if i < end and ord(text[i]) == PERCENT:
        return i + 3
    return i + 1


@cython.cfunc
def _token(
    text: str, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t, close: cython.int
) -> cython.Py_ssize_t:
    """Behind an atom, or what ``close`` ends: a quoted string or a domain literal; FAILED (RFC 822 3.3)."""
    octet: cython.int = _octet(text, i, end)
    first: cython.Py_ssize_t = i
    if octet != (QUOTE if close == QUOTE else OPEN):
        while octet >= 0 and octet < 128 and table[octet]:
            i = _next(text, i, end)
            octet = _octet(text, i, end)
        return i if i > first else FAILED
    while True:
        i = _next(text, i, end)
        octet = _octet(text, i, end)
        if octet < 0 or octet > 127 or (octet == OPEN and close == CLOSE):
            return FAILED
        if octet == close:
            return _next(text, i, end)
        if octet == BACKSLASH:
            i = _next(text, i, end)
            octet = _octet(text, i, end)
            if octet < 0 or octet > 127:
                return FAILED
        elif octet == CR:  # must begin a folded line: LF and a space or tab follow
            i = _next(text, i, end)
            if _octet(text, i, end) != LF:
                return FAILED
            i = _next(text, i, end)
            octet = _octet(text, i, end)
            if octet != SPACE and octet != TAB:
                return FAILED


def is_address(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]``, whose escapes are complete, encodes ``local-part "@" domain`` (RFC 822 6.1).

    A local part is words separated by dots, a domain is subdomains separated by dots.
    """
    atom: bytes = ATOM
    table: cython.p_const_uchar = atom
    i: cython.Py_ssize_t = start
    stop: cython.Py_ssize_t = end
    while True:
        i = _token(text, table, i, stop, QUOTE)
        if i < 0:
            return False
        if _octet(text, i, stop) != DOT:
            break
        i = _next(text, i, stop)
    if _octet(text, i, stop) != AT:
        return False
    while True:
        i = _token(text, table, _next(text, i, stop), stop, CLOSE)
        if i < 0 or i == stop:
            return i == stop
        if _octet(text, i, stop) != DOT:
            return False
