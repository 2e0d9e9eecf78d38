"""What a run takes of the machine: seconds, and seconds of processor of all its processes, in the last lines of a run.

Rule: what is counted is what the system counts: of the process that asks for the tests, of each worker, and of the
programs that these started and waited for.
"""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

BEGAN = time.monotonic()

BARS = (360, 720)
"""Seconds, and seconds of processor, that all tests may take on two cores with nothing else to do."""

WORKERS = pytest.StashKey[list[float]]()
"""Seconds of processor of each worker that has ended."""


def used() -> float:
    """Seconds of processor of this process, and of those that it has waited for."""
    return sum(os.times()[:4])


def hand_over(config: pytest.Config) -> None:
    """In a worker, at its end: tell the process that asked for the tests."""
    output: dict[str, Any] | None = getattr(config, "workeroutput", None)
    if output is not None:
        output["used"] = used()


def take(config: pytest.Config, worker: Any) -> None:
    """In the process that asked for the tests: note what a worker that has ended handed over."""
    config.stash.setdefault(WORKERS, []).append(getattr(worker, "workeroutput", {}).get("used", 0.0))


def told(config: pytest.Config) -> str:
    """What the run took, in one line; a worker that was waited for is among the children of this process already."""
    workers = config.stash.get(WORKERS, [])
    seconds = time.monotonic() - BEGAN
    processor = max(used(), used() - sum(os.times()[2:4]) + sum(workers))
    processes = f"{len(workers)} processes" if workers else "one process"
    return (
        f"took {seconds:.0f} s, and {processor:.0f} s of processor, in {processes}"
        f" (all tests, two free cores: at most {BARS[0]} s and {BARS[1]} s)"
    )
