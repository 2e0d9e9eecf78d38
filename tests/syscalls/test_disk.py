"""What a power cut or kill -9 leaves of a file that is saved, put or appended to, at each system call (`disk`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests import needs
from tests.syscalls.crashes import Change, Disk, after_power_cuts, parse
from tests.syscalls.disk import SCENARIOS

HERE = Path(__file__).parent
MEMORY = "/dev/shm"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], dict[str, Any]]:
    """By scenario, and whether a file can be without a name."""
    needs.need("compiler")
    shim = tmp_path_factory.mktemp("shim") / "record.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, HERE / "record.c", "-ldl"], check=True)
    # The calls and their order are the same on each file system; on a disk every fsync takes its time.
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="anyurl-disk-", dir=where) as folder:
        done = subprocess.run(
            [sys.executable, str(HERE / "disk.py"), str(shim), folder],
            env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            timeout=120,
            check=True,
        )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {(each["name"], each["unnamed"]): each for each in found}


@pytest.mark.parametrize("unnamed", [True, False], ids=["unnamed", "named"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_name_leads_to_the_old_or_the_whole_file_after_every_cut(
    records: dict[tuple[str, bool], dict[str, Any]], name: str, unnamed: bool
) -> None:
    record = records[name, unnamed]
    assert record["problems"] == []
    assert record["kills"] >= len([verb for verb in record["verbs"] if verb != "new"])
    assert record["states"] > len(record["verbs"])


@pytest.mark.parametrize(
    ("name", "verbs"),
    [
        ("new", "new write write fsync create fsync"),
        ("replaced", "new write write fsync create create move fsync remove"),
        ("put", "new write write fsync create fsync"),
        ("append", "write write fsync"),
        ("append to nothing", "new create write write fsync fsync"),
    ],
)
def test_the_order_of_the_calls(records: dict[tuple[str, bool], dict[str, Any]], name: str, verbs: str) -> None:
    """The file is on the disk before it has its name, and the name before the command says that all is well."""
    assert records[name, True]["verbs"] == verbs.split()


def contents(record: str) -> set[tuple[int, bytes | None]]:
    """What the name x in folder 1 may lead to after each number of changes."""
    return {(made, disk.read(1, "x")) for made, disk in after_power_cuts(Disk({}, {}), parse(record))}


def test_the_model_finds_a_name_that_is_older_than_its_octets() -> None:
    assert (3, b"") in contents("new 2\nwrite 2 0 61\ncreate 1 x 2\n")
    assert {octets for _, octets in contents("new 2\nwrite 2 0 61\nfsync 2\ncreate 1 x 2\n")} == {None, b"a"}


def test_the_model_finds_a_name_that_is_not_on_the_disk() -> None:
    whole = "new 2\nwrite 2 0 61\nfsync 2\ncreate 1 x 2\n"
    assert (4, None) in contents(whole)
    assert (5, None) not in contents(whole + "fsync 1\n")


def test_the_model_keeps_the_octets_of_a_file_in_order() -> None:
    record = "new 2\ncreate 1 x 2\nfsync 1\nwrite 2 0 6162\ncut 2 0\nwrite 2 0 63\n"
    assert {octets for made, octets in contents(record) if made == 6} == {b"", b"ab", b"c"}


def test_a_move_is_one_change() -> None:
    record = "new 2\ncreate 3 part 2\nwrite 2 0 61\nfsync 2\nfsync 3\nmove 3 part 1 x 2\n"
    assert parse(record)[-1] == Change("move", 1, ("x", "3", "part", "2"))
    assert {octets for made, octets in contents(record) if made == 6} == {None, b"a"}
