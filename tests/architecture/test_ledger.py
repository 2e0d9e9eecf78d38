"""No file of tests has fewer tests than the ledger says. Fewer on purpose, or moved? ``scripts/ledger`` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ledger


def test_no_file_has_lost_tests(pytestconfig: pytest.Config) -> None:
    """Of the files that this run was asked for; that a file is there is asked of all."""
    there = [path.relative_to(ledger.TESTS).as_posix() for path in ledger.TESTS.rglob("test_*.py")]
    assert ledger.losses(ledger.read(), pytestconfig.stash[ledger.COUNTS], there) == []


def test_the_ledger_is_sorted_and_counts() -> None:
    rows = ledger.read()
    assert list(rows) == sorted(rows)
    assert min(rows.values()) > 0


def test_what_is_a_loss() -> None:
    rows = {"a.py": 3, "b.py": 2, "c.py": 1, "d.py": 5, "e.py": 1}
    counts = {"a.py": 2, "b.py": 4, "e.py": 0, "new.py": 1}
    assert ledger.losses(rows, counts, ["a.py", "b.py", "d.py", "e.py", "new.py"]) == [
        "c.py is gone; it had 1",
        "a.py has 2; it had 3",
        "e.py has 0; it had 1",
    ]


def test_writing_replaces_what_was_counted(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "new.py"):
        (tmp_path / name).touch()
    ledger.write({"b.py": 2, "a.py": 3, "gone.py": 1}, tmp_path)
    ledger.write({"a.py": 1, "new.py": 7}, tmp_path)
    assert (tmp_path / ledger.NAME).read_text(encoding="utf-8") == "a.py\t1\nb.py\t2\nnew.py\t7\n"
    assert ledger.read(tmp_path) == {"a.py": 1, "b.py": 2, "new.py": 7}
