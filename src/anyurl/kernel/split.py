# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The cut: where the components of a URL begin and end, as eight offsets (RFC 3986 3, RFC 1738 3.1).

    ftp://user:secret@host.dom:2121/pub/x?y#z
    │  │      │       │       │    │     │ └ FRAGMENT_START is at the '#', or the length
    │  │      │       │       │    │     └ QUERY_START is at the '?', or FRAGMENT_START
    │  │      │       │       │    └ PATH_START
    │  │      │       │       └ HOST_END        PORT is the number itself, or -1
    │  │      │       └ HOST_START, behind the '@'
    │  │      └ USER_END: a ':' stands there when there is a password, else the '@'
    │  └ SCHEME_END, at the ':'

Without an authority USER_END, HOST_START, HOST_END and PATH_START are all SCHEME_END + 1.

Rules: octets and offsets only. Nothing is raised: a fault is a number, packed with its place. Which components a scheme
has is told by flags. What stands between the brackets of an address is for `anyurl.url.host` to judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.kernel import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.kernel import _cython as cython

COMPILED: bool = cython.compiled

SCHEME_END = 0
USER_END = 1
HOST_START = 2
HOST_END = 3
PORT = 4
PATH_START = 5
QUERY_START = 6
FRAGMENT_START = 7

NO_AUTHORITY = 1
"""Flag: ``//`` never stands behind the colon."""
NEED_AUTHORITY = 2
"""Flag: ``//`` must stand behind the colon."""
NEED_SLASH = 4
"""Flag: a path without an authority begins with ``/``."""
NO_USERINFO = 8
"""Flag: nothing may stand before the host."""
NO_PORT = 16
"""Flag: nothing may stand behind the host."""
NO_QUERY = 32
"""Flag: ``?`` is a character of the path."""
EMPTY_HOST = 64
"""Flag: ``//`` may be followed by no host."""
DNS_HOST = 128
"""Flag: the host is a domain name or an address: no sub-delims."""

FAULT_EMPTY = 1
FAULT_TOO_LONG = 2
FAULT_SCHEME_START = 3
FAULT_SCHEME_CHAR = 4
FAULT_NO_SCHEME = 5
FAULT_CONTROL = 6
FAULT_SPACE = 7
FAULT_BACKSLASH = 8
FAULT_CHAR = 9
FAULT_BRACKET = 10
FAULT_ESCAPE = 11
FAULT_SECOND_HASH = 12
FAULT_NO_AUTHORITY = 13
FAULT_AUTHORITY = 14
FAULT_SLASH = 15
FAULT_TWO_AT = 16
FAULT_USERINFO = 17
FAULT_EMPTY_HOST = 18
FAULT_HOST_ESCAPE = 19
FAULT_HOST_CHAR = 20
FAULT_HOST_COLON = 21
FAULT_NUMERIC_HOST = 22
FAULT_OPEN_BRACKET = 23
FAULT_AFTER_BRACKET = 24
FAULT_PORT = 25
FAULT_PORT_DIGITS = 26
FAULT_PORT_LARGE = 27
FAULT_PATH_QUESTION = 28
FAULT_NOT_ASCII = 29
FAULT_ADDRESS = 30
FAULT_ZONE = 31
FAULT_SURROGATE = 32
FAULT_IDNA = 33
FAULT_MAPPED_NUMERIC = 34

FAULT_SHIFT = 32
"""A packed fault is ``number << FAULT_SHIFT | place``; 0 is no fault."""

MAX_LENGTH = 65_536
"""Octets of one URL: curl's limit for its parts is 65,535; RFC 9110 4.1 asks for 8,000 at least."""

NAME = 1  # letters, digits, - . _ ~ (RFC 3986 2.3)
DELIM = 2  # ! $ & ' ( ) * + , ; = (RFC 3986 2.2)
PATH = 4  # what a path, query or fragment may hold: NAME, DELIM, : @ /
HEX = 8
DIGIT = 16
SCHEME = 32
ALPHA = 64


def _classes() -> bytes:
    table = [0] * 256
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    for octets, bits in (
        (letters, NAME | PATH | SCHEME | ALPHA),
        (b"0123456789", NAME | PATH | SCHEME | DIGIT | HEX),
        (b"ABCDEFabcdef", HEX),
        (b"-._~", NAME | PATH),
        (b"+-.", SCHEME),
        (b"!$&'()*+,;=", DELIM | PATH),
        (b":@/", PATH),
    ):
        for octet in octets:
            table[octet] |= bits
    return bytes(table)


