# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The search for URLs in UTF-8 octets: where each candidate begins and ends (RFC 1738 appendix, RFC 3986 appendix C).

Rules: octets and offsets only. Everything starts from an anchor: a colon, or on request an ``@`` or ``www.``. Each
octet is read a bounded number of times, whatever the text, so that hostile text costs no more than any other. A
candidate that reaches the end of an unfinished buffer waits for more input. `anyurl.url` decides whether a candidate is
a URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.scan.implied import Implied
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.scan.implied import Implied
    else:
        from anyurl.text.scan.implied import Implied

from anyurl.text.scan import characters, rows

COMPILED: bool = cython.compiled

_ALPHA = cython.declare(cython.int, characters.ALPHA)
_DIGIT = cython.declare(cython.int, characters.DIGIT)
_NAME = cython.declare(cython.int, characters.NAME)
_SCHEME = cython.declare(cython.int, characters.SCHEME)
_BLANK = cython.declare(cython.int, characters.BLANK)
_GLUED = cython.declare(cython.int, rows.GLUED)
_LABELLED = cython.declare(cython.int, rows.LABELLED)
_IMPLIED = cython.declare(cython.int, rows.EMAIL | rows.WWW | rows.DOMAIN)
_BARE = cython.declare(cython.int, rows.BARE)
_TEMPLATE = cython.declare(cython.int, rows.TEMPLATE)
_FIND_TEMPLATES = cython.declare(cython.int, rows.FIND_TEMPLATES)
_FIND_EMAILS = cython.declare(cython.int, rows.FIND_EMAILS)
_FIND_WWW = cython.declare(cython.int, rows.FIND_WWW)
_FIND_DOMAINS = cython.declare(cython.int, rows.FIND_DOMAINS)
_NO_WRAPPERS = cython.declare(cython.int, rows.NO_WRAPPERS)
_COLUMNS = cython.declare(cython.int, rows.COLUMNS)
_MAX_ROWS = cython.declare(cython.int, rows.MAX_ROWS)
_MAX_NAME = cython.declare(cython.int, rows.MAX_NAME)
_SHAPE_ANY = cython.declare(cython.int, rows.SHAPE_ANY)
_SHAPE_ADDRESS = cython.declare(cython.int, rows.SHAPE_ADDRESS)
_SHAPE_GROUP = cython.declare(cython.int, rows.SHAPE_GROUP)
_SHAPE_SLASH = cython.declare(cython.int, rows.SHAPE_SLASH)
_SHAPE_DOI = cython.declare(cython.int, rows.SHAPE_DOI)
_SHAPE_NUMBER = cython.declare(cython.int, rows.SHAPE_NUMBER)
_SHAPE_COMMA = cython.declare(cython.int, rows.SHAPE_COMMA)
_SHAPE_QUERY = cython.declare(cython.int, rows.SHAPE_QUERY)
_SHAPE_PAIR = cython.declare(cython.int, rows.SHAPE_PAIR)
_SHAPE_PATH = cython.declare(cython.int, rows.SHAPE_PATH)
_SHAPE_TOKEN = cython.declare(cython.int, rows.SHAPE_TOKEN)
_SHAPE_CALL = cython.declare(cython.int, rows.SHAPE_CALL)
_SHAPE_PAGE = cython.declare(cython.int, rows.SHAPE_PAGE)
_SHAPE_HOST = cython.declare(cython.int, rows.SHAPE_HOST)
_MIN_TOKEN = cython.declare(cython.int, rows.MIN_TOKEN)


