"""kill -9 at random moments with others at work in the folder: nothing half, lost, doubled or swapped (`kills`).

Forty kills; ANYURL_KILLS=400 makes more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KILLS = int(os.environ.get("ANYURL_KILLS", 40))
SECONDS_EACH = 5


@pytest.mark.parametrize("where", [None, "/dev/shm"], ids=["here", "memory"])
def test_a_name_is_never_given_to_anything_but_the_whole_file(where: str | None) -> None:
    if not hasattr(os, "pidfd_open"):
        pytest.skip("it waits for processes as only Linux can")
    if where is not None and not os.access(where, os.W_OK):
        pytest.skip(f"there is no {where} to write to")
    with tempfile.TemporaryDirectory(prefix="anyurl-kills-", dir=where) as folder:
        done = subprocess.run(
            [sys.executable, str(HERE / "kills.py"), folder, str(KILLS // 2)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            timeout=SECONDS_EACH * KILLS,
            check=True,
        )
    record = json.loads(done.stdout)
    assert record["problems"] == []
    assert record["killed"] > 0
