# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The surroundings of a candidate: the buffer, the wrapper, the octets before it (RFC 1738 appendix).

Rules: octets and offsets only; the distance of looking back and ahead is bounded. Types of C are in ``wrapper.pxd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from array import array

    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

from anyurl.text.scan import characters, rows

if cython.compiled:
    from cython.cimports.libc.string import memchr  # type: ignore[import-not-found,import-untyped,unused-ignore]

_ALPHA = cython.declare(cython.int, characters.ALPHA)
_DIGIT = cython.declare(cython.int, characters.DIGIT)
_PLAIN = cython.declare(cython.int, characters.PLAIN)
_BLANK = cython.declare(cython.int, characters.BLANK)
_STOP = cython.declare(cython.int, characters.STOP)
_FOLDED = cython.declare(cython.int, rows.FOLDED)
_SPACED = cython.declare(cython.int, rows.SPACED)
_LABELLED = cython.declare(cython.int, rows.LABELLED)
_BARE = cython.declare(cython.int, rows.BARE)
_ANGLE = cython.declare(cython.int, rows.ANGLE)
_URL_PREFIX = cython.declare(cython.int, rows.URL_PREFIX)
_MARKDOWN = cython.declare(cython.int, rows.MARKDOWN)
_RST = cython.declare(cython.int, rows.RST)
_HTML_ATTRIBUTE = cython.declare(cython.int, rows.HTML_ATTRIBUTE)
_REFERENCES = cython.declare(cython.int, rows.REFERENCES)
_MAX_WRAPPED = cython.declare(cython.int, rows.MAX_WRAPPED)
_MAX_GAPS = cython.declare(cython.int, rows.MAX_GAPS)
_REACH = cython.declare(cython.int, rows.LOOK_BACK - rows.MAX_NAME)
_LINE_REACH = cython.declare(cython.int, rows.LINE_REACH)
_MAX_ADDRESS = cython.declare(cython.int, rows.MAX_ADDRESS)

ATTRIBUTES = frozenset(
    b"href src action cite data poster formaction background longdesc manifest ping srcset".split()
    + b"xlink:href data-href data-src".split()
)
"""Attributes of HTML and SVG whose value is a URL."""


