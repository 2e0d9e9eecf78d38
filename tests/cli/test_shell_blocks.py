"""The shell blocks of the documents: each is shell, each command line of anyurl is one, and what can run here runs.

Rule: what is not run stands in `NOT_RUN`, each program with its reason; a program that is no longer on a page fails.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from anyurl.cli.app import app
from anyurl.cli.terminal.console import Console
from anyurl.world import World
from tests.architecture.source import ROOT
from tests.architecture.test_examples import with_ports
from tests.cli.runner import CLEAN
from tests.rows import each_row

BLOCK = re.compile(r"^```(sh|toml|json|py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

NOT_RUN = {
    "./scripts/demo": "what scripts/fresh does on a bare machine",
    "./scripts/test": "what scripts/fresh does on a bare machine",
    ".venv/bin/lint-imports": "a step of .ci/run",
    ".venv/bin/mypy": "a step of .ci/run",
    ".venv/bin/pyright": "a step of .ci/run",
    ".venv/bin/ruff": "a step of .ci/run",
    ".ci/full": "it runs the tests",
    ".ci/run": "it runs the tests",
    "scripts/": "a list of scripts, some of which run the tests; each is there",
    "mkdir": "it makes the folder that the test makes",
    "echo": "it makes a file in that folder",
    "pip": "it installs from an index, or from the clone, as scripts/fresh does",
    "python3": "it makes the environment of what follows",
    ".": "it enters the environment of what follows",
    "export": "it begins what follows",
    "curl": "it asks a server that another line starts, or one on the Internet",
    "wget": "it asks a server on the Internet",
    "lynx": "it asks a server on the Internet",
    "podman": "it needs a container engine",
    "docker": "it needs a container engine",
    "sudo": "it changes the machine",
    "printf": "it writes to the machine's configuration, or makes a file in that folder",
    "ray": "it starts a cluster",
    "wb-manager": "a program of others, for the archive that the page has made",
    "wayback": "a program of others, for the archive that the page has made",
    "sphinx-build": "a program of others, for a tree that is not ours",
    "mkdocs": "scripts/site runs it",
    "proxy": "what the line above prints",
}
"""The first word of each line that is not one of anyurl's, and why it is not run."""

HERE = ("docs/tutorial-archive.md", "docs/tutorial-gopher.md", "docs/web.md")
"""Pages whose blocks speak of the servers of the world: they are run, with what their console blocks have made."""

SERVES = re.compile(r"^(?:anyurl (?:web|serve|mcp --http)\b)")
"""What ends when somebody ends it: it has begun when it has said where."""

NOT_STARTED = {"--install": "it changes the desktop", "--uninstall": "it changes the desktop", "--open": "a browser"}


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    """The blocks of a kind, each with its document and line."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block[1] == kind:
                yield f"{path.relative_to(ROOT).as_posix()}:{text[: block.start()].count(chr(10)) + 2}", block[2]


def simple(script: str) -> list[list[str]]:
    """The simple commands of a block: words, without comments and assignments."""
    found: list[list[str]] = []
    for line in script.replace("\\\n", " ").splitlines():
        found.append([])
        for word in shlex.split(line, comments=True):
            if word in ("&&", "|"):
                found.append([])
            elif found[-1] or not re.match(r"[A-Za-z_]+=", word):
                found[-1].append(word)
    return [words for words in found if words]


SHELL = dict(blocks("sh"))


@pytest.mark.parametrize("where", SHELL)
def test_it_is_shell(where: str) -> None:
    done = subprocess.run(["sh", "-n"], input=SHELL[where], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("where", [where for where, script in SHELL.items() if "anyurl " in script])
def test_each_command_line_is_one(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as the command reads it, in a folder that has what the lines name; nothing is done."""
    monkeypatch.chdir(tmp_path)
    for folder in ("build/html", "docs", "site", "hole"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("urls.txt", "links.txt", "million.txt", "visit.warc.gz", "all.wacz", "agent.py"):
        (tmp_path / file).write_bytes(b"")
    read = 0
    for words in simple(SHELL[where]):
        if words[0] == "anyurl":
            name, *rest = [word.replace("URL", "http://host.dom/") for word in words[1:]]
            group = click.Context(app, info_name="anyurl", obj=Console())
            command = app.get_command(group, name)
            assert command is not None, f"{where}: anyurl {name}"
            command.make_context(name, rest, parent=group)
            read += 1
    assert read > 0


def test_what_is_not_run_stands_with_its_reason() -> None:
    first = {words[0] for script in SHELL.values() for words in simple(script)} - {"anyurl"}
    scripts = {word for word in first if word.startswith("scripts/")}
    assert [script for script in scripts if not (ROOT / script).exists()] == []
    assert first - scripts == set(NOT_RUN) - {"scripts/"}


@pytest.mark.parametrize("page", HERE)
def test_what_can_run_here_runs(page: str, tmp_path: Path) -> None:
    """With the servers of the world: commands to their end, servers until they have said where they are."""
    pytest.importorskip("uvicorn")
    ran = 0
    (tmp_path / "hole").mkdir()
    with World() as world:
        for where, script in SHELL.items():
            if where.partition(":")[0] != page:
                continue
            for words in simple(with_ports(script, world)):
                if words[0] != "anyurl" or NOT_STARTED.keys() & set(words):
                    continue
                words = [word.replace("URL", str(world.roots["gopher"])) for word in words]
                run(words[1:], tmp_path)
                ran += 1
    assert ran > 0


def run(words: list[str], folder: Path) -> None:
    """One command line, to its end, or until a server has begun."""
    environment = {**CLEAN, "HOME": str(folder), "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-m", "anyurl", *words]
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as started:  # fmt: skip
        if SERVES.match(f"anyurl {' '.join(words)}"):
            assert started.stdout is not None
            said = started.stdout.readline()
            started.terminate()
            assert "://127.0.0.1:" in said, (words, said, started.communicate(timeout=60))
            started.communicate(timeout=60)
        else:
            out, err = started.communicate(timeout=60)
            assert started.returncode == 0, (words, out, err)


@each_row("where", list(dict(blocks("toml"))))
def test_settings_are_toml(where: str) -> None:
    tomllib.loads(dict(blocks("toml"))[where])


@pytest.mark.parametrize("where", list(dict(blocks("json"))))
def test_settings_are_json(where: str) -> None:
    json.loads(dict(blocks("json"))[where])


def test_a_program_with_libraries_that_are_not_here_is_python() -> None:
    """The one block marked ``py``: it needs the libraries of two companies."""
    ((where, source),) = blocks("py")
    assert where.startswith("docs/agents.md:")
    compile(source, where, "exec")
    exec("\n".join(line for line in source.splitlines() if line.startswith("from anyurl")), {})
