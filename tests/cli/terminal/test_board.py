"""The board: what it shows, and that it is wiped."""

from __future__ import annotations

import pytest

from anyurl.batch.check.pace import Pace
from anyurl.cli.terminal.board import Board
from anyurl.cli.terminal.watch import left_in_words
from tests.rows import each_row


class Clock:
    """Moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_it_shows() -> None:
    clock = Clock()
    pace = Pace(0, clock)
    board = Board(pace, lambda: 40)
    assert board.lines() == [
        "[                              ] 0 of 40 (0%)  0/s  time left unknown",
        "",
    ]
    clock.now = 10.0
    for host, outcome in (("h\x1b", "timed-out"), ("b.example", "ok"), ("h\x1b", "ok"), ("c.example", "ok")):
        pace.add(host, 1.5)
        board.add(outcome)
    assert board.lines() == [
        "[###                           ] 4 of 40 (10%)  0/s  1:30 left",
        "ok 3  timed out 1",
        "slowest: b.example 1.5 s  h\\x1b 1.5 s  c.example 1.5 s",
    ]


@each_row(
    ("seconds", "words"),
    [
        (None, "time left unknown"),
        (0.4, "0:00 left"),
        (59.6, "1:00 left"),
        (61, "1:01 left"),
        (3599, "59:59 left"),
        (3600, "1:00:00 left"),
        (7384, "2:03:04 left"),
        (90_000, "25:00:00 left"),
    ],
)
def test_the_time_that_is_left(seconds: float | None, words: str) -> None:
    assert left_in_words(seconds) == words


@pytest.mark.parametrize(("done", "total", "bar", "share"), [(3, 4, 22, "75%"), (4, 4, 30, "100%"), (4, 3, 30, "100%")])
def test_the_bar_is_never_longer_than_the_whole(done: int, total: int, bar: int, share: str) -> None:
    """Pages add URLs while they are counted."""
    pace = Pace(0, Clock())
    board = Board(pace, lambda: total)
    for _ in range(done):
        pace.add("h", 1)
    assert board.lines()[0].startswith(f"[{'#' * bar:30}] {done} of {total} ({share})")
