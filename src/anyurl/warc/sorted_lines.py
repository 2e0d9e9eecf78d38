"""SortedLines: an index (CDXJ) that is searched in the file, so that a million captures are available at once.

Rule: it is read once, to check that it is sorted and to count its lines; memory does not grow with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import BinaryIO

from anyurl.warc.cdxj import LINE_AT_MOST

MARKED = 1000
"""URLs between two places that are remembered, by which the contents are shown page by page."""


class SortedLines:
    """The lines of an index.

    Args:
        file: A file with nothing else in it; it is closed with this.

    Attributes:
        is_sorted: Whether they are in order and none is too long (`LINE_AT_MOST`), so that they can be searched.
        count: The number of keys: of URLs, but for those that one key folds together.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._end = 0
        self._marks: list[int] = []
        self.is_sorted: bool = True
        self.count: int = 0
        self._read()

    def _read(self) -> None:
        before, key = b"", None
        self._file.seek(0)
        while line := self._file.readline(LINE_AT_MOST + 1):
            if line < before or len(line) > LINE_AT_MOST:
                self.is_sorted = False
                return
            its_key = line.partition(b" ")[0]
            if its_key != key:
                if self.count % MARKED == 0:
                    self._marks.append(self._end)
                self.count += 1
            self._end += len(line)
            before, key = line, its_key

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def with_key(self, key: str) -> Iterator[str]:
        """The lines of a key (`anyurl.warc.cdxj.surt`)."""
        beginning = key.encode("utf-8", "surrogateescape") + b" "
        for line in self._from(self._place(beginning)):
            if not line.startswith(beginning):
                return
            yield line.decode("utf-8", "surrogateescape")

    def keys(self, skipped: int) -> Iterator[str]:
        """The keys in order, from the one with this number on."""
        if skipped >= self.count:
            return
        number, key = skipped - skipped % MARKED - 1, None
        for line in self._from(self._marks[skipped // MARKED]):
            its_key = line.partition(b" ")[0]
            number += its_key != key
            if its_key != key and number >= skipped:
                yield its_key.decode("utf-8", "surrogateescape")
            key = its_key

    def hosts(self) -> Iterator[str]:
        """The beginnings of the keys up to the host: ``org,example)``."""
        place = 0
        while place < self._end:
            key = self._line(place).partition(b" ")[0]
            host, bracket, _ = key.partition(b")")
            if bracket:
                yield (host + bracket).decode("utf-8", "surrogateescape")
            # The next octet in order: `*` is the next after `)`, `;` after `:`, `!` after a space.
            scheme, colon, _ = key.partition(b":")
            place = self._place(host + b"*" if bracket else scheme + b";" if colon else key + b"!")

    def _line(self, place: int) -> bytes:
        with self._lock:  # other threads read as well
            self._file.seek(place)
            return self._file.readline()

    def _from(self, place: int) -> Iterator[bytes]:
        """The lines from a place on, where one begins."""
        while place < self._end:
            line = self._line(place)
            place += len(line)
            yield line

    def _place(self, beginning: bytes) -> int:
        """Where the first line begins that is not before this."""
        low, high = 0, self._end
        while low < high:
            middle = (low + high) // 2
            start = middle + len(self._line(middle - 1)) - 1 if middle else 0
            line = self._line(start) if start < high else b""
            if line and line < beginning:
                low = start + len(line)
            else:
                high = middle
        return low
