# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Whether a text is a URL by RFC 1738 to the letter, fast: its section 5, and its prose where that is stricter.

Rules: the answer is yes or no, without a reason: `anyurl.grammar.diagnosis` reads the productions as data and explains,
and tests check that the two agree. Nothing after ``#`` is looked at, because a fragment is not part of a URL (2.2). The
classes here are those of the productions; a test compares them with the data. A NUL, which is in no class, follows the
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

from anyurl.grammar.address import is_address
from anyurl.grammar.classes import PLANES

if TYPE_CHECKING:
    PyUnicode_1BYTE_DATA: Any
elif cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_1BYTE_DATA

COMPILED: bool = cython.compiled

ALPHA = cython.declare(cython.int, 0)
DIGIT = cython.declare(cython.int, 1 * 128)
HEX = cython.declare(cython.int, 2 * 128)
SCHEME = cython.declare(cython.int, 3 * 128)
LABEL = cython.declare(cython.int, 4 * 128)
UCHAR = cython.declare(cython.int, 5 * 128)
USER = cython.declare(cython.int, 6 * 128)
FPATH = cython.declare(cython.int, 7 * 128)
HPATH = cython.declare(cython.int, 8 * 128)
SEARCH = cython.declare(cython.int, 9 * 128)
XCHAR = cython.declare(cython.int, 10 * 128)
GROUP = cython.declare(cython.int, 11 * 128)
ARTICLE = cython.declare(cython.int, 12 * 128)
FIELD = cython.declare(cython.int, 13 * 128)
FTPTYPE = cython.declare(cython.int, 14 * 128)

MAX_LENGTH = cython.declare(cython.int, 65_536)  # as everywhere in anyurl
MAX_LABEL = cython.declare(cython.int, 63)  # RFC 1034 3.5, by RFC 1738 3.1
MAX_HOST = cython.declare(cython.int, 255)  # RFC 1123 2.1, by RFC 1738 3.1
MAX_PORT = cython.declare(cython.int, 65_535)  # RFC 1738 3.1: the port number to connect to

SLASH = cython.declare(cython.int, 47)
COLON = cython.declare(cython.int, 58)
AT = cython.declare(cython.int, 64)
QUESTION = cython.declare(cython.int, 63)
HASH = cython.declare(cython.int, 35)
PERCENT = cython.declare(cython.int, 37)
DOT = cython.declare(cython.int, 46)
HYPHEN = cython.declare(cython.int, 45)
SEMICOLON = cython.declare(cython.int, 59)
EQUALS = cython.declare(cython.int, 61)
STAR = cython.declare(cython.int, 42)


FAILED = cython.declare(cython.int, -1)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_escape(data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t) -> cython.bint:
    """Whether two hexadecimal digits follow the ``%`` at this place (2.2)."""
    return table[HEX + data[i + 1]] != 0 and table[HEX + data[i + 2]] != 0


