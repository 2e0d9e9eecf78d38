"""A fresh tree has no compiled files of tests, and each worker needs all of them: each compiles its share first.

Workers that begin at the same file at the same moment all compile it, and the next one, and so on to the last. Here
each begins with a part of the files that is its own; of the others it then finds what somebody else has compiled.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import ledger


def load(config: pytest.Config) -> None:
    """In a worker: load the files that it is the one to compile. What can't be loaded is told when it is collected."""
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None:
        return
    for path in share(ledger.asked(config), int(worker["workerid"].removeprefix("gw")), worker["workercount"]):
        name = ".".join(path.relative_to(ledger.TESTS.parent).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


def share(files: Sequence[Path], number: int, count: int) -> list[Path]:
    """Those of one worker; together the workers have each file once."""
    return sorted(files)[number::count]
