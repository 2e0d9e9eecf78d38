"""How many tests each file had when somebody last looked: ``ledger.tsv``, which `scripts/ledger` writes.

Rule: a file may gain and lose tests without a word. One that has lost more than half of them is an error until the
ledger is written anew, so that an emptied file is seen in the change that emptied it. A file may be moved or merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
NAME = "ledger.tsv"

COUNTS = pytest.StashKey[dict[str, int]]()
"""Of a session: the number of tests of each file that was asked for whole."""


def count(config: pytest.Config, items: Iterable[pytest.Item]) -> dict[str, int]:
    """The tests of each file, for both kernels and before any choice by name; none where only a part is collected."""
    parts = any(config.getoption(option, None) for option in ("lf", "ignore", "ignore_glob"))
    if parts or any("::" in argument for argument in config.args):
        return {}
    counts = Counter(item.path for item in items)
    return {path.relative_to(TESTS).as_posix(): counts[path] for path in asked(config)}


def asked(config: pytest.Config) -> list[Path]:
    """The files of tests that were asked for, whole or in part."""
    places = [(config.invocation_params.dir / argument.partition("::")[0]).resolve() for argument in config.args]
    return [path for path in TESTS.rglob("test_*.py") if any(path.is_relative_to(place) for place in places)]


def read(folder: Path = TESTS) -> dict[str, int]:
    """The rows of the ledger."""
    rows = (line.split("\t") for line in (folder / NAME).read_text(encoding="utf-8").splitlines())
    return {path: int(number) for path, number in rows}


def write(counts: Mapping[str, int], folder: Path = TESTS) -> None:
    """Replace the rows of the files that were counted, and leave out those of files that are gone."""
    old = read(folder) if (folder / NAME).exists() else {}
    rows = {path: number for path, number in {**old, **counts}.items() if (folder / path).exists()}
    text = "".join(f"{path}\t{rows[path]}\n" for path in sorted(rows))
    (folder / NAME).write_text(text, encoding="utf-8")


def losses(rows: Mapping[str, int], counts: Mapping[str, int]) -> list[str]:
    """The files that have less than half of what the ledger says.

    Args:
        counts: The tests of each file that was counted; what was not is not judged.
    """
    return [
        f"{path} has {counts[path]} tests; it had {number}"
        for path, number in rows.items()
        if counts.get(path, number) * 2 < number
    ]
