"""A short soak: `bench/soak.py` with a few hundred transfers; the long one is for people."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "bench" / "soak.py"


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors and memory are read from /proc")
def test_good_and_evil_transfers_leave_nothing_behind() -> None:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--json", "--count", "500"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    result = json.loads(done.stdout)
    assert result["problems"] == []
    assert result["before"] == result["after"]
    assert sum(result["outcomes"].values()) == 500
    assert result["outcomes"]["good"] > 200
    assert len(result["outcomes"]) > 6
    assert [outcome for outcome in result["outcomes"] if outcome.startswith(("evil", "not of"))] == []
