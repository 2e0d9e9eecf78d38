# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The rows of a column that may contain a URL, found in one pass over the octets of all rows (RFC 1738 appendix).

Rules: a row is left out only where `anyurl.text.scan.scan` would find nothing: it has no anchor, or only colons without
a name before them or anything after them. Octets outside a row don't count. It is used only when compiled; otherwise
the caller looks at every row.
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

from anyurl.text.scan import characters, rows

if TYPE_CHECKING:
    memchr: Any
elif cython.compiled:
    from cython.cimports.libc.string import memchr

COMPILED: bool = cython.compiled

_SCHEME = cython.declare(cython.int, characters.SCHEME)
_BLANK = cython.declare(cython.int, characters.BLANK)
_FIND_EMAILS = cython.declare(cython.int, rows.FIND_EMAILS)
_FIND_WWW = cython.declare(cython.int, rows.FIND_WWW)
_TABLE = cython.declare(bytes, characters.OCTETS)
_OCTETS = _TABLE


@cython.final
@cython.cclass
class Anchored:
    """Finds the rows of one Arrow array of text or octets that have an anchor.

    Pointers are passed as integers: addresses of memory in Arrow's layout, which the caller keeps alive.

    Args:
        data: The octets of all rows.
        offsets: Where each row begins, from the first row of the array on: 4 octets each, or 8.
        is_wide: Whether they take 8.
        valid: The bitmap of rows that are not null, starting at bit 0; 0 if no row is null.
        flags: FIND_EMAILS, FIND_WWW.
    """

    if TYPE_CHECKING:  # types of C: anchors.pxd
        _data: Any
        _offsets: Any
        _wide_offsets: Any
        _valid: Any
        _flags: int

    def __init__(
        self, data: cython.size_t, offsets: cython.size_t, is_wide: bool, valid: cython.size_t, flags: cython.int
    ) -> None:
        self._data = cython.cast(cython.p_const_uchar, data)
        if is_wide:
            self._wide_offsets = cython.cast(cython.p_longlong, offsets)
        else:
            self._offsets = cython.cast(cython.p_int, offsets)
        self._valid = cython.cast(cython.p_const_uchar, valid)
        self._flags = flags

    def run(self, first: cython.longlong, stop: cython.longlong) -> tuple[list[int], list[bytes]]:
        """The numbers of those rows from `first` up to `stop` (exclusive), and the octets of each."""
        row: cython.longlong = first
        start: cython.longlong
        after: cython.longlong = self._place(row)
        end: cython.longlong = self._place(stop)
        next_at: cython.longlong = self._next(after, end, ord("@")) if self._flags & _FIND_EMAILS else end
        next_dot: cython.longlong = self._next(after, end, ord(".")) if self._flags & _FIND_WWW else end
        colon: cython.longlong = self._next(after, end, ord(":"))
        numbers: list[int] = []
        texts: list[bytes] = []
        while row < stop and (colon < end or next_at < end or next_dot < end):
            start = after
            after = self._place(row + 1)
            if colon < after or next_at < after or next_dot < after:
                if (self._valid == cython.NULL or self._valid[row >> 3] >> (row & 7) & 1) and (
                    next_at < after or self._has_name(start, colon, after) or self._has_www(start, next_dot, after)
                ):
                    numbers.append(row)
                    texts.append(self._data[start:after])
                colon = self._next(after, end, ord(":")) if colon < after else colon
                next_at = self._next(after, end, ord("@")) if next_at < after else next_at
                next_dot = self._next(after, end, ord(".")) if next_dot < after else next_dot
            row += 1
        return numbers, texts

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _place(self, row: cython.longlong) -> cython.longlong:
        if self._offsets != cython.NULL:
            return self._offsets[row]  # type: ignore[no-any-return]
        return self._wide_offsets[row]  # type: ignore[no-any-return]

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _next(self, start: cython.longlong, stop: cython.longlong, octet: cython.int) -> cython.longlong:
        """The place of the next octet of this value, or `stop`."""
        if start >= stop:
            return stop
        hit: cython.p_const_uchar = cython.cast(cython.p_const_uchar, memchr(self._data + start, octet, stop - start))
        return stop if hit == cython.NULL else hit - self._data

    @cython.cfunc
    @cython.exceptval(check=False)
    def _has_name(self, start: cython.longlong, colon: cython.longlong, stop: cython.longlong) -> cython.bint:
        """Whether any colon of a row, the first of them at `colon`, may end the name of a scheme."""
        data: cython.p_const_uchar = self._data
        i: cython.longlong
        while colon + 1 < stop:
            if (
                colon > start
                and (_OCTETS[data[colon - 1]] & _SCHEME or data[colon - 1] == ord("\\"))  # http\://host
                and data[colon + 1] != ord(":")
            ):
                if not _OCTETS[data[colon + 1]] & _BLANK:
                    return True
                i = colon
                while i > start and _OCTETS[data[i - 1]] & _SCHEME:
                    i -= 1
                if i > start and data[i - 1] == ord("<"):  # <URL: http://host>
                    return True
            colon = self._next(colon + 1, stop, ord(":"))
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def _has_www(self, start: cython.longlong, dot: cython.longlong, stop: cython.longlong) -> cython.bint:
        """Whether any dot of a row, the first of them at `dot`, may be that of ``www.``."""
        data: cython.p_const_uchar = self._data
        while dot < stop:
            if dot - 3 >= start and data[dot - 1] | 32 == data[dot - 2] | 32 == data[dot - 3] | 32 == ord("w"):
                return True
            dot = self._next(dot + 1, stop, ord("."))
        return False
