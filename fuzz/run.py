"""Fuzz with atheris: ``python fuzz/run.py [--seconds N] [--jobs N] [--seed N] [NAME...]``, by `scripts/fuzz`.

Each target runs in a process of its own, with limits of memory and time. What it finds is kept as
``fuzz/findings/NAME/crash-*``; the exit code is 1 if there was anything, 3 if there is no atheris for this Python.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz import kit

GRACE_SECONDS = 180
"""For starting, for instrumenting (a minute where others work beside it), and for an input begun before the end."""

INPUT_SECONDS = 10
"""For one input of at most `INPUT_BYTES`: what takes longer is a finding."""

COUNTED_SECONDS = 120
"""The same where each line is counted, fifty times as slowly: there the count is the verdict, not the time."""

INPUT_BYTES = 4096

_STATUS = re.compile(r"#(\d+)\s+\w+\s+(?:cov: (\d+) )?(?:ft: (\d+) )?")


class Report:
    """How it went with one target."""

    __slots__ = ("name", "runs", "features", "seconds", "fault", "log")

    def __init__(self, name: str, seconds: float, log: str, fault: str) -> None:
        statuses = _STATUS.findall(log)
        self.name = name
        self.runs = max((int(runs) for runs, _, _ in statuses), default=0)
        self.features = max((int(features or 0) for _, _, features in statuses), default=0)
        self.seconds = seconds
        self.fault = fault
        self.log = log

    def __str__(self) -> str:
        rate = self.runs / self.seconds if self.seconds else 0
        verdict = self.fault or "nothing found"
        figures = f"{self.seconds:5.0f} s {self.runs:>10,} inputs {rate:>7,.0f}/s {self.features:>6,} features"
        return f"{self.name:<20} {figures}  {verdict}"


def fuzz(name: str, seconds: int, seed: int) -> Report:
    """Run one target for so long; the inputs are the same for a seed, and others each time for 0."""
    findings = kit.FOLDER / "findings" / name
    findings.mkdir(parents=True, exist_ok=True)
    known = set(findings.iterdir())
    begun = time.monotonic()
    limit = COUNTED_SECONDS if name == "work" else INPUT_SECONDS
    with tempfile.TemporaryDirectory(prefix="anyurl-fuzz-") as fresh:
        command = [
            sys.executable, str(kit.FOLDER / "child.py"), name, fresh, str(kit.FOLDER / "corpus" / name),
            f"-max_total_time={seconds}", f"-seed={seed}", f"-timeout={limit}", f"-max_len={INPUT_BYTES}",
            f"-artifact_prefix={findings}/", "-rss_limit_mb=1024", "-print_final_stats=1",
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds + GRACE_SECONDS,
                check=False,
            )
            log, fault = done.stdout, "" if done.returncode == 0 else f"exit code {done.returncode}"
        except subprocess.TimeoutExpired as error:
            log, fault = error.stdout or b"", f"not done {GRACE_SECONDS} seconds after its time"
    new = sorted(path.name for path in set(findings.iterdir()) - known)
    if new:
        fault = f"{fault or 'found'}: {', '.join(new)}"
    return Report(name, time.monotonic() - begun, log.decode("utf-8", "backslashreplace"), fault)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Fuzz the parsers of anyurl with atheris.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="targets; all when none is named")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time (2)")
    parser.add_argument("--seed", type=int, default=0, help="draw the same inputs each time; 0: others each time (0)")
    parser.add_argument("--list", action="store_true", help="print the names of the targets")
    arguments = parser.parse_args()
    names = arguments.names or kit.names()
    if unknown := sorted(set(names) - set(kit.names())):
        parser.error(f"there is no target {', '.join(unknown)}; there is {', '.join(kit.names())}")
    if arguments.list:
        print(*names, sep="\n")
        return 0
    if find_spec("atheris") is None:
        print("atheris is not installed: its wheels are for CPython 3.11 to 3.14 on Linux (x86-64).", file=sys.stderr)
        return 3
    bad = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for report in pool.map(lambda name: fuzz(name, arguments.seconds, arguments.seed), names):
            print(report, flush=True)
            if report.fault:
                bad.append(report)
    for report in bad:
        print(f"\n--- {report.name}: {report.fault}\n{report.log[-6000:]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
