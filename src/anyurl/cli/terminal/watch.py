"""Watch: many transfers on one screen: the files under way, the totals, the slowest host and the time left.

Rule: it has no thread of its own: the loop that transfers calls it. It is erased before anything else is written to the
same screen. Without a terminal it is a line on standard error every half minute, and with --json an object each time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from anyurl.cli.terminal.progress import QUIET_SECONDS, duration_in_words
from anyurl.client.sizes import human_size
from anyurl.client.under_way import UnderWay, every, under_way
from anyurl.errors import escape

if TYPE_CHECKING:
    from rich.live import Live

    from anyurl.cli.terminal.console import Console
    from anyurl.client.client import Client

PATIENCE_SECONDS = 1.0
"""Shorter transfers show nothing."""

REFRESH_SECONDS = 0.2

WINDOW = 10
"""Seconds over which rates are measured."""

FILES = 8
"""The most files that are shown."""

OTHER_ROWS = 6
"""Rows of the terminal for the totals, and for the lines above."""


def left_in_words(seconds: float | None) -> str:
    """The time left: 1:02:03 left."""
    if seconds is None:
        return "time left unknown"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


class Rate:
    """A rate over the last seconds, or since the last time that it was asked for, if that is longer ago.

    Args:
        count: How many there are at first.
    """

    def __init__(self, count: float = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._marks: deque[tuple[float, float]] = deque([(clock(), count)])

    def per_second(self, count: float) -> float:
        """The rate, now that there are so many."""
        now = self._clock()
        while len(self._marks) > 1 and now - self._marks[1][0] >= WINDOW:
            self._marks.popleft()
        if now > self._marks[-1][0]:
            self._marks.append((now, count))
        begun, before = self._marks[0]
        return max(count - before, 0) / (now - begun) if now > begun else 0.0


class Watch:
    """Shows what is under way; used in ``with``.

    Args:
        console: Where it is shown.
        client: Whose transfers.
        totals: The lines above the files, and next to the rate.
        event: The facts for --json.
        octets: Those of the transfers that are over; None if the totals say how fast it goes.
        left: The seconds left, or None.
        kept: The note for an interruption; empty if nothing is saved.
    """

    def __init__(
        self,
        console: Console,
        client: Client,
        totals: Callable[[], Sequence[str]],
        event: Callable[[], dict[str, Any]],
        octets: Callable[[], int] | None = None,
        left: Callable[[], float | None] = lambda: None,
        kept: Callable[[], str] = str,
    ) -> None:
        self._console = console
        self._kept = kept
        self._client = client
        self._totals, self._event, self._left = totals, event, left
        self._over = octets
        self._shown = console.can_draw
        self._began = time.monotonic()
        self._next = self._began + (PATIENCE_SECONDS if self._shown else QUIET_SECONDS)
        self._live: Live | None = None
        self._rate = Rate()
        self._rates: dict[int, Rate] = {}
        self._octets = 0

    # --- what it says ------------------------------------------------------------------------------------------------

    def lines(self, columns: int = 80, files: int = FILES) -> list[str]:
        """The lines of the screen."""
        here = self._look()
        found = list(self._totals())
        if self._over is not None and found:
            rate = self._rate.per_second(self._octets)
            left = left_in_words(self._seconds_left(here, rate))
            told = f"{human_size(self._octets)}  {human_size(rate)}/s  {left}"
            found[-1] = f"{found[-1]}  {told}"
        found += [self._line(each, columns) for each in here[:files]]
        if len(here) > files:
            found.append(f"  and {len(here) - files:,} more")
        slowest = self._slowest(here)
        if slowest is not None:
            found.append(f"slowest: {escape(slowest[0])} {human_size(slowest[1])}/s")
        return [line[: columns - 1] for line in found]

    def _seconds_left(self, here: Sequence[UnderWay], rate: float) -> float | None:
        """The time left: for what waits, but at least for the rest of what is under way."""
        rest = sum(max(each.size - each.octets, 0) for each in here if each.size is not None)
        waits = self._left()
        if not rest:
            return waits
        return None if rate <= 0 else max(rest / rate, waits or 0.0)

    def _slowest(self, here: Sequence[UnderWay]) -> tuple[str, float] | None:
        """The host with the lowest rate, and that; None unless there are several."""
        rates: dict[str, float] = {}
        for each in here:
            host = each.url.host or ""
            rates[host] = rates.get(host, 0.0) + self._rates[each.number].per_second(each.octets)
        return min(rates.items(), key=lambda item: item[1]) if len(rates) > 1 else None

    def _line(self, each: UnderWay, columns: int) -> str:
        size = "" if each.size is None else f" of {human_size(each.size)}"
        rate = self._rates[each.number].per_second(each.octets)
        told = f"{human_size(each.octets)}{size}  {human_size(rate)}/s"
        room = max(columns - len(told) - 5, 10)
        name = escape(each.url.masked)
        if len(name) > room:
            name = f"{name[: room // 3]}...{name[len(name) - (room - room // 3 - 3) :]}"
        return f"  {name:{room}} {told}"

    def _look(self) -> list[UnderWay]:
        """The transfers under way, the largest first."""
        here = under_way(self._client)
        self._octets = (0 if self._over is None else self._over()) + sum(each.octets for each in here)
        for each in here:
            self._rates.setdefault(each.number, Rate(each.octets)).per_second(each.octets)
        for number in self._rates.keys() - {each.number for each in here}:
            del self._rates[number]
        return sorted((each for each in here if each.octets), key=lambda each: -(each.size or each.octets))

    # --- when it says it ---------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Show it, if it is time."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + (REFRESH_SECONDS if self._shown else QUIET_SECONDS)
        if self._shown:
            self._draw()
            return
        lines = self.lines(200, 3)
        if self._console.json:
            here = [{"url": each.url.masked, "octets": each.octets, "size": each.size} for each in self._look()[:FILES]]
            seconds = round(time.monotonic() - self._began, 1)
            event = {"event": "progress", "seconds": seconds, **self._event(), "octets": self._octets}
            self._console.record({**event, "under_way": here})
        else:
            self._console.aside("; ".join(" ".join(line.split()) for line in lines))

    def _draw(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.table import Table
        from rich.text import Text

        if self._live is None:
            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        columns, rows = self._live.console.size
        table = Table.grid()
        for line in self.lines(columns, max(min(FILES, rows - OTHER_ROWS), 1)):
            table.add_row(Text(line, no_wrap=True, overflow="ellipsis"))
        self._live.update(table, refresh=True)

    def pause(self, *, asks: bool = False) -> None:
        """Erase it before something else is written; it returns soon after.

        Args:
            asks: The user is prompted.
        """
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._next = time.monotonic() + (PATIENCE_SECONDS if asks else REFRESH_SECONDS)

    def took(self) -> str:
        """The duration and the rate, as the end of a sentence; empty if it took less than a second."""
        seconds = time.monotonic() - self._began
        if seconds < PATIENCE_SECONDS:
            return ""
        return f" in {duration_in_words(seconds)} ({human_size(self._octets / seconds)}/s)"

    def __enter__(self) -> Watch:
        self._console.watch = self
        self._stop = every(self._client, REFRESH_SECONDS, self.tick)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self.pause()
        self._console.watch = None
        told = self._kept() if kind is not None and issubclass(kind, KeyboardInterrupt) else ""
        if told:
            self._console.say(f"note: {told}")
