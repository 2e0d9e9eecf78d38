"""From candidates to what was found: the kernel's rows become URLs with their places (RFC 1738 appendix).

Rule: a candidate is reported when `anyurl.url.URL` accepts it, and only then. The finder keeps as much of the text as
the longest candidate may need, never more.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.kernel import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.kernel import _cython as cython

from anyurl.kernel import rows
from anyurl.kernel.scan import Scanner
from anyurl.text.fold import unfold
from anyurl.text.found import Found
from anyurl.text.shapes import known_names
from anyurl.url import URL

COMPILED: bool = cython.compiled

CONTEXTS = ("bare", "angle", "URL:", "markdown", "restructuredtext", "html-attribute")
"""The names of the kernel's contexts, by number."""

UNSAFE = str.maketrans({"[": "%5B", "]": "%5D", "|": "%7C"})


class Finder:
    """Finds the URLs in UTF-8 octets that come piece by piece.

    Args:
        schemes: Names in lower case: only these are reported; all when None.
        emails: Report e-mail addresses as ``mailto:`` URLs.
        www: Report names that begin with ``www.`` as ``http://`` URLs.
        errors: How the octets are decoded where they are not UTF-8.
    """

    def __init__(self, schemes: Collection[str] | None, emails: bool, www: bool, errors: str) -> None:
        flags = (rows.FIND_EMAILS if emails else 0) | (rows.FIND_WWW if www else 0)
        names = known_names()
        self.schemes = None if schemes is None else frozenset(schemes)
        self.errors = errors
        self.out = memoryview(array("q", bytes(8 * rows.COLUMNS * rows.MAX_ROWS)))
        self.scanner = Scanner(names, self.out, flags)
        self.inner_out = memoryview(array("q", bytes(8 * rows.COLUMNS * rows.MAX_ROWS)))
        self.inner = Scanner(names, self.inner_out, flags | rows.NO_WRAPPERS)
        self.data = b""
        self.resume = 0
        self.at = 0
        self.char = self.octet = self.line_start = 0
        self.line = 1

    def feed(self, data: bytes, final: bool) -> list[Found]:
        """What can be told with these octets more.

        Args:
            data: Octets of UTF-8; a character may be cut.
            final: Nothing follows.
        """
        keep = max(0, self.resume - rows.LOOK_BACK)
        if keep:
            while keep and self.data[keep] & 0xC0 == 0x80:
                keep -= 1
            if self.at < keep:
                self._advance(keep)
            self.data = self.data[keep:] + data
            self.resume -= keep
            self.at -= keep
        else:
            self.data = self.data + data if self.data else data
        self.scanner.load(self.data, keep, len(self.data), final)
        found: list[Found] = []
        while True:
            count = self.scanner.scan(self.resume, self.at)
            self.resume, _ = self.scanner.tell()
            for row in range(count):
                self._report(self.scanner, self.out, row * rows.COLUMNS, found)
            if count < rows.MAX_ROWS:
                return found

    def _advance(self, to: int) -> None:
        """Move the place to `to`: characters, octets, lines."""
        gap = self.data[self.at : to]
        breaks = gap.count(b"\n")
        if breaks:
            behind = gap.rfind(b"\n") + 1
            self.line += breaks
            self.line_start = self.char + len(gap[:behind].decode("utf-8", self.errors))
        self.char += len(gap.decode("utf-8", self.errors))
        self.octet += len(gap)
        self.at = to

    def _report(self, scanner: Scanner, out: memoryview, row: int, found: list[Found]) -> None:
        start, end, _, _, kind, context, cut = out[row : row + 7]
        octets = self.data[start:end]
        raw = octets.decode("utf-8", self.errors)
        if kind & rows.FOLDED:
            readings = unfold(scanner.pieces(start, end))
        elif cut >= 0:
            shorter = self.data[start:cut].decode("utf-8", self.errors)
            readings = [shorter, raw] if kind & rows.SHORTER else [raw, shorter]
        else:
            readings = [raw]
        urls: list[URL] = []
        for reading in readings:
            try:
                urls.append(self._url(reading, kind))
            except ValueError:
                if not urls:
                    break
        if not urls:
            if context in (rows.ANGLE, rows.URL_PREFIX, rows.MARKDOWN, rows.RST) and scanner is not self.inner:
                self._look_inside(start, end, found)
            return
        url = urls[0]
        if self.schemes is not None and url.scheme not in self.schemes:
            return
        if kind & rows.SHORTER and cut >= 0:
            end = cut
            raw = self.data[start:end].decode("utf-8", self.errors)
        self._advance(start)
        first, first_octet, line, column = self.char, self.octet, self.line, self.char - self.line_start + 1
        fragment = url.fragment
        found.append(
            Found(
                url.without_fragment() if fragment is not None else url,
                fragment,
                tuple(urls[1:]),
                raw,
                (first, first + len(raw)),
                (first_octet, first_octet + end - start),
                line,
                column,
                CONTEXTS[context],
            )
        )

    def _url(self, text: str, kind: int) -> URL:
        if kind & rows.EMAIL:
            return URL(f"mailto:{text}")
        if kind & rows.WWW:
            text = f"http://{text}"
        if kind & rows.SPACED:
            text = text.replace(" ", "%20").replace("\t", "%09")
        if kind & rows.UNSAFE:
            at = text.index("?") if "?" in text else text.index("#")
            text = text[:at] + text[at:].translate(UNSAFE)
        return URL(text)

    def _look_inside(self, start: int, end: int, found: list[Found]) -> None:
        """Read as prose what looked like a wrapper and held no URL."""
        self.inner.load(self.data, len(self.data), end, True)
        at = start
        while True:
            count = self.inner.scan(at, at)
            at, _ = self.inner.tell()
            for row in range(count):
                self._report(self.inner, self.inner_out, row * rows.COLUMNS, found)
            if count < rows.MAX_ROWS:
                return
