"""UnparsedLines: the lines of a listing that were not understood.

Rule: no line of a listing is dropped in silence. A reader keeps unreadable lines here, and the verb that requested the
listing reports them; one odd line does not hide the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from anyurl.errors import PeerText
from anyurl.schemes.kit.lines import CR, NUL

T = TypeVar("T")

MAX_UNPARSED_LINES = 20
"""Odd lines that are kept: enough to identify the kind of server."""


class UnparsedLines:
    """The first of the odd lines, and how many there are.

    Attributes:
        lines: The first `MAX_UNPARSED_LINES` of them.
        count: The number of all.
    """

    __slots__ = ("lines", "count")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.count = 0

    def add(self, line: bytes) -> None:
        """Keep a line."""
        self.count += 1
        if len(self.lines) < MAX_UNPARSED_LINES:
            self.lines.append(line)

    def read(self, lines: Iterable[bytes], understand: Callable[[bytes], T | None]) -> Iterator[T]:
        """The values of the lines; lines that cannot be read are kept, unless they are blank.

        So is a line with NUL or a bare CR: a client that ends lines there would read two lines, and anyurl one.
        """
        for line in lines:
            found = None if NUL in line or CR in line else understand(line)
            if found is not None:
                yield found
            elif line.strip():
                self.add(line)

    def remark(self, listing: str = "the listing") -> str:
        """The remark, if there are any."""
        first = PeerText(self.lines[0])
        if self.count == 1:
            return f"a line of {listing} is not understood; it is: {first}"
        return f"{self.count:,} lines of {listing} are not understood; the first is: {first}"