@cython.final
@cython.cclass
class Scanner(Implied):
    """Finds candidates in one buffer after another and writes them as rows of offsets.

    Args:
        names: Known schemes in lower case and the shape of each (`anyurl.text.scan.rows`).
        out: MAX_ROWS * COLUMNS signed 64-bit numbers to write to.
        flags: FIND_EMAILS, FIND_WWW, NO_WRAPPERS.
    """

    __slots__ = ()

    def __init__(self, names: dict[bytes, int], out: memoryview, flags: int) -> None:
        self.names = names
        self.out = out
        self.flags = flags
        self.octets = characters.OCTETS
        self.ranges = characters.FLAT
        self.skipping = False
        self.load(b"", 0, 0, 0, False)

    def load(self, data: bytes, low: int, limit: int, stop: int, final: bool) -> None:
        """Take the next buffer.

        Args:
            data: The octets.
            low: No candidate begins before it.
            limit: No candidate begins after it.
            stop: No candidate ends after it.
            final: Whether this is the last buffer.
        """
        self._load(data, low, limit, stop, final)

    def tell(self) -> tuple[int, bool]:
        """Where the next `scan` must begin, and whether a candidate there is waiting for more octets."""
        return self.resume, self.pending

    def scan(self, start: int) -> int:
        """Write the candidates from `start` on, at most MAX_ROWS, and return the number of rows written.

        Args:
            start: Where to begin: 0, or the result of `tell`.
        """
        return self._scan(start)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _scan(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        i: cython.Py_ssize_t = start
        anchor: cython.Py_ssize_t
        count: cython.int = 0
        self.pending = False
        while count < _MAX_ROWS:
            if self.skipping:
                i = self._skip(i)
            anchor = self._anchor(i)
            if anchor >= self.limit:
                i = i if i > self.limit else self.limit
                break
            self.kind = self.start = 0
            self.hash = self.cut = self.end = self.bad = -1
            self.context = _BARE
            if self.data[anchor] == ord(":"):
                i = self._colon(anchor)
            elif self.data[anchor] == ord("@"):
                i = self._address(anchor)
            elif self.next_www == anchor:
                i = self._www(anchor)
                if self.end < 0 and not self.pending and self.flags & _FIND_DOMAINS:
                    i = self._domain(anchor)
            else:
                i = self._domain(anchor)
            if self.pending:
                i = anchor
                break
            if self.end >= 0:
                self._write(count, anchor)
                self.low = self.end
                count += 1
        if self.final and count < _MAX_ROWS:
            self.skipping = False
        self.resume = i
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def _write(self, count: cython.int, anchor: cython.Py_ssize_t) -> cython.Py_ssize_t:
        row: cython.Py_ssize_t = count * _COLUMNS
        self.out[row] = self.start
        self.out[row + 1] = self.end
        self.out[row + 2] = -1 if self.kind & _IMPLIED else anchor
        self.out[row + 3] = self.hash if self.hash < self.end else -1
        self.out[row + 4] = self.kind
        self.out[row + 5] = self.context
        self.out[row + 6] = self.cut if self.cut < self.end or self.kind & _LABELLED else -1
        return row

    @cython.cfunc
    @cython.exceptval(check=False)
    def _anchor(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The next colon or, if the flags ask for them, the next ``@`` or the dot of ``www.``."""
        anchor: cython.Py_ssize_t = self._next(i, self.limit, ord(":"))
        if self.flags & _FIND_EMAILS:
            if self.next_at < i:
                self.next_at = self._next(i, self.limit, ord("@"))
            if self.next_at < anchor:
                anchor = self.next_at
        if self.flags & _FIND_WWW:
            if self.next_www < i:
                self.next_www = self._next_www(i)
            if self.next_www < anchor:
                anchor = self.next_www
        if self.flags & _FIND_DOMAINS:
            if self.next_dot < i:
                self.next_dot = self._next(i, self.limit, ord("."))
            if self.next_dot < anchor:
                anchor = self.next_dot
        return anchor

    @cython.cfunc
    @cython.exceptval(check=False)
    def _next_www(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The dot of the next ``www.``, in any case; dots are rarer than the letter."""
        data: cython.p_const_uchar = self.data
        dot: cython.Py_ssize_t = self._next(i, self.limit, ord("."))
        while dot < self.limit:
            if dot >= self.low + 3 and data[dot - 1] | 32 == data[dot - 2] | 32 == data[dot - 3] | 32 == ord("w"):
                return dot
            dot = self._next(dot + 1, self.limit, ord("."))
        return self.limit

    @cython.cfunc
    @cython.exceptval(check=False)
    def _skip(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Skip the rest of a run that is too long to be a URL."""
        while i < self.stop and self.data[i] > 32 and self.data[i] not in (34, 60, 62):  # " < >
            i += 1
        self.skipping = i == self.stop
        return i

    @cython.cfunc
    @cython.exceptval(check=False)
    def _name(self, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where the scheme name before a colon begins, or -1 (RFC 3986 3.1: a letter first)."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        low: cython.Py_ssize_t = self.low
        i: cython.Py_ssize_t = colon
        if low < colon - _MAX_NAME:
            low = colon - _MAX_NAME
        while i > low and octets[data[i - 1]] & _SCHEME:
            if data[i - 1] == ord(".") and i - 2 >= low and data[i - 2] == ord("."):  # an ellipsis
                break
            i -= 1
        while i < colon and not octets[data[i]] & _ALPHA:
            i += 1
        if i > low and i < colon:
            i += self._escape(i, low, colon)
            while i < colon and not octets[data[i]] & _ALPHA:
                i += 1
        return i if i < colon else -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def _escape(self, i: cython.Py_ssize_t, low: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many octets of a name are really the end of an escape sequence (terminal, source code, roff)."""
        data: cython.p_const_uchar = self.data
        before: cython.Py_ssize_t = i - 1
        if data[before] == ord("\\"):  # "...\nhttp://host", "\u003chttp://host"
            if colon - i > 7 and data[i] == ord("u") and data[i + 1] == ord("0") and data[i + 2] == ord("0"):
                return 5
            if colon - i > 5 and data[i] == ord("x") and self._is_hex(i + 1) and self._is_hex(i + 2):
                return 3
            if colon - i > 3 and data[i] == ord("f") and data[i + 1] in (66, 73, 80, 82):  # fonts of roff: \fB \fI
                return 2
            return 1 if colon - i > 3 and data[i] in (98, 102, 110, 114, 116, 118) else 0
        while before > 0 and i - before < 16 and (self.octets[data[before]] & _DIGIT or data[before] == ord(";")):
            before -= 1
        # ESC [ numbers letter (ECMA-48 5.4)
        return 1 if before > 0 and data[before] == ord("[") and data[before - 1] == 27 else 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_hex(self, i: cython.Py_ssize_t) -> cython.bint:
        octet: cython.int = self.data[i] | 32
        return 48 <= octet <= 57 or 97 <= octet <= 102

    @cython.cfunc
    def _shape(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.int:
        """The shape of a known scheme, or -1."""
        shape: cython.int = self.names.get(self.held[start:colon].lower(), -1)
        return shape

    @cython.cfunc
    def _is_page(self, start: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a name and its path are known together: ``about:blank``."""
        while (
            i < self.stop and self.octets[self.data[i]] & _NAME and self.data[i] != ord(".") and i - start < _MAX_NAME
        ):
            i += 1
        self.pending = i >= self.stop and not self.final
        return not self.pending and self.held[start:i].lower() in self.names

    @cython.cfunc
    def _colon(self, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Judge the candidate at a colon and return where to continue."""
        data: cython.p_const_uchar = self.data
        after: cython.Py_ssize_t = colon + 1
        start: cython.Py_ssize_t = self._name(colon)
        shape: cython.int = 0
        slashes: cython.bint
        bracket: cython.bint
        if start < 0:
            if colon > self.low and (data[colon - 1] == ord("\\") or data[colon - 1] == ord("[")):
                start = self._name(colon - 1)
                if start >= 0 and self.held[colon : colon + 2] == b":]" and self._is_known_apart(start, colon):
                    self.kind |= _TEMPLATE
                    return self._bare(start, colon + 3, colon + 2)
                return colon if self.pending else self._taken_apart(start, colon)
            return after
        if after + 1 >= self.stop and not self.final:
            self.pending = True
            return after
        if after >= self.stop or data[after] == ord(":"):
            return after
        bracket = start > self.low and data[start - 1] == ord("<") and not self.flags & _NO_WRAPPERS
        if colon - start == 1:  # no scheme is a single letter, but drives are
            return after
        slashes = data[after] == ord("/") and after + 1 < self.stop and data[after + 1] == ord("/")
        if start > self.low and data[start - 1] == ord("$"):  # $scheme://host
            return after
        if not slashes:
            if data[after] == ord("\\"):
                return self._slashed(self._own_name(start, colon), colon)
            if bracket and self._is_url_prefix(start, colon):
                self._wrapped(after, start - 1, True)
                return self.end + 1 if self.end >= 0 else after
            if self.octets[data[after]] & _BLANK:
                if not bracket:
                    return after
                shape = -1
            else:
                shape = self._shape(start, colon)
                if shape <= 0 or not self._is_free(start, shape):
                    return after
                if not self._has_shape(after, shape, start - 1 if bracket else -1):
                    return after
                if shape == _SHAPE_PAGE and not self._is_page(start, after):
                    return after
        if slashes and after + 2 < self.stop and data[after + 2] == ord(">"):  # <file://> names a scheme
            return after
        if bracket and (shape >= 0 or self._shape(start, colon) >= 0):
            self._wrapped(start, start - 1, False)
            if self.end >= 0 or self.pending:
                return self.end + 1
            if shape > 0 and not self._has_shape(after, shape, -1):
                return after
        if slashes:
            return self._with_authority(self._own_name(start, colon), colon)
        return self._bare(start, after + 1, after) if shape > 0 else after

    @cython.cfunc
    def _is_known_apart(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.bint:
        """Whether a name without // is made unusable: ``mailto[:]joe@host``."""
        shape: cython.int = self._shape(start, colon - 1) if self.flags & _FIND_TEMPLATES else 0
        if shape > 0 and colon + 3 >= self.stop and not self.final:
            self.pending = True
        if self.pending or shape <= 0 or colon + 2 >= self.stop or self.data[colon + 2] == ord("/"):
            return False
        return self._has_shape(colon + 2, shape, -1) and not self.pending

    @cython.cfunc
    def _own_name(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where the name really begins: ``end.http:`` is a sentence and a known name, ``git+https:`` one name."""
        i: cython.Py_ssize_t = colon
        while i > start and self.data[i - 1] != ord(".") and self.data[i - 1] != ord("-"):
            i -= 1
        if i <= start or i >= colon or self._shape(start, colon) >= 0 or self._shape(i, colon) < 0:
            return self._behind_glue(start, colon)
        # RFC 1738 4: names that begin with x- are for experiments
        return start if self.data[start] | 32 == ord("x") and self.data[start + 1] == ord("-") else i

    @cython.cfunc
    def _behind_glue(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where http or https begins in an unknown name, directly after letters or digits."""
        data: cython.p_const_uchar = self.data
        i: cython.Py_ssize_t = colon - (5 if data[colon - 1] | 32 == ord("s") else 4)
        if i <= start or not self.octets[data[i - 1]] & (_ALPHA | _DIGIT):
            return start
        if self.held[i : i + 4].lower() != b"http" or self._shape(start, colon) >= 0:
            return start
        if self.held[start:colon].lower() == b"shttp":  # RFC 2660
            return start
        self.kind |= _GLUED
        return i

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_free(self, start: cython.Py_ssize_t, shape: cython.int) -> cython.bint:
        """Whether a name without // may begin here: not inside a path, a qualified name or a number."""
        before: cython.int
        if start <= self.low:
            return True
        before = self.data[start - 1]
        if before == ord(":"):  # URL:urn:a:b, VALUE=uri:tel:1 and ATTENDEE:mailto:a@b, but not std::mailto:a@b
            before = self.data[start - 2] if start - 2 >= self.low else before
            is_property: cython.bint = shape == _SHAPE_NUMBER and 65 <= before <= 90  # FEATURE=AUDIO:tel:1
            return before | 32 in b"li" or is_property or (shape == _SHAPE_ADDRESS and before != ord(":"))
        if before == ord("_") and (start - 1 == self.low or not self.octets[self.data[start - 2]] & _NAME):
            return True  # _emphasis_
        if before == ord(".") and start - 2 >= self.low and self.data[start - 2] == before:
            return True
        if before in (35, 37, 38, 43, 45, 47, 64, 92, 94):  # # % & + - / @ backslash ^
            return False
        return self.octets[before] & _NAME == 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _has_shape(
        self, i: cython.Py_ssize_t, shape: cython.int, opened: cython.Py_ssize_t
    ) -> cython.bint:  # fmt: skip
        """Whether the text after the colon looks like a URL of its scheme; sets `pending` if telling needs more
        input. In brackets that were `opened` before it (else -1) a line break is no part of it."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        first: cython.int = octets[data[i]]
        second: cython.int = octets[data[i + 1]] if i + 1 < self.stop else 0
        j: cython.Py_ssize_t = i
        if shape == _SHAPE_ANY:
            return first & (_ALPHA | _DIGIT) != 0 or (data[i] == ord("/") and second & _NAME != 0)
        if shape == _SHAPE_PAGE:
            return first & _ALPHA != 0
        if shape == _SHAPE_SLASH:
            return data[i] == ord("/") and second & _NAME != 0
        if shape == _SHAPE_DOI:
            return data[i] == ord("1") and second & _DIGIT != 0
        if shape == _SHAPE_NUMBER:
            is_signed: cython.bint = data[i] == ord("+") or data[i] == ord("-")
            is_label: cython.bint = ord("A") <= data[i - 2] <= ord("Z")  # TEL:+1
            return not is_label and (first | (second if is_signed else 0)) & _DIGIT != 0
        if shape == _SHAPE_QUERY:
            return data[i] == ord("?") and second & _ALPHA != 0
        if shape == _SHAPE_COMMA:
            return self._holds(i, ord(","), opened) and self._is_dated(i)
        if shape == _SHAPE_ADDRESS:
            return self._holds(i, ord("@"), opened)
        if shape == _SHAPE_CALL:
            return first & _ALPHA != 0 and self._calls(i)
        if shape == _SHAPE_HOST:
            return data[i - 2] > ord("Z") and first & _ALPHA != 0 and self._holds(i, ord("."), opened)
        if shape == _SHAPE_GROUP:
            return self._holds(i, ord("@"), opened) or (first & _ALPHA != 0 and self._holds(i, ord("."), opened))
        # RFC 8141 knows no dot in urn:a.b:c, its writers do; jar:1.0:c is an artifact of Maven's
        inner: cython.int = _SCHEME if shape == _SHAPE_PAIR and first & _ALPHA else _ALPHA | _DIGIT
        while j < self.stop and j - i < 32 and (octets[data[j]] & inner or data[j] == ord("-")):
            j += 1
        if j + 1 >= self.stop:
            self.pending = not self.final
            return shape == _SHAPE_TOKEN and j - i >= _MIN_TOKEN
        if shape == _SHAPE_TOKEN:
            return j - i >= _MIN_TOKEN
        second = octets[data[j + 1]] & (_ALPHA | _DIGIT)
        if shape == _SHAPE_PATH:
            return j > i and data[j] == ord("/") and second != 0
        return j - i > 1 and data[j] == ord(":") and (second != 0 or data[j + 1] == ord("/"))