CLASSES = _classes()


def _fault(number: int, place: int) -> int:
    return number << FAULT_SHIFT | place


def _bad_octet(data: bytes, length: int, i: int) -> int:
    """The fault of an octet that may stand nowhere, or of a % that begins no escape."""
    octet = data[i]
    if octet == 32:
        number = FAULT_SPACE
    elif octet < 32 or octet == 127:
        number = FAULT_CONTROL
    elif octet == 92:
        number = FAULT_BACKSLASH
    elif octet == 91 or octet == 93:
        number = FAULT_BRACKET
    elif octet == 37:
        number = FAULT_ESCAPE
    elif octet == 35:
        number = FAULT_SECOND_HASH
    elif octet >= 128:
        number = FAULT_NOT_ASCII
    else:
        number = FAULT_CHAR
    return _fault(number, i)


def _is_escape(data: bytes, length: int, i: int) -> bool:
    return i + 2 < length and CLASSES[data[i + 1]] & HEX != 0 and CLASSES[data[i + 2]] & HEX != 0


def split_scheme(data: bytes, length: int) -> int:
    """The place of the colon behind the scheme, or a packed fault (RFC 3986 3.1)."""
    if length == 0:
        return _fault(FAULT_EMPTY, 0)
    if length > MAX_LENGTH:
        return _fault(FAULT_TOO_LONG, MAX_LENGTH)
    i = 0
    while i < length and CLASSES[data[i]] & SCHEME:
        i += 1
    if i == length:
        return _fault(FAULT_NO_SCHEME, 0)
    if data[i] != 58:
        if i == 0 or data[i] in b"/?#@[%":
            return _fault(FAULT_NO_SCHEME, 0)
        return (
            _bad_octet(data, length, i)
            if data[i] <= 32 or data[i] > 126 or data[i] == 92
            else _fault(FAULT_SCHEME_CHAR, i)
        )
    if i == 0:
        return _fault(FAULT_NO_SCHEME, 0)
    if not CLASSES[data[0]] & ALPHA:
        return _fault(FAULT_SCHEME_START, 0)
    return i


def split(data: bytes, length: int, flags: int, at: list[int]) -> int:
    """Fill in all offsets behind SCHEME_END, which is given; 0, or a packed fault."""
    start = at[SCHEME_END] + 1
    if start + 1 < length and data[start] == 47 and data[start + 1] == 47:
        if flags & NO_AUTHORITY:
            return _fault(FAULT_AUTHORITY, start)
        fault = _split_authority(data, length, flags, at)
        if fault:
            return fault
    else:
        if flags & NEED_AUTHORITY:
            return _fault(FAULT_NO_AUTHORITY, start)
        if flags & NEED_SLASH and (start == length or data[start] != 47):
            return _fault(FAULT_SLASH, start)
        at[USER_END] = at[HOST_START] = at[HOST_END] = at[PATH_START] = start
        at[PORT] = -1
    i = at[PATH_START]
    query = -1
    fragment = -1
    while i < length:
        octet = data[i]
        if CLASSES[octet] & PATH:
            i += 1
        elif octet == 37 and _is_escape(data, length, i):
            i += 3
        elif octet == 63:
            if query < 0 and fragment < 0 and not flags & NO_QUERY:
                query = i
            i += 1
        elif octet == 35 and fragment < 0:
            fragment = i
            i += 1
        else:
            return _bad_octet(data, length, i)
    at[FRAGMENT_START] = fragment if fragment >= 0 else length
    at[QUERY_START] = query if query >= 0 else at[FRAGMENT_START]
    return 0


