"""Stops (SIGTSTP) of a command that has changed the terminal's mode: a shell gets it back as it was.

Rule: bash and zsh restore it themselves; dash does not, nor does a program that sends the signal.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def restored_when_stopped(descriptor: int) -> Iterator[None]:
    """When the process is stopped (SIGTSTP) inside ``with``, restore the terminal mode from before the ``with``.

    When it continues, the mode from before the stop is set again. If stops are ignored, they still are.
    """
    import termios

    before = termios.tcgetattr(descriptor)

    def stop(number: int, frame: FrameType | None) -> None:
        mode = termios.tcgetattr(descriptor)
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
        with untouched(signal.SIGTSTP):
            os.kill(os.getpid(), signal.SIGTSTP)
        termios.tcsetattr(descriptor, termios.TCSANOW, mode)

    handler = signal.getsignal(signal.SIGTSTP)
    if handler is signal.SIG_DFL:
        signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, handler)


@contextmanager
def untouched(number: signal.Signals) -> Iterator[None]:
    """Reset a signal to its default action inside ``with``."""
    handler = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, handler)
