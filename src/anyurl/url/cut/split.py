# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The cut: where the components of a URL begin and end, as eight offsets (RFC 3986 3, RFC 1738 3.1).

    ftp://user:secret@host.dom:2121/pub/x?y#z
       │      │       │       │    │     │ └ FRAGMENT_START is at the '#', or the length
       │      │       │       │    │     └ QUERY_START is at the '?', or FRAGMENT_START
       │      │       │       │    └ PATH_START
       │      │       │       └ HOST_END        PORT is the number itself, or -1
       │      │       └ HOST_START
       │      └ USER_END: at the ':' before a password, else at the '@'
       └ SCHEME_END, at the ':'

Without a user, USER_END is HOST_START; without an authority, these two, HOST_END and PATH_START are SCHEME_END + 1.

Rules: octets and offsets only. Nothing is raised: a fault is a number, packed with its place. Flags say which
components a scheme has. `anyurl.url.host` checks the text between the brackets of an address.
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

from anyurl.url.cut import numbers

if TYPE_CHECKING:
    from anyurl.url.cut.names import has_empty_end, is_misleading
elif cython.compiled:
    from cython.cimports.anyurl.url.cut.names import has_empty_end, is_misleading
else:
    from anyurl.url.cut.names import has_empty_end, is_misleading

COMPILED: bool = cython.compiled

_SCHEME_END = cython.declare(cython.int, numbers.SCHEME_END)
_USER_END = cython.declare(cython.int, numbers.USER_END)
_HOST_START = cython.declare(cython.int, numbers.HOST_START)
_HOST_END = cython.declare(cython.int, numbers.HOST_END)
_PORT = cython.declare(cython.int, numbers.PORT)
_PATH_START = cython.declare(cython.int, numbers.PATH_START)
_QUERY_START = cython.declare(cython.int, numbers.QUERY_START)
_FRAGMENT_START = cython.declare(cython.int, numbers.FRAGMENT_START)

_NO_AUTHORITY = cython.declare(cython.int, numbers.NO_AUTHORITY)
_NEED_AUTHORITY = cython.declare(cython.int, numbers.NEED_AUTHORITY)
_NEED_SLASH = cython.declare(cython.int, numbers.NEED_SLASH)
_NO_USERINFO = cython.declare(cython.int, numbers.NO_USERINFO)
_NO_PORT = cython.declare(cython.int, numbers.NO_PORT)
_NO_QUERY = cython.declare(cython.int, numbers.NO_QUERY)
_EMPTY_HOST = cython.declare(cython.int, numbers.EMPTY_HOST)
_DNS_HOST = cython.declare(cython.int, numbers.DNS_HOST)
_MAX_LENGTH = cython.declare(cython.int, numbers.MAX_LENGTH)
_MAX_PORT = cython.declare(cython.int, numbers.MAX_PORT)

_FAULT_EMPTY = cython.declare(cython.int, numbers.FAULT_EMPTY)
_FAULT_TOO_LONG = cython.declare(cython.int, numbers.FAULT_TOO_LONG)
_FAULT_SCHEME_START = cython.declare(cython.int, numbers.FAULT_SCHEME_START)
_FAULT_SCHEME_CHAR = cython.declare(cython.int, numbers.FAULT_SCHEME_CHAR)
_FAULT_NO_SCHEME = cython.declare(cython.int, numbers.FAULT_NO_SCHEME)
_FAULT_CONTROL = cython.declare(cython.int, numbers.FAULT_CONTROL)
_FAULT_SPACE = cython.declare(cython.int, numbers.FAULT_SPACE)
_FAULT_BACKSLASH = cython.declare(cython.int, numbers.FAULT_BACKSLASH)
_FAULT_CHAR = cython.declare(cython.int, numbers.FAULT_CHAR)
_FAULT_BRACKET = cython.declare(cython.int, numbers.FAULT_BRACKET)
_FAULT_ESCAPE = cython.declare(cython.int, numbers.FAULT_ESCAPE)
_FAULT_SECOND_HASH = cython.declare(cython.int, numbers.FAULT_SECOND_HASH)
_FAULT_NO_AUTHORITY = cython.declare(cython.int, numbers.FAULT_NO_AUTHORITY)
_FAULT_AUTHORITY = cython.declare(cython.int, numbers.FAULT_AUTHORITY)
_FAULT_SLASH = cython.declare(cython.int, numbers.FAULT_SLASH)
_FAULT_TWO_AT = cython.declare(cython.int, numbers.FAULT_TWO_AT)
_FAULT_USERINFO = cython.declare(cython.int, numbers.FAULT_USERINFO)
_FAULT_EMPTY_HOST = cython.declare(cython.int, numbers.FAULT_EMPTY_HOST)
_FAULT_HOST_ESCAPE = cython.declare(cython.int, numbers.FAULT_HOST_ESCAPE)
_FAULT_HOST_CHAR = cython.declare(cython.int, numbers.FAULT_HOST_CHAR)
_FAULT_HOST_COLON = cython.declare(cython.int, numbers.FAULT_HOST_COLON)
_FAULT_NUMERIC_HOST = cython.declare(cython.int, numbers.FAULT_NUMERIC_HOST)
_FAULT_EMPTY_LABEL = cython.declare(cython.int, numbers.FAULT_EMPTY_LABEL)
_FAULT_OPEN_BRACKET = cython.declare(cython.int, numbers.FAULT_OPEN_BRACKET)
_FAULT_AFTER_BRACKET = cython.declare(cython.int, numbers.FAULT_AFTER_BRACKET)
_FAULT_PORT = cython.declare(cython.int, numbers.FAULT_PORT)
_FAULT_PORT_DIGITS = cython.declare(cython.int, numbers.FAULT_PORT_DIGITS)
_FAULT_PORT_LARGE = cython.declare(cython.int, numbers.FAULT_PORT_LARGE)
_FAULT_PATH_QUESTION = cython.declare(cython.int, numbers.FAULT_PATH_QUESTION)
_FAULT_NOT_ASCII = cython.declare(cython.int, numbers.FAULT_NOT_ASCII)

