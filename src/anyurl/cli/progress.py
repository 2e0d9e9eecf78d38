"""A progress bar on standard error; only `console` makes one."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE_SECONDS = 1.0
"""A transfer that is over sooner needs no bar."""

REFRESH_SECONDS = 0.1


class Progress:
    """Counts octets, and shows them when it takes longer; used in ``with``.

    Args:
        label: What is on its way, escaped.
        total: Octets, or None when unknown.
        start: Octets that are there already.
        shown: Whether standard error is a terminal.
    """

    def __init__(self, label: str, total: int | None, *, start: int = 0, shown: bool) -> None:
        self.done = start
        self._start = start
        self._label = label
        self._total = total
        self._shown = shown
        self._next = time.monotonic() + PATIENCE_SECONDS
        self._bar: Bar | None = None
        self._task: Any = None

    def advance(self, octets: int) -> None:
        """So many more have come."""
        self.done += octets
        if self._shown and time.monotonic() >= self._next:
            self._refresh()

    def _refresh(self) -> None:
        if self._bar is None:
            self._bar = _make_bar()
            self._task = self._bar.add_task(_shortened(self._label), total=self._total, completed=self._start)
            self._bar.start()
        self._bar.update(self._task, completed=self.done)
        self._bar.refresh()
        self._next = time.monotonic() + REFRESH_SECONDS

    def pause(self) -> None:
        """Wipe it: something else is written now. It comes back when the transfer goes on and takes longer."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._start = self.done
        self._next = time.monotonic() + PATIENCE_SECONDS

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done)
            self._bar.stop()


def _make_bar() -> Bar:
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    # A terminal writes ^C behind the bar: there must be room on the same line, or the bar can't be wiped any more.
    console.width = max(20, console.width - len("^C "))
    # No thread of its own refreshes it: the transfer drives it, and a signal finds nothing half drawn.
    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=None),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(compact=True),
        console=console,
        auto_refresh=False,
        transient=True,
        expand=True,
    )


def _shortened(label: str, length: int = 30) -> str:
    return label if len(label) <= length else "..." + label[3 - length :]
