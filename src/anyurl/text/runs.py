"""Decoded text, and where each part of it stands in the text that it was decoded from.

Rule: a decoder copies, replaces and cuts; every octet that it writes has a place. What is kept of the places is what
can still be asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol

CUT = b'"'
"""What stands between two texts: a URL ends at a quotation mark, and so does every wrapper."""

_VERBATIM = -1
_BASE64 = -2


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

    def __init__(self) -> None:
        self.base = 0
        self.size = 0
        self.cut_at = 0
        self.first = 0
        self._parts: list[bytes] = []
        self._done: list[tuple[bytes, str | None]] = []
        self._outs: list[int] = [0]
        self._starts: list[int] = [0]
        self._stops: list[int] = [_VERBATIM]
        self._named: list[str | None] = [None]
        self._name: str | None = None

    def name(self, context: str | None) -> None:
        """Say how what follows stands in the text; None: as the octets around it tell."""
        self._name = context

    def copy(self, data: bytes, start: int, stop: int) -> None:
        """Write a part of `data` as it is."""
        if stop > start:
            self._place(self.base + start, _VERBATIM)
            self._parts.append(data[start:stop])
            self.size += stop - start

    def put(self, text: bytes, start: int, stop: int) -> None:
        """Write `text` for what stands from `start` to `stop`."""
        if not text:
            return
        if len(text) == stop - start:  # as many octets: each for its own
            self._place(self.base + start, _VERBATIM)
        else:
            self._place(self.base + start, self.base + stop)
        self._parts.append(text)
        self.size += len(text)

    def unpack(self, text: bytes, start: int, stop: int) -> None:
        """Write `text` for the base64 from `start` to `stop`: three octets for four letters, without a gap."""
        if text:
            self._place(self.base + start, _BASE64)
            self._parts.append(text)
            self.size += len(text)

    def cut(self, place: int) -> None:
        """End a text at `place`: no URL goes on behind it."""
        self._place(self.base + place, self.base + place)
        self._parts.append(CUT)
        self.size += len(CUT)
        self.cut_at = self.size

    def begin(self, format: str) -> None:
        """Say that a text of a format begins here; what was written before ends."""
        self._done.append((b"".join(self._parts), format))
        self._parts = []

    def _place(self, start: int, stop: int) -> None:
        if (
            stop == _VERBATIM == self._stops[-1]
            and start - self._starts[-1] == self.size - self._outs[-1]
            and self._named[-1] == self._name
        ):
            return
        if self._outs[-1] == self.size:
            self._starts[-1], self._stops[-1], self._named[-1] = start, stop, self._name
            return
        self._outs.append(self.size)
        self._starts.append(start)
        self._stops.append(stop)
        self._named.append(self._name)

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
        last = first if start == stop else bisect_right(self._outs, stop - 1) - 1
        begin, end = self._starts[first], self._stops[last]
        if self._stops[first] == _VERBATIM:
            begin += start - self._outs[first]
        elif self._stops[first] == _BASE64:
            begin += (start - self._outs[first]) // 3 * 4
        if end == _VERBATIM:
            end = self._starts[last] + stop - self._outs[last]
        elif end == _BASE64:
            end = self._starts[last] + (stop - 1 - self._outs[last]) // 3 * 4 + 4
        return begin, max(begin, end), self._named[first]

    def forget(self, start: int) -> None:
        """Forget the places of what was written before `start`."""
        first = bisect_right(self._outs, start) - 1
        if first > 0:
            del self._outs[:first], self._starts[:first], self._stops[:first], self._named[:first]
        if start >= self.size:  # what is written from now on stands behind all that was read
            self.first = self.base
        else:
            self.first = self.span(max(start, self._outs[0]), max(start, self._outs[0]) + 1)[0]
