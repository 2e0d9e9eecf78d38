"""Gemtext (text/gemini): the links of its link lines, ``=> reference what it is called`` (the Gemini specification).

Rule: a line is a link, or it is running text, as its first characters say. Between two lines of three grave accents no
line is a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.text.finder import Finder
from anyurl.text.judgement import UNSAFE_OUT, encode_unsafe
from anyurl.text.readers.links import MAX_LINE
from anyurl.text.readers.registry import Reader
from anyurl.url import URL

_LINE = re.compile(rb"^(?:```|=>[ \t]*+(?P<reference>[^ \t\r\n]+))", re.MULTILINE)
_UNSAFE = UNSAFE_OUT | str.maketrans({"\\": "%5C"})
_FENCE = re.compile(rb"^```", re.MULTILINE)


class GemtextLinks:
    """Finds references in whole lines of the finder's buffer.

    Args:
        base: The base of relative references; without one only whole URLs are reported.
    """

    def __init__(self, finder: Finder, base: URL | None) -> None:
        self._finder = finder
        self._base = base
        self._is_verbatim = False  # the resume position in the buffer

    def read(self) -> None:
        """Read the whole lines of the buffer."""
        finder = self._finder
        data, start, final = finder.window()
        stop = len(data) if final else data.rfind(b"\n", start) + 1
        if stop <= start:
            if len(data) - start < MAX_LINE and not final:
                finder.done(start, len(data) - start)
                return
            stop = len(data)
        is_verbatim = self._is_verbatim
        for match in _LINE.finditer(data, data.rfind(b"\n", 0, start) + 1, stop):
            first, last = match.span("reference")
            if first < 0:
                is_verbatim ^= match.start() >= start
            elif not is_verbatim and first >= start:
                finder.search(start, first, None, True)
                start = self._after(data, start)
                if start <= match.start():  # a wrapper that begins before may hold the line
                    return
                if start <= first:
                    text = data[first:last].decode("utf-8", "surrogateescape")
                    finder.link(first, last, encode_unsafe(text, _UNSAFE), self._base, "gemtext")
                    start = last
        finder.search(start, stop, None, True)
        self._after(data, start)

    def _after(self, data: bytes, start: int) -> int:
        """How far it is read now."""
        place = self._finder.window()[1]
        passed = [match for match in _FENCE.finditer(data, start, place + 3) if start <= match.start() < place]
        self._is_verbatim ^= len(passed) % 2 == 1
        return place


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find references in the finder's buffer."""
    return GemtextLinks(finder, base).read


READERS = (
    Reader(
        name="gemtext", summary="Gemtext: relative references, too", suffixes=(".gmi", ".gemini"),
        types=("text/gemini",), look=look,
    ),
)  # fmt: skip
