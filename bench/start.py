"""How long the command takes to start: ``anyurl --version`` and ``anyurl parse URL`` against Python that does nothing.

All are run in turn, nine times each, and the medians are compared: what else the machine does at that moment slows all
of them. ``python bench/start.py`` prints a table; the bars are 6 and 8 times the wall time of ``python3 -c pass``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

URL = "ftp://myname@host.dom/%2Fetc/motd;type=a"

BARS = {"--version": 6.0, f"parse {URL}": 8.0}


def command() -> list[str]:
    """The installed command beside this Python, or what its script would do."""
    beside = Path(sys.executable).parent / "anyurl"
    if beside.is_file() and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-c", "import sys; from anyurl.cli import main; sys.exit(main())"]


def seconds(line: list[str]) -> float:
    """The wall time of one run."""
    start = time.perf_counter()
    subprocess.run(line, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def measure(lines: dict[str, list[str]], runs: int) -> dict[str, float]:
    """The median of each, all of them taking turns."""
    for line in lines.values():
        seconds(line)  # the first run compiles and fills the page cache: a start is cold for us, not for the disk
    times: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(runs):
        for name, line in lines.items():
            times[name].append(seconds(line))
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> int:
    """Print the table; 1 if a bar is not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=9)
    runs: int = parser.parse_args().runs
    program = command()
    python = shutil.which(sys.executable) or sys.executable
    lines = {"python3 -c pass": [python, "-c", "pass"]}
    lines |= {name: [*program, *name.split()] for name in BARS}
    medians = measure(lines, runs)
    base = medians["python3 -c pass"]
    print(f"medians of {runs} runs, {' '.join(program[:1])}, Python {sys.version.split()[0]}")
    print(f"{'what':48} {'ms':>7} {'ratio':>7} {'bar':>5}")
    missed = False
    for name, median in medians.items():
        bar = BARS.get(name)
        ratio = median / base
        missed |= bar is not None and ratio > bar
        print(f"{name:48} {median * 1000:7.1f} {ratio:7.2f} {'' if bar is None else f'{bar:5.1f}'}")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
