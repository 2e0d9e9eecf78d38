# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""XML (1.0, fifth edition) and its applications: feeds, sitemaps, SVG, the parts of DOCX, ODT and EPUB.

Rule: text and attribute values are read as separate texts, with XML's five entities and character references replaced.
Other entities are never expanded: an HTML entity that is not a letter ends a URL, any other makes it a template. Names
of namespaces are not links; comments, instructions and declarations have no links.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import html5
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyurl.text.finder import Finder
    from anyurl.text.found import Found
    from anyurl.text.markup import MarkupReader
    from anyurl.text.runs import Runs
    from anyurl.url.cut import _cython as cython

    memchr: Any
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.finder import Finder
        from cython.cimports.anyurl.text.found import Found
        from cython.cimports.anyurl.text.markup import MarkupReader
        from cython.cimports.anyurl.text.runs import Runs
        from cython.cimports.libc.string import memchr
    else:
        from anyurl.text.finder import Finder
        from anyurl.text.found import Found
        from anyurl.text.markup import MarkupReader
        from anyurl.text.runs import Runs

from anyurl.text.readers.registry import Reader
from anyurl.text.scan import rows
from anyurl.url import URL

COMPILED: bool = cython.compiled

MAX_TAG = 131_072
"""Octets of a tag: the beginning of a longer one is skipped."""

TEXT_END, DATA_END = b"<", b"]]>"
"""The ends of a text and of a CDATA section."""