class Wrapper:
    """A buffer, the current candidate, and its surroundings."""

    __slots__ = (
        "held", "data", "limit", "stop", "low", "final", "names", "out", "octets", "ranges", "flags", "fence", "resume",
        "pending", "skipping", "next_at", "next_www", "next_dot",
        "marks", "marks_of", "start", "end", "hash", "cut", "kind", "context", "ended", "broke", "width", "bad",
    )  # fmt: skip
    if TYPE_CHECKING:
        held: bytes
        data: bytes
        limit: int
        stop: int
        low: int
        final: bool
        names: dict[bytes, int]
        out: memoryview
        octets: bytes
        ranges: array[int]
        flags: int
        fence: int
        resume: int
        pending: bool
        skipping: bool
        next_at: int
        next_www: int
        next_dot: int
        marks: int
        marks_of: int
        start: int
        end: int
        hash: int
        cut: int
        kind: int
        context: int
        ended: bool
        broke: bool
        width: int
        bad: int

    def _load(
        self,
        data: bytes,
        low: cython.Py_ssize_t,
        limit: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        final: cython.bint,
    ) -> object:
        """Take the next buffer: see `Scanner.load`."""
        self.held = data
        self.data = data
        self.limit = limit
        self.stop = stop
        self.final = final
        self.low = low
        self.fence = self.next_at = self.next_www = self.next_dot = self.marks = self.marks_of = -1
        self.pending = False
        return None

    def _scan(self, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """See `Scanner.scan`: a class of C knows no abstract ones."""
        raise NotImplementedError

    def _next(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, octet: cython.int) -> cython.Py_ssize_t:
        """The place of the next octet of this value, or `stop`."""
        if start >= stop:
            return stop
        if cython.compiled:  # a type checker sees octets where the compiler sees a pointer
            rest = self.data + start  # type: ignore[operator]
            found = memchr(rest, octet, stop - start)  # pyright: ignore[reportPossiblyUnboundVariable]
            hit: cython.p_const_uchar = cython.cast(cython.p_const_uchar, found)
            return stop if hit == cython.NULL else hit - self.data  # type: ignore[operator]
        else:
            place = self.held.find(octet, start, stop)
            return stop if place < 0 else place

    def _kind_of(self, i: cython.Py_ssize_t) -> cython.int:
        r"""The kind of the character beyond ASCII that begins at `i`, its length in `width`; STOP if it is not UTF-8.

        An octet that is not UTF-8, alone between ASCII, does not end a candidate if it is a letter in Latin-1 and its
        kin: else the host of ``http://b\xfccher.example/`` would be ``b``.
        """
        data: cython.p_const_uchar = self.data
        lead: cython.int = data[i]
        code: cython.int
        j: cython.int
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = len(self.ranges) // 3
        middle: cython.Py_ssize_t
        if lead >= 0xC0 and lead not in (0xD7, 0xF7) and (i == 0 or data[i - 1] < 128):
            if i + 1 >= self.stop:
                self.pending = not self.final
            if i + 1 < self.stop and data[i + 1] < 128:
                self.width = 1
                return 0
        self.width = 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF5 else 0
        if self.width == 0:
            return _STOP
        if i + self.width > self.stop:
            self.pending = not self.final
            return _STOP
        code = lead & (0x7F >> self.width)
        for j in range(1, self.width):
            if data[i + j] & 0xC0 != 0x80:
                return _STOP
            code = code << 6 | data[i + j] & 0x3F
        if code < (0x80 if self.width == 2 else 0x800 if self.width == 3 else 0x10000):
            return _STOP  # an overlong form
        while low < high:
            middle = (low + high) // 2
            if self.ranges[3 * middle + 1] < code:
                low = middle + 1
            else:
                high = middle
        if 3 * low < len(self.ranges) and self.ranges[3 * low] <= code:
            return self.ranges[3 * low + 2]
        return 0

    def _reference(self, i: cython.Py_ssize_t) -> cython.int:
        """The character of ASCII that a numeric reference of HTML at `i` stands for, its length in `width`; else 0.

        May set `pending`.
        """
        data: cython.p_const_uchar = self.data
        j: cython.Py_ssize_t = i + 2
        code: cython.int = 0
        digit: cython.int
        base: cython.int = 10
        if not self.flags & _REFERENCES or (i + 1 < self.stop and data[i + 1] != ord("#")):
            return 0
        if j < self.stop and data[j] | 32 == ord("x"):
            base = 16
            j += 1
        while j < self.stop and j - i < _MAX_ADDRESS and code < 128 and data[j] != ord(";"):
            digit = data[j] - 48 if data[j] < 58 else (data[j] | 32) - 87
            if digit < 0 or digit >= base:
                return 0
            code = code * base + digit
            j += 1
        if j >= self.stop:
            self.pending = self.pending or not self.final
            return 0
        self.width = j + 1 - i
        return code if data[j] == ord(";") and 32 < code < 127 else 0

    def _is_url_prefix(self, start: cython.Py_ssize_t, colon: cython.Py_ssize_t) -> cython.bint:
        """Whether the name is URL, in any case (RFC 1738 appendix)."""
        data: cython.p_const_uchar = self.data
        return (
            colon - start == 3
            and data[start] | 32 == ord("u")
            and data[start + 1] | 32 == ord("r")
            and data[start + 2] | 32 == ord("l")
        )

    def _gap(self, i: cython.Py_ssize_t, opened: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Pass over white space in a wrapper that began at `opened`, and over marks of its lines; sets `broke`."""
        self.broke = False
        while i < self.stop and (self.octets[self.data[i]] & _BLANK or self._ends_cell(i)):
            if self.data[i] == 10:
                self.broke = True
                i = self._after_marks(i + 1, opened)
            else:
                i += 1
        return i

    def _ends_cell(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a bar ends a line, and another one begins the next: a cell of a table drawn in text."""
        data: cython.p_const_uchar = self.data
        breaks: cython.int = 0
        j: cython.Py_ssize_t = i + 1
        if data[i] != ord("|") or not self.octets[data[i - 1]] & _BLANK:
            return False
        while j < self.stop and j - i < _LINE_REACH and self.octets[data[j]] & _BLANK:
            breaks += data[j] == 10
            j += 1
        return breaks == 1 and j < self.stop and data[j] == ord("|")

    def _after_marks(self, i: cython.Py_ssize_t, opened: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Pass over the marks with which the line of `opened` begins: ``> `` of quoted mail, ``# `` of a comment."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        mark: cython.Py_ssize_t = self.marks
        j: cython.Py_ssize_t
        if self.marks_of != opened:
            mark = opened
            while mark > 0 and data[mark - 1] != 10 and opened - mark < _LINE_REACH:
                mark -= 1
            self.marks = mark
            self.marks_of = opened
        while mark < opened:
            if octets[data[mark]] & _BLANK:
                mark += 1
                continue
            if data[mark] not in (35, 37, 42, 47, 59, 62, 124):  # # % * / ; > |
                break
            j = i
            while j < self.stop and (data[j] == 32 or data[j] == 9):
                j += 1
            if j == self.stop or data[j] != data[mark]:
                break
            # "#b" continues the URL where "# b" continues the comment; mail is quoted without a space, too
            i = j + 1
            if data[j] == 62 or data[j] == 124 or (i < self.stop and (octets[data[i]] & _BLANK or data[i] == data[j])):
                mark += 1
                continue
            return j
        return i

    def _wrapped(self, start: cython.Py_ssize_t, bracket: cython.Py_ssize_t, marked: cython.bint) -> cython.bint:
        """Read <...> or <URL:...> up to its closing bracket: sets `end`, or `pending`, or neither for no wrapper."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        i: cython.Py_ssize_t = self._gap(start, bracket)
        last: cython.Py_ssize_t
        space: cython.Py_ssize_t = -1  # the text before the first gap without a line break
        gaps: cython.int = 0
        breaks: cython.int = 0
        named: cython.bint = False
        most: cython.Py_ssize_t = min(self.stop, start + _MAX_WRAPPED + 1)
        self.start = last = i
        while i < self.stop and data[i] != ord(">"):
            if octets[data[i]] & _BLANK:
                i = self._gap(i, bracket)
                if self.broke:
                    breaks += 1
                elif i < self.stop and data[i] != ord(">"):
                    if not named and last > self.start:
                        return False  # words, not a name that was folded
                    gaps += 1
                    space = last if space < 0 else space
            elif data[i] == ord('"') or data[i] == ord("<"):
                return False
            else:
                named = named or data[i] == ord(":")
                i += 1
                while i < most and octets[data[i]] & _PLAIN:
                    i += 1
                last = i
            if i - start > _MAX_WRAPPED:
                return False
        # The next octets determine the context.
        self.pending = not self.final and (i + 1 >= self.stop or (data[i + 1] == ord("`") and i + 2 == self.stop))
        if self.pending or i >= self.stop or last == self.start:
            return False
        if bracket > 1 and data[bracket - 1] == ord("(") and data[bracket - 2] == ord("]"):
            self.context = _MARKDOWN
        elif marked:
            self.context = _URL_PREFIX
        elif i + 2 < self.stop and data[i + 1] == ord("`") and data[i + 2] == ord("_"):
            self.context = _RST
        else:
            self.context = _ANGLE
        if self.context == _MARKDOWN and breaks == 0 and gaps > 0:
            self.kind = _SPACED  # CommonMark 6.3: between < and > a destination may hold spaces
        elif gaps > _MAX_GAPS and not marked:
            return False
        elif gaps + breaks > 0:
            self.kind = _FOLDED
        self.end = last
        if space > self.start and self.context == _ANGLE:  # <http://host/a its name>
            self.kind |= _LABELLED
            self.end = space
            self.cut = last
        self.hash = self._next(self.start, self.end, ord("#"))
        return True

    def pieces(self, start: int, end: int) -> list[tuple[bytes, bool]]:
        """A folded candidate as its pieces, and whether each is followed by a line break."""
        i: cython.Py_ssize_t = start
        stop: cython.Py_ssize_t = end
        begin: cython.Py_ssize_t
        found: list[tuple[bytes, bool]] = []
        while i < stop:
            begin = i
            while i < stop and not self.octets[self.data[i]] & _BLANK:
                i += 1
            piece: bytes = self.held[begin:i]
            i = self._gap(i, start)
            found.append((piece, self.broke))
        return found

    def _context(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """The context of a candidate in prose by the octets before it; -1 if it names a namespace of XML."""
        data: cython.p_const_uchar = self.data
        before: cython.int = data[start - 1] if start > 0 else 0
        i: cython.Py_ssize_t = start - 2
        if i < 0 or before in (10, 60):  # < and line feed are the most frequent, and say nothing
            return _BARE
        if before == ord("(") and data[i] == ord("]"):
            return _MARKDOWN
        if before == ord(":") and i >= 2 and self._is_url_prefix(i - 2, i + 1):
            return _URL_PREFIX
        if before == 32 and data[i] == ord(":") and i > 0:
            return self._line_context(i)
        if before == ord('"') or before == ord("'"):
            if data[i] == ord("\\") and end + 1 < self.stop and data[end] == data[i]:  # "<a href=\\"http://h/\\">"
                end += 1
                i -= 1
            if end < self.stop and data[end] != before:
                return _BARE
            while i > 0 and data[i] == 32 and start - i < 8:
                i -= 1
            before = data[i]
            i -= 1
        if before != ord("="):
            return _BARE
        while i > 0 and data[i] == 32 and start - i < 16:
            i -= 1
        end = i + 1
        while i >= 0 and end - i < 16 and (self.octets[data[i]] & (_ALPHA | _DIGIT) or data[i] in (45, 58)):
            i -= 1
        name: bytes = self.held[i + 1 : end].lower()
        if name.startswith(b"xmlns"):
            return -1
        return _HTML_ATTRIBUTE if name in ATTRIBUTES else _BARE

    def _line_context(self, i: cython.Py_ssize_t) -> cython.int:
        """The context after a colon and a space: ``[name]: `` defines a link in Markdown, ``.. _name: `` in RST."""
        data: cython.p_const_uchar = self.data
        line: cython.Py_ssize_t = i
        while line > 0 and data[line - 1] != 10 and i - line < _LINE_REACH:
            line -= 1
        while line < i and data[line] == 32:
            line += 1
        if data[line] == ord("[") and data[i - 1] == ord("]"):
            return _BARE if data[line + 1] == ord("^") else _MARKDOWN  # [^1]: is a footnote, a sentence
        if i - line > 3 and data[line] == ord(".") and data[line + 1] == ord(".") and data[line + 3] == ord("_"):
            return _RST
        return _BARE

    def _is_destination(self, end: cython.Py_ssize_t) -> cython.bint:
        """Whether a destination of Markdown ends here: before its bracket, a title, or, of a definition, the line end.

        ``[a](http://host/b. And`` is no link: its full stop is that of the sentence.
        """
        data: cython.p_const_uchar = self.data
        is_inline: cython.bint = data[self.start - 1] == ord("(")
        i: cython.Py_ssize_t = end
        while i < self.stop and i - end < _LINE_REACH and self.octets[data[i]] & _BLANK:
            if not is_inline and data[i] == 10:
                return True
            i += 1
        if i >= self.stop:
            self.pending = self.pending or not self.final
            return not is_inline
        if data[i] == ord(")"):
            return is_inline
        return i > end and data[i] in (ord('"'), ord("'"), ord("("))

    def _ends_comment(self, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a star and a slash after `i` end a comment: ``/* https://host/a*/``, but not ``https://host/a*/``.

        It has begun not far before the candidate, or its lines begin with stars.
        """
        data: cython.p_const_uchar = self.data
        j: cython.Py_ssize_t = self.start - 1
        first: cython.int = 0  # of the line
        same: cython.bint = True
        if data[i] == ord("/"):
            return False
        while j > 0 and self.start - j < _REACH:
            if data[j] == 42 and (data[j - 1] == 47 or data[j + 1] == 47):  # /* */
                return data[j - 1] == 47
            if data[j] == 10:
                if first == 42:
                    return True
                same = False
            elif same and not self.octets[data[j]] & _BLANK:
                first = data[j]
            j -= 1
        return j == 0 and same and (data[0] if self.start > 0 and not self.octets[data[0]] & _BLANK else first) == 42
