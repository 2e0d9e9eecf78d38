"""A test that hangs says where, while it still does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import ledger


def test_a_test_that_hangs_says_where(tmp_path: Path) -> None:
    """By an alarm that outlives the test which has set it."""
    (tmp_path / "test_it.py").write_text(
        "import threading\n\ndef test_sets_the_alarm(): ...\n\ndef test_hangs():\n    threading.Event().wait(1)\n"
    )
    (tmp_path / "conftest.py").write_text("from tests import conftest\nconftest.HANGS = 0.3\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "tests.conftest", "-p", "no:cacheprovider", "."]
    root = ledger.TESTS.parent
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), "-o", "pythonpath=" + str(root)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "in test_hangs" in done.stderr
