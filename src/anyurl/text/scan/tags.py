# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The tags of HTML and XML: where their attributes lie, and the text between them (HTML 13.2.5).

Rules: octets and offsets only; each octet is read a bounded number of times. Tags that ask for more than a look at
their attributes (scripts, tables of candidates, declarations) are left to the caller. Types of C are in ``tags.pxd``.
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

from anyurl.text.scan import characters

if cython.compiled:
    from cython.cimports.libc.string import memchr  # type: ignore[import-not-found,import-untyped,unused-ignore]

COMPILED: bool = cython.compiled

TEXT, LINK, OTHER, PLAIN = range(4)
"""Kinds of a row: text between tags, the value of an attribute that is a reference, that of another, and a reference
that is a whole URL in ASCII of which nothing is to be encoded, unescaped or resolved."""
COLUMNS = 3
"""Kind, start, end."""
MAX_ROWS = 256

MAX_ATTRIBUTES = 32
"""Attributes of a tag; one with more is left to the caller."""

LINKS = frozenset(
    b"href src action formaction cite poster background longdesc manifest icon codebase profile usemap lowsrc dynsrc "
    b"xlink:href".split()
)
"""Attributes whose value is a URL, whatever the element (HTML, index of attributes; HTML 4; SVG)."""


def _lengths(names: bytes) -> bytes:
    """For each small letter the lengths of the names that begin with it, as bits in two octets."""
    table = bytearray(64)
    for name in names.split():
        at = (name[0] & 31) * 2 + len(name) // 8
        table[at] |= 1 << len(name) % 8
    return bytes(table)


_ELEMENTS = _lengths(b"script style iframe noembed noframes textarea title xmp base meta object link")
"""Elements that the caller reads: by first letter and length, which a few others share."""
_ATTRIBUTES = _lengths(b"ping archive srcset imagesrcset data http-equiv style")
"""Attributes whose value is not a single URL, and those that depend on their element."""
_LINKS = _lengths(b" ".join(LINKS))

_TEXT = cython.declare(cython.int, TEXT)
_LINK = cython.declare(cython.int, LINK)
_OTHER = cython.declare(cython.int, OTHER)
_PLAIN = cython.declare(cython.int, PLAIN)
_ALPHA = cython.declare(cython.int, characters.ALPHA)
_SCHEME = cython.declare(cython.int, characters.SCHEME)
_PLAIN_OCTET = cython.declare(cython.int, characters.PLAIN)
_COLUMNS = cython.declare(cython.int, COLUMNS)
_MAX_ROWS = cython.declare(cython.int, MAX_ROWS)
_MAX_ATTRIBUTES = cython.declare(cython.int, MAX_ATTRIBUTES)


