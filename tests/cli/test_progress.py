"""The progress bar: only for a person, only when it takes longer, and gone when it is over."""

from __future__ import annotations

import io
import sys

import pytest

from anyurl.cli import progress
from anyurl.cli.console import Console
from anyurl.cli.progress import Progress


class Clock:
    """A monotonic clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return clock


def test_a_quick_transfer_has_no_bar(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress("ftp://h/x", 100, shown=True) as bar:
        clock.now += progress.PATIENCE_SECONDS / 2
        bar.advance(100)
    assert (screen.getvalue(), bar.done) == ("", 100)


def test_a_slow_one_has_and_it_is_wiped_at_the_end(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress("ftp://h/[bold]x", 4096, shown=True) as bar:
        clock.now += progress.PATIENCE_SECONDS
        bar.advance(1024)
        shown = screen.getvalue()
        assert "ftp://h/[bold]x" in shown  # no markup
        assert "1.0/4.1 kB" in shown
        clock.now += progress.REFRESH_SECONDS / 2
        bar.advance(1024)
        assert screen.getvalue() == shown  # not for every piece
    assert screen.getvalue().endswith("\x1b[2K")


def test_an_unknown_size_is_fine(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress("a" * 100, None, shown=True) as bar:
        clock.now += progress.PATIENCE_SECONDS
        bar.advance(2048)
    assert "2.0/? kB" in screen.getvalue()
    assert f"...{'a' * 27} " in screen.getvalue()


def test_it_is_wiped_when_the_transfer_breaks(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())

    def interrupted() -> None:
        with Progress("ftp://h/x", 100, shown=True) as bar:
            clock.now += progress.PATIENCE_SECONDS
            bar.advance(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert screen.getvalue().endswith("\x1b[2K")


def test_nobody_sees_it_where_nobody_is(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress("ftp://h/x", 100, shown=False) as bar:
        clock.now += 10
        bar.advance(1)
    assert (screen.getvalue(), bar.done) == ("", 1)


def test_it_is_wiped_before_a_person_is_asked(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    console = Console()
    with console.progress("mailto:a@b", 4096) as bar:
        clock.now += progress.PATIENCE_SECONDS
        bar.advance(1024)
        monkeypatch.setattr(sys, "stdin", stdin := Terminal("y\n"))
        stdin.seek(0)
        asked: list[str] = []
        monkeypatch.setattr(console, "aside", lambda text: asked.append(screen.getvalue()))
        assert console.ask_consent("From: me\nSend it?")
        assert [shown.endswith("\x1b[2K") for shown in asked] == [True]
        assert screen.getvalue() == asked[0] + "Send it? [y/N] "
        clock.now += progress.PATIENCE_SECONDS
        bar.advance(1024)
        assert "2.0/4.1 kB" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")
