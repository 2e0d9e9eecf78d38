"""The progress of a transfer on standard error: one line, for a person at a terminal; only `console` makes one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from anyurl.client.sizes import human_size

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.table import Column

PATIENCE_SECONDS = 1.0
"""A transfer that ends sooner shows nothing."""

REFRESH_SECONDS = 0.1

QUIET_SECONDS = 30.0
"""Between two lines without a terminal."""

WIDEST_BAR = WIDEST_LABEL = 40
"""The most columns of the bar and of the label: more would not say more."""

ROOM_FOR_RATE = 72
ROOM_FOR_TIME = 48
"""The least columns of a terminal for the rate, and for the time."""

ROOM_FOR_BAR = 28
LEAST_LABEL = 18
"""The least columns for label and bar together, and for the label alone."""

ELLIPSIS = "..."

STYLES = {
    "bar.back": "dim", "bar.complete": "default", "bar.finished": "default",
    **dict.fromkeys(
        ("progress.percentage", "progress.download", "progress.data.speed", "progress.filesize", "progress.remaining",
         "progress.elapsed"), "none"
    ),
}  # fmt: skip
"""The styles of the bar, without colours, which mark problems (`anyurl.cli.terminal.palette`)."""


class Progress:
    """Counts octets, and shows a bar if the transfer takes longer than a second; used in ``with``.

    Args:
        label: The name of the transfer, escaped.
        total: Octets in all, or None if unknown.
        start: Octets that are there already.
        note: A text before the label, such as the number of the file.
        shown: Whether standard error is a terminal that can show the bar.
        tell: Where none is shown, told a line every half minute; or None.
    """

    def __init__(
        self,
        label: str,
        total: int | None,
        *,
        start: int = 0,
        note: str = "",
        shown: bool,
        tell: Callable[[str], object] | None = None,
    ) -> None:
        self.done = start
        self._label = label
        self._note = note
        self._first = self._start = start
        self._total = total
        self._shown = shown
        self._began = time.monotonic()
        self._tell = None if shown else tell
        self._next = self._began + (PATIENCE_SECONDS if self._tell is None else QUIET_SECONDS)
        self._bar: Bar | None = None
        self._task: Any = None
        self._asked: float | None = None
        self._columns = self._room = 0

    def advance(self, octets: int, label: str | None = None, note: str | None = None) -> None:
        """Count octets; `label` and `note` replace the current ones if the transfer is now of something else."""
        self.done += octets
        self._label = self._label if label is None else label
        self._note = self._note if note is None else note
        self._answered()
        if (self._shown or self._tell is not None) and time.monotonic() >= self._next:
            self._refresh()

    def took(self) -> str:
        """The duration and the rate as the end of a sentence; empty if it took less than a second."""
        self._answered()
        seconds = time.monotonic() - self._began
        if seconds < PATIENCE_SECONDS:
            return ""
        from rich.filesize import decimal

        return f" in {duration_in_words(seconds)} ({decimal(int((self.done - self._first) / seconds))}/s)"

    def _refresh(self) -> None:
        if self._tell is not None:
            seconds = time.monotonic() - self._began
            of = "" if self._total is None else f" of {human_size(self._total)}"
            rate = human_size((self.done - self._first) / seconds)
            self._tell(f"{self._label}: {human_size(self.done)}{of}  {rate}/s")
            self._next = time.monotonic() + QUIET_SECONDS
            return
        columns = _columns()
        if self._bar is not None and columns != self._columns:
            # The window was resized, and the bar was made for the old size.
            self._wipe()
        if self._bar is None:
            self._columns = columns
            self._bar, self._room = _make_bar(columns, len(self._note), is_measured=self._total is not None)
            self._task = self._bar.add_task("", total=self._total, completed=self._start, note=self._note)
            self._bar.tasks[0].start_time = self._began
            self._bar.start()
        label = _shortened(self._label, self._room)
        self._bar.update(self._task, completed=self.done, description=label, note=self._note)
        self._bar.refresh()
        self._next = time.monotonic() + REFRESH_SECONDS

    def pause(self, *, asks: bool = False) -> None:
        """Erase the bar before something else is written; it returns a second later if the transfer continues.

        Args:
            asks: The user is prompted; the time until the answer does not count.
        """
        self._wipe()
        if asks and self._asked is None:
            self._asked = time.monotonic()
        if self._tell is None:
            self._next = time.monotonic() + PATIENCE_SECONDS

    def _answered(self) -> None:
        if self._asked is not None:
            self._began += time.monotonic() - self._asked
            self._asked = None

    def _wipe(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._start = self.done

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wipe()


def _columns() -> int:
    """The columns of the terminal that the bar may use."""
    from rich.console import Console

    # A terminal writes ^C after the bar: without room for it on the same line, the bar could not be erased.
    return max(20, Console(stderr=True).width - len("^C "))


def _make_bar(columns: int, note: int, *, is_measured: bool) -> tuple[Bar, int]:
    """The bar with the columns that fit next to a note, all of fixed width; and the width of the label."""
    from rich import progress
    from rich.console import Console
    from rich.table import Column
    from rich.theme import Theme

    right: list[progress.ProgressColumn] = []
    if is_measured:
        right += [progress.TaskProgressColumn(), progress.DownloadColumn(table_column=_column(14))]
    else:
        right.append(progress.FileSizeColumn(table_column=_column(9)))
    if columns >= ROOM_FOR_RATE:
        right.append(progress.TransferSpeedColumn(table_column=_column(10)))
    if columns >= ROOM_FOR_TIME:
        time_column = progress.TimeRemainingColumn if is_measured else progress.TimeElapsedColumn
        right.append(time_column(table_column=_column(7)))
    room = columns - sum(1 + (each.get_table_column().min_width or len("100%")) for each in right) - (note and note + 1)
    width = max(room, 1)
    if is_measured and room >= ROOM_FOR_BAR:
        width = min(WIDEST_LABEL, max(LEAST_LABEL, room * 3 // 5))
        right.insert(0, progress.BarColumn(min(WIDEST_BAR, room - width - 1)))
    width = min(width, WIDEST_LABEL)
    left = [progress.TextColumn("{task.fields[note]}", markup=False)] if note else []
    label = progress.TextColumn("{task.description}", markup=False, table_column=Column(width=width, no_wrap=True))
    console = Console(stderr=True, theme=Theme(STYLES))
    console.width = columns
    # No thread refreshes it: the transfer does, so that a signal finds nothing half drawn.
    bar = progress.Progress(
        *left, label, *right, console=console, auto_refresh=False, transient=True, get_time=time.monotonic
    )
    return bar, width


def _column(width: int) -> Column:
    from rich.table import Column

    return Column(justify="right", min_width=width, no_wrap=True)


def duration_in_words(seconds: float) -> str:
    """A duration for people: 4 s, 2 min 5 s, 1 h 3 min."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"


def _shortened(label: str, most: int) -> str:
    """A name shortened in its middle to so many columns, so that its suffix remains."""
    from rich.cells import cell_len, set_cell_size

    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    label = label.encode(encoding, "backslashreplace").decode(encoding)
    if cell_len(label) <= most:
        return label
    tail = (most - len(ELLIPSIS)) // 2
    head = most - len(ELLIPSIS) - tail
    return f"{set_cell_size(label, head)}{ELLIPSIS}{set_cell_size(label[::-1], tail)[::-1]}"
