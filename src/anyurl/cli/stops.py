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
    """Whoever stops this process inside ``with`` (SIGTSTP) finds the terminal as it was when that began.

    When it goes on, the terminal is as it was before the stop. A shell that ignores stops is obeyed.
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
    """The system's own answer to a signal, inside ``with``."""
    handler = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, handler)
