"""The board: the progress of a check in a few lines at the bottom of a terminal; only `checking` makes one.

Rule: it has no thread of its own, and is erased before anything else is written to the same screen.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from anyurl.errors import escape

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from anyurl.batch.check.pace import Pace

PATIENCE_SECONDS = 1.0
"""A check that ends sooner shows no board."""

REFRESH_SECONDS = 0.2

BAR = 30
"""Characters of the bar."""


class Board:
    """Shows the pace of a check; used in ``with``.

    Args:
        pace: The pace of the check.
        count: Returns the number of URLs; called whenever the board is drawn, since pages add more.
        shown: Whether the board is shown.
    """

    def __init__(self, pace: Pace, count: Callable[[], int], *, shown: bool) -> None:
        self._pace = pace
        self._count = count
        self._shown = shown
        self._counts: Counter[str] = Counter()
        self._next = time.monotonic() + PATIENCE_SECONDS
        self._live: Live | None = None

    def add(self, outcome: str) -> None:
        """Count one more outcome."""
        self._counts[outcome] += 1
        if self._shown and time.monotonic() >= self._next:
            self._refresh()

    def _refresh(self) -> None:
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(self._table(), refresh=True)
        self._next = time.monotonic() + REFRESH_SECONDS

    def _table(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        for line in self.lines():
            table.add_row(Text(line, no_wrap=True, overflow="ellipsis"))
        return table

    def lines(self) -> list[str]:
        """The lines of the board: progress, outcomes, and slow hosts."""
        pace, total = self._pace, max(self._count(), 1)
        share = min(pace.done / total, 1.0)
        bar = "#" * round(share * BAR)
        left = pace.left(total)
        found = [
            f"[{bar:{BAR}}] {pace.done:,} of {total:,} ({share:.0%})  {pace.rate():,.0f}/s  {_in_words(left)}",
            "  ".join(f"{name.replace('-', ' ')} {count:,}" for name, count in self._counts.most_common()),
        ]
        slowest = "  ".join(f"{escape(host)} {seconds:.1f} s" for host, seconds in pace.slowest())
        return [*found, f"slowest: {slowest}"] if slowest else found

    def pause(self) -> None:
        """Erase the board before something else is written; it returns with a later outcome."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._next = time.monotonic() + REFRESH_SECONDS

    def __enter__(self) -> Board:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()


def _in_words(seconds: float | None) -> str:
    if seconds is None:
        return "time left unknown"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"
