"""The installed command in a stranger's folder: it has a module of every name, and none of them is imported.

Rule: what Python itself and the installed script import is searched in PYTHONPATH before the first line of anyurl.
Where that names the current folder, those names are left out, but for the processes that anyurl starts.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Set
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import anyurl_start
from anyurl.cli import exits
from anyurl.cli.command_table import COMMANDS
from anyurl.world import World
from tests.cli.runner import CLEAN
from tests.servers import Connection, Server, reply

SCRIPT = Path(sys.executable).with_name("anyurl")

pytestmark = [
    pytest.mark.promise("children"),
    pytest.mark.skipif(not SCRIPT.is_file(), reason="the command is not installed beside this Python"),
]


PAGE = b"<html><title>Page</title><body><h1>Head</h1><a href='/a'>link</a></body></html>"

SECONDS = 60


@cache
def all_names() -> frozenset[str]:
    """What anything may import: the standard library, and what is installed."""
    more = ("anyurl", "anyurl_start", "sitecustomize", "usercustomize")
    return frozenset((*sys.stdlib_module_names, *packages_distributions(), *more))


def first_names() -> set[str]:
    """What is imported before the first line of anyurl, found or not."""
    command = [sys.executable, "-c", "import sys; print(*sys.modules)"]
    done = subprocess.run(command, cwd="/", env={"PATH": os.defpath}, capture_output=True, text=True, check=True)
    texts = [Path(each).read_text(encoding="utf-8") for each in (SCRIPT, anyurl_start.__file__)]
    imported = re.findall(r"^(?:from|import) (\w+)", "".join(texts), re.MULTILINE)
    return {*done.stdout.split(), *imported, "re", "sitecustomize", "usercustomize"}


class Strange:
    """The folder of a stranger, whose modules leave their names in another one."""

    def __init__(self, place: Path) -> None:
        self.folder, self._ran = place / "strange", place / "ran"
        for each in (self.folder, self.folder / "lib", self._ran):
            each.mkdir()
        (self.folder / "a.md").write_text("file:///etc/hostname http://127.0.0.1:1/")
        (self.folder / "urls.csv").write_text("url\nhttp://h/\n")

    def fill(self, names: Set[str]) -> None:
        """Put modules of these names there."""
        for folder in (self.folder, self.folder / "lib"):
            for name in names:
                code = f"open({str(self._ran / name)!r}, 'w').close()\n"
                if len(name) % 2:
                    (folder / f"{name}.py").write_text(code)
                else:
                    (folder / name).mkdir()
                    (folder / name / "__init__.py").write_text(code)
                    (folder / name / "__main__.py").write_text(code)

    @property
    def ran(self) -> list[str]:
        """The modules that ran."""
        return sorted(each.name for each in self._ran.iterdir())


PIECES = pytest.mark.parametrize("pieces", [None, "lib::."], ids=["none", "relative"], indirect=True)
"""What PYTHONPATH is: nothing, or a relative piece, an empty one and the current folder."""


@pytest.fixture(scope="module")
def pieces(request: pytest.FixtureRequest) -> str | None:
    given: str | None = request.param
    return given


@pytest.fixture(scope="module")
def strange(pieces: str | None, tmp_path_factory: pytest.TempPathFactory) -> Strange:
    return made(pieces, tmp_path_factory.mktemp("place"))


def made(pieces: str | None, place: Path) -> Strange:
    """A folder with all the modules that are searched after the first line of anyurl."""
    strange = Strange(place)
    strange.fill(all_names() if pieces is None else all_names() - first_names())
    return strange


def environment(pieces: str | None) -> dict[str, str]:
    clean = {name: value for name, value in CLEAN.items() if name != "PYTHONPATH"}
    given = {} if pieces is None else {"PYTHONPATH": pieces}
    return {**clean, **given, "HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent", "BROWSER": "true %s"}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World(("ftp", "gopher", "http")) as made:
        yield made


def lines(world: World) -> dict[str, list[str]]:
    """A command line for each command."""
    root = str(world.roots["http"])
    return {
        "get": [root, "-o", "got"],
        "ls": [str(world.roots["gopher"])],
        "stat": [str(world.roots["ftp"])],
        "search": [str(world.roots["gopher"]), "word"],
        "mirror": [str(world.roots["ftp"]), "mirrored"],
        "put": ["file:///{folder}/put", "a.md"],
        "append": ["file:///{folder}/a.md", "a.md"],
        "parse": ["http://h/"],
        "fix": ["<http://h/>"],
        "explain": ["http://h/", "--policy", "untrusted"],
        "find": ["."],
        "check": ["--changed", "HEAD", "--junit", "report.xml", "--html", "report.html", "."],
        "columns": ["urls.csv", "--column", "url", "-o", "out.csv"],
        "schemes": ["--all"],
        "demo": ["file", "gopher", "ftp", "http"],
        "serve": ["gopher"],
        "web": ["--open", "--no-history"],
        "proxy": ["--listen", "127.0.0.1:0"],
        "mcp": ["--http", "0"],
        "completions": ["bash"],
    }


SERVERS = ("serve", "web", "proxy", "mcp")


@pytest.mark.needs("bash", "git")
@PIECES
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_imports_what_lies_there(command: str, pieces: str | None, strange: Strange, world: World) -> None:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", "-C", str(strange.folder)]
    if command == "check":
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    words = [each.replace("{folder}", str(strange.folder)) for each in lines(world)[command]]
    with subprocess.Popen(
        [SCRIPT, command, *words], cwd=strange.folder, env=environment(pieces), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        if command in SERVERS:
            assert process.stdout is not None
            said = process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            assert said
        _, errors = process.communicate(timeout=SECONDS)
    assert "Traceback" not in errors
    assert "fault of anyurl" not in errors
    assert process.returncode not in (exits.USAGE, 1) or command == "check", errors
    assert strange.ran == []


@PIECES
def test_no_tool_of_mcp_imports_what_lies_there(pieces: str | None, tmp_path: Path) -> None:
    """Not even what a model has had saved there meanwhile."""
    pytest.importorskip("mcp")
    strange = made(pieces, tmp_path)
    from mcp import Client, StdioServerParameters, stdio_client

    def play(link: Connection) -> None:
        while head := link.head():
            path = head.split(b" ")[1]
            kind = b"text/plain" if path.endswith(b".py") else b"text/html"
            body = b"open('RAN', 'w').close()" if path.endswith(b".py") else PAGE
            link.send(reply(body, f"Content-Type: {kind.decode()}"))

    async def use(root: str) -> list[bool]:
        program = StdioServerParameters(
            command=str(SCRIPT), args=["mcp", "--allow-net=127.0.0.0/8", "--allow-put", "--allow-write", "."],
            env=environment(pieces), cwd=str(strange.folder),
        )  # fmt: skip
        told = []
        async with asyncio.timeout(SECONDS), Client(stdio_client(program)) as client:
            missing = all_names() - {each.name.partition(".")[0] for each in strange.folder.iterdir()}
            strange.fill(missing)  # the processes that it starts import these first
            for tool, arguments in (
                ("fetch", {"url": f"{root}/saved.py", "format": "file", "file_name": "brotli.py"}),
                ("fetch", {"url": f"{root}/page"}),
                ("find_urls", {"text": "<a href='http://h/'>"}),
                ("explain_url", {"text": "http://h/"}),
                ("check_url", {"url": "http://h/"}),
            ):
                told.append((await client.call_tool(tool, arguments)).is_error)
            for tool, arguments in (
                ("list", {"url": f"{root}/"}),
                ("search", {"url": f"{root}/", "words": "word"}),
                ("put", {"url": f"{root}/put", "text": "text"}),
            ):
                await client.call_tool(tool, arguments)
        return told

    with Server(play) as server:
        assert asyncio.run(use(f"http://127.0.0.1:{server.port}")) == [False] * 5
    assert strange.ran == []
    assert not (strange.folder / "RAN").exists()
