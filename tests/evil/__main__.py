"""The long run: every cell several times, and with many threads at once, and the figures (``python -m tests.evil``).

Invariant 9: a fault comes to the same end each time, and whoever else is at work.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter

from tests.clocks import anew
from tests.evil.cell import Cell, run
from tests.evil.children import HANG, MEMORY_GROWTH, in_child, measured
from tests.evil.columns import CELLS, EXCEPTIONS, PENDING, WRITTEN
from tests.evil.matrix import COLUMNS, ROWS
from tests.evil.outcomes import OK, UNDOCUMENTED
from tests.evil.player import STREAM_SECONDS

MINUTE = 60.0
SHEET = 453
"""Cells of the sheet that the project began with: P and W share 11 of them, and two were added."""


class Figures:
    """What a run came to.

    Attributes:
        words: How often each outcome came.
        failures: By cell, what was wrong.
        growth: The largest growth of memory, in octets.
    """

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.failures: dict[str, str] = {}
        self.hangs = self.undocumented = self.plays = 0
        self.growth = 0

    def fail(self, label: str, what: str) -> None:
        self.failures.setdefault(label, what.strip().splitlines()[-1])
        self.hangs += HANG in what
        self.undocumented += UNDOCUMENTED in what


def play(cell: Cell, runs: int, figures: Figures) -> None:
    """So often, in a process of its own: what hangs is killed, and memory is measured."""
    figures.plays += runs
    seconds = runs * STREAM_SECONDS if cell.stream else MINUTE
    try:
        words, growth = measured(lambda: [run(cell).word for _ in range(runs)], seconds=seconds)
    except AssertionError as error:
        figures.fail(cell.label, str(error))
        return
    figures.words.update(words)
    figures.growth = max(figures.growth, growth)
    if growth > MEMORY_GROWTH:
        figures.fail(cell.label, f"memory grew by {growth / 2**20:.0f} MiB")


def play_at_once(cell: Cell, threads: int, figures: Figures) -> None:
    """One client and one server, and so many threads that meet the fault at the same time."""

    @anew
    def together() -> list[str]:
        with cell.new_rig() as rig:
            rig.serve(cell.server)
            gate = threading.Barrier(threads)
            words: list[str] = []

            def one() -> None:
                gate.wait()
                got = rig.fetch(cell.url, cell.verb, keep=not cell.stream, **cell.how)
                holds = cell.holds is None or cell.holds(got) is not False
                words.append(got.word if holds else f"{got.word}, and it does not hold: {got}")

            workers = [threading.Thread(target=one) for _ in range(threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            rig.check(busy=True)
            if cell.good:
                rig.check_good()
        return words

    figures.plays += threads
    try:
        words = in_child(together, seconds=threads * STREAM_SECONDS if cell.stream else MINUTE)
        assert words != HANG, HANG
        figures.words.update(words)
        allowed = {OK if word == "NAME" else word for word in (*cell.words, *cell.at_once)}
        assert set(words) <= allowed, f"{Counter(words)} instead of {cell.words}"
    except AssertionError as error:
        figures.fail(f"{cell.label} at once", str(error))


def tell_cover() -> None:
    """How much of the matrix has cells."""
    covered = {(cell.fault, cell.column.letter) for cell in CELLS}
    print(f"{len(ROWS)} cells apply ({SHEET} as the sheet counts them): {len(covered)} have rows, "
          f"{len(EXCEPTIONS)} a reason instead, {len(set(ROWS) - covered - set(EXCEPTIONS))} are missing")  # fmt: skip
    for column in WRITTEN:
        faults = {cell.fault for cell in column.cells}
        whole = sum(row.column == column.letter for row in ROWS.values())
        print(
            f"  {column.letter} {COLUMNS[column.letter]:9} {len(faults):3} of {whole:3} faults, "
            f"{len(column.cells):3} cells"
        )
    if PENDING:
        print(f"  pending: {' '.join(sorted(PENDING))}")


def main() -> int:
    """Play, and tell; 1 when anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.evil", description=__doc__)
    parser.add_argument("cells", nargs="*", help="labels of cells, or their beginnings: G-A5, F; all without any")
    parser.add_argument("--runs", type=int, default=10, help="how often each cell is played")
    parser.add_argument("--threads", type=int, default=8, help="how many threads play a cell at once")
    parser.add_argument("--seconds", type=float, default=1e9, help="when to stop, and tell what was found by then")
    options = parser.parse_args()
    chosen = [cell for cell in CELLS if not options.cells or cell.label.startswith(tuple(options.cells))]
    figures, began = Figures(), time.monotonic()
    tell_cover()
    for number, cell in enumerate(chosen, 1):
        if time.monotonic() - began > options.seconds:
            print(f"the time is over: {len(chosen) - number + 1} cells were not played")
            chosen = chosen[: number - 1]
            break
        if options.runs:
            play(cell, options.runs, figures)
        if options.threads and cell.run is None and cell.server is not None and not isinstance(cell.server, tuple):
            play_at_once(cell, options.threads, figures)
        if sys.stderr.isatty() or number % 100 == 0:
            print(f"{number} of {len(chosen)}: {cell.label}", file=sys.stderr, flush=True)
    print(f"{len(chosen)} cells, {figures.plays:,} plays in {time.monotonic() - began:,.0f} s: {len(figures.failures)} "
          f"cells with another end, {figures.hangs} hangs, {figures.undocumented} undocumented errors; memory grew by "
          f"{figures.growth / 2**20:.1f} MiB at most")  # fmt: skip
    print("  " + ", ".join(f"{word} {count:,}" for word, count in figures.words.most_common()))
    for label, what in figures.failures.items():
        print(f"  {label}: {what}")
    return 1 if figures.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
