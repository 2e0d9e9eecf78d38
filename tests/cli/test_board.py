"""The board: what it shows, and that it is wiped."""

from __future__ import annotations

from anyurl.batch.check.pace import Pace
from anyurl.cli.board import Board


class Clock:
    """Moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_it_shows() -> None:
    clock = Clock()
    pace = Pace(0, clock)
    with Board(pace, lambda: 40, shown=False) as board:
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
    clock.now = 40_000.0
    assert "left" in board.lines()[0]
