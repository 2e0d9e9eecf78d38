# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Facts about a part of a text from one pass over its octets: line feeds, the last of them, whether it is ASCII.

Rule: the part lies within the octets; the caller ensures that.
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

if TYPE_CHECKING:
    PyUnicode_1BYTE_DATA: Any
    PyUnicode_New: Any
    anyurl_has_marks: Any
    anyurl_is_ascii: Any
    anyurl_measure: Any
    memchr: Any
    memcpy: Any
elif cython.compiled:
    from cython.cimports.anyurl.text.scan.vectors import anyurl_has_marks, anyurl_is_ascii, anyurl_measure
    from cython.cimports.cpython.unicode import PyUnicode_1BYTE_DATA, PyUnicode_New
    from cython.cimports.libc.string import memchr, memcpy

COMPILED: bool = cython.compiled


@cython.cfunc
@cython.exceptval(check=False)
def measure(
    data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, told: cython.p_longlong
) -> cython.Py_ssize_t:
    """How many line feeds a part has; `told` receives where its last line begins and whether the part is ASCII."""
    if cython.compiled:
        behind: cython.longlong = 0
        ascii: cython.int = 0
        breaks: cython.Py_ssize_t = anyurl_measure(
            cython.cast(cython.p_const_uchar, data) + start, stop - start, cython.address(behind), cython.address(ascii)
        )
        told[0], told[1] = start + behind, ascii
        return breaks
    told[0], told[1] = max(start, data.rfind(b"\n", start, stop) + 1), data[start:stop].isascii()
    return data.count(b"\n", start, stop)


@cython.cfunc
@cython.exceptval(check=False)
def holds(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, octet: cython.int) -> cython.bint:
    """Whether a part has an octet of this value."""
    if cython.compiled:
        return memchr(cython.cast(cython.p_const_uchar, data) + start, octet, stop - start) != cython.NULL  # type: ignore[no-any-return]
    return data.find(octet, start, stop) >= 0


@cython.cfunc
@cython.exceptval(check=False)
def has_marks(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a part has ``$``, ``@`` or ``X``: one look for all three."""
    if cython.compiled:
        return anyurl_has_marks(cython.cast(cython.p_const_uchar, data) + start, stop - start)  # type: ignore[no-any-return]
    part = data[start:stop]
    return b"$" in part or b"@" in part or b"X" in part


@cython.cfunc
@cython.exceptval(check=False)
def is_ascii(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether a part is ASCII."""
    if cython.compiled:
        return anyurl_is_ascii(cython.cast(cython.p_const_uchar, data) + start, stop - start)  # type: ignore[no-any-return]
    return data[start:stop].isascii()


@cython.cfunc
def ascii_text(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
    """A part that is ASCII, as text."""
    if cython.compiled:
        text: str = PyUnicode_New(stop - start, 127)
        if stop > start:  # all share one empty text
            memcpy(PyUnicode_1BYTE_DATA(text), cython.cast(cython.p_const_uchar, data) + start, stop - start)
        return text
    return data[start:stop].decode("ascii")


@cython.cfunc
def text_of(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, errors: str) -> str:
    """A part that is UTF-8, as text."""
    if is_ascii(data, start, stop):
        return ascii_text(data, start, stop)
    return data[start:stop].decode("utf-8", errors)


@cython.cfunc
def length(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, errors: str) -> cython.Py_ssize_t:
    """How many characters a part that is UTF-8 has."""
    return stop - start if is_ascii(data, start, stop) else len(data[start:stop].decode("utf-8", errors))


def encode(text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bytes:
    """A part of a text in UTF-8, including surrogates; ASCII is copied once, not twice."""
    if cython.compiled and text.isascii():
        data: cython.p_const_uchar = PyUnicode_1BYTE_DATA(text)
        return data[start : min(stop, len(text))]
    return text[start:stop].encode("utf-8", "surrogatepass")
