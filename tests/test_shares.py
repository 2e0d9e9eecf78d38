"""Workers that begin together each compile a share of the tests, and together all of them."""

from __future__ import annotations

from pathlib import Path

from tests.shares import share


def test_together_the_workers_have_each_file_once() -> None:
    files = [Path(f"tests/test_{number}.py") for number in range(10)]
    for count in (1, 2, 3, 4, 16):
        shares = [share(files, number, count) for number in range(count)]
        assert sorted(path for each in shares for path in each) == sorted(files)
        assert max(map(len, shares)) - min(map(len, shares)) <= 1
