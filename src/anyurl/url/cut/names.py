# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Host names: empty ends, and numbers that are not a plain address (RFC 1034 3.1, RFC 3986 3.2.2 and 7.4).

Rule: octets only; the only reason given is the function's name.
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

_ZERO = cython.declare(cython.int, ord("0"))
_NINE = cython.declare(cython.int, ord("9"))
_DOT = cython.declare(cython.int, ord("."))
_X = cython.declare(cython.int, ord("x"))
_A = cython.declare(cython.int, ord("a"))
_F = cython.declare(cython.int, ord("f"))
_LOWER = cython.declare(cython.int, 32)
"""The bit that makes a letter lower case."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_empty_end(data: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether there is no label before the last dot: libcurl refuses ``.`` and ``a..``, and no look-up finds them."""
    return data[stop - 1] == _DOT and (stop - 1 == start or data[stop - 2] == _DOT)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_misleading(data: cython.p_const_uchar, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether the last label looks like a number and the host is not four plain decimals (RFC 3986 7.4).

    Attack: 2130706433, 0x7f.1, 127.1 and 0177.0.0.1 all reach 127.0.0.1 through inet_aton, past every rule on the text.
    """
    last: cython.Py_ssize_t = stop - 1 if stop > start and data[stop - 1] == _DOT else stop
    label: cython.Py_ssize_t = last
    while label > start and data[label - 1] != _DOT:
        label -= 1
    if label == last or not _ZERO <= data[label] <= _NINE:
        return False
    return _is_number(data, label, last) and not is_ipv4(data, start, stop)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_number(data: cython.p_const_uchar, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether inet_aton takes a label for a number: digits, or 0x and any number of hexadecimal digits, even none."""
    octet: cython.int
    hexadecimal: cython.bint = i + 1 < stop and data[i] == _ZERO and data[i + 1] | _LOWER == _X
    if hexadecimal:
        i += 2
    while i < stop:
        octet = data[i]
        if not _ZERO <= octet <= _NINE and not (hexadecimal and _A <= octet | _LOWER <= _F):
            return False
        i += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_ipv4(data: cython.p_const_uchar, i: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether the text is four decimal numbers from 0 to 255 without leading zeros (RFC 3986 3.2.2, IPv4address)."""
    groups: cython.int = 0
    value: cython.int
    first: cython.Py_ssize_t
    while i < stop:
        first = i
        value = 0
        while i < stop and i - first < 3 and _ZERO <= data[i] <= _NINE:
            value = value * 10 + data[i] - _ZERO
            i += 1
        if i == first or value > 255 or (data[first] == _ZERO and i - first > 1):
            return False
        groups += 1
        if i == stop:
            return groups == 4
        if data[i] != _DOT or groups == 4:
            return False
        i += 1
    return False
