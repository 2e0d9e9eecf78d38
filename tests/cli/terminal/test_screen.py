"""The terminal of a session: raw inside, as it was outside, and no key of it left for the shell."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import signal
import struct
import termios
from collections.abc import Iterator

import pytest

from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.screen import KEYS_AT_ONCE, RawTerminal, is_attended, size


class Shown(Console):
    """A console whose screen is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def screen(self, text: str) -> None:
        self.text += text


class Input(io.StringIO):
    """Standard input at a descriptor."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.descriptor = descriptor

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return os.isatty(self.descriptor)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """The ends of the person and of the command."""
    person, ours = pty.openpty()
    monkeypatch.setattr("sys.stdin", Input(ours))
    yield person, ours
    for descriptor in (person, ours):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_it_is_raw_inside_and_as_it_was_outside(terminal: tuple[int, int]) -> None:
    _, ours = terminal
    before = termios.tcgetattr(ours)
    handlers = [signal.getsignal(number) for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP)]
    with RawTerminal(Shown(), lambda: None) as raw:
        assert raw.descriptor == ours
        inputs, outputs, _, local, _, _, keys = termios.tcgetattr(ours)
        assert inputs & (termios.ICRNL | termios.IXON | termios.ISTRIP | termios.INLCR | termios.IGNCR) == 0
        assert outputs & termios.OPOST == 0
        assert local & (termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN | termios.ECHONL) == 0
        assert keys[termios.VMIN] in (1, b"\1")
        assert keys[termios.VTIME] in (0, b"\0")
        raw.release()
        assert termios.tcgetattr(ours) == before
        raw.take()
        assert termios.tcgetattr(ours) != before
    assert termios.tcgetattr(ours) == before
    assert handlers == [signal.getsignal(number) for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP)]


def test_it_is_restored_however_the_session_ends(terminal: tuple[int, int]) -> None:
    _, ours = terminal
    before = termios.tcgetattr(ours)
    with pytest.raises(KeyboardInterrupt), RawTerminal(Shown(), lambda: None):
        raise KeyboardInterrupt
    assert termios.tcgetattr(ours) == before

    class Broken(Shown):
        def screen(self, text: str) -> None:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError), RawTerminal(Broken(), lambda: None):
        pass
    assert termios.tcgetattr(ours) == before


def test_a_terminal_that_is_gone_before_it_is_taken_is_an_error_and_no_handler_stays(
    terminal: tuple[int, int],
) -> None:
    person, ours = terminal
    before = [signal.getsignal(number) for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP)]
    raw = RawTerminal(Shown(), lambda: None)
    os.close(person)
    os.close(ours)
    with pytest.raises(termios.error), raw:
        raise AssertionError("never in it")
    assert before == [signal.getsignal(number) for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP)]


def test_keys_come_as_they_are_and_unread_ones_are_discarded(terminal: tuple[int, int]) -> None:
    person, ours = terminal
    with RawTerminal(Shown(), lambda: None) as raw:
        os.write(person, b"\x03\r\x1a")
        assert raw.keys() == b"\x03\r\x1a"  # neither an interrupt nor a line end
        os.write(person, b"rm -rf\n")
    os.set_blocking(ours, False)
    with pytest.raises(BlockingIOError):
        os.read(ours, KEYS_AT_ONCE)


def test_a_terminal_that_is_gone_has_no_keys_and_nothing_to_restore(terminal: tuple[int, int]) -> None:
    person, _ = terminal
    with RawTerminal(Shown(), lambda: None) as raw:
        os.close(person)
        assert raw.keys() == b""


def test_what_is_shown_is_filtered_and_its_end_is_undone(terminal: tuple[int, int]) -> None:
    console = Shown()
    with RawTerminal(console, lambda: None) as raw:
        raw.show(b"\x1b[31mred\x1b]0;title\x07")
        assert console.text == "\x1b[31mred"  # colours pass, a title beyond the session does not
        raw.tell("a word of ours")
        assert console.text.endswith("\r\na word of ours\r\n")
    assert console.text.endswith("\r\n")


def test_its_size_and_when_it_changes(terminal: tuple[int, int]) -> None:
    _, ours = terminal
    told: list[str] = []
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with RawTerminal(Shown(), lambda: told.append("resized")) as raw:
        assert raw.size() == size(ours) == (80, 24)
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
        assert raw.size() == (132, 50)
        for number in (signal.SIGWINCH, signal.SIGCONT):
            os.kill(os.getpid(), number)
        assert told == ["resized", "resized"]
    reading, writing = os.pipe()
    assert size(reading) == (0, 0)
    os.close(reading)
    os.close(writing)


def test_a_person_is_there_where_both_streams_are_terminals(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", Input(terminal[1]))
    assert is_attended(Console()) is True
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert is_attended(Console()) is False
    monkeypatch.setattr("sys.stdin", None)
    assert is_attended(Console()) is False
    monkeypatch.setattr("sys.stdin", Input(terminal[1]))
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert is_attended(Console()) is False
