"""Rests: the hosts that want to be left alone, remembered beyond the life of a client.

Rule: only `anyurl.net.loop.manners` calls it: to read when it first meets a host, and to write each Retry-After. The
keeper chooses the clock.
"""

from __future__ import annotations

from typing import Protocol


class Rests(Protocol):
    """Keeps which hosts want to be left alone; called in the thread of the transfers."""

    def rest(self, host: str, port: int) -> tuple[float, str]:
        """Seconds for which a host is still to be left alone, 0 if it is not, and its last refusal, a sentence."""
        ...

    def keep(self, host: str, port: int, seconds: float, refusal: str) -> None:
        """Keep that a host wants to be left alone for so long from now. Raises LocalFileError if it can't be kept."""
        ...
