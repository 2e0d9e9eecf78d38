# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""IPv6 addresses: their texts and their octets (RFC 4291 2.2, RFC 5952 4).

Rule: only the spellings that every parser agrees on are addresses: no zone, and IPv4 at the end in plain decimals.
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

if TYPE_CHECKING:
    from anyurl.url.cut.letters import octets as octets_of
    from anyurl.url.cut.names import is_ipv4
elif cython.compiled:
    from cython.cimports.anyurl.url.cut.letters import octets as octets_of
    from cython.cimports.anyurl.url.cut.names import is_ipv4
else:
    from anyurl.url.cut.letters import octets as octets_of
    from anyurl.url.cut.names import is_ipv4

COMPILED: bool = cython.compiled

_COLON = cython.declare(cython.int, ord(":"))
_DOT = cython.declare(cython.int, ord("."))
_ZERO = cython.declare(cython.int, ord("0"))
_A = cython.declare(cython.int, ord("a"))
_LOWER = cython.declare(cython.int, 32)
"""The bit that makes a letter lower case."""

MAX_TEXT = 39
"""Characters of the longest address: eight groups of four digits."""

_DIGITS = cython.declare(bytes, b"0123456789abcdef")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_ipv6(
    data: cython.p_const_uchar, i: cython.Py_ssize_t, stop: cython.Py_ssize_t, out: cython.p_uchar
) -> cython.bint:
    """Write the sixteen octets of an address; return whether it is one.

    Args:
        out: Room for sixteen octets, of which some are written even if it is not an address; or NULL.
    """
    count: cython.int = 0
    gap: cython.int = -1
    value: cython.int
    digit: cython.int
    first: cython.Py_ssize_t
    if i < stop and data[i] == _COLON:
        if i + 1 == stop or data[i + 1] != _COLON:
            return False
        gap = 0
        i += 2
    while i < stop:
        if count == 16:
            return False
        first = i
        value = 0
        while i < stop and i - first < 4:
            digit = _digit(data[i])
            if digit < 0:
                break
            value = value << 4 | digit
            i += 1
        if i == first:
            return False
        if i < stop and data[i] == _DOT:
            if count > 12 or not is_ipv4(data, first, stop):
                return False
            if out != cython.NULL:
                _write_ipv4(data, first, stop, out, count)
            count += 4
            break
        if out != cython.NULL:
            out[count] = value >> 8
            out[count + 1] = value & 255
        count += 2
        if i == stop:
            break
        i += 1
        if data[i - 1] != _COLON or i == stop:
            return False
        if data[i] == _COLON:
            if gap >= 0:
                return False
            gap = count
            i += 1
    if gap < 0:
        return count == 16
    if count > 14:  # RFC 4291 2.2: "::" stands for one group or more
        return False
    if out != cython.NULL:
        _open_gap(out, gap, count)
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _digit(octet: cython.int) -> cython.int:
    """The value of a hexadecimal digit, or -1."""
    if _ZERO <= octet <= _ZERO + 9:
        return octet - _ZERO
    octet |= _LOWER
    return octet - _A + 10 if _A <= octet < _A + 6 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_ipv4(
    data: cython.p_const_uchar, i: cython.Py_ssize_t, stop: cython.Py_ssize_t, out: cython.p_uchar, count: cython.int
) -> cython.void:
    """Write the four octets of an IPv4 address in plain decimals."""
    value: cython.int = 0
    while i < stop:
        if data[i] == _DOT:
            out[count] = value
            count += 1
            value = 0
        else:
            value = value * 10 + data[i] - _ZERO
        i += 1
    out[count] = value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open_gap(out: cython.p_uchar, gap: cython.int, count: cython.int) -> cython.void:
    """Move the octets written after a gap to the end, and fill the gap with zeros."""
    i: cython.int
    missing: cython.int = 16 - count
    for i in range(count - 1, gap - 1, -1):
        out[i + missing] = out[i]
    for i in range(gap, gap + missing):
        out[i] = 0


def parse_ipv6(text: str) -> bytes | None:
    """The sixteen octets of an IPv6 address without brackets and zone; None for every other text (RFC 4291 2.2).

    >>> parse_ipv6("::1").hex(), parse_ipv6("fe80::1%25eth0"), parse_ipv6("1:2:3:4:5:6:7:8:9")
    ('00000000000000000000000000000001', None, None)
    """
    if not text.isascii():
        return None
    out = bytearray(16)
    return bytes(out) if read_ipv6(octets_of(text), 0, len(text), out) else None


def format_ipv6(octets: bytes) -> str:
    """The canonical text of an IPv6 address (RFC 5952 4): lower case, no leading zeros, the longest run as ``::``.

    Args:
        octets: Sixteen.
    """
    best: cython.int = -1
    length: cython.int = 1  # RFC 5952 4.2.2: a single group of zeros is not shortened
    i: cython.int = 0
    start: cython.int
    while i < 16:
        start = i
        while i < 16 and octets[i] == 0 and octets[i + 1] == 0:
            i += 2
        if i - start > 2 * length:
            best = start
            length = (i - start) // 2
        i += 2
    out = bytearray(MAX_TEXT)
    written: cython.int = 0
    is_separate: cython.bint = True
    shift: cython.int
    value: cython.int
    i = 0
    while i < 16:
        if i == best or not is_separate:
            out[written] = _COLON
            written += 1
        if i == best:
            out[written] = _COLON
            written += 1
            is_separate = True
            i += 2 * length
            continue
        value = octets[i] << 8 | octets[i + 1]
        for shift in (12, 8, 4, 0):
            if shift == 0 or value >> shift:
                out[written] = _DIGITS[value >> shift & 15]
                written += 1
        is_separate = False
        i += 2
    return out[:written].decode("ascii")
