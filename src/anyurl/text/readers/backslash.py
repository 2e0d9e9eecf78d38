# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The common base of formats that escape by a backslash: JSON, roff and LaTeX.

Rule: text is copied up to each backslash; an escape is decoded once the longest possible one would be complete.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from anyurl.text.runs import Runs
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.runs import Runs
    else:
        from anyurl.text.runs import Runs

COMPILED: bool = cython.compiled


class BackslashDecoder(ABC):
    """Undoes the escapes of a format.

    Attributes:
        simple: The meanings of one-octet escapes.
        escape: Any other escape, from its backslash on.
        longest: Octets of the longest one.
        marked: Whether text without a backslash has marks, too, which `plain` reads.
        unknown: Octets to copy at a backslash without an escape: 2 when the next one can't begin an escape either.
    """

    simple: ClassVar[dict[bytes, bytes]]
    escape: ClassVar[re.Pattern[bytes]]
    longest: ClassVar[int]
    unknown: ClassVar[int] = 1
    marked: ClassVar[bool] = False

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Copy up to each backslash, and write the character that it escapes."""
        start: cython.Py_ssize_t = 0
        place: cython.Py_ssize_t
        longest: cython.Py_ssize_t = self.longest
        simple = self.simple
        marked: cython.bint = self.marked
        while (place := data.find(b"\\", start)) >= 0:
            if marked:
                self.plain(data, start, place, out)
            else:
                out.copy(data, start, place)
            if len(data) - place < longest and not final:
                return place
            meaning = simple.get(data[place + 1 : place + 2])
            if meaning is not None:
                start = place + 2
                out.put(meaning, place, start)
                continue
            match = self.escape.match(data, place)
            if match is None:
                start = min(place + self.unknown, len(data))
                out.copy(data, place, start)
            else:
                start = self.write(match, place, out)
        self.plain(data, start, len(data), out)
        return len(data)

    def plain(self, data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, out: Runs) -> object:
        """Write text without a backslash."""
        out.copy(data, start, stop)
        return None

    @abstractmethod
    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the meaning of an escape at `place`; returns its end."""
