# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Decoded text, and where each part of it stands in the text that it was decoded from.

Rule: a decoder copies, replaces and cuts; every octet that it writes has a place. What is kept of the places is what
can still be asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from anyurl.kernel import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.kernel import _cython as cython

COMPILED: bool = cython.compiled

CUT = b'"'
"""What stands between two texts: a URL ends at a quotation mark, and so does every wrapper."""

_VERBATIM = cython.declare(cython.Py_ssize_t, -1)
_BASE64 = cython.declare(cython.Py_ssize_t, -2)


class Decoder(Protocol):
    """Takes the marks of a format off, piece by piece."""

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Write the text of `data`, as far as it can be decided.

        Args:
            data: What has come and was not yet read.
            final: Nothing follows.
            out: Where to write.

        Returns:
            How far was read: the rest is given again, with more behind it.
        """
        ...


class Runs:
    """What a decoder writes: runs of text, each with its place in the source; contexts, and beginnings of formats.

    Places given by a decoder count from the beginning of its `data`; `base` is where that lies in the source.

    Attributes:
        base: Octets of the source before the decoder's `data`.
        size: Octets written so far.
        cut_at: Octets written up to the last cut.
        first: The first octet of the source that is still needed.
    """

    __slots__ = ("base", "size", "cut_at", "first", "_parts", "_done", "_outs", "_places", "_name")
    if TYPE_CHECKING:  # types of C: runs.pxd
        base: int
        size: int
        cut_at: int
        first: int
        _parts: list[bytes]
        _done: list[tuple[bytes, str | None]]
        _outs: list[int]  # where each run begins in what was written
        _places: list[tuple[int, int, str | None]]  # where it comes from: its start, its stop or how, its context
        _name: str | None

    def __init__(self) -> None:
        self.base = self.size = self.cut_at = self.first = 0
        self._parts, self._done = [], []
        self._outs, self._places = [0], [(0, _VERBATIM, None)]
        self._name = None

    def name(self, context: str | None) -> None:
        """Say how what follows stands in the text; None: as the octets around it tell."""
        self._name = context

    def copy(self, data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Write a part of `data` as it is."""
        if stop > start:
            self._place(self.base + start, _VERBATIM)
            self._parts.append(data[start:stop])
            self.size += stop - start
        return None

    def put(self, text: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Write `text` for what stands from `start` to `stop`."""
        size: cython.Py_ssize_t = len(text)
        if size > 0:  # as many octets: each for its own
            self._place(self.base + start, _VERBATIM if size == stop - start else self.base + stop)
            self._parts.append(text)
            self.size += size
        return None

    def unpack(self, text: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Write `text` for the base64 from `start` to `stop`: three octets for four letters, without a gap."""
        if text:
            self._place(self.base + start, _BASE64)
            self._parts.append(text)
            self.size += len(text)
        return None

    def cut(self, place: cython.Py_ssize_t) -> object:
        """End a text at `place`: no URL goes on behind it."""
        self._place(self.base + place, self.base + place)
        self._parts.append(CUT)
        self.size += len(CUT)
        self.cut_at = self.size
        return None

    def begin(self, format: str) -> None:
        """Say that a text of a format begins here; what was written before ends."""
        self._done.append((b"".join(self._parts), format))
        self._parts = []

    def _place(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Begin a run, if what is written next does not go on with the last one."""
        out: cython.Py_ssize_t = self._outs[len(self._outs) - 1]
        begin: cython.Py_ssize_t
        end: cython.Py_ssize_t
        begin, end, name = self._places[len(self._places) - 1]
        if stop == _VERBATIM and end == _VERBATIM and start - begin == self.size - out and name == self._name:
            return None
        if out == self.size:
            self._places[len(self._places) - 1] = (start, stop, self._name)
        else:
            self._outs.append(self.size)
            self._places.append((start, stop, self._name))
        return None

    def take(self) -> list[tuple[bytes, str | None]]:
        """What was written since: texts, each with the format that begins behind it, or None."""
        done = self._done
        if self._parts:
            done.append((b"".join(self._parts), None))
            self._parts = []
        self._done = []
        return done

    def span(self, start: int, stop: int) -> tuple[int, int, str | None]:
        """Where a part of what was written stands in the source, and how."""
        first = bisect_right(self._outs, start) - 1
        last = first if start == stop else bisect_right(self._outs, stop - 1, first) - 1
        begin, how, name = self._places[first]
        if how == _VERBATIM:
            begin += start - self._outs[first]
        elif how == _BASE64:
            begin += (start - self._outs[first]) // 3 * 4
        end, how, _ = self._places[last]
        if how == _VERBATIM:
            end += stop - self._outs[last]
        elif how == _BASE64:
            end += (stop - 1 - self._outs[last]) // 3 * 4 + 4
        else:
            end = how
        return begin, max(begin, end), name

    def forget(self, start: int) -> None:
        """Forget the places of what was written before `start`."""
        first = bisect_right(self._outs, start) - 1
        if first > 0:
            del self._outs[:first], self._places[:first]
        if start >= self.size:  # what is written from now on stands behind all that was read
            self.first = self.base
        else:
            self.first = self.span(max(start, self._outs[0]), max(start, self._outs[0]) + 1)[0]
