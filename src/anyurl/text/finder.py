# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Finder: makes URLs with their places from the candidates of the kernel (RFC 1738 appendix).

Rule: a candidate is reported if and only if `URL`, or the requested grammar, accepts it. The finder keeps no more of
the text than the longest candidate may need, and searches it again only when it has doubled.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.found import Found
    from anyurl.text.scan.lines import ascii_text, has_marks, holds, is_ascii, length, measure, text_of
    from anyurl.url.cut import _cython as cython
    from anyurl.url.url import read_ascii
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.found import Found
        from cython.cimports.anyurl.text.scan.lines import (
            ascii_text,
            has_marks,
            holds,
            is_ascii,
            length,
            measure,
            text_of,
        )
        from cython.cimports.anyurl.url.url import read_ascii
    else:
        from anyurl.text.found import Found
        from anyurl.text.scan.lines import ascii_text, has_marks, holds, is_ascii, length, measure, text_of
        from anyurl.url.url import read_ascii

from anyurl.errors import URLSyntaxError
from anyurl.text.entities import unescape
from anyurl.text.fold import as_typed, unfold, without_hidden
from anyurl.text.judgement import (
    DEFANGED_REACH,
    carried_on,
    glued_before,
    is_domain,
    is_format,
    is_torn,
    is_unusable,
    read_each,
    read_gap,
    read_link,
)
from anyurl.text.kinds import Kinds, is_gap, kind_of, scheme_of
from anyurl.text.scan import rows
from anyurl.text.scan.lines import encode
from anyurl.text.scan.scan import Scanner
from anyurl.text.shapes import known_names
from anyurl.text.source import octets_in
from anyurl.url import URL
from anyurl.values import STRANGER, Provenance

COMPILED: bool = cython.compiled

_CONTEXTS = cython.declare(tuple, ("bare", "angle", "URL:", "markdown", "restructuredtext", "html-attribute"))
"""The names of the kernel's contexts, by their numbers."""
_COLUMNS = cython.declare(cython.int, rows.COLUMNS)
_MAX_ROWS = cython.declare(cython.int, rows.MAX_ROWS)
_LOOK_BACK = cython.declare(cython.int, rows.LOOK_BACK)
_FOLDED = cython.declare(cython.int, rows.FOLDED)
_SHORTER = cython.declare(cython.int, rows.SHORTER)
_GLUED = cython.declare(cython.int, rows.GLUED)
_TEMPLATE = cython.declare(cython.int, rows.TEMPLATE)
_EMAIL = cython.declare(cython.int, rows.EMAIL)
_WWW = cython.declare(cython.int, rows.WWW)
_DOMAIN = cython.declare(cython.int, rows.DOMAIN)
_REFERENCES = cython.declare(cython.int, rows.REFERENCES)
_BARE = cython.declare(cython.int, rows.BARE)
_MARKDOWN = cython.declare(cython.int, rows.MARKDOWN)
_HTML_ATTRIBUTE = cython.declare(cython.int, rows.HTML_ATTRIBUTE)


