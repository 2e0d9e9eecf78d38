# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The cut of a column: the components of many URLs as Arrow string views into the text itself (RFC 3986 3).

Rules: every row is cut as `anyurl.url.cut.split` cuts it, most by looking at 64 octets at once; no row raises an
error, and nothing is copied except the up to twelve octets that a view itself contains. Rows that octets alone can't
settle (an address in brackets, letters to lower, escapes to decode, text that is not ASCII) are left to the caller, who
uses a `URL`. It is used only when compiled; otherwise the caller asks a `URL` for every row.
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

from anyurl.url.cut import numbers

if TYPE_CHECKING:
    from anyurl.url.cut.names import has_empty_end, is_misleading
    from anyurl.url.cut.split import split, split_scheme

    anyurl_has_vectors: Any
    anyurl_mark: Any
    anyurl_next: Any
    anyurl_view: Any
    anyurl_web: Any
    memset: Any
elif cython.compiled:
    from cython.cimports.anyurl.text.scan.vectors import (
        anyurl_has_vectors,
        anyurl_mark,
        anyurl_next,
        anyurl_view,
        anyurl_web,
    )
    from cython.cimports.anyurl.url.cut.names import has_empty_end, is_misleading
    from cython.cimports.anyurl.url.cut.split import split, split_scheme
    from cython.cimports.libc.string import memset

COMPILED: bool = cython.compiled

FIELDS = ("scheme", "user", "password", "host", "path", "query", "fragment")
"""The components that are text, in the order of `Cut.give`."""

_SCHEME_END = cython.declare(cython.int, numbers.SCHEME_END)
_USER_END = cython.declare(cython.int, numbers.USER_END)
_HOST_START = cython.declare(cython.int, numbers.HOST_START)
_HOST_END = cython.declare(cython.int, numbers.HOST_END)
_PORT = cython.declare(cython.int, numbers.PORT)
_PATH_START = cython.declare(cython.int, numbers.PATH_START)
_QUERY_START = cython.declare(cython.int, numbers.QUERY_START)
_FRAGMENT_START = cython.declare(cython.int, numbers.FRAGMENT_START)

_BLOCK = cython.declare(cython.int, 32 * 1024)
"""Octets whose bits are computed in one go: they and their bits fit in a processor's first-level cache."""

_WHOLE = cython.declare(cython.int, 7)  # after FIELDS

_NULL = cython.declare(cython.int, 0)
_OTHER = cython.declare(cython.int, 1)
_QUICK = cython.declare(cython.int, 2)


def _rows_of_set(octets: bytes) -> bytes:
    """A set of ASCII octets, indexed by their lower four bits: bit h of row l is set for the octet h * 16 + l."""
    rows = bytearray(16)
    for octet in octets:
        rows[octet & 15] |= 1 << (octet >> 4)
    return bytes(rows)


_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_HOST_ROWS = cython.declare(bytes, _rows_of_set(_LETTERS + b"0123456789-._~"))
_PATH_ROWS = cython.declare(bytes, _rows_of_set(_LETTERS + _LETTERS.upper() + b"0123456789-._~!$&'()*+,;=:@/"))
_HOST_SET = _HOST_ROWS
_PATH_SET = _PATH_ROWS


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _set_bit(bits: cython.p_uchar, row: cython.longlong, bit: cython.int) -> cython.void:
    bits[row >> 3] |= bit << (row & 7)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_octet(
    data: cython.p_const_uchar, start: cython.longlong, stop: cython.longlong, low: cython.int, high: cython.int
) -> cython.bint:
    i: cython.longlong = start
    while i < stop and not low <= data[i] <= high:
        i += 1
    return i < stop


