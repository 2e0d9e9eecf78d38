# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Decoded text, with the place of each part in the text that it was decoded from.

Rule: a decoder copies, replaces and cuts; every octet that it writes has a place. Places are kept only as long as they
may be needed.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

COMPILED: bool = cython.compiled

CUT = b'"'
"""The separator of two texts: URLs and wrappers end at a quotation mark."""

_VERBATIM = cython.declare(cython.Py_ssize_t, -1)
_BASE64 = cython.declare(cython.Py_ssize_t, -2)
_COLUMNS = cython.declare(cython.Py_ssize_t, 3)


class Decoder(Protocol):
    """Removes the markup of a format, piece by piece."""

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Write the text of `data`, as far as it is decided.

        Args:
            data: The octets that have arrived and were not read.
            final: Nothing follows.
            out: The output.

        Returns:
            The position up to which `data` was read; the rest is passed again, with more octets after it.
        """
        ...


class Runs:
    """The output of a decoder: runs of text with their places in the source, contexts, and beginnings of formats.

    Places from a decoder count from the beginning of its `data`, whose own place in the source is `base`.

    Attributes:
        base: Octets of the source before the decoder's `data`.
        size: Octets written so far.
        cut_at: Octets written up to the last cut.
        first: The first octet of the source that is still needed.
    """

    __slots__ = ("base", "size", "cut_at", "first", "_parts", "_done", "_table", "_count", "_names", "_name")
    if TYPE_CHECKING:  # types of C: runs.pxd
        base: int
        size: int
        cut_at: int
        first: int
        _parts: list[bytes]
        _done: list[tuple[bytes, str | None]]
        _table: memoryview[int]  # of each run: where it begins in the output and in the source, its stop or how
        _count: int  # the number of runs
        _names: list[str | None]  # the contexts of the runs
        _name: str | None

    def __init__(self) -> None:
        self.base = self.size = self.cut_at = self.first = 0
        self._parts, self._done = [], []
        self._table = memoryview(array("q", bytes(8 * _COLUMNS * 64)))
        self._table[2] = _VERBATIM
        self._count = 1
        self._names = [None]
        self._name = None

    def name(self, context: str | None) -> None:
        """Set the context of the following text; None for the one that the octets around it tell."""
        self._name = context

    def copy(self, data: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Write a part of `data` unchanged."""
        if stop > start:
            self._place(self.base + start, _VERBATIM)
            self._parts.append(data[start:stop])
            self.size += stop - start
        return None

    def put(self, text: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Write `text` in place of the octets from `start` to `stop`."""
        size: cython.Py_ssize_t = len(text)
        if size > 0:  # equally many octets: each has its own place
            self._place(self.base + start, _VERBATIM if size == stop - start else self.base + stop)
            self._parts.append(text)
            self.size += size
        return None

    def unpack(self, text: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Write `text`, decoded from the base64 from `start` to `stop`: three octets per four letters, without gaps."""
        if text:
            self._place(self.base + start, _BASE64)
            self._parts.append(text)
            self.size += len(text)
        return None

    def cut(self, place: cython.Py_ssize_t) -> object:
        """End a text at `place`: no URL extends beyond it."""
        self._place(self.base + place, self.base + place)
        self._parts.append(CUT)
        self.size += len(CUT)
        self.cut_at = self.size
        return None

    def begin(self, format: str) -> None:
        """Begin a text of another format; the text written before ends."""
        self._done.append((b"".join(self._parts), format))
        self._parts = []

    def _place(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> object:
        """Begin a run, unless the next text continues the last one."""
        table = self._table
        at: cython.Py_ssize_t = (self._count - 1) * _COLUMNS
        name = self._names[self._count - 1]
        goes_on = table[at + 2] == _VERBATIM and start - table[at + 1] == self.size - table[at]
        if stop == _VERBATIM and goes_on and (name is self._name or name == self._name):
            return None
        if table[at] == self.size:
            self._names[self._count - 1] = self._name
        else:
            self._names.append(self._name)
            self._count += 1
            at += _COLUMNS
            if at == len(table):
                self._table = memoryview(array("q", bytes(16 * at)))
                self._table[:at] = table
                table = self._table
            table[at] = self.size
        table[at + 1] = start
        table[at + 2] = stop
        return None

    def take(self) -> list[tuple[bytes, str | None]]:
        """The text written since the last call: pieces, each with the format that begins after it, or None."""
        done = self._done
        if self._parts:
            done.append((b"".join(self._parts), None))
            self._parts = []
        self._done = []
        return done

    def span(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> tuple[int, int, str | None]:
        """The place in the source of a part of the written text, and its context."""
        table = self._table
        first: cython.Py_ssize_t = self._run_of(start, 0)
        last: cython.Py_ssize_t = first if start == stop else self._run_of(stop - 1, first)
        out: cython.Py_ssize_t = table[first * _COLUMNS]
        begin: cython.Py_ssize_t = table[first * _COLUMNS + 1]
        end: cython.Py_ssize_t = table[last * _COLUMNS + 1]
        how: cython.Py_ssize_t = table[first * _COLUMNS + 2]
        if how == _VERBATIM:
            begin += start - out
        elif how == _BASE64:
            begin += (start - out) // 3 * 4
        out = table[last * _COLUMNS]
        how = table[last * _COLUMNS + 2]
        if how == _VERBATIM:
            end += stop - out
        elif how == _BASE64:
            end += (stop - 1 - out) // 3 * 4 + 4
        else:
            end = how
        return begin, max(begin, end), self._names[first]

    def _run_of(self, place: cython.Py_ssize_t, least: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The last run from `least` on that begins at or before `place`."""
        table = self._table
        behind: cython.Py_ssize_t = self._count
        middle: cython.Py_ssize_t
        while behind - least > 1:
            middle = (least + behind) // 2
            if table[middle * _COLUMNS] <= place:
                least = middle
            else:
                behind = middle
        return least

    def forget(self, start: cython.Py_ssize_t) -> None:
        """Forget the places of the text written before `start`."""
        first: cython.Py_ssize_t = self._run_of(start, 0)
        if first > 0:
            del self._names[:first]
            self._table[: (self._count - first) * _COLUMNS] = self._table[first * _COLUMNS : self._count * _COLUMNS]
            self._count -= first
        if start >= self.size:  # later text has later places
            self.first = self.base
        else:
            start = max(start, self._table[0])
            self.first = self.span(start, start + 1)[0]
