# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The common base of the readers of HTML and XML: tags in sequence, in the finder's buffer.

Rule: `anyurl.text.scan.tags` reads the simple tags and the text between them; the subclasses read all others, and
elements without tags in them. Nothing is copied, so the places of URLs are those in the buffer.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.text.finder import Finder
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.finder import Finder
    else:
        from anyurl.text.finder import Finder

from anyurl.text.scan import tags
from anyurl.text.scan.tags import Tags

COMPILED: bool = cython.compiled


class MarkupReader:
    """Reads the tags of a document in sequence.

    Subclasses define its last four methods, which raise here, since extension types have no abstract methods.

    Args:
        finder: The finder.
        in_html: Whether it is HTML.
    """

    def __init__(self, finder: Finder, in_html: bool) -> None:
        self._finder = finder
        self._until = b""  # the end of an element without tags in it
        rows = memoryview(array("q", bytes(8 * tags.COLUMNS * tags.MAX_ROWS)))
        names = memoryview(array("q", bytes(16 * tags.MAX_ATTRIBUTES)))
        self._rows = rows
        self._tags = Tags(rows, names, finder.kinds.every, in_html)

    def read(self) -> None:
        """Read everything that is complete in the buffer."""
        data, start, final = self._finder.window()
        while start < len(data):
            if self._until:
                after = self._pass_over(data, start, final)
                if after < 0:
                    return
                start = after
                continue
            count = self._tags.scan(data, start)
            if count:
                self._report_rows(data, count)
            start = self._tags.tell()
            if start == len(data):
                break
            if data[start] == 60:  # <
                after = self._markup(data, start, final)
            else:
                after = self._text(data, start)
            if after < 0:
                return
            start = after
        self._finder.done(start, 0)

    def _wait(self, place: int, size: int) -> int:
        """Keep the buffer from `place` on, until as many octets again have arrived."""
        self._finder.done(place, size)
        return -1

    def _report_rows(self, data: bytes, count: cython.int) -> object:
        """Report the URLs in simple tags, and in the text between them."""
        raise NotImplementedError

    def _pass_over(self, data: bytes, start: int, final: bool) -> int:
        """Skip to `_until`; returns its end, or -1 if it is missing so far."""
        raise NotImplementedError

    def _markup(self, data: bytes, start: int, final: bool) -> int:
        """Read markup other than simple tags; returns its end, or -1 if it is incomplete."""
        raise NotImplementedError

    def _text(self, data: bytes, start: int) -> int:
        """Read text after the last tag; returns its end, or -1 if it is incomplete."""
        raise NotImplementedError