REFERENCE = re.compile(rb"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|([A-Za-z_][\w.\-]{0,62}));")
REFERENCE_LENGTH = 64
"""Octets of the longest reference."""
_MEANS = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
# Possessive repetitions contain no possessive ones, at which PyPy fails. A part that may fail midway is atomic: CPython
# before 3.11.5 would go on from there.
_TAG = re.compile(rb"<(?>[^\s/>]+)(?:[^\"'>]+|(?>\"[^\"]*\")|(?>'[^']*'))*+>")
_ATTRIBUTE = re.compile(rb"\s((?>[^\s=\"'/>]+))\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_DECLARED = re.compile(rb"[\[>]")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<\?xml[\s?]")
_LINK = re.compile(rb"<[A-Za-z][A-Za-z0-9+.\-]*://")


class XmlReader(MarkupReader):
    """Searches text and attribute values."""

    def __init__(self, finder: Finder) -> None:
        super().__init__(finder, False)
        self._inner = Finder(finder.schemes, finder.kinds, finder.errors, None, 0, finder.parse)
        self._skip = 0  # octets of a continued text that were searched, and those up to the last URL
        self._floor = 0

    def _report_rows(self, data: bytes, count: cython.int) -> object:
        """Search the attribute values of simple tags, and the texts between them."""
        row: cython.int
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t
        quoted: cython.int
        for row in range(count):
            start = self._rows[3 * row + 1]
            end = self._rows[3 * row + 2]
            # A value with its quotation marks: its content is one URL, even with a ? at its end
            quoted = start > 0 and end < len(data) and data[start - 1] == data[end] in (34, 39)
            self._search(data, start - quoted, end + quoted, True)
        return None

    def _text(self, data: bytes, start: int) -> int:
        self._until = TEXT_END
        return start

    def _pass_over(self, data: bytes, start: int, final: bool) -> int:
        """Continue to the end of a text, or skip to the end of a comment, an instruction or a declaration."""
        until = self._until
        stop = data.find(until, start)
        end = stop if stop >= 0 else len(data) if final else max(start, len(data) - len(until) + 1)
        if until in (TEXT_END, DATA_END):
            is_whole = stop >= 0 or final
            self._search(data, start, end, is_whole, until == TEXT_END)
            if not is_whole:
                return -1
        elif stop < 0:
            return self._wait(end, 1)
        self._until = b""
        return end if stop < 0 or until == TEXT_END else stop + len(until)

    def _search(
        self,
        data: bytes,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        is_whole: cython.bint,
        has_references: cython.bint = True,
    ) -> object:
        """Search a separate text, with its references replaced."""
        first: cython.Py_ssize_t
        last: cython.Py_ssize_t
        found: Found
        runs: Runs | None = None
        skip = self._skip
        floor = self._floor
        marks: cython.Py_ssize_t = _ampersands(data, start, end) if has_references else 0
        if marks > 0 and is_whole and not skip:  # the usual case
            text = data[start:end].replace(b"&amp;", b"&")
        elif marks:
            marks = 0
            if not is_whole and (mark := data.rfind(b"&", max(start + skip, end - REFERENCE_LENGTH), end)) >= 0:
                end = mark
            runs = Runs()
            undo_references(data, start, start + self._floor, runs)
            floor = runs.size
            undo_references(data, start + self._floor, start + self._skip, runs)
            skip = runs.size
            undo_references(data, start + self._skip, end, runs)
            text = b"".join([text for text, _ in runs.take()])
        else:
            text = data[start:end]
        inner: Finder = self._inner
        for found in inner.read_row(text, skip, floor, is_whole):
            first, last = _place(runs, start, found._octet_start, found._octet_end)
            if marks:
                first += 4 * _count(text, found._octet_start)
                last += 4 * _count(text, found._octet_end)
            self._finder._add(
                found._url, found._fragment, found._alternatives, self._finder._text(first, last), first, last,
                found._context, found._kind,
            )  # fmt: skip
        self._skip = self._floor = 0
        if not is_whole:
            self._go_on(runs, data, start, len(data))
        return None

    def _go_on(self, runs: Runs | None, data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Keep the unsearched octets in the buffer, with those that determine the context of a candidate."""
        back: cython.Py_ssize_t
        inner = self._inner
        floor, place = _place(runs, start, inner.floor, inner.resume)
        back = max(start, place - rows.LOOK_BACK)
        while back > start and data[back] & 0xC0 == 0x80:  # only whole characters are counted
            back -= 1
        self._skip = max(0, place - back)  # without output, no place of the text is known
        self._floor = max(0, floor - back)
        self._finder.done(back, stop - start if inner.need else 0)
        return None

    def _markup(self, data: bytes, start: int, final: bool) -> int:
        """Read markup other than simple tags."""
        size = len(data) - start
        if size < 9 and not final:  # <![CDATA[ is the longest beginning
            return self._wait(start, 9 - size)
        second = data[start + 1 : start + 2]
        if second == b"!":
            return self._declaration(data, start, final)
        if second in (b"?", b"/"):
            self._until = b"?>" if second == b"?" else b">"
            return start + 2
        if _LINK.match(data, start) is not None:  # <http://host/>, as in plain text
            return start + 1
        match = _TAG.match(data, start)
        if match is None:
            return len(data) if final or size >= MAX_TAG else self._wait(start, size)
        for attribute in _ATTRIBUTE.finditer(data, start, match.end()):
            if not attribute[1].startswith(b"xmlns"):
                first, last = attribute.span(attribute.lastindex or 0)
                self._search(data, first - 1, last + 1, True)
        return match.end()

    def _declaration(self, data: bytes, start: int, final: bool) -> int:
        """Begin a section, a comment or a declaration."""
        for begin, until in ((b"<![CDATA[", DATA_END), (b"<!--", b"-->")):
            if data.startswith(begin, start):
                self._until = until
                return start + len(begin)
        declared = _DECLARED.search(data, start)
        if declared is None and not final and len(data) - start < MAX_TAG:
            return self._wait(start, len(data) - start)
        self._until = b"]>" if declared is not None and declared[0] == b"[" else b">"
        return start + 2


@cython.cfunc
@cython.exceptval(check=False)
def _ampersands(data: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The number of references in a text if all are ``&amp;``; otherwise -1."""
    count: cython.Py_ssize_t = 0
    if cython.compiled:
        octets = cython.cast(cython.p_const_uchar, data)
        place = cython.cast(cython.p_const_uchar, memchr(octets + start, 38, end - start))
        while place != cython.NULL:
            start = place - octets + 5
            if start > end or place[1] != 97 or place[2] != 109 or place[3] != 112 or place[4] != 59:
                return -1
            count += 1
            place = cython.cast(cython.p_const_uchar, memchr(octets + start, 38, end - start))
        return count
    count = data.count(b"&", start, end)
    return count if count == data.count(b"&amp;", start, end) else -1


@cython.cfunc
@cython.exceptval(check=False)
def _count(text: bytes, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The number of ampersands before `stop`."""
    count: cython.Py_ssize_t = 0
    if cython.compiled:
        octets = cython.cast(cython.p_const_uchar, text)
        i: cython.Py_ssize_t
        for i in range(stop):
            count += octets[i] == 38
        return count
    return text.count(b"&", 0, stop)


def _place(
    runs: Runs | None, start: cython.Py_ssize_t, first: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> tuple[int, int]:
    """The place in the source of a part of a text that begins at `start`."""
    if runs is None:
        return start + first, start + last
    begin, end, _ = runs.span(first, last)
    return begin, end


def undo_references(data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, out: Runs) -> object:
    """Write a text with its references replaced."""
    for match in REFERENCE.finditer(data, start, stop):
        out.copy(data, start, match.start())
        start = match.end()
        text = meaning(match)
        if text:
            out.put(text, match.start(), start)
        else:
            out.cut(match.start())
    out.copy(data, start, stop)
    return None


def meaning(match: re.Match[bytes]) -> bytes:
    """The replacement of a reference; nothing if it ends a text."""
    if match[1] is not None:
        return _MEANS[match[1]]
    if match[4] is not None:
        char = html5.get(match[4].decode() + ";", "e")
        return b"{" + match[4] + b"}" if char.isalnum() else b""
    code = int(match[2]) if match[2] is not None else int(match[3], 16)
    return chr(code).encode("utf-8", "surrogatepass") if code < 0x110000 else match[0]


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find URLs in the finder's buffer."""
    return XmlReader(finder).read


READERS = (
    Reader(
        name="xml", summary="XML: feeds, sitemaps, SVG; references written out, sections of text (CDATA) read",
        suffixes=(
            ".xml", ".rss", ".atom", ".svg", ".xsd", ".xsl", ".xslt", ".rdf", ".opml", ".gpx", ".kml", ".opf",
            ".ncx", ".plist", ".wsdl", ".docbook", ".xspf", ".metalink",
        ),
        types=("text/xml", "application/xml", "application/rss+xml", "application/atom+xml", "image/svg+xml"),
        begins=lambda head: _BEGIN.match(head) is not None, look=look,
    ),
)  # fmt: skip
