"""Listing a directory of 100,000 files against `ls -l`, and how long a step keeps the loop.

Rule: every figure is a median of interleaved rounds; the longest step is the longest turn of the loop, with nothing to
wait for. `python bench/listing.py [--entries N] [--rounds N]` prints a table, `--markdown` the rows for RESULTS.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENTRIES = 100_000
ROUNDS = 5
LISTED_BAR = 2.0
STEP_BAR_MS = 10.0

LIST = """
import gc, sys, time
from anyurl import Client, Policy
from anyurl.net.loop.loop import Loop
url = sys.argv[1]
longest = [0.0]
turn = Loop._turn
def measured(self, wait):
    began = time.thread_time()
    turn(self, wait)
    longest[0] = max(longest[0], time.thread_time() - began)
Loop._turn = measured
policy = Policy.open()
with Client(policy.replace(limits=policy.limits.replace(listing_entries=10**7))) as client:
    began = time.perf_counter()
    with client.list(url) as resource:
        count = sum(1 for _ in resource.entries())
    print(count, time.perf_counter() - began, longest[0])
"""


def listed(url: str) -> tuple[int, float, float]:
    """Entries, seconds, and the seconds of processor time of the longest turn of the loop."""
    done = subprocess.run([sys.executable, "-c", LIST, url], capture_output=True, text=True, check=True)
    count, seconds, longest = done.stdout.split()
    return int(count), float(seconds), float(longest)


def ls(folder: Path) -> float:
    """Seconds of `ls -l` into a pipe."""
    began = time.perf_counter()
    subprocess.run(["ls", "-l", str(folder)], stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - began


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=ENTRIES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(options.entries):
            os.close(os.open(folder / f"file {number:06}.txt", os.O_CREAT | os.O_WRONLY))
        peers, ours, longest = [], [], []
        for _ in range(options.rounds):
            peers.append(ls(folder))
            count, seconds, step = listed(folder.as_uri() + "/")
            assert count == options.entries, count
            ours.append(seconds)
            longest.append(step)
    ratio = statistics.median(ours) / statistics.median(peers)
    show = "| {} | {} | {} |" if options.markdown else "{:60} {:>30} {:>10}"
    seconds = f"{ratio:.2f} ({statistics.median(ours):.2f} s / {statistics.median(peers):.2f} s)"
    what = f"file listing, {options.entries:,} entries: time of `ls -l`"
    sys.stdout.write(show.format(what, seconds, f"<= {LISTED_BAR:g}") + "\n")
    step_ms = f"{1000 * statistics.median(longest):.1f} ms"
    sys.stdout.write(show.format("the same: the longest step of the loop", step_ms, f"<= {STEP_BAR_MS:g} ms") + "\n")


if __name__ == "__main__":
    main()
