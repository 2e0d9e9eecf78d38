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


def test_there_are_ten_examples_and_the_commands() -> None:
    headings = re.findall(r"^### \d+\. ", README, re.MULTILINE)
    assert len(headings) == 10
    (_, install), (_, commands) = blocks("README.md", "sh")
    assert install.splitlines()[-1].startswith("pip install '.[full]'")
    assert commands.splitlines() == ["./scripts/demo", "./scripts/test"]


def test_the_home_of_the_pages_begins_as_the_readme() -> None:
    """One text, with its links from another folder; the first screen has at most 60 lines."""
    first, is_marked, _ = README.partition("<!-- docs/index.md begins with what stands above. -->")
    home = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("<!-- README.md begins")[0]
    assert is_marked
    assert len(first.splitlines()) <= 60
    links = re.compile(r'(\]\(|src=")(?![a-z]+:|#)([^)"]+)')
    assert home == links.sub(lambda link: link[1] + os.path.relpath(ROOT / link[2], ROOT / "docs"), first)


NAME = re.compile(r"\| \[(\w+)")
FIGURE = re.compile(r"\d+(?:\.\d+)?")
MEASURED = {
    "advocate": "The guard under other clients", "lychee": "Checking a tree", "linkify": "Finding",
    "urlsplit": "What is done with a URL",
}  # fmt: skip
"""The tools with which anyurl was compared, and the section about it."""


def test_the_figures_of_the_first_screen_are_measured() -> None:
    """Each stands in the section of bench/RESULTS.md about that tool."""
    results = (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8")
    rows = README.partition("| you know |")[2].partition("\n\n")[0].splitlines()[2:]
    compared = {match[1]: cells[2] for cells in (row.split(" | ") for row in rows) if (match := NAME.match(cells[0]))}
    assert {name for name, cell in compared.items() if "not measured" not in cell} == MEASURED.keys()
    for name, heading in MEASURED.items():
        measured = set(FIGURE.findall(results.partition(f"\n## {heading}")[2].partition("\n## ")[0]))
        figures = set(FIGURE.findall(compared[name]))
        assert figures
        assert figures <= measured, name


def test_the_sum_of_the_planted_faults_is_their_sum() -> None:
    results = (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8")
    table = results.partition("| tree | planted |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table]
    sums = []
    for column in range(1, 7):
        amounts = [
            int(number) * (len(row[0].partition(": ")[2].split("; ")) if cell.endswith(" each") else 1)
            for row in rows[:-1]
            for cell in [row[column]]
            for number in re.findall(r"\d+", cell)
        ]
        sums.append(str(sum(amounts)))
    assert rows[-1] == ["all", *sums]


def test_every_option_that_another_tool_becomes_is_one_of_ours() -> None:
    """The right column of the page for those who come from another tool; what follows "no" is no promise."""
    from anyurl.cli.command_table import COMMANDS as OURS
    from anyurl.cli.command_table import load

    known = {name for command in OURS for parameter in load(command).parameters for name in parameter.names}
    page = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    ours = [row.rpartition(" | ")[2] for row in page.splitlines() if row.startswith("| ")]
    options = {word for cell in ours for word in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", cell)}
    assert len(options) > 30
    assert options - known - {"-fsSL"} == set()


def test_the_map_names_rooms_that_are_there() -> None:
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = design.partition("\n## From RFC 1738 to rooms\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", table, re.MULTILINE)
    named = [room for row in rows for room in re.findall(r"`([\w./]+)`", row)]
    assert len(named) >= 7
    assert [room for room in named if not (ROOT / "src" / "anyurl" / room).exists()] == []
