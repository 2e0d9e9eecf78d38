"""The progress of a transfer: one line, only for a person, only when it takes longer, and gone when it is over.

Rule: what a person sees is drawn by a terminal that nobody here wrote (pyte), and compared whole.
"""

from __future__ import annotations

import io
import sys

import pyte
import pytest

from anyurl.cli.terminal import progress
from anyurl.cli.terminal.console import Console
from anyurl.cli.terminal.progress import Progress


class Clock:
    """A monotonic clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A standard error that says it is a terminal."""

    encoding = "utf-8"

    def lines(self, columns: int) -> list[str]:
        """What stands on its screen."""
        screen = pyte.Screen(columns, 6)
        pyte.Stream(screen).feed(self.getvalue().replace("\n", "\r\n"))
        return [line.rstrip() for line in screen.display if line.strip()]

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


ISO = "a-very-long-name-of-a-distribution-amd64.iso"


@pytest.mark.parametrize(
    ("columns", "label", "total", "note", "shown"),
    [
        (40, ISO, 271_234_567, "", "a-very-...d64.iso  40% 108.5/271.2 MB"),
        (60, ISO, 271_234_567, "", "a-very-l...d64.iso ━━━╸━━━━━━  40% 108.5/271.2 MB 0:00:04"),
        (80, ISO, 271_234_567, "", "a-very-lon...amd64.iso ━━━━━╸━━━━━━━━━  40% 108.5/271.2 MB  54.2 MB/s 0:00:04"),
        (80, "b.bin", 9_000, "2/5", "2/5 b.bin                ━━━━━╺━━━━━━━  40%     3.6/9.0 kB   1.8 kB/s 0:00:03"),
        (
            200, ISO, 271_234_567, "",
            f"a-very-long-name-of...ribution-amd64.iso {'━' * 15}╸{'━' * 24}  40% 108.5/271.2 MB  54.2 MB/s 0:00:04",
        ),
        (60, "rfc/rfc1738.txt", None, "12 saved", "12 saved rfc/rfc1738.txt                   2.0 MB 0:00:02"),
        (80, "目録.txt", None, "", "目録.txt                                    2.0 MB   1.0 MB/s 0:00:02"),
    ],
)  # fmt: skip
def test_what_is_seen(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, columns: int, label: str, total: int | None, note: str, shown: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress(label, total, note=note, shown=True) as bar:
        for _ in range(2):
            clock.now += 1
            bar.advance((total or 5_000_000) // 5)
        (line,) = screen.lines(columns)
    assert line == shown
    assert screen.lines(columns) == []


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "xterm-mono"), ("TERM", "xterm-256color")])
def test_it_has_no_colours(clock: Clock, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Nothing is wrong: there is nothing that a colour would say."""
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress(ISO, 100, shown=True) as bar:
        clock.now += progress.PATIENCE_SECONDS
        bar.advance(50)
    assert " 50% " in screen.getvalue()
    styles = {code for text in screen.getvalue().split("\x1b[")[1:] if (code := text.partition("m")[0]).isdecimal()}
    assert styles <= {"0", "2", "39"}


def test_another_window_size_is_another_line(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Progress(ISO, 100, shown=True) as bar:
        clock.now += progress.PATIENCE_SECONDS
        bar.advance(50)
        monkeypatch.setenv("COLUMNS", "60")
        clock.now += 1
        bar.advance(10)
        assert screen.lines(60)[-1].split()[-4:-1] == ["60%", "60/100", "bytes"]
    assert screen.lines(120) == []


@pytest.mark.parametrize(
    ("seconds", "octets", "said"),
    [(0.5, 100, ""), (4, 8_000_000, " in 4 s (2.0 MB/s)"), (125, 1000, " in 2 min 5 s (8 bytes/s)"),
     (3780, 0, " in 1 h 3 min (0 bytes/s)")],
)  # fmt: skip
def test_the_end_says_how_long_it_took(clock: Clock, seconds: float, octets: int, said: str) -> None:
    with Progress("x", None, shown=False) as bar:
        clock.now += seconds
        bar.advance(octets)
    assert bar.took() == said


def test_the_time_of_a_person_is_not_that_of_the_transfer(clock: Clock) -> None:
    with Progress("x", None, shown=False) as bar:
        bar.advance(0)
        bar.pause(asks=True)
        clock.now += 60
        bar.advance(1000)
        clock.now += 2
    assert bar.took() == " in 2 s (500 bytes/s)"


def test_what_is_there_already_was_not_fast(clock: Clock) -> None:
    with Progress("x", 200, start=100, shown=False) as bar:
        clock.now += 10
        bar.advance(100)
    assert bar.took() == " in 10 s (10 bytes/s)"


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


@pytest.mark.parametrize("term", ["dumb", "unknown"])
def test_a_plain_terminal_has_none(clock: Clock, monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    """Nothing could be wiped there; and who listens to a terminal would hear each of its states."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with Console().progress("ftp://h/x", 100) as bar:
        clock.now += 10
        bar.advance(1)
    assert screen.getvalue() == ""


@pytest.mark.parametrize("columns", [40, 60])
def test_a_long_question_is_broken_so_that_its_answer_stands_beside_its_end(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    monkeypatch.setattr(sys, "stdin", stdin := Terminal("y\n"))
    stdin.seek(0)
    console = Console()
    monkeypatch.setattr(console, "aside", lambda text: screen.write(f"{text}\n"))
    question = " ".join(["word"] * 30)
    assert console.ask_consent(f"From: me\n{question}?")
    first, *lines = screen.getvalue().split("\n")
    assert first == "From: me"
    assert " ".join(lines) == f"{question}? [y/N] "
    assert [line for line in lines if len(f"{line}y") > columns] == []
    assert min(map(len, lines[:-1])) > columns - len(" [y/N] y") - len("word ")  # and no sooner than it must


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