_HASH = cython.declare(cython.int, ord("#"))
_PERCENT = cython.declare(cython.int, ord("%"))
_SLASH = cython.declare(cython.int, ord("/"))
_ZERO = cython.declare(cython.int, ord("0"))
_COLON = cython.declare(cython.int, ord(":"))
_QUESTION = cython.declare(cython.int, ord("?"))
_AT = cython.declare(cython.int, ord("@"))
_OPEN = cython.declare(cython.int, ord("["))
_BACKSLASH = cython.declare(cython.int, ord("\\"))
_CLOSE = cython.declare(cython.int, ord("]"))

_NAME = cython.declare(cython.int, 1)  # letters, digits and -._~ (RFC 3986 2.3)
_DELIM = cython.declare(cython.int, 2)  # !$&'()*+,;= (RFC 3986 2.2)
_PATH = cython.declare(cython.int, 4)  # characters of path, query and fragment: both of these, and :@/
_HEX = cython.declare(cython.int, 8)
_DIGIT = cython.declare(cython.int, 16)
_SCHEME = cython.declare(cython.int, 32)  # letters, digits and +-. (RFC 3986 3.1)
_ALPHA = cython.declare(cython.int, 64)


def _classes() -> bytes:
    table = [0] * 256
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    for octets, bits in (
        (letters, _NAME | _PATH | _SCHEME | _ALPHA),
        (b"0123456789", _NAME | _PATH | _SCHEME | _DIGIT | _HEX),
        (b"ABCDEFabcdef", _HEX),
        (b"-._~", _NAME | _PATH),
        (b"+-.", _SCHEME),
        (b"!$&'()*+,;=", _DELIM | _PATH),
        (b":@/", _PATH),
    ):
        for octet in octets:
            table[octet] |= bits
    return bytes(table)


