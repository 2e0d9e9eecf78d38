# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Stages: the decoders between a source and the finder, and the places in the source.

Rule: each stage gets octets piece by piece, and returns URLs with their places in these octets. Its memory is bounded
by that of the finder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

from anyurl.text.finder import Finder
from anyurl.text.found import Found, moved
from anyurl.text.runs import Decoder, Runs
from anyurl.text.scan import rows
from anyurl.text.source import octets_in

COMPILED: bool = cython.compiled

KEPT = rows.LOOK_BACK + 8
"""Octets before the position of a finder in which the next URL may begin."""


Placed: TypeAlias = tuple[Found, int, int, str]
"""A URL, its start and end in the octets that a stage was fed, and its context there."""


class Stage(Protocol):
    """One stage."""

    def feed(self, data: bytes, final: bool) -> list[Placed]:
        """Process octets; returns the URLs that are decided."""
        ...

    def least(self, cut: int) -> int:
        """The earliest start of later URLs; none of them begins before `cut` and ends after it."""
        ...


class TextStage:
    """The last stage: a finder, with the reader of a format.

    Args:
        finder: A new finder.
        look: Reads the buffer of the finder.
    """

    def __init__(self, finder: Finder, look: Callable[[], None]) -> None:
        self._finder = finder
        self._look = look
        self._fed = 0
        self._read = 0

    def feed(self, data: bytes, final: bool) -> list[Placed]:
        """Search the octets."""
        self._fed += len(data)
        if not (data or final) or not self._finder.accept(data, final):
            return []
        self._look()
        held, resume, _ = self._finder.window()
        self._read = self._fed - len(held) + resume
        return [(one, *one.octet_span, one.context) for one in self._finder.taken()]

    def least(self, cut: int) -> int:
        """The earliest start of a waiting candidate."""
        return max(self._read - KEPT, cut if self._read >= cut else 0, 0)


class DecodingStage:
    """A stage that decodes.

    Args:
        decoder: The decoder.
        format: The format of the decoded text, until the decoder begins another one.
        begin: Makes the next stage for a format.
    """

    def __init__(self, decoder: Decoder, format: str, begin: Callable[[str], Stage]) -> None:
        self._decoder = decoder
        self._begin = begin
        self._next = begin(format)
        self._runs = Runs()
        self._fed = 0  # octets passed to the next stages
        self._begun = 0  # those passed to earlier stages
        self._rest = b""
        self._waiting: list[bytes] = []
        self._waits = 0
        self._need = 0

    def feed(self, data: bytes, final: bool) -> list[Placed]:
        """Decode the octets; undecided ones wait until as many again have arrived."""
        self._waiting.append(data)
        self._waits += len(data)
        if self._waits < self._need and not final:
            return []
        data = b"".join((self._rest, *self._waiting))
        self._waiting, self._waits = [], 0
        read = self._decoder.decode(data, final, self._runs)
        self._rest = data[read:]
        self._need = len(self._rest)
        self._runs.base += read
        found: list[Placed] = []
        for text, format in self._runs.take():
            found += self._placed(self._next.feed(text, format is not None))
            self._fed += len(text)
            if format is not None:
                self._begun = self._fed
                self._next = self._begin(format)
        if final:
            found += self._placed(self._next.feed(b"", True))
        self._runs.forget(self._begun + self._next.least(self._runs.cut_at - self._begun))
        return found

    def _placed(self, found: list[Placed]) -> list[Placed]:
        """The URLs, with their places in the octets that this stage was fed."""
        placed = []
        for one, start, stop, context in found:
            first, last, name = self._runs.span(self._begun + start, self._begun + stop)
            placed.append((one, first, last, name or context))
        return placed

    def least(self, cut: int) -> int:
        """The source of the first octet that the next stage still needs."""
        return self._runs.first


class Places:
    """Converts places to octets, characters, lines and columns of a source, with the text there.

    Args:
        encoding: The encoding of the source if it is not UTF-8, or None.
        errors: The error handler for its octets.
        skipped: Octets before the text.
    """

    def __init__(self, encoding: str | None, errors: str, skipped: int) -> None:
        self._encoding = encoding
        self._errors = errors
        self._held = bytearray()
        self._is_ascii = True  # the held octets
        self._base = 0  # UTF-8 octets before the held ones
        self._at = 0  # the position up to which these were counted:
        self._char = 0
        self._octet = skipped
        self._line = 1
        self._line_start = 0

    def add(self, piece: bytes) -> None:
        """Add the next octets of the source, in UTF-8."""
        self._is_ascii = piece.isascii() and (self._is_ascii or not self._held)
        self._held += piece

    def keep(self, least: int) -> None:
        """Forget the octets before `least`."""
        least = min(least, self._base + len(self._held))
        if least - self._base > len(self._held) // 2:
            while least > self._base and self._held[least - self._base - 1 : least - self._base] >= b"\x80":
                least -= 1  # only whole characters are counted
            self._advance(max(least, self._at))
            del self._held[: least - self._base]
            self._base = least

    def of(self, placed: Placed, member: str) -> Found:
        """A URL with its place in the source."""
        found, start, stop, context = placed
        self._advance(max(start, self._at))
        raw = self._text(start, stop)
        octets = (self._octet, self._octet + self._octets(raw, stop - start))
        column = self._char - self._line_start + 1
        return moved(found, raw, self._char, octets, self._line, column, context, member)

    def _text(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
        return self._held[start - self._base : stop - self._base].decode("utf-8", self._errors)

    def _octets(self, text: str, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The number of octets of a text in the encoding of the source; `size` is that in UTF-8."""
        if self._encoding is None:
            return size
        return octets_in(text, self._encoding)

    def _advance(self, to: cython.Py_ssize_t) -> object:
        """Count up to `to`."""
        if to == self._at:
            return None
        first: cython.Py_ssize_t
        last: cython.Py_ssize_t
        octets: cython.Py_ssize_t
        length: cython.Py_ssize_t
        behind: cython.Py_ssize_t
        breaks: cython.Py_ssize_t
        first, last, octets = self._at - self._base, to - self._base, to - self._at
        if self._is_ascii and self._encoding is None:
            length = last - first
            if cython.compiled:
                held = cython.cast(cython.p_const_uchar, self._held)
                i: cython.Py_ssize_t
                behind, breaks = length, 0
                for i in range(first, last):
                    if held[i] == 10:
                        behind = last - i - 1
                        breaks += 1
            else:
                behind = last - self._held.rfind(b"\n", first, last) - 1
                breaks = self._held.count(b"\n", first, last)
        else:
            text = self._text(self._at, to)
            length, behind = len(text), len(text) - text.rfind("\n") - 1
            octets = self._octets(text, octets)
            breaks = self._held.count(b"\n", first, last)
        self._octet += octets
        self._char += length
        if breaks:
            self._line += breaks
            self._line_start = self._char - behind
        self._at = to
        return None