class Finder:
    """Finds the URLs in UTF-8 octets that arrive piece by piece.

    Args:
        schemes: Names in lower case: only these are reported; None for all.
        kinds: Further kinds to report besides URLs.
        errors: The error handler for octets that are not UTF-8.
        encoding: The encoding of the source if it is not UTF-8, or None.
        skipped: Octets of the source before the text.

    Attributes:
        origin: Who names the URLs in this text.
        format: The formats around it, outermost first.
    """

    __slots__ = (
        "parse",
        "schemes", "errors", "encoding", "scanner", "inner", "out", "inner_out", "found", "data", "final", "midway",
        "resume", "floor", "waiting", "waits", "need", "at", "char", "octet", "line", "line_start", "unescape", "named",
        "origin", "kinds", "told", "format",
    )  # fmt: skip
    if TYPE_CHECKING:  # types of C: finder.pxd
        schemes: frozenset[str] | None
        errors: str
        encoding: str | None  # None for UTF-8
        scanner: Scanner
        inner: Scanner  # reads the content of an apparent wrapper as prose
        out: array[int]
        inner_out: array[int]
        found: list[Found]
        data: bytes
        final: bool
        midway: bool  # the last step did not reach the end of the buffer
        unescape: bool
        named: str | None
        origin: Provenance
        format: str  # those around the text, outermost first
        kinds: Kinds
        resume: int  # everything before it is decided
        floor: int  # the end of the last reported URL
        waiting: list[bytes]
        waits: int
        need: int  # octets that must arrive before the next search
        at: int  # the position up to which these were counted:
        char: int
        octet: int
        line: int
        line_start: int
        told: list[int]  # the results of `measure`

    def __init__(
        self,
        schemes: Collection[str] | None,
        kinds: Kinds,
        errors: str,
        encoding: str | None = None,
        skipped: int = 0,
        parse: Callable[[str], URL] | None = None,
    ) -> None:
        flags, names = kinds.flags, known_names()
        self.kinds = kinds
        self.schemes = None if schemes is None else frozenset(schemes)
        self.parse: Callable[[str], URL] | None = parse
        self.errors, self.encoding = errors, encoding
        out, inner_out = (array("q", bytes(8 * rows.COLUMNS * rows.MAX_ROWS)) for _ in range(2))
        self.out, self.inner_out = out, inner_out
        self.scanner = Scanner(names, memoryview(out), flags)
        self.inner = Scanner(names, memoryview(inner_out), (flags | rows.NO_WRAPPERS) & ~rows.FIND_DOMAINS)
        self.found, self.waiting, self.data = [], [], b""
        self.resume = self.floor = self.waits = self.need = self.at = self.char = self.line_start = 0
        self.octet = skipped
        self.line = 1
        if not cython.compiled:
            self.told = [0, 0]
        self.unescape = self.final = self.midway = False
        self.named, self.origin, self.format = None, STRANGER, "text"

    def accept(self, data: bytes, final: bool) -> bool:
        """Add octets to the buffer; returns whether there are enough to search."""
        self.waiting.append(data)
        self.waits += len(data)
        if self.waits < self.need and not final:
            return False
        if len(self.waiting) > 1:
            data = b"".join(self.waiting)
        self.waiting = []
        kept: cython.Py_ssize_t = self._keep(final)
        self.data = self.data[len(self.data) - kept :] + data if kept else data
        return True

    def accept_text(self, text: str, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, final: bool) -> bool:
        """The same for a part of an ASCII text, which is copied once, together with the kept text before it."""
        self.waits += stop - start
        if self.waits < self.need and not final:
            return False
        waits: cython.Py_ssize_t = self.waits
        self.data = encode(text, stop - waits - self._keep(final), stop)
        return True

    def _keep(self, final: bool) -> cython.Py_ssize_t:
        """How many octets at the end of the buffer are still needed; places count from there."""
        keep: cython.Py_ssize_t = self.resume - _LOOK_BACK
        self.waits, self.need, self.final = 0, 0, final
        if keep <= 0:
            return len(self.data)
        while keep > 0 and self.data[keep] & 0xC0 == 0x80 and self.resume - keep < _LOOK_BACK + 4:
            keep -= 1
        if self.at < keep:
            self._advance(keep)
        self.resume -= keep
        self.at -= keep
        self.floor = self.floor - keep if self.floor > keep else 0
        return len(self.data) - keep

    def window(self) -> tuple[bytes, int, bool]:
        """The buffer, the position to continue at, and whether nothing follows it."""
        return self.data, self.resume, self.final

    def done(self, place: int, need: int) -> None:
        """Mark the buffer as read up to `place`; `need` more octets must arrive before the next search."""
        self.resume, self.need = place, need

    def read(self) -> None:
        """Search the whole buffer as running text."""
        self.search(self.resume, len(self.data), None, True)

    def step(self) -> bool:
        """Search the buffer as running text until some are found, or its end; returns whether there may be more."""
        if not self.midway:
            self._name(None)
            self.scanner._load(self.data, self.floor, len(self.data), len(self.data), self.final)
        self.midway = self._scan(self.scanner, self.out, self.resume)
        return self.midway

    def read_row(
        self, text: bytes, start: cython.Py_ssize_t = 0, floor: cython.Py_ssize_t = 0, final: cython.bint = True
    ) -> list[Found]:
        """Find the URLs of a separate text: earlier ones are dropped, and places count from its start."""
        self.data = text
        self.final = final
        self.at = self.char = self.octet = self.line_start = self.need = 0
        self.floor, self.line = floor, 1
        self.search(start, len(text), None, True)
        return self.taken()

    def search(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, named: str | None, goes_on: cython.bint = False,
        low: cython.Py_ssize_t = 0,
    ) -> object:  # fmt: skip
        """Search a part of the buffer as running text.

        Args:
            start: The start of the part.
            stop: Its end.
            named: The context of the URLs, or None for the one that the octets around them tell.
            goes_on: The text continues after `stop`: a candidate may continue there, or wait for more octets.
            low: The earliest start of a URL; a candidate that waited begins before `start`.
        """
        self._name(named)
        if goes_on:
            self.scanner._load(self.data, self.floor, stop, len(self.data), self.final)
        else:
            self.scanner._load(self.data, max(self.floor, low), stop, stop, True)
        while self._scan(self.scanner, self.out, start):
            start = self.scanner.resume
        return None

    def _name(self, named: str | None) -> object:
        """Name the context of what follows; in HTML, characters may be written as references."""
        self.named = named
        self.unescape = named is not None and named.startswith("html")
        self.scanner.flags = self.scanner.flags | _REFERENCES if self.unescape else self.scanner.flags & ~_REFERENCES
        return None

    def taken(self) -> list[Found]:
        """The URLs that were found since the last call."""
        found = self.found
        self.found = []
        return found

    def _scan(self, scanner: Scanner, out: array[int], start: cython.Py_ssize_t) -> cython.bint:
        """Report the results of one run of the scanner from `start` on; returns whether there may be more."""
        found: cython.Py_ssize_t = scanner._scan(start)
        row: cython.Py_ssize_t
        for row in range(found):
            self._report(scanner, out, row * _COLUMNS)
        if scanner is self.scanner:
            self.resume = scanner.resume
            self.need = len(self.data) - self.resume if scanner.pending else self.need  # until it has doubled
        return found == _MAX_ROWS

    def _advance(self, to: cython.Py_ssize_t) -> object:
        """Count characters, octets and lines up to `to`."""
        start: cython.Py_ssize_t = self.at
        breaks: cython.Py_ssize_t = measure(self.data, start, to, self.told)
        line: cython.Py_ssize_t = self.told[0]
        before: cython.Py_ssize_t = line - start
        behind: cython.Py_ssize_t = to - line
        if not self.told[1]:
            before, behind = length(self.data, start, line, self.errors), length(self.data, line, to, self.errors)
        if breaks:
            self.line += breaks
            self.line_start = self.char + before
        self.char += before + behind
        self.octet += self._octets(start, to)
        self.at = to
        return None

    def _octets(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The number of octets of a part of the buffer in the source."""
        return stop - start if self.encoding is None else octets_in(self._text(start, stop), self.encoding)

    def _report(self, scanner: Scanner, out: array[int], row: cython.Py_ssize_t) -> object:
        """Report a row of the scanner, if it is a URL."""
        start: cython.Py_ssize_t = out[row]
        end: cython.Py_ssize_t = out[row + 1]
        hashed: cython.Py_ssize_t = out[row + 3]
        kind: cython.int = out[row + 4]
        context: cython.int = out[row + 5]
        if scanner is self.scanner:  # candidates that are not URLs are passed over as well
            self.floor = end
        name: str = _CONTEXTS[context] if self.named is None else self.named
        if kind & _TEMPLATE:
            return self._add_gap(start, end, kind, name)
        if kind == 0 and out[row + 6] < 0 and not self.unescape and self._is_plain(start, end, context):
            raw = ascii_text(self.data, start, end)
            # The characters of a bare fragment are already checked
            is_cut = hashed >= 0 and context == _BARE
            url = self._read(ascii_text(self.data, start, hashed) if is_cut else raw)
            if url is None:
                return self._look_inside(scanner, context, start, end, name)
            fragment = ascii_text(self.data, hashed + 1, end) if is_cut else None
            if hashed >= 0 and not is_cut:
                url, fragment = url.without_fragment(), url.fragment
            return self._add(url, fragment, (), raw, start, end, name, "url")
        readings = as_typed(self._readings(scanner, start, end, out[row + 6], kind, context))
        urls = read_each(readings, kind, self.parse)
        if urls and kind & _DOMAIN and not is_domain(urls[0], self._text(start, end)):
            urls, context = [], _DOMAIN  # its content is searched
        if not urls:
            return self._look_inside(scanner, context, start, end, name)
        if kind & _SHORTER and out[row + 6] >= 0:
            end = out[row + 6]
        url = urls[0]
        return self._add(
            url.without_fragment(), url.fragment, tuple(urls[1:]), self._text(start, end),
            start, end, name, kind_of(kind),
        )  # fmt: skip

    def _is_plain(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, context: cython.int) -> cython.bint:
        """Whether a candidate needs no encoding and no removal, as nearly all."""
        may_be_escaped: cython.bint = context in (_HTML_ATTRIBUTE, _MARKDOWN)
        return is_ascii(self.data, start, end) and not (may_be_escaped and holds(self.data, start, end, 38))  # &

    def _read(self, text: str) -> URL | None:
        """Parse an ASCII text; returns None if it is not a URL."""
        if self.parse is None:
            return read_ascii(text)
        try:
            return self.parse(text)
        except ValueError:
            return None

    def _look_inside(
        self, scanner: Scanner, context: cython.int, start: cython.Py_ssize_t, end: cython.Py_ssize_t, name: str
    ) -> object:
        """Search an apparent wrapper, or a name, without a URL as prose; others may be templates."""
        if scanner is self.scanner and context not in (_BARE, _HTML_ATTRIBUTE):
            self.inner._load(self.data, start, end, end, True)
            while self._scan(self.inner, self.inner_out, start):
                start = self.inner.resume
        elif self.kinds.templates and is_format(self._text(start, end)):
            self._add_gap(start, end, 0, name)
        return None

    def _add_gap(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, kind: cython.int, context: str) -> object:
        """Report a template or a defanged URL, if requested."""
        raw = self._text(start, end)
        if self.kinds.defanged:
            before, behind = self._beside(start, end)
            more = carried_on(raw, kind, before, behind, self.final and end + DEFANGED_REACH >= len(self.data))
            if more < 0:
                return None
            if more:
                end += more
                raw = self._text(start, end)
        is_escaped = self.unescape or context in ("html-attribute", "markdown")
        url, what = read_gap(unescape(raw) if is_escaped else raw, kind, self.kinds, self.parse)
        if what:
            plain, fragment = (None, None) if url is None else (url.without_fragment(), url.fragment)
            self._add(plain, fragment, (), raw, start, end, context, what)
        return None

    def _beside(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> tuple[bytes, bytes]:
        """The text directly before and after a candidate, as far as it matters to a defanged one."""
        return self.data[max(start - 8, 0) : start], self.data[end : end + DEFANGED_REACH]

    def _text(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
        """A part of the buffer, decoded."""
        return text_of(self.data, start, stop, self.errors)

    def _readings(
        self, scanner: Scanner, start: cython.Py_ssize_t, end: cython.Py_ssize_t, cut: cython.Py_ssize_t,
        kind: cython.int, context: cython.int,
    ) -> list[str]:  # fmt: skip
        """The possible readings of a candidate, the most likely first."""
        text: str
        if kind & _FOLDED:
            readings = unfold(scanner.pieces(start, end))
            other = [] if cut < 0 else unfold(scanner.pieces(start, cut))[:1]
            return other + readings if kind & _SHORTER else readings + other
        text = self._text(start, end)
        shorter = "" if cut < 0 else self._text(start, cut)
        if self.unescape or context in (_HTML_ATTRIBUTE, _MARKDOWN):
            text, shorter = unescape(text), unescape(shorter)
        if kind & rows.JOINED or context in (rows.ANGLE, rows.URL_PREFIX):
            text, shorter = without_hidden(text), without_hidden(shorter)
        if kind & _GLUED:
            return [text, self._text(start - glued_before(self.data, start), end)]
        return [text] if cut < 0 else [shorter, text] if kind & _SHORTER else [text, shorter]

    def _add(
        self, url: URL | URLSyntaxError | None, fragment: str | None, alternatives: tuple[URL, ...], raw: str,
        start: cython.Py_ssize_t, end: cython.Py_ssize_t, context: str, kind: str,
    ) -> object:  # fmt: skip
        """Store a URL with its place."""
        if self.schemes is not None and (url.scheme if isinstance(url, URL) else scheme_of(raw)) not in self.schemes:
            return None
        # $HOST, a@b, XXXX, hxxp: rare, so others are only checked for these octets
        odd = has_marks(self.data, start, end) or (end - start > 1 and self.data[start + 1] | 32 == 120)
        if odd and context != "URL:" and not is_gap(kind) and is_unusable(raw, self.kinds, context):
            return self._add_gap(start, end, 0, context)
        if self.kinds.defanged and not is_gap(kind) and is_torn(raw, *self._beside(start, end)):
            return None
        self._advance(start)
        found: Found = Found.__new__(Found)
        found._url, found._fragment = url, fragment
        found._alternatives = alternatives
        found._raw = raw
        found._start, found._end = self.char, self.char + len(raw)
        found._octet_start, found._octet_end = self.octet, self.octet + self._octets(start, end)
        found._line = self.line
        found._column = self.char - self.line_start + 1
        found._context, found._member, found._kind = context, "", kind
        found._format = self.format
        found._origin = self.origin
        self.found.append(found)
        return None

    def link(self, start: int, end: int, reference: str, base: URL | None, context: str, implied: str = "") -> None:
        """Report a reference that a format reader has found at this place of the buffer.

        Args:
            implied: The kind of a reference without an explicit scheme.
        """
        raw = self._text(start, end)
        link, kind = read_link(raw, reference, base, self.parse, self.kinds, context, self.errors)
        if kind:
            self.floor = end
        if isinstance(link, URL):
            self._add(link.without_fragment(), link.fragment, (), raw, start, end, context, implied or kind)
        elif link is not None:
            self._add(link, None, (), raw, start, end, context, kind)
        elif kind:
            self._add_gap(start, end, 0, context)