@cython.final
@cython.cclass
class Cut:
    """One thread's cut of the rows of one Arrow array of text or octets.

    Pointers are passed as integers: addresses of memory that the caller keeps alive. Inputs have Arrow's layout,
    outputs are as long as the column. The caller zeroes bitmaps; everything else is initialized here.

    Args:
        data: The octets of all rows.
        size: How many there are.
        offsets: Where each row begins, from the first row of the array on: 4 octets each, or 8.
        is_wide: Whether they take 8.
        valid: The bitmap of rows that are not null, starting at bit 0; 0 if no row is null.
        shift: Arrow gets the octets as buffers that begin every ``1 << shift`` octets.
        schemes: The names of known schemes in lower case, joined; where each ends, its flags and its port (-1 for
            none), as C's int.
        vectors: Look at 64 octets at once, if the processor can.
    """

    if TYPE_CHECKING:  # types of C: columns.pxd
        _kept: Any
        _data: Any
        _size: int
        _offsets: Any
        _wide_offsets: Any
        _valid: Any
        _shift: int
        _vectors: bool
        _names: Any
        _ends: Any
        _flags: Any
        _ports: Any
        _schemes: int
        _views: Any
        _view_bits: Any
        _port: Any
        _port_bits: Any
        _explicit_port: Any
        _explicit_port_bits: Any
        _fault: Any
        _fault_at: Any
        _fault_at_bits: Any
        _host: Any
        _path: Any
        _at: Any

    def __init__(
        self,
        data: cython.size_t,
        size: cython.longlong,
        offsets: cython.size_t,
        is_wide: bool,
        valid: cython.size_t,
        shift: cython.int,
        schemes: tuple[bytes, bytes, bytes, bytes],
        vectors: bool = True,
    ) -> None:
        self._kept = schemes
        self._data = cython.cast(cython.p_const_uchar, data)
        self._size = size
        if is_wide:
            self._wide_offsets = cython.cast(cython.p_longlong, offsets)
        else:
            self._offsets = cython.cast(cython.p_int, offsets)
        self._valid = cython.cast(cython.p_const_uchar, valid)
        self._shift = shift
        self._vectors = vectors and anyurl_has_vectors() != 0
        names: bytes = schemes[0]
        ends: bytes = schemes[1]
        flags: bytes = schemes[2]
        ports: bytes = schemes[3]
        self._names = names
        self._ends = cython.cast(cython.p_int, cython.cast(cython.p_const_uchar, ends))
        self._flags = cython.cast(cython.p_int, cython.cast(cython.p_const_uchar, flags))
        self._ports = cython.cast(cython.p_int, cython.cast(cython.p_const_uchar, ports))
        self._schemes = len(ends) // 4

    def give(self, field: cython.int, views: cython.size_t, bits: cython.size_t) -> None:
        """Set where to write a component: views of 16 octets each, and the bitmap of the rows that have it."""
        self._views[field] = cython.cast(cython.p_uchar, views)
        self._view_bits[field] = cython.cast(cython.p_uchar, bits)

    def give_port(self, ports: cython.size_t, bits: cython.size_t) -> None:
        """Set where to write the port to connect to, 4 octets each."""
        self._port = cython.cast(cython.p_int, ports)
        self._port_bits = cython.cast(cython.p_uchar, bits)

    def give_explicit_port(self, ports: cython.size_t, bits: cython.size_t) -> None:
        """Set where to write the port that the URL states, 4 octets each."""
        self._explicit_port = cython.cast(cython.p_int, ports)
        self._explicit_port_bits = cython.cast(cython.p_uchar, bits)

    def give_faults(self, faults: cython.size_t, places: cython.size_t, bits: cython.size_t) -> None:
        """Set where to write the number of a fault (2 octets, 0 for none), and its place (4 octets) with a bitmap."""
        self._fault = cython.cast(cython.p_short, faults)
        self._fault_at = cython.cast(cython.p_int, places)
        self._fault_at_bits = cython.cast(cython.p_uchar, bits)

    def give_normal(self, views: cython.size_t, bits: cython.size_t) -> None:
        """Set where to write the rows that already are URLs in normal form; all others are left to the caller."""
        self._views[_WHOLE] = cython.cast(cython.p_uchar, views)
        self._view_bits[_WHOLE] = cython.cast(cython.p_uchar, bits)

    def run(self, first: cython.longlong, stop: cython.longlong, left: cython.size_t) -> int:
        """Cut the rows from `first` up to `stop` (exclusive), without the interpreter's lock.

        Args:
            first: A multiple of 8 if other threads cut other rows, because rows share the octets of bitmaps.
            left: Where to write the numbers of the rows that need a `URL`, 8 octets each.

        Returns:
            How many rows need a `URL`.
        """
        count: cython.longlong
        with cython.nogil:
            count = self._run(first, stop, cython.cast(cython.p_longlong, left))
        return count

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _place(self, row: cython.longlong) -> cython.longlong:
        if self._offsets != cython.NULL:
            return self._offsets[row]  # type: ignore[no-any-return]
        return self._wide_offsets[row]  # type: ignore[no-any-return]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, first: cython.longlong, stop: cython.longlong, left: cython.p_longlong) -> cython.longlong:
        row: cython.longlong = first
        last: cython.longlong
        base: cython.longlong
        end: cython.longlong
        start: cython.longlong
        count: cython.longlong = 0
        how: cython.int
        while row < stop:
            base = end = self._place(row)
            last = row
            while last < stop and self._vectors and self._place(last + 1) - base <= _BLOCK:
                last += 1
                end = self._place(last)
            if last > row:
                anyurl_mark(1, self._data + base, end - base, _HOST_SET, _PATH_SET, self._host, self._path)
            else:
                last = row + 1
                base = -1
            end = self._place(row)
            while row < last:
                start = end
                end = self._place(row + 1)
                how = _NULL
                if self._valid == cython.NULL or self._valid[row >> 3] >> (row & 7) & 1:
                    how = self._quick(base, row, start, end) if base >= 0 else _OTHER
                if how < _QUICK:
                    self._clear(row)
                if how == _OTHER and (self._views[_WHOLE] != cython.NULL or not self._slow(row, start, end)):
                    left[count] = row
                    count += 1
                row += 1
        return count

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _clear(self, row: cython.longlong) -> cython.void:
        """Write zeros as the result of this row."""
        field: cython.int
        for field in range(8):
            if self._views[field] != cython.NULL:
                self._put_none(field, row)
        if self._port != cython.NULL:
            self._port[row] = 0
        if self._explicit_port != cython.NULL:
            self._explicit_port[row] = 0
        if self._fault != cython.NULL:
            self._fault[row] = 0
            self._fault_at[row] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _quick(
        self, base: cython.longlong, row: cython.longlong, start: cython.longlong, stop: cython.longlong
    ) -> cython.int:
        """Write a row that is just ``http://name/path?query#fragment``; return _OTHER for every other row.

        If whole rows are wanted, every row that is not in normal form counts as other.
        """
        data: cython.p_const_uchar = self._data
        i: cython.longlong
        end: cython.longlong
        query: cython.longlong = -1
        fragment: cython.longlong = -1
        last: cython.int
        octet: cython.int
        is_whole: cython.bint = self._views[_WHOLE] != cython.NULL
        colon: cython.int = anyurl_web(cython.address(data[start]), stop - start)
        if colon == 0 or stop - start > 65536:
            return _OTHER
        i = start + colon + 3
        end = base + anyurl_next(self._host, i - base, stop - base)
        if end == i or (end < stop and data[end] != ord("/")) or (end == stop and is_whole):
            return _OTHER
        last = data[end - 1]
        # A host that could be read as a number, or has an empty label at its end, ends with 0 to f, "." or "0x".
        if (last <= ord("f") or last == ord("x")) and (is_misleading(data, i, end) or has_empty_end(data, i, end)):
            return _OTHER
        i = base + anyurl_next(self._path, end - base, stop - base)
        while i < stop:
            octet = data[i]
            if octet == ord("?"):
                if query < 0 and fragment < 0:
                    query = i
            elif octet == ord("#") and fragment < 0:
                fragment = i
            elif is_whole or octet != ord("%") or i + 2 >= stop or not (_is_hex(data[i + 1]) and _is_hex(data[i + 2])):
                return _OTHER
            i = base + anyurl_next(self._path, i + 1 - base, stop - base)
        if fragment < 0:
            fragment = stop
        if query < 0:
            query = fragment
        if not is_whole:
            self._put_web(row, start, colon, end, query, fragment, stop)
            return _QUICK
        for i in range(end, query - 1):
            if data[i] == ord("/") and data[i + 1] == ord("."):
                return _OTHER
        self._put_view(_WHOLE, row, start, stop, 1)
        return _QUICK

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _put_web(
        self,
        row: cython.longlong,
        start: cython.longlong,
        colon: cython.int,
        host_end: cython.longlong,
        query: cython.longlong,
        fragment: cython.longlong,
        stop: cython.longlong,
    ) -> cython.void:
        """Write a row with scheme, host and path, and optional query and fragment; places count in the whole text."""
        has_query: cython.int = query < fragment
        self._put_view(0, row, start, start + colon, 1)
        if self._views[1] != cython.NULL:
            self._put_none(1, row)
        if self._views[2] != cython.NULL:
            self._put_none(2, row)
        self._put_view(3, row, start + colon + 3, host_end, 1)
        self._put_view(4, row, host_end, query, 1)
        self._put_view(5, row, query + has_query, fragment, has_query)
        if fragment < stop:
            self._put_view(6, row, fragment + 1, stop, 1)
        elif self._views[6] != cython.NULL:
            self._put_none(6, row)
        if self._port != cython.NULL:
            self._port[row] = 80 if colon == 4 else 443
            _set_bit(self._port_bits, row, 1)
        if self._explicit_port != cython.NULL:
            self._explicit_port[row] = 0
        if self._fault != cython.NULL:
            self._fault[row] = 0
            self._fault_at[row] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _slow(self, row: cython.longlong, start: cython.longlong, stop: cython.longlong) -> cython.bint:
        """Cut any row; False if it needs a `URL`."""
        data: cython.p_const_uchar = self._data + start
        length: cython.longlong = stop - start
        at: cython.p_int = self._at
        found: cython.longlong = split_scheme(data, length)
        port: cython.int = -1
        scheme: cython.int
        flags: cython.int = self._flags[0]
        if found <= length:
            at[_SCHEME_END] = found
            scheme = self._find_scheme(data, found)
            flags = self._flags[scheme]
            port = self._ports[scheme]
            found = split(data, length, flags, at)
        if found != 0:
            if _has_octet(data, 0, length, 128, 255):
                return False
            if self._fault != cython.NULL:
                self._fault[row] = found >> 32
                self._fault_at[row] = found & 0x7FFFFFFF
                _set_bit(self._fault_at_bits, row, 1)
            return True
        if (
            (at[_HOST_START] < at[_HOST_END] and data[at[_HOST_START]] == ord("["))
            or _has_octet(data, 0, at[_SCHEME_END], ord("A"), ord("Z"))
            or _has_octet(data, at[_HOST_START], at[_HOST_END], ord("A"), ord("Z"))
            or _has_octet(data, at[_SCHEME_END] + 1, at[_HOST_START], ord("%"), ord("%"))
        ):
            return False
        self._put(row, start, length, port)
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_scheme(self, data: cython.p_const_uchar, length: cython.longlong) -> cython.int:
        """The number of a scheme, by its name in any case; 0 if the name is unknown."""
        scheme: cython.int
        i: cython.longlong
        begin: cython.longlong = 0
        for scheme in range(1, self._schemes):
            begin = self._ends[scheme - 1]
            if self._ends[scheme] - begin == length:
                i = 0
                while i < length and data[i] | 32 == self._names[begin + i]:  # 32 makes a letter lower case
                    i += 1
                if i == length:
                    return scheme
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _put(
        self, row: cython.longlong, start: cython.longlong, length: cython.longlong, default_port: cython.int
    ) -> cython.void:
        """Write the components of a cleared row whose offsets are known."""
        at: cython.p_int = self._at
        authority: cython.bint = at[_PATH_START] > at[_SCHEME_END] + 1
        self._put_view(0, row, start, start + at[_SCHEME_END], 1)
        if at[_HOST_START] > at[_SCHEME_END] + 3:
            self._put_view(1, row, start + at[_SCHEME_END] + 3, start + at[_USER_END], 1)
            if at[_USER_END] < at[_HOST_START] - 1:
                self._put_view(2, row, start + at[_USER_END] + 1, start + at[_HOST_START] - 1, 1)
        if authority:
            self._put_view(3, row, start + at[_HOST_START], start + at[_HOST_END], 1)
            if self._port != cython.NULL and (at[_PORT] >= 0 or default_port >= 0):
                self._port[row] = at[_PORT] if at[_PORT] >= 0 else default_port
                _set_bit(self._port_bits, row, 1)
            if self._explicit_port != cython.NULL and at[_PORT] >= 0:
                self._explicit_port[row] = at[_PORT]
                _set_bit(self._explicit_port_bits, row, 1)
        self._put_view(4, row, start + at[_PATH_START], start + at[_QUERY_START], 1)
        if at[_QUERY_START] < at[_FRAGMENT_START]:
            self._put_view(5, row, start + at[_QUERY_START] + 1, start + at[_FRAGMENT_START], 1)
        if at[_FRAGMENT_START] < length:
            self._put_view(6, row, start + at[_FRAGMENT_START] + 1, start + length, 1)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _put_none(self, field: cython.int, row: cython.longlong) -> cython.void:
        memset(self._views[field] + 16 * row, 0, 16)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _put_view(
        self, field: cython.int, row: cython.longlong, begin: cython.longlong, end: cython.longlong, there: cython.int
    ) -> cython.void:
        """Write a component or, if it is not `there`, an empty one whose bit stays unset."""
        if self._views[field] == cython.NULL:
            return
        buffer: cython.longlong = begin >> self._shift
        anyurl_view(
            self._views[field] + 16 * row, self._data, begin, self._size, end - begin, buffer,
            begin - (buffer << self._shift),
        )  # fmt: skip
        _set_bit(self._view_bits[field], row, there)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_hex(octet: cython.int) -> cython.bint:
    return ord("0") <= octet <= ord("9") or ord("a") <= octet | 32 <= ord("f")
