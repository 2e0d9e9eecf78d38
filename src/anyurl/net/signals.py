"""Signals: where code that is compiled lets Python hear them, and what a loop of asyncio does when one comes.

Rule: this file is never compiled. Python runs the handlers of signals that have come when it begins a function of its
own; compiled code alone would go from one wait to the next and never hear a Ctrl-C that did not interrupt one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def hear() -> None:
    """Let the handlers of signals run. Raises what they raise, such as KeyboardInterrupt."""


def act_on(loop: asyncio.AbstractEventLoop, name: str, act: Callable[[int], object]) -> None:
    """Have the loop call this with the number of a signal when it comes; nothing where there is no such signal."""
    import signal  # compiled code hears without it

    number: int | None = getattr(signal, name, None)
    if number is None:
        return
    try:
        loop.add_signal_handler(number, act, number)
    except NotImplementedError:  # Windows
        signal.signal(number, lambda came, _frame: loop.call_soon_threadsafe(act, came))
