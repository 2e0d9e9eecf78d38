"""Each call of the C library fails once, for every scheme: what comes out is clean, and nothing is left (`trial`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anyurl.world.world import ROWS
from tests import needs
from tests.syscalls.trial import FAULTS

HERE = Path(__file__).parent

FEWEST = {"data": 15}
"""Calls that fail at least, where that is less than 20: such a URL reaches nothing, and loads few modules."""


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs.need("compiler")
    path = tmp_path_factory.mktemp("shim") / "fail.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, HERE / "fail.c", "-ldl"], check=True)
    return path


def fail_everything(shim: Path, *schemes: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(HERE / "trial.py"), str(shim), *schemes],
        env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        timeout=600,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("scheme", ROWS)
def test_every_call_may_fail(shim: Path, scheme: str) -> None:
    if scheme == "ftp":
        pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    (record,) = fail_everything(shim, scheme)
    assert record["problems"] == []
    assert record["clean"] > 5
    assert record["trials"] >= FEWEST.get(scheme, 20)


def test_every_function_of_the_shim_is_failed() -> None:
    listed = (HERE / "fail.c").read_text("ascii").split("#define FUNCTIONS(X)")[1].split("\n\n")[0]
    assert {word.strip(" \\\n()") for word in listed.split("X")} - {""} == set(FAULTS)
