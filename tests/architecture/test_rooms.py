"""The rooms: imports only point down, and few modules touch the outside (contracts: pyproject.toml)."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from tests.architecture.source import ROOT, called_name, in_rooms, modules

pytest.importorskip("importlinter", reason="import-linter is not installed")


def test_the_contracts_between_the_rooms_hold() -> None:
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stdout


def test_there_is_one_url_parser() -> None:
    """Also not under another name: by ``import_module`` or ``__import__``. An adapter stands under urllib's opener."""
    found = [
        module.at(node)
        for module in modules()
        for node in module.nodes
        if isinstance(node, ast.Constant) and node.value in ("urllib", "urllib.parse")
    ]
    found += [
        module.at(node)
        for module in modules()
        for name, node in module.imports()
        if name.partition(".")[0] == "urllib" and (module.path, name) not in GUARDED_OPENER
    ]
    assert found == []


GUARDED_OPENER = {("adapters/urllib.py", "urllib.request"), ("adapters/urllib.py", "urllib.error")}


def test_pure_rooms_open_and_print_nothing() -> None:
    found = [
        f"{module.at(node)} {called_name(node)}"
        for module in in_rooms("schemes", "grammar", "guard", "text")
        if module.path != "guard/policy_file.py"  # the file that the caller names
        for node in module.nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("open", "input", "print", "exec", "eval", "__import__")
    ]
    assert found == []


SOCKET_MAKERS = {"socket", "create_connection", "create_server", "open_connection"}


def test_in_net_only_the_connector_opens_a_socket() -> None:
    """Another name for what is open already (``fileno=``, ``sock=``) opens nothing."""
    found = [
        f"{module.at(node)} {called_name(node)}"
        for module in in_rooms("net")
        if module.path != "net/wire/connector.py"
        for node in module.nodes
        if isinstance(node, ast.Call)
        and called_name(node) in SOCKET_MAKERS
        and {"fileno", "sock"}.isdisjoint(keyword.arg for keyword in node.keywords)
    ]
    assert found == []


FILES = (
    "files/filesystem.py", "files/channel.py", "files/appendix.py", "files/staging.py",
    "files/folder.py", "files/rooted.py", "saving/existing_file.py", "saving/part_file.py", "saving/save.py",
    "saving/sink.py", "files/output.py", "files/named.py", "client/secrets.py", "client/cookie_file.py", "warc/file.py",
    "files/lock.py", "net/wire/pins.py", "files/shared.py", "warc/cdxj.py", "warc/wacz.py",
)  # fmt: skip
"""Where a path is opened that came from a URL or is saved to, and what is read and written through; and the user's own
``.netrc``, file of cookies, reports, archives with index and package, pins, and the folder that others may read."""


def test_around_the_network_only_files_open_a_path() -> None:
    paths = {module.path for module in in_rooms("net", "client", "files", "saving", "warc")}
    assert set(FILES) <= paths
    found = [
        f"{module.at(node)} {ast.unparse(node.func)}"
        for module in in_rooms("net", "client", "files", "saving", "warc")
        if module.path not in FILES
        for node in module.nodes
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("open", "io.open", "os.open", "os.scandir", "os.listdir", "os.stat", "os.unlink")
    ]
    assert found == []
