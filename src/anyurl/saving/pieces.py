"""How the content of a workload is taken: in pieces, at most at some rate (`RateLimit`), with pauses for others."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from anyurl.errors import escape
from anyurl.values import Value

if TYPE_CHECKING:
    from anyurl.dialogue import Entry

AT_ONCE = 256 * 1024
"""Octets of a file that are read at once."""


class Pause(Value):
    """A point at which other tasks may run.

    Attributes:
        seconds: The time before which this one need not continue.
    """

    seconds: float = 0.0


class RateLimit:
    """A rate, on average since the first octet.

    Args:
        rate: Octets per second.

    Raises:
        ValueError: The rate is not positive.
    """

    def __init__(self, rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        if rate < 1:
            raise ValueError(f"a rate is at least one octet per second, not {rate}")
        self._rate = rate
        self._clock = clock
        self._begun: float | None = None
        self._octets = 0

    def owed(self, octets: int) -> float:
        """Count received octets; returns the seconds to wait before the next ones.

        Unread octets meanwhile wait at the sender.
        """
        now = self._clock()
        self._begun = now if self._begun is None else self._begun
        self._octets += octets
        return max(0.0, self._begun + self._octets / self._rate - now)


def copied(whole: bytes | BinaryIO | None, write: Callable[[bytes], object]) -> Generator[None, Any, None]:
    """Write the complete content; or each piece as it arrives, which the caller sends in for a None."""
    if isinstance(whole, bytes):
        write(whole)
        return
    if whole is not None:
        while piece := whole.read(AT_ONCE):
            write(piece)
        return
    while (piece := (yield None)) is not None:
        write(piece)


def uri_list(entries: Sequence[Entry]) -> bytes:
    """Entries as text/uri-list (RFC 2483 5): one URL per line, passwords masked; an entry without URL is a comment."""
    lines = (f"# {escape(entry.name)}" if entry.url is None else entry.url.masked for entry in entries)
    return "".join(f"{line}\r\n" for line in lines).encode("ascii", "backslashreplace")