@cython.cfunc
def _run(
    data: cython.p_const_uchar, table: cython.p_const_uchar, plane: cython.int, i: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The place after a run of characters of a class and escapes."""
    while True:
        if table[plane + data[i]]:
            i += 1
        elif data[i] == PERCENT and _is_escape(data, table, i):
            i += 3
        else:
            return i


@cython.cfunc
def _plain(
    data: cython.p_const_uchar, table: cython.p_const_uchar, plane: cython.int, i: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The place after a run of characters of a class, without escapes."""
    while table[plane + data[i]]:
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _done(data: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether the URL ends here: nothing follows, or a fragment."""
    return i == end or (i >= 0 and data[i] == HASH)


@cython.cfunc
def _host(data: cython.p_const_uchar, table: cython.p_const_uchar, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after a host name or number, or FAILED (3.1)."""
    i: cython.Py_ssize_t = start
    label: cython.Py_ssize_t
    wrong: cython.bint = False  # too long, or a hyphen at an end: matters to a name, not to a number
    while True:
        label = i
        i = _plain(data, table, LABEL, i)
        if i == label:
            return FAILED
        wrong = wrong or i - label > MAX_LABEL or data[label] == HYPHEN or data[i - 1] == HYPHEN
        if data[i] != DOT:
            break
        i += 1
    if not table[ALPHA + data[label]]:
        return _number(data, table, start)
    return FAILED if wrong or i - start > MAX_HOST else i


@cython.cfunc
def _number(data: cython.p_const_uchar, table: cython.p_const_uchar, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after four groups of digits, none above 255, or FAILED (3.1)."""
    i: cython.Py_ssize_t = start
    first: cython.Py_ssize_t
    groups: cython.int = 0
    value: cython.int
    while True:
        first = i
        value = 0
        while table[DIGIT + data[i]]:
            value = min(value * 10 + data[i] - 48, 256)
            i += 1
        if i == first or value > 255:
            return FAILED
        groups += 1
        if groups == 4:
            return FAILED if table[LABEL + data[i]] or data[i] == DOT else i
        if data[i] != DOT:
            return FAILED
        i += 1


@cython.cfunc
def _hostport(data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after a host and an optional TCP port, or FAILED (3.1)."""
    port: cython.int = 0
    i = _host(data, table, i)
    if i < 0 or data[i] != COLON:
        return i
    i += 1
    first: cython.Py_ssize_t = i
    while table[DIGIT + data[i]]:
        port = min(port * 10 + data[i] - 48, MAX_PORT + 1)
        i += 1
    return FAILED if i == first or port > MAX_PORT else i


@cython.cfunc
def _login(data: cython.p_const_uchar, table: cython.p_const_uchar, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after ``user:password@host:port``, where only the host is required, or FAILED (3.1)."""
    i: cython.Py_ssize_t = _run(data, table, USER, start)
    if data[i] == COLON:
        i = _run(data, table, USER, i + 1)
    return _hostport(data, table, i + 1 if data[i] == AT else start)


@cython.cfunc
def _reads(
    data: cython.p_const_uchar, i: cython.Py_ssize_t, literal: cython.p_const_uchar, length: cython.Py_ssize_t
) -> cython.bint:
    """Whether a literal, given in lower case, is at a place, ignoring case (2.1)."""
    j: cython.Py_ssize_t = 0
    while j < length and data[i + j] | 32 == literal[j]:
        j += 1
    return j == length


@cython.cfunc
def _ftp(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.2.2: ``/cwd/.../name;type=a``."""
    i = _login(data, table, i)
    if i < 0 or data[i] != SLASH:
        return _done(data, i, end)
    i = _run(data, table, FPATH, i + 1)
    if data[i] != SEMICOLON:
        return _done(data, i, end)
    j: cython.Py_ssize_t = 0
    type_literal: cython.p_const_uchar = b";type="
    while j < 6 and data[i + j] == type_literal[j]:  # case-sensitive, unlike the name of a scheme
        j += 1
    return j == 6 and table[FTPTYPE + data[i + 6]] != 0 and _done(data, i + 7, end)


@cython.cfunc
def _http(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.3: ``/path?search``."""
    i = _hostport(data, table, i)
    if i < 0 or data[i] != SLASH:
        return _done(data, i, end)
    i = _run(data, table, HPATH, i + 1)
    if data[i] == QUESTION:
        i = _run(data, table, SEARCH, i + 1)
    return _done(data, i, end)


@cython.cfunc
def _field(
    data: cython.p_const_uchar, table: cython.p_const_uchar, plane: cython.int, i: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The place where a field of a gopher path ends: an encoded tab, LF or CR, or a character outside the class."""
    while True:
        if table[plane + data[i]]:
            i += 1
        elif data[i] == PERCENT and _is_escape(data, table, i):
            if _reads(data, i, b"%09", 3) or _reads(data, i, b"%0a", 3) or _reads(data, i, b"%0d", 3):
                return i
            i += 3
        else:
            return i


@cython.cfunc
def _gopher(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.4.1 - 3.4.3: a type, a selector without CR and LF, a search and what follows; the first two tabs delimit."""
    i = _hostport(data, table, i)
    if i < 0 or data[i] != SLASH or _done(data, i + 1, end):
        return _done(data, i, end) or (i >= 0 and data[i] == SLASH)
    first: cython.Py_ssize_t = i + 1
    if _reads(data, first, b"%09", 3) or not (
        table[XCHAR + data[first]] or (data[first] == PERCENT and _is_escape(data, table, first))
    ):
        return False
    i = first + (3 if data[first] == PERCENT else 1)
    i = _field(data, table, XCHAR, i)
    if not _reads(data, i, b"%09", 3):
        return _done(data, i, end)
    i = _field(data, table, SEARCH, i + 3)
    while data[i] == PERCENT and _is_escape(data, table, i) and not _reads(data, i, b"%09", 3):
        i = _field(data, table, SEARCH, i + 3)  # after an encoded LF or CR, which is forbidden in a selector only
    return _done(data, _run(data, table, XCHAR, i) if _reads(data, i, b"%09", 3) else i, end)


@cython.cfunc
def _group(data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place after the name of a newsgroup, or FAILED (3.6)."""
    return _plain(data, table, GROUP, i) if table[ALPHA + data[i]] else FAILED


@cython.cfunc
def _news(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.6: ``*``, a group, or ``unique@host``."""
    if data[i] == STAR and _done(data, i + 1, end):
        return True
    j: cython.Py_ssize_t = _run(data, table, ARTICLE, i)
    if data[j] == AT:
        return j > i and _done(data, _host(data, table, j + 1), end)
    return _done(data, _group(data, table, i), end)


@cython.cfunc
def _nntp(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.7: ``/group/number``."""
    i = _hostport(data, table, i)
    if i < 0 or data[i] != SLASH:
        return False
    i = _group(data, table, i + 1)
    if i < 0 or data[i] != SLASH:
        return _done(data, i, end)
    j: cython.Py_ssize_t = _plain(data, table, DIGIT, i + 1)
    return j > i + 1 and _done(data, j, end)


@cython.cfunc
def _wais(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.9: ``/database``, ``/database?search`` or ``/database/wtype/wpath``."""
    i = _hostport(data, table, i)
    if i < 0 or data[i] != SLASH:
        return False
    i = _run(data, table, UCHAR, i + 1)
    if data[i] == QUESTION:
        return _done(data, _run(data, table, SEARCH, i + 1), end)
    if data[i] == SLASH:
        i = _run(data, table, UCHAR, i + 1)
        if data[i] != SLASH:
            return False
        i = _run(data, table, UCHAR, i + 1)
    return _done(data, i, end)


@cython.cfunc
def _file(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.10: a host, which may be empty, and ``/path``."""
    if data[i] != SLASH:
        i = _host(data, table, i)
        if i < 0 or data[i] != SLASH:
            return False
    return _done(data, _run(data, table, FPATH, i + 1), end)


@cython.cfunc
def _prospero(
    data: cython.p_const_uchar, table: cython.p_const_uchar, i: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """3.11: ``/name;field=value``; the characters of the name are those of an ftp path."""
    i = _hostport(data, table, i)
    if i < 0 or data[i] != SLASH:
        return False
    i = _run(data, table, FPATH, i + 1)
    while data[i] == SEMICOLON:
        i = _run(data, table, FIELD, i + 1)
        if data[i] != EQUALS:
            return False
        i = _run(data, table, FIELD, i + 1)
    return _done(data, i, end)


@cython.cfunc
def _common(
    data: cython.p_const_uchar, table: cython.p_const_uchar, length: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.int:
    """1 or 0 for the schemes whose rest begins with ``//``; FAILED for the others."""
    i: cython.Py_ssize_t = length + 3
    slashes: cython.bint = data[length + 1] == SLASH and data[length + 2] == SLASH
    if length == 4:
        if _reads(data, 0, b"http", 4):
            return slashes and _http(data, table, i, end)
        if _reads(data, 0, b"file", 4):
            return slashes and _file(data, table, i, end)
        if _reads(data, 0, b"nntp", 4):
            return slashes and _nntp(data, table, i, end)
        if _reads(data, 0, b"wais", 4):
            return slashes and _wais(data, table, i, end)
    elif length == 3:
        if _reads(data, 0, b"ftp", 3):
            return slashes and _ftp(data, table, i, end)
    elif length == 6:
        if _reads(data, 0, b"gopher", 6):
            return slashes and _gopher(data, table, i, end)
        if _reads(data, 0, b"telnet", 6):
            i = _login(data, table, i) if slashes else FAILED
            return _done(data, i, end) or (i >= 0 and data[i] == SLASH and _done(data, i + 1, end))
    elif length == 8 and _reads(data, 0, b"prospero", 8):
        return slashes and _prospero(data, table, i, end)
    return FAILED


def accepts(text: str) -> bool:
    """Whether a text is a URL by RFC 1738: exactly when ``diagnose(text, "rfc1738")`` has no error.

    >>> accepts("ftp://host.dom/%2Fetc/motd;type=a"), accepts("http://host.dom/~u"), accepts("http://host.dom:99999/")
    (True, False, False)
    """
    if len(text) > MAX_LENGTH:
        return False
    if not text.isascii():
        text = text.partition("#")[0]
        if not text.isascii():
            return False
    planes: bytes = PLANES
    table: cython.p_const_uchar = planes
    data: cython.p_const_uchar = PyUnicode_1BYTE_DATA(text) if cython.compiled else text.encode("ascii") + b"\0"
    end: cython.Py_ssize_t = len(text)
    length: cython.Py_ssize_t = _plain(data, table, SCHEME, 0)
    if length == 0 or data[length] != COLON:
        return False
    known: cython.int = _common(data, table, length, end)
    if known >= 0:
        return known != 0
    if length == 4 and _reads(data, 0, b"news", 4):
        return _news(data, table, length + 1, end)
    if length == 6 and _reads(data, 0, b"mailto", 6):
        i: cython.Py_ssize_t = _run(data, table, XCHAR, length + 1)
        return _done(data, i, end) and is_address(text, length + 1, i)
    if length == 3 and _reads(data, 0, b"url", 3):  # appendix: a wrapper, no scheme
        return False
    return _done(data, _run(data, table, XCHAR, length + 1), end)
