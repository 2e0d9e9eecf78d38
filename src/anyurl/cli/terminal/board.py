"""The board: the totals of a check, as lines of a screen (`watch`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anyurl.cli.terminal.watch import left_in_words
from anyurl.errors import escape

if TYPE_CHECKING:
    from anyurl.batch.check.pace import Pace

BAR = 30
"""Characters of the bar."""


class Board:
    """The pace of a check.

    Args:
        pace: The pace of the check.
        count: Returns the number of URLs; called whenever the board is drawn, since pages add more.
    """

    def __init__(self, pace: Pace, count: Callable[[], int]) -> None:
        self._pace = pace
        self._count = count
        self._counts: Counter[str] = Counter()

    def add(self, outcome: str) -> None:
        """Count one more outcome."""
        self._counts[outcome] += 1

    def event(self) -> dict[str, Any]:
        """The same, as an object."""
        return {"done": self._pace.done, "urls": self._count(), "outcomes": dict(self._counts)}

    def lines(self) -> list[str]:
        """The lines of the board: progress, outcomes, and slow hosts."""
        pace, total = self._pace, max(self._count(), 1)
        share = min(pace.done / total, 1.0)
        bar = "#" * round(share * BAR)
        left = pace.left(total)
        found = [
            f"[{bar:{BAR}}] {pace.done:,} of {total:,} ({share:.0%})  {pace.rate():,.0f}/s  {left_in_words(left)}",
            "  ".join(f"{name.replace('-', ' ')} {count:,}" for name, count in self._counts.most_common()),
        ]
        slowest = "  ".join(f"{escape(host)} {seconds:.1f} s" for host, seconds in pace.slowest())
        return [*found, f"slowest: {slowest}"] if slowest else found
