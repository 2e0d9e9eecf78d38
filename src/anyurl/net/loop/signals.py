"""Signals: where compiled code lets Python handle them, and how an asyncio loop reacts to one.

Rule: this file is never compiled. Python runs pending signal handlers when it enters a Python function; compiled code
alone would go from one wait to the next and miss a Ctrl-C that did not interrupt a wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def hear() -> None:
    """Run pending signal handlers. Raises their exceptions, such as KeyboardInterrupt."""


def act_on(loop: asyncio.AbstractEventLoop, name: str, act: Callable[[int], object]) -> None:
    """Let the loop call `act` with the number of a signal; does nothing if the system has no such signal."""
    import signal  # compiled code can do without it

    number: int | None = getattr(signal, name, None)
    if number is None:
        return
    try:
        loop.add_signal_handler(number, act, number)
    except NotImplementedError:  # the loops of Windows know no signals
        signal.signal(number, lambda came, _frame: loop.call_soon_threadsafe(act, came))
