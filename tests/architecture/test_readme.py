"""The examples of the README and of pages that have some, executed: what stands there is what happens.

Blocks marked ``python`` are doctests that share their names; blocks marked ``console`` are what a person types after
``$`` and what the program answers, run one after the other in one folder. ``...`` stands for what differs from run to
run. Blocks marked otherwise (``sh``) are not examples.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import anyurl
from tests import needs
from tests.architecture.source import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ("README.md", "docs/agents.md", "docs/check.md", "docs/columns.md", "docs/proxy.md")
"""What is executed; each page for itself. Those of the schemes, and more, are run by ``tests/cli/test_pages.py``."""

COMMANDS = ("README.md", "docs/agents.md", "docs/around.md", "docs/check.md", "docs/columns.md", "docs/proxy.md")
"""Those that have what a person types, too."""

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 60
"""For one command: some hundred times what it takes."""

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def blocks(page: str, kind: str) -> list[tuple[int, str]]:
    """The blocks of a kind, each with the line on which it starts."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [(text[: match.start()].count("\n") + 2, match[2]) for match in BLOCK.finditer(text) if match[1] == kind]


@pytest.fixture
def program(tmp_path: Path) -> str:
    """PATH with the real program in front; where only the source is there, a program that runs it."""
    bin_folder = Path(sys.executable).parent
    if not (bin_folder / "anyurl").exists():
        bin_folder = tmp_path / "bin"
        bin_folder.mkdir()
        script = bin_folder / "anyurl"
        source = shlex.quote(str(Path(anyurl.__file__).parent.parent))
        run = f'PYTHONPATH={source} exec {shlex.quote(sys.executable)} -m anyurl "$@"'
        script.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
        script.chmod(0o755)
    return f"{bin_folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("page", [*PAGES, "docs/types.md"])
def test_the_python_examples(page: str, tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", program)
    names: dict[str, object] = {"__name__": "__main__"}
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    report: list[str] = []
    for line, text in blocks(page, "python"):
        test = parser.get_doctest(text, names, f"{page}:{line}", page, line - 1)
        assert test.examples != []
        runner.run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    assert report == [], "".join(report)


def answer(command: str, folder: Path, environment: dict[str, str]) -> str:
    """What a shell and everything that it starts write; none of them is left, whatever happens."""
    with subprocess.Popen(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as shell:
        try:
            return shell.communicate(timeout=SECONDS)[0]
        except BaseException:
            os.killpg(shell.pid, signal.SIGKILL)
            raise


NEEDS = {"docs/around.md": ("curl",), "docs/proxy.md": ("curl",)}
"""Programs of others that the commands of a page start."""


@pytest.mark.parametrize("page", COMMANDS)
def test_the_console_examples(page: str, tmp_path: Path, program: str) -> None:
    needs.need(*NEEDS.get(page, ()))
    folder = tmp_path / "folder"
    folder.mkdir()
    environment = {**os.environ, "PATH": program, "LC_ALL": "C.UTF-8", "HOME": str(tmp_path), "COLUMNS": "100"}
    checker = doctest.OutputChecker()
    examples = 0
    for line, text in blocks(page, "console"):
        for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            got = answer(command, folder, environment)
            assert checker.check_output(wanted, got, OPTIONS), (
                f"{page}:{line}: $ {command}\n--- wanted\n{wanted}--- got\n{got}"
            )
            examples += 1
    assert examples > 0


def test_there_are_ten_examples_and_the_two_commands() -> None:
    headings = re.findall(r"^### \d+\. ", README, re.MULTILINE)
    assert len(headings) == 10
    (_, commands), *_ = blocks("README.md", "sh")
    assert commands.split("\n")[-3:-1] == ["./scripts/demo", "./scripts/test"]


def test_the_map_names_rooms_that_are_there() -> None:
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", README, re.MULTILINE)
    named = [room for row in rows for room in re.findall(r"`([\w./]+)`", row)]
    assert len(named) >= 7
    assert [room for room in named if not (ROOT / "src" / "anyurl" / room).exists()] == []
