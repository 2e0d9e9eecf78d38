"""Odd servers: what becomes of a document with anyurl, and that docs/peers.md tells the truth of the others."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.runner import run
from tests.needs import program
from tests.peers import beside_real
from tests.peers.beside import CLIENTS, ROWS, VERSIONS, Row, Start, play, start
from tests.peers.beside_real import ROWS as REAL
from tests.peers.beside_real import Row as RealRow
from tests.peers.beside_real import running

rows = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])

PLAYED = ROWS if os.environ.get("ANYURL_SLOW") else ROWS[::4]
"""The rows at which the others are tried: a part, but where there is time."""


@rows
def test_the_document_comes_or_nothing_is_lost(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> int:
        monkeypatch.chdir(folder)
        return run(*words[1:], env=dict(environment)).exit_code

    assert play("anyurl", row, tmp_path, start) == row.outcomes.split()[0]


@functools.cache
def version(path: str) -> str:
    found = re.search(r"\d+\.\d+\.\d+", subprocess.run([path, "--version"], capture_output=True, text=True).stdout)
    return found[0] if found else ""


@pytest.mark.parametrize("client", VERSIONS)
@pytest.mark.parametrize("row", PLAYED, ids=[row.name for row in PLAYED])
def test_what_is_told_of_the_others_is_so(client: str, row: Row, tmp_path: Path) -> None:
    told = row.outcomes.split()[CLIENTS.index(client)]
    if version(program(client)) == VERSIONS[client]:  # the table tells of these
        assert play(client, row, tmp_path) == told


real_rows = pytest.mark.parametrize("row", REAL, ids=[f"{row.server}-{row.task}" for row in REAL])
PLAYED_REAL = REAL if os.environ.get("ANYURL_SLOW") else REAL[::6]


def play_real(client: str, row: RealRow, folder: Path, started: Start = start) -> str:
    with ExitStack() as stack:
        # Not below pytest's own folder, which another run of pytest closes to the users that servers become.
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="anyurl-peer-")))
        place, served = running(row.server, home, stack)
        return beside_real.play(client, row.task, place, served, folder, started)


@real_rows
def test_servers_as_they_are_give_the_whole(row: RealRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def started(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> int:
        monkeypatch.chdir(folder)
        return run(*words[1:], env=dict(environment)).exit_code

    assert play_real("anyurl", row, tmp_path, started) == "whole"


@pytest.mark.parametrize("client", VERSIONS)
@pytest.mark.parametrize("row", PLAYED_REAL, ids=[f"{row.server}-{row.task}" for row in PLAYED_REAL])
def test_what_others_do_with_them_is_told(client: str, row: RealRow, tmp_path: Path) -> None:
    told = row.outcomes.split()[CLIENTS.index(client)]
    if version(program(client)) == VERSIONS[client]:
        assert play_real(client, row, tmp_path) == told


def test_nothing_is_lost_or_wrong_here() -> None:
    assert {row.outcomes.split()[0] for row in REAL} == {"whole"}
    assert {row.outcomes.split()[0] for row in ROWS} == {"whole", "kept", "refused"}
