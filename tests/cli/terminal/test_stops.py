"""Stops of a command at a terminal; what they do to it is tested at a pseudo-terminal, in test_service.py."""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Iterator

import pytest

from anyurl.cli.terminal.stops import restored_when_stopped, untouched


@pytest.fixture
def terminal() -> Iterator[int]:
    master, slave = os.openpty()
    before = signal.getsignal(signal.SIGTSTP)
    yield slave
    signal.signal(signal.SIGTSTP, before)
    os.close(master)
    os.close(slave)


def test_stops_are_answered_inside_only(terminal: int) -> None:
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    with restored_when_stopped(terminal):
        assert callable(signal.getsignal(signal.SIGTSTP))
    assert signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL


def test_a_shell_that_ignores_stops_is_obeyed(terminal: int) -> None:
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    with restored_when_stopped(terminal):
        assert signal.getsignal(signal.SIGTSTP) is signal.SIG_IGN


def test_the_terminal_is_put_back_before_the_stop_and_taken_again_after_it(
    terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(os, "kill", lambda *_: seen.append(termios.tcgetattr(terminal)[3] & termios.ECHO))
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    with restored_when_stopped(terminal):
        mode = termios.tcgetattr(terminal)
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, mode)
        signal.raise_signal(signal.SIGTSTP)
        assert seen == [termios.ECHO]
        assert termios.tcgetattr(terminal)[3] & termios.ECHO == 0


def test_the_system_answers_inside(terminal: int) -> None:
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    with untouched(signal.SIGTSTP):
        assert signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGTSTP) is signal.SIG_IGN