class Tags:
    """Reads the tags of one buffer after another, and writes rows.

    Args:
        out: MAX_ROWS * COLUMNS signed 64-bit numbers to write to.
        names: MAX_ATTRIBUTES * 2 more, to remember the names of a tag in.
        every: Whether text without a colon counts, too.
        in_html: Whether some elements and attributes are left to the caller; in XML a text with a reference counts,
            too, and values are quoted.
    """

    __slots__ = (
        "held", "data", "stop", "out", "names", "every", "in_xml", "count", "elements", "special", "links", "octets",
        "resume",
    )  # fmt: skip
    if TYPE_CHECKING:
        held: bytes
        data: bytes
        stop: int
        out: memoryview
        names: memoryview
        every: bool
        in_xml: bool
        count: int
        elements: bytes
        special: bytes
        links: bytes
        octets: bytes
        resume: int

    def __init__(self, out: memoryview, names: memoryview, every: bool, in_html: bool = True) -> None:
        self.out = out
        self.names = names
        self.every = every
        self.in_xml = not in_html
        self.elements = _ELEMENTS if in_html else bytes(64)
        self.special = _ATTRIBUTES if in_html else bytes(64)
        self.links = _LINKS
        self.octets = characters.OCTETS
        self.count = 0
        self.resume = 0

    def tell(self) -> int:
        """Where the last scan ended."""
        return self.resume

    def scan(self, data: bytes, start: int) -> int:
        """Write rows from `start` on; their number.

        It ends when MAX_ROWS are nearly reached, or before text that the caller must read: markup that is not a simple
        tag or not whole yet, or text after the last tag.
        """
        i: cython.Py_ssize_t = start
        after: cython.Py_ssize_t
        self.held = data
        self.data = data
        self.stop = len(data)
        self.count = 0
        while self.count < _MAX_ROWS - _MAX_ATTRIBUTES:
            after = self._text(i)
            if after < 0:
                break
            i = after
            after = self._tag(i)
            if after < 0:
                break
            i = after
        self.resume = i
        return self.count

    def _find(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, octet: cython.int) -> cython.Py_ssize_t:
        """The place of the next octet of this value, or -1."""
        if start >= stop:
            return -1
        if cython.compiled:  # a type checker sees octets where the compiler sees a pointer
            rest = self.data + start  # type: ignore[operator]
            found = memchr(rest, octet, stop - start)  # pyright: ignore[reportPossiblyUnboundVariable]
            hit: cython.p_const_uchar = cython.cast(cython.p_const_uchar, found)
            return -1 if hit == cython.NULL else hit - self.data  # type: ignore[operator]
        else:
            return self.held.find(octet, start, stop)

    def _row(self, kind: cython.int, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        row: cython.Py_ssize_t = self.count * _COLUMNS
        self.out[row] = kind
        self.out[row + 1] = start
        self.out[row + 2] = end
        self.count += 1
        return row

    def _text(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The place of the next tag; -1 when there is none."""
        place: cython.Py_ssize_t = self._find(i, self.stop, ord("<"))
        if place > i and ((self.every and place >= i + 3) or self._counts(i, place)):
            self._row(_TEXT, i, place)
        return place

    def _counts(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether a text may contain a URL: it has a colon, which XML may write as a reference."""
        return self._find(start, stop, ord(":")) >= 0 or (self.in_xml and self._find(start, stop, ord("&")) >= 0)

    def _is_in(self, table: cython.p_const_uchar, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether a name has the first letter and the length of one in a table."""
        size: cython.Py_ssize_t = end - start
        return size < 16 and (table[(self.data[start] & 31) * 2 + size // 8] >> size % 8) & 1 != 0

    def _is_same(self, one: cython.Py_ssize_t, other: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.bint:
        """Whether two names are the same, in any case."""
        i: cython.Py_ssize_t = 0
        while i < size and (self.data[one + i] ^ self.data[other + i]) & 0xDF == 0:
            i += 1
        return i == size

    def _tag(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read the tag at `i`; where it ends, or -1 when the caller has to read it."""
        data: cython.p_const_uchar = self.data
        stop: cython.Py_ssize_t = self.stop
        name: cython.Py_ssize_t = i + 1
        count: cython.int = self.count
        end: cython.Py_ssize_t
        if name >= stop:
            return -1
        if data[name] == ord("/"):
            end = self._find(name, stop, ord(">"))
            return end + 1 if end >= 0 else -1
        if not 97 <= data[name] | 32 <= 122:
            return -1
        i = name
        while i < stop and data[i] != 32 and not 9 <= data[i] <= 13 and data[i] != ord(">") and data[i] != ord("/"):
            i += 1
        if i >= stop or data[i - 1] == ord(":") or self._is_in(self.elements, name, i):  # <http://host/>
            return -1
        end = self._attributes(i)
        if end < 0:
            self.count = count
        return end

    def _attributes(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read the attributes of a tag; where it ends, or -1."""
        data: cython.p_const_uchar = self.data
        stop: cython.Py_ssize_t = self.stop
        known: cython.int = 0
        name: cython.Py_ssize_t
        end: cython.Py_ssize_t
        start: cython.Py_ssize_t
        last: cython.Py_ssize_t
        while True:
            while i < stop and (data[i] == 32 or data[i] == ord("/") or 9 <= data[i] <= 13):
                i += 1
            if i >= stop:
                return -1
            if data[i] == ord(">"):
                return i + 1
            name = i
            i += 1
            while i < stop and not (
                data[i] == 32 or data[i] == ord("=") or data[i] == ord(">") or data[i] == ord("/") or 9 <= data[i] <= 13
            ):
                i += 1
            end = i
            while i < stop and (data[i] == 32 or 9 <= data[i] <= 13):
                i += 1
            if i >= stop or known == _MAX_ATTRIBUTES or self._is_in(self.special, name, end):
                return -1
            if self.in_xml and (self._find(name, end, ord('"')) >= 0 or self._find(name, end, ord("'")) >= 0):
                return -1
            start = last = 0
            if data[i] == ord("="):
                i += 1
                while i < stop and (data[i] == 32 or 9 <= data[i] <= 13):
                    i += 1
                if i >= stop:
                    return -1
                if data[i] == ord('"') or data[i] == ord("'"):
                    start = i + 1
                    last = self._find(start, stop, data[i])
                    if last < 0:
                        return -1
                    i = last + 1
                elif self.in_xml:
                    return -1
                else:
                    start = i
                    while i < stop and data[i] != ord(">") and not (data[i] == 32 or 9 <= data[i] <= 13):
                        i += 1
                    if i >= stop:
                        return -1
                    last = i
            else:
                i = end
            if self._is_first(name, end, known):
                self.names[2 * known] = name
                self.names[2 * known + 1] = end
                known += 1
                self._value(name, end, start, last)

    def _is_first(self, name: cython.Py_ssize_t, end: cython.Py_ssize_t, known: cython.int) -> cython.bint:
        """Whether no earlier attribute has that name: of several the first counts (HTML 13.2.5.33)."""
        i: cython.int
        for i in range(known):
            if self.names[2 * i + 1] - self.names[2 * i] == end - name and self._is_same(
                self.names[2 * i], name, end - name
            ):
                return False
        return True

    def _value(
        self,
        name: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Write down the value of an attribute, if there may be a URL in it."""
        data: cython.p_const_uchar = self.data
        is_link: cython.bint = False
        if last <= start or (data[name] | 32 == ord("x") and self.held[name : name + 5].lower() == b"xmlns"):
            return 0  # names of namespaces are not links
        if end - name == 4 and data[name] | 32 == ord("h") and data[name + 1] | 32 == ord("r"):
            is_link = data[name + 2] | 32 == ord("e") and data[name + 3] | 32 == ord("f")
        elif self._is_in(self.links, name, end):
            is_link = self.held[name:end].lower() in LINKS
        if is_link:
            return self._row(_PLAIN if self._is_plain(start, last) else _LINK, start, last)
        if self.every or self._counts(start, last):
            return self._row(_OTHER, start, last)
        return 0

    def _is_plain(self, start: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.bint:
        """Whether a value is name://rest, in octets that mean themselves, without a fragment or dots that go away."""
        data: cython.p_const_uchar = self.data
        octets: cython.p_const_uchar = self.octets
        i: cython.Py_ssize_t = start
        octet: cython.int
        if not octets[data[i]] & _ALPHA:
            return False
        while i < last and octets[data[i]] & _SCHEME:
            i += 1
        if i + 3 > last or data[i] != ord(":") or data[i + 1] != ord("/") or data[i + 2] != ord("/"):
            return False
        i += 3
        while i < last:
            octet = data[i]
            if octet == ord("."):
                if data[i - 1] == ord("/"):
                    return False
            elif not octets[octet] & _PLAIN_OCTET and octet != ord("?") and octet != ord("%") and octet != ord(":"):
                return False
            i += 1
        return True
