"""The pages of the schemes, as a newcomer reads them: one plan for all, and what stands there is what happens.

Rule: a block marked ``console`` is what a person types behind ``$`` at a terminal of 80 columns, and what is seen then;
one marked ``python`` is a doctest. They share a folder and the servers of the world, whose ports are put in the place
of those that `anyurl serve` prefers. ``...`` stands for what differs from run to run.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from anyurl.world import World
from anyurl.world.world import USUAL_PORTS
from tests import needs
from tests.architecture.source import ROOT
from tests.cli.runner import CLEAN
from tests.cli.test_screens import screen
from tests.rows import each_row

SCHEMES = ("data", "dict", "file", "ftp", "gemini", "gopher", "http", "mailto", "news", "prospero", "telnet", "wais")
"""Each has a page."""

PLAN = ("A first session", "URLs", "Commands", "From Python", "What can go wrong", "Security", "The clauses")
"""Headings that every page of a scheme has, in this order; others may stand between them."""

TUTORIALS = ("tutorial-archive", "tutorial-columns", "tutorial-gopher", "tutorial-links", "tutorial-strangers")
"""One for each kind of user."""

OTHERS = (
    "cli", "coming-from", "frontier", "guard", "logging", "logins", "mirror", "proxies", "text", "warc", *TUTORIALS
)  # fmt: skip
"""Pages about other things, whose blocks are run here, too."""

BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
PROMPT = re.compile(
    r"^(command: ?|> ?|(?:ftp|https?) password of \S+ at \S+: ?|A word that .*: ?|answer to .*: ?|.* \[[^\]]*\]: ?"
    r"|.* \[y/N\] ?)(.*)$"
)
"""What asks a person, and what that person types behind it."""

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
SECONDS = 60


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


class Place:
    """A folder, and the servers of the world that a page speaks of."""

    def __init__(self, world: World, text: str, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.checker = doctest.OutputChecker()
        ports = "|".join(str(port) for scheme, port in USUAL_PORTS.items() if scheme in world.roots)
        self.text = re.sub(rf"\b(?:{ports})\b", self._port, text) if ports else text
        self.program = folder.parent / "bin"
        self.program.mkdir()
        start = self.program / "anyurl"
        start.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m anyurl "$@"\n', encoding="utf-8")
        start.chmod(0o755)

    def _port(self, found: re.Match[str]) -> str:
        (scheme,) = (name for name, port in USUAL_PORTS.items() if str(port) == found[0])
        if scheme == "mailto":  # its URL names a mailbox, and no server
            return str(self.world.settings["mail_server"]).rpartition(":")[2]
        return str(self.world.roots[scheme].port)

    def seen(self, command: str, wanted: str) -> str:
        """What is on the screen when a command is over."""
        command = command.replace("$PWD", str(self.folder))
        words = shlex.split(command.replace("\\\n", " "), comments=True)
        if words[:2] == ["anyurl", "serve"]:
            urls = "".join(f"{scheme} {self.world.roots[scheme]}\n" for scheme in words[2:])
            told = {} if words[2:] != ["mailto"] else self.world.settings
            options = "".join(f"--{name.replace('_', '-')} {value}\n" for name, value in told.items())
            return f"{urls}{options}Ctrl-C stops it.\n"
        plain = words[0] == "anyurl" and not set("|<>$&;*") & set(re.sub(r"'[^']*'", "", command))
        if plain and "--program" not in words and not any(PROMPT.match(line) for line in wanted.splitlines()):
            return "\n".join(screen(80, *words[1:])) + "\n"
        return self._typed(command, wanted)

    def _typed(self, command: str, wanted: str) -> str:
        needs.need("terminal")
        environment = {**CLEAN, "TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(self.folder.parent)}
        environment["PATH"] = f"{self.program}{os.pathsep}{os.environ['PATH']}"
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        output = io.StringIO()
        child = pexpect.spawn(
            "sh", ["-c", command], cwd=str(self.folder), env=environment, dimensions=(24, 80), encoding="utf-8",
            timeout=SECONDS,
        )  # fmt: skip
        child.logfile_read = output
        for line in wanted.splitlines():
            asked = PROMPT.match(line)
            if asked:
                child.expect_exact(asked[1].rstrip())
                child.sendline("welcome" if "password" in asked[1] else asked[2])
        child.expect(pexpect.EOF)
        child.close()
        shown = pyte.Screen(80, 200)
        pyte.Stream(shown).feed(output.getvalue())
        return "\n".join(line.rstrip() for line in shown.display).rstrip("\n") + "\n"


@pytest.fixture
def servers(name: str) -> Iterator[World]:
    """Those that a page speaks of: none that another page has changed."""
    text = page(name)
    with World([scheme for scheme, port in USUAL_PORTS.items() if str(port) in text]) as world:
        yield world


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with a short name: a terminal breaks a line within a long one."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("name", [*SCHEMES, *OTHERS])
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # forkpty, while the world's threads run
def test_what_stands_there_is_what_happens(
    name: str, servers: World, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("anyurl.text.readers.registry._registered", {})  # what a page adds goes with it
    for variable in ("NNTPSERVER", "ANYURL_IDENTITY", "ANYURL_CONFIG", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    place = Place(servers, page(name), folder)
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    report: list[str] = []
    for block in BLOCK.finditer(place.text):
        line = place.text[: block.start()].count("\n") + 2
        if block[1] == "python":
            if ">>>" not in block[2]:  # a program that asserts what it says
                exec(compile(block[2], f"{name}.md:{line}", "exec"), names)
                continue
            test = doctest.DocTestParser().get_doctest(block[2], names, f"{name}.md:{line}", name, line - 1)
            runner.run(test, out=report.append, clear_globs=False)
            names.update(test.globs)
            continue
        commands = COMMAND.findall(block[2])
        assert commands != [], f"{name}.md:{line}: no command"
        for command, wanted in commands:
            seen = place.seen(command, wanted)
            if not place.checker.check_output(wanted, seen, OPTIONS):
                report.append(f"{name}.md:{line}: $ {command}\n--- on the page\n{wanted}--- seen\n{seen}\n")
    assert report == [], "".join(report)


ELSEWHERE = {
    "README.md", "docs/agents.md", "docs/check.md", "docs/columns.md", "docs/proxy.md", "docs/types.md",  # test_readme
    "docs/index.md",  # the same text as README.md
    "docs/fsspec.md", "docs/guard-your-client.md",  # tests/adapters
    "docs/adding-a-scheme.md",  # tests/architecture/test_design.py
    "docs/scale.md",  # tests/batch/test_engines.py
    "docs/around.md",  # tests/proxy/test_child.py
    "docs/grammar/README.md",  # tests/grammar/test_pages.py
    "CONTRIBUTING.md",  # how code is written: no example of what anyurl does
}  # fmt: skip
"""Documents whose blocks other tests run."""


def test_every_block_of_every_document_is_run() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    with_blocks = {
        path.relative_to(ROOT).as_posix() for path in documents if BLOCK.search(path.read_text(encoding="utf-8"))
    }
    assert with_blocks - ELSEWHERE == {f"docs/{name}.md" for name in (*SCHEMES, *OTHERS)}


@each_row("name", SCHEMES)
def test_a_page_has_the_plan(name: str) -> None:
    headings = re.findall(r"^## (.+)$", page(name), re.MULTILINE)
    assert [heading for heading in headings if heading in PLAN] == list(PLAN)