def _split_authority(data: bytes, length: int, flags: int, at: list[int]) -> int:
    start = at[SCHEME_END] + 3
    host = start
    colon = -1
    second_colon = -1
    delim = -1
    escape = -1
    bracket = -1
    seen_at = -1
    user_end = start
    i = start
    while i < length:
        octet = data[i]
        kind = CLASSES[octet]
        if kind & NAME:
            i += 1
            continue
        if octet == 47 or octet == 63 or octet == 35:
            break
        if octet == 58:
            if colon < 0:
                colon = i
            elif second_colon < 0:
                second_colon = i
        elif octet == 64:
            if seen_at >= 0:
                return _fault(FAULT_TWO_AT, i)
            if bracket >= 0:
                return _fault(FAULT_BRACKET, host)
            seen_at = i
            user_end = colon if colon >= 0 else i
            host = i + 1
            colon = second_colon = delim = escape = -1
        elif octet == 37:
            if not _is_escape(data, length, i):
                return _fault(FAULT_ESCAPE, i)
            if escape < 0:
                escape = i
            i += 2
        elif kind & DELIM:
            if delim < 0:
                delim = i
        elif octet == 91 and i == host:
            while i < length and data[i] != 93 and data[i] not in b"/?#@":
                i += 1
            if i == length or data[i] != 93:
                return _fault(FAULT_OPEN_BRACKET, host)
            bracket = i
        else:
            return _bad_octet(data, length, i)
        i += 1
    end = i
    host_end = colon if colon >= 0 else end
    if bracket >= 0:
        host_end = bracket + 1
        if host_end < end and data[host_end] != 58:
            return _fault(FAULT_AFTER_BRACKET, host_end)
    if second_colon >= 0:
        return _fault(FAULT_HOST_COLON, host)
    if 0 <= escape < host_end:
        return _fault(FAULT_HOST_ESCAPE, escape)
    if 0 <= delim < host_end and flags & DNS_HOST:
        return _fault(FAULT_HOST_CHAR, delim)
    if seen_at >= 0 and flags & NO_USERINFO:
        return _fault(FAULT_USERINFO, start)
    if host_end == host and not (flags & EMPTY_HOST and host == start and host_end == end):
        return _fault(FAULT_EMPTY_HOST, host)
    if bracket < 0 and _is_misleading(data, host, host_end):
        return _fault(FAULT_NUMERIC_HOST, host)
    at[PORT] = -1
    if host_end < end:
        if flags & NO_PORT:
            return _fault(FAULT_PORT, host_end)
        fault = _split_port(data, host_end + 1, end, at)
        if fault:
            return fault
    if flags & NO_QUERY and end < length and data[end] == 63:
        return _fault(FAULT_PATH_QUESTION, end)
    at[USER_END] = user_end
    at[HOST_START] = host
    at[HOST_END] = host_end
    at[PATH_START] = end
    return 0


def _split_port(data: bytes, start: int, stop: int, at: list[int]) -> int:
    port = 0
    i = start
    while i < stop:
        if not CLASSES[data[i]] & DIGIT:
            return _fault(FAULT_PORT_DIGITS, start)
        port = port * 10 + data[i] - 48
        if port > 65535:
            port = 65536
        i += 1
    if port > 65535:
        return _fault(FAULT_PORT_LARGE, start)
    if start < stop:
        at[PORT] = port
    return 0


def _is_misleading(data: bytes, start: int, stop: int) -> bool:
    """Whether the last label looks like a number, and the host is not four plain decimals (RFC 3986 7.4)."""
    last = stop - 1 if stop > start and data[stop - 1] == 46 else stop
    i = last
    while i > start and data[i - 1] != 46:
        i -= 1
    if i == last or not CLASSES[data[i]] & DIGIT:
        return False
    j = i
    if data[i] == 48 and i + 1 < last and data[i + 1] | 32 == 120:
        j = i + 2
        while j < last and CLASSES[data[j]] & HEX:
            j += 1
    else:
        while j < last and CLASSES[data[j]] & DIGIT:
            j += 1
    return j == last and not _is_ipv4(data, start, stop)


def _is_ipv4(data: bytes, start: int, stop: int) -> bool:
    """Whether it is four decimals of 0 to 255 without leading zeros (RFC 3986 3.2.2, IPv4address)."""
    groups = 0
    i = start
    while i < stop:
        first = i
        value = 0
        while i < stop and CLASSES[data[i]] & DIGIT and i - first < 3:
            value = value * 10 + data[i] - 48
            i += 1
        if i == first or value > 255 or (data[first] == 48 and i - first > 1):
            return False
        groups += 1
        if i == stop:
            return groups == 4
        if data[i] != 46:
            return False
        i += 1
    return False
