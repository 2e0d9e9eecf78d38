"""How deep a trace is between a verb and the network: what ``bench/frames.py`` counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FRAMES = Path(__file__).resolve().parents[2] / "bench" / "frames.py"


@pytest.mark.kernel("pure")  # what is compiled has no frames
def test_a_get_reaches_the_network_within_the_frames_that_are_allowed() -> None:
    done = subprocess.run([sys.executable, str(FRAMES)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["http", "gopher"]
