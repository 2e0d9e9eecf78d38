"""What a test sees of the machine: what it says that it needs, and no more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.conftest import ROOT

OUTSIDE = """
import os, pytest, shutil, subprocess
from tests import needs

@pytest.mark.needs("no-such-program")
def test_program(): raise AssertionError

@pytest.mark.needs("git")
def test_git(): assert shutil.which("git") and subprocess.run(["git", "--version"]).returncode == 0

def test_undeclared():
    assert shutil.which("git") is None
    for name in ("git", needs._path("git")):
        with pytest.raises(RuntimeError, match=r'pytest.mark.needs\\("git"\\)'): subprocess.run([name, "--version"])
    assert subprocess.run(["sh", "-c", "git --version"], stderr=subprocess.DEVNULL).returncode == 127

def test_nothing_to_start():
    for name in ("/no/such", "no-such-program"):
        with pytest.raises(FileNotFoundError): subprocess.run([name])

@pytest.fixture(scope="module")
def server(): return needs.program("git")

def test_server_first(server): assert subprocess.run([server, "--version"]).returncode == 0

def test_server_later(server): assert subprocess.run([server, "--version"]).returncode == 0

def test_made(tmp_path, monkeypatch):
    (tmp_path / "made").write_text("#!/bin/sh\\n")
    (tmp_path / "made").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert subprocess.run(["made"]).returncode == 0

def test_late():
    needs.need("sh", "no-such-program")
"""


def test_only_utilities_and_python_are_there() -> None:
    assert os.environ["PATH"] == str(needs.SHOWN.folder)
    assert set(os.listdir(needs.SHOWN.folder)) <= set(needs.POSIX)
    assert shutil.which("sh") is not None
    assert shutil.which("curl") is None


@pytest.mark.needs("git")
def test_what_a_test_says_is_there_and_what_it_does_not_say_is_not(tmp_path: Path) -> None:
    (tmp_path / "test_outside.py").write_text(OUTSIDE)
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml"]
    done = subprocess.run(
        [*command, "--rootdir", ROOT, "-p", "tests.conftest", tmp_path],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert "6 passed, 2 skipped" in done.stdout, done.stdout
    assert done.stdout.count("no-such-program is not installed") == 2


@pytest.mark.parametrize(
    ("command", "is_declared"),
    [
        ("sh", True), ("/bin/sh", True), (sys.executable, True), ("/usr/bin/python3", True), ("curl", False),
        ("/usr/bin/curl", False), ("/usr/sbin/nginx", False),
    ],
)  # fmt: skip
def test_what_a_test_may_start(command: str, is_declared: bool, tmp_path: Path) -> None:
    assert needs.is_declared(command) == is_declared or os.path.realpath(command) in needs.SHOWN.said
    assert needs.is_declared(str(tmp_path / "made"))


@pytest.mark.parametrize("name", sorted(needs.NEEDS))
def test_what_is_no_program_is_there_or_has_a_reason(name: str) -> None:
    needs.SHOWN.add(needs.programs([name]))
    reason = needs.missing([name])
    assert reason == (None if needs._is_met(name) else needs.NEEDS[name].reason)
