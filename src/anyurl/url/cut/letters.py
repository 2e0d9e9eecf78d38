# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""ASCII text as octets, and the case of its letters.

Rule: the text is ASCII, as a URL is; the caller has checked that.
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
elif cython.compiled:
    from cython.cimports.cpython.unicode import PyUnicode_1BYTE_DATA

COMPILED: bool = cython.compiled


@cython.cfunc
@cython.exceptval(check=False)
def octets(text: str) -> cython.p_const_uchar:
    """The octets of the text; when compiled, they are the text's own memory and live as long as it."""
    return PyUnicode_1BYTE_DATA(text) if cython.compiled else text.encode("ascii")


@cython.cfunc
@cython.exceptval(check=False)
def is_http(data: cython.p_const_uchar, end: cython.Py_ssize_t) -> cython.bint:
    """Whether the scheme is http or https, in any case: most are, and looking up a scheme costs more than the cut."""
    return (  # 32 is the bit that makes a letter lower case
        (end == 4 or (end == 5 and data[4] | 32 == ord("s")))
        and data[0] | 32 == ord("h")
        and data[1] | 32 == ord("t")
        and data[2] | 32 == ord("t")
        and data[3] | 32 == ord("p")
    )


@cython.cfunc
def lower(text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
    """A piece of the text in lower case; it nearly always is already, and checking that is cheaper than converting."""
    if cython.compiled:
        data: cython.p_const_uchar = octets(text)
        i: cython.Py_ssize_t = start
        while i < stop and not ord("A") <= data[i] <= ord("Z"):
            i += 1
        if i == stop:
            return text[start:stop]
    return text[start:stop].lower()
