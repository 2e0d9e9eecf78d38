"""The last line of a run counts what its processes have computed, and what they have started."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests import usage

COMPUTES = "import time\nwhile time.process_time() < 0.2: pass"


def test_what_a_program_computed_is_counted() -> None:
    before = usage.used()
    subprocess.run([sys.executable, "-S", "-c", COMPUTES], check=True)
    assert usage.used() - before > 0.1


def test_the_line_sums_up_the_workers() -> None:
    config = SimpleNamespace(stash=pytest.Stash())
    assert re.fullmatch(r"took \d+ s, and \d+ s of processor, in one process \(.*360 s and 720 s\)", usage.told(config))
    for seconds in (1000.0, 2000.0):
        worker = SimpleNamespace(workeroutput={"used": seconds})
        usage.take(config, worker)
    usage.take(config, SimpleNamespace())  # one that was lost
    found = re.match(r"took \d+ s, and (\d+) s of processor, in 3 processes", usage.told(config))
    assert found is not None
    assert 3000 <= int(found[1]) <= 3001 + usage.used()


def test_a_worker_hands_over_what_it_used() -> None:
    worker = SimpleNamespace(workeroutput={})
    usage.hand_over(worker)
    assert 0 < worker.workeroutput["used"] <= usage.used()
    usage.hand_over(SimpleNamespace())  # who asked for the tests has nobody to tell
