"""The terminal in raw mode: all keys go to the service, which controls the screen.

Rule: the terminal is restored however the session ends: by a signal, an error, or a bug. Unread keys are then
discarded: they were meant for the service, and the shell would run them as commands.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType, TracebackType
from typing import Any

from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.stops import restored_when_stopped, untouched
from anyurl.errors import UnsupportedError
from anyurl.schemes.telnet.wire.screen import Screen

KEYS_AT_ONCE = 4096
"""Octets of one read from the terminal: the kernel buffers no more."""


def is_attended(console: Console) -> bool:
    """Whether standard input and output are terminals."""
    return console.is_terminal and sys.stdin is not None and sys.stdin.isatty()


class RawTerminal:
    """The person's terminal, raw inside ``with``.

    Args:
        console: Writes the output.
        resized: Called from a signal handler when the terminal was resized, or the process continued after a stop.

    Raises:
        UnsupportedError: This system has no POSIX terminals.
    """

    def __init__(self, console: Console, resized: Callable[[], None]) -> None:
        try:
            import termios
        except ImportError:
            raise UnsupportedError(
                "A session needs a POSIX terminal, which this system does not have.",
                verb="get",
            ) from None
        self._termios = termios
        self._console = console
        self._resized = resized
        self._screen = Screen(console.charset)
        self._handlers: dict[signal.Signals, Any] = {}
        self._stops: ExitStack = ExitStack()
        self.descriptor = sys.stdin.fileno()
        self._before = termios.tcgetattr(self.descriptor)

    def __enter__(self) -> RawTerminal:
        for number in (signal.SIGWINCH, signal.SIGCONT):
            self._handlers[number] = signal.signal(number, self._signalled)
        try:
            self._stops.enter_context(restored_when_stopped(self.descriptor))
            self.take()
        except BaseException:
            self._give_back()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._console.screen(self._screen.end() + "\r\n")
        finally:
            self._give_back()

    def _give_back(self) -> None:
        self._stops.close()
        self.release()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()

    def take(self) -> None:
        """Switch to raw mode, possibly again."""
        termios = self._termios
        mode = termios.tcgetattr(self.descriptor)
        mode[0] &= ~(
            termios.BRKINT | termios.ICRNL | termios.INLCR | termios.IGNCR | termios.INPCK | termios.ISTRIP
            | termios.IXON
        )  # fmt: skip
        mode[1] &= ~termios.OPOST
        mode[2] |= termios.CS8
        mode[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.IEXTEN | termios.ISIG)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self.descriptor, termios.TCSANOW, mode)

    def release(self) -> None:
        """Discard unread keys, and restore the mode from before."""
        termios = self._termios
        try:
            termios.tcflush(self.descriptor, termios.TCIFLUSH)
            # Not TCSADRAIN: a stopped terminal would never drain.
            termios.tcsetattr(self.descriptor, termios.TCSANOW, self._before)
        except termios.error:  # the terminal is gone: there is nothing to restore
            pass

    def keys(self) -> bytes:
        """The typed octets; ``b""`` if the terminal is gone."""
        try:
            return os.read(self.descriptor, KEYS_AT_ONCE)
        except OSError:
            return b""

    def show(self, data: bytes) -> None:
        """Show the service's output, filtered: colours and cursor movements pass, effects beyond the session do not."""
        self._console.screen(self._screen.show(data))

    def tell(self, text: str) -> None:
        """Show a line of the command itself."""
        self._console.screen(f"\r\n{text}\r\n")

    def size(self) -> tuple[int, int]:
        """Columns and rows; 0 if unknown."""
        return size(self.descriptor)

    def suspend(self) -> None:
        """Stop the process group, so that the shell gets the terminal; returns when it is continued."""
        self._console.screen(self._screen.end() + "\r\n")
        self.release()
        with untouched(signal.SIGTSTP):
            os.kill(0, signal.SIGTSTP)
        self.take()

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self._resized()


def size(descriptor: int) -> tuple[int, int]:
    """Columns and rows of a terminal; 0 if unknown."""
    try:
        columns, rows = os.get_terminal_size(descriptor)
    except OSError:
        return 0, 0
    return columns, rows
