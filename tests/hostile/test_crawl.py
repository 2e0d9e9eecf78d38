"""A short crawl under each policy (`tests.hostile`): nothing reached, nothing said and nothing held that should not be.

``scripts/hostile`` is the long one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests import needs
from tests.hostile.__main__ import POLICIES

EDGES = 250
SECONDS_EACH = 0.5


def crawl(policy: str, *more: str) -> dict[str, Any]:
    needs.need("namespace", "compiler")
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile", "--json", "--policy", policy, "--edges", str(EDGES), *more],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60 + SECONDS_EACH * EDGES,
        check=False,
    )
    assert done.stdout, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_is_reached_or_said_that_should_not_be(policy: str) -> None:
    record = crawl(policy)
    assert record["faults"] == []
    assert record["problems"] == []
    # It was a crawl: it went to many places, and was refused others.
    assert record["edges"] >= EDGES
    assert record["tally"]["connect"] > EDGES / 5
    assert record["errors"]["RefusedError"] > 0
    assert record["kinds"]["listing"] > 0
    assert record["kinds"]["document"] > 0
    assert record["tally"]["secrets"] > 0


def test_a_client_that_goes_everywhere_is_found_out() -> None:
    """The judge sees: by what the strictest policy promises, most of what the open one does is a fault."""
    faults = "\n".join(crawl("open", "--judge", "untrusted")["faults"])
    assert "private, and only public ones are allowed" in faults
    assert "local, and only public ones are allowed" in faults
    assert "a session" in faults
