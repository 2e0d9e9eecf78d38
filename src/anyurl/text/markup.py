# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""What reads HTML and what reads XML: tags one after another, in the finder's buffer.

Rule: `anyurl.kernel.tags` reads the simple tags and the text between them; the format reads all others, and what has no
tags inside. Nothing is copied, so what is found stands where it is found.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyurl.kernel import _cython as cython
    from anyurl.text.finder import Finder
else:
    try:
        import cython
    except ImportError:
        from anyurl.kernel import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.finder import Finder
    else:
        from anyurl.text.finder import Finder

from anyurl.kernel import tags
from anyurl.kernel.tags import Tags

COMPILED: bool = cython.compiled


class MarkupReader:
    """Reads the tags of a document one after another.

    Its last four methods are each format's own: they raise here, for a class of C knows no abstract ones.

    Args:
        finder: The finder.
        in_html: Whether it is HTML.
    """

    def __init__(self, finder: Finder, in_html: bool) -> None:
        self._finder = finder
        self._until = b""  # the end of what has no tags inside
        rows = memoryview(array("q", bytes(8 * tags.COLUMNS * tags.MAX_ROWS)))
        names = memoryview(array("q", bytes(16 * tags.MAX_ATTRIBUTES)))
        self._rows = rows
        self._tags = Tags(rows, names, finder.kinds.every, in_html)

    def read(self) -> None:
        """Read what the buffer holds whole."""
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
        """Leave the buffer from `place` on, until as much again has come."""
        self._finder.done(place, size)
        return -1

    def _report_rows(self, data: bytes, count: cython.int) -> object:
        """Report what stands in simple tags, and in the text between them."""
        raise NotImplementedError

    def _pass_over(self, data: bytes, start: int, final: bool) -> int:
        """Go on to `_until`; where it ends, or -1 for not yet."""
        raise NotImplementedError

    def _markup(self, data: bytes, start: int, final: bool) -> int:
        """Read what begins with < and is no simple tag; where it ends, or -1 for not yet."""
        raise NotImplementedError

    def _text(self, data: bytes, start: int) -> int:
        """Read text behind the last tag; where it ends, or -1 for not yet."""
        raise NotImplementedError
