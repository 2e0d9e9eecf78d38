"""No file of tests has less than half of what the ledger says. On purpose? ``scripts/ledger`` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ledger


def test_no_file_has_lost_most_of_its_tests(pytestconfig: pytest.Config) -> None:
    """Of the files that this run was asked for."""
    assert ledger.losses(ledger.read(), pytestconfig.stash[ledger.COUNTS]) == []


def test_the_ledger_is_sorted_and_counts() -> None:
    rows = ledger.read()
    assert list(rows) == sorted(rows)
    assert min(rows.values()) > 0


def test_what_is_a_loss() -> None:
    rows = {"a.py": 3, "b.py": 2, "c.py": 1, "d.py": 5, "e.py": 1}
    counts = {"a.py": 1, "b.py": 1, "d.py": 9, "e.py": 0, "new.py": 1}
    assert ledger.losses(rows, counts) == ["a.py has 1 tests; it had 3", "e.py has 0 tests; it had 1"]


def test_writing_replaces_what_was_counted(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "new.py"):
        (tmp_path / name).touch()
    ledger.write({"b.py": 2, "a.py": 3, "gone.py": 1}, tmp_path)
    ledger.write({"a.py": 1, "new.py": 7}, tmp_path)
    assert (tmp_path / ledger.NAME).read_text(encoding="utf-8") == "a.py\t1\nb.py\t2\nnew.py\t7\n"
    assert ledger.read(tmp_path) == {"a.py": 1, "b.py": 2, "new.py": 7}