_OCTETS = cython.declare(bytes, _classes())
_CLASSES = _OCTETS


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _fault(number: cython.longlong, place: cython.Py_ssize_t) -> cython.longlong:
    return number << 32 | place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bad_octet(octet: cython.int, i: cython.Py_ssize_t) -> cython.longlong:
    """The fault of an octet that isn't allowed where it is."""
    if octet == 32:
        return _fault(_FAULT_SPACE, i)
    if octet < 32 or octet == 127:
        return _fault(_FAULT_CONTROL, i)
    if octet > 127:
        return _fault(_FAULT_NOT_ASCII, i)
    if octet == _BACKSLASH:
        return _fault(_FAULT_BACKSLASH, i)
    if octet in (_OPEN, _CLOSE):
        return _fault(_FAULT_BRACKET, i)
    if octet == _PERCENT:
        return _fault(_FAULT_ESCAPE, i)
    if octet == _HASH:
        return _fault(_FAULT_SECOND_HASH, i)
    return _fault(_FAULT_CHAR, i)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_escape(
    classes: cython.p_const_uchar, data: cython.p_const_uchar, length: cython.Py_ssize_t, i: cython.Py_ssize_t
) -> cython.bint:
    return i + 2 < length and classes[data[i + 1]] & _HEX != 0 and classes[data[i + 2]] & _HEX != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split_scheme(data: cython.p_const_uchar, length: cython.Py_ssize_t) -> cython.longlong:
    """The place of the colon after the scheme, or a packed fault (RFC 3986 3.1)."""
    classes: cython.p_const_uchar = _CLASSES
    i: cython.Py_ssize_t = 0
    octet: cython.int
    if length == 0:
        return _fault(_FAULT_EMPTY, 0)
    if length > _MAX_LENGTH:
        return _fault(_FAULT_TOO_LONG, _MAX_LENGTH)
    while i < length and classes[data[i]] & _SCHEME:
        i += 1
    if i == length:
        return _fault(_FAULT_NO_SCHEME, 0)
    octet = data[i]
    if octet == _COLON and i > 0:
        return i if classes[data[0]] & _ALPHA else _fault(_FAULT_SCHEME_START, 0)
    if octet < 33 or octet > 126 or octet == _BACKSLASH:
        return _bad_octet(octet, i)
    # A delimiter before the colon: this is a relative reference, not a faulty scheme.
    if i == 0 or octet in (_SLASH, _QUESTION, _HASH, _AT, _OPEN, _PERCENT):
        return _fault(_FAULT_NO_SCHEME, 0)
    return _fault(_FAULT_SCHEME_CHAR, i)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split(
    data: cython.p_const_uchar, length: cython.Py_ssize_t, flags: cython.int, at: cython.p_int
) -> cython.longlong:
    """Fill in all offsets after SCHEME_END, which is given; return 0 or a packed fault."""
    classes: cython.p_const_uchar = _CLASSES
    start: cython.int = at[_SCHEME_END] + 1
    fault: cython.longlong
    i: cython.Py_ssize_t
    octet: cython.int
    query: cython.int = -1
    fragment: cython.int = -1
    if start + 1 < length and data[start] == _SLASH and data[start + 1] == _SLASH:
        if flags & _NO_AUTHORITY:
            return _fault(_FAULT_AUTHORITY, start)
        fault = _split_authority(classes, data, length, flags, at)
        if fault != 0:
            return fault
    else:
        if flags & _NEED_AUTHORITY:
            return _fault(_FAULT_NO_AUTHORITY, start)
        if flags & _NEED_SLASH and (start == length or data[start] != _SLASH):
            return _fault(_FAULT_SLASH, start)
        at[_USER_END] = at[_HOST_START] = at[_HOST_END] = at[_PATH_START] = start
        at[_PORT] = -1
    i = at[_PATH_START]
    while i < length:
        octet = data[i]
        if classes[octet] & _PATH:
            i += 1
        elif octet == _PERCENT and _is_escape(classes, data, length, i):
            i += 3
        elif octet == _QUESTION:
            if query < 0 and fragment < 0 and not flags & _NO_QUERY:
                query = i
            i += 1
        elif octet == _HASH and fragment < 0:
            fragment = i
            i += 1
        else:
            return _bad_octet(octet, i)
    at[_FRAGMENT_START] = fragment if fragment >= 0 else length
    at[_QUERY_START] = query if query >= 0 else at[_FRAGMENT_START]
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _split_authority(
    classes: cython.p_const_uchar,
    data: cython.p_const_uchar,
    length: cython.Py_ssize_t,
    flags: cython.int,
    at: cython.p_int,
) -> cython.longlong:
    """Find user, host and port; most authorities are just a host name."""
    start: cython.Py_ssize_t = at[_SCHEME_END] + 3
    fault: cython.longlong
    i: cython.Py_ssize_t = start
    while i < length and classes[data[i]] & _NAME:
        i += 1
    at[_USER_END] = at[_HOST_START] = start
    at[_HOST_END] = at[_PATH_START] = i
    at[_PORT] = -1
    if i < length and data[i] not in (_SLASH, _QUESTION, _HASH):
        fault = _split_userinfo(classes, data, length, flags, at)
        if fault == 0:
            fault = _split_host(classes, data, flags, at)
        if fault != 0:
            return fault
    i = at[_PATH_START]
    # RFC 3986 3.3: a path after a host begins with '/'; only where '?' begins a query the path may be empty before it.
    if flags & _NO_QUERY and i < length and data[i] == _QUESTION:
        return _fault(_FAULT_PATH_QUESTION, i)
    if at[_HOST_START] == at[_HOST_END]:
        return 0 if flags & _EMPTY_HOST and start == i else _fault(_FAULT_EMPTY_HOST, at[_HOST_START])
    if flags & _DNS_HOST and has_empty_end(data, at[_HOST_START], at[_HOST_END]):
        return _fault(_FAULT_EMPTY_LABEL, at[_HOST_END] - 1)
    if is_misleading(data, at[_HOST_START], at[_HOST_END]):
        return _fault(_FAULT_NUMERIC_HOST, at[_HOST_START])
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split_userinfo(
    classes: cython.p_const_uchar,
    data: cython.p_const_uchar,
    length: cython.Py_ssize_t,
    flags: cython.int,
    at: cython.p_int,
) -> cython.longlong:
    """Find the '@' and the end of the authority, and check that every octet is allowed there."""
    start: cython.Py_ssize_t = at[_HOST_START]
    host: cython.Py_ssize_t = start
    colon: cython.Py_ssize_t = -1
    i: cython.Py_ssize_t = start
    octet: cython.int
    while i < length:
        octet = data[i]
        if octet in (_SLASH, _QUESTION, _HASH):
            break
        if octet == _AT:
            if host > start:
                return _fault(_FAULT_TWO_AT, host - 1)
            if data[host] == _OPEN:
                return _fault(_FAULT_BRACKET, host)
            at[_USER_END] = colon if colon >= 0 else i
            at[_HOST_START] = host = i + 1
        elif octet == _COLON:
            colon = i if colon < 0 else colon
        elif octet == _OPEN and i == host:
            i = _find_bracket(data, length, host)
            if i < 0:
                return _fault(_FAULT_OPEN_BRACKET, host)
        elif octet == _PERCENT and _is_escape(classes, data, length, i):
            i += 2
        elif not classes[octet] & (_NAME | _DELIM):
            return _bad_octet(octet, i)
        i += 1
    at[_PATH_START] = i
    return _fault(_FAULT_USERINFO, start) if host > start and flags & _NO_USERINFO else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split_host(
    classes: cython.p_const_uchar, data: cython.p_const_uchar, flags: cython.int, at: cython.p_int
) -> cython.longlong:
    """Find the end of the host and read the port; HOST_START and PATH_START are given."""
    host: cython.Py_ssize_t = at[_HOST_START]
    end: cython.Py_ssize_t = at[_PATH_START]
    i: cython.Py_ssize_t = host
    if i < end and data[i] == _OPEN:
        i = _find_bracket(data, end, host) + 1
    else:
        while i < end and data[i] != _COLON:
            if flags & _DNS_HOST:
                if data[i] == _PERCENT:
                    return _fault(_FAULT_HOST_ESCAPE, i)
                if classes[data[i]] & _DELIM:
                    return _fault(_FAULT_HOST_CHAR, i)
            i += 1
    at[_HOST_END] = i
    return 0 if i == end else _split_port(classes, data, end, flags, at)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_bracket(data: cython.p_const_uchar, length: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place of the ']' in the authority, or -1."""
    while i < length and data[i] not in (_SLASH, _QUESTION, _HASH, _AT):
        if data[i] == _CLOSE:
            return i
        i += 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split_port(
    classes: cython.p_const_uchar,
    data: cython.p_const_uchar,
    stop: cython.Py_ssize_t,
    flags: cython.int,
    at: cython.p_int,
) -> cython.longlong:
    """The number after the host's colon; RFC 3986 3.2.3 allows it to be empty."""
    colon: cython.Py_ssize_t = at[_HOST_END]
    i: cython.Py_ssize_t = colon + 1
    port: cython.int = 0
    if data[colon] != _COLON:
        return _fault(_FAULT_AFTER_BRACKET, colon)
    if flags & _NO_PORT:
        return _fault(_FAULT_PORT, colon)
    while i < stop and classes[data[i]] & _DIGIT:
        if port <= _MAX_PORT:
            port = port * 10 + data[i] - _ZERO
        i += 1
    if i < stop:
        while i < stop and data[i] != _COLON:
            i += 1
        return _fault(_FAULT_PORT_DIGITS, colon + 1) if i == stop else _fault(_FAULT_HOST_COLON, at[_HOST_START])
    if port > _MAX_PORT:
        return _fault(_FAULT_PORT_LARGE, colon + 1)
    at[_PORT] = port if colon + 1 < stop else -1
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_normal(
    data: cython.p_const_uchar, length: cython.Py_ssize_t, at: cython.p_int, is_web: cython.bint
) -> cython.bint:
    """Whether a URL that was cut is surely in its normal form: most are, and making it costs much more than looking.

    That is a URL of a scheme and a host in lower case, which is not an address in brackets, and a path that is not
    empty, without login, port, escapes and dot segments.

    Args:
        is_web: A path ``/`` is in its normal form, too.
    """
    i: cython.Py_ssize_t
    host: cython.int = at[_HOST_START]
    path: cython.int = at[_PATH_START]
    query: cython.int = at[_QUERY_START]
    if at[_HOST_END] != path or host != at[_SCHEME_END] + 3 or host == path or data[host] == ord("["):
        return False
    if query - path < 2 and not (is_web and query > path):
        return False
    for i in range(path):
        if ord("A") <= data[i] <= ord("Z") or data[i] == ord("%"):
            return False
    for i in range(path, length):
        if data[i] == ord("%") or (data[i] == ord("/") and i + 1 < query and data[i + 1] == ord(".")):
            return False
    return True
