"""Processes: two functions of ``net/children.py`` start one, and one room more; what the action runs first."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT, Module, called_name, modules

pytestmark = pytest.mark.promise("children")

STARTERS = {
    "subprocess", "_posixsubprocess", "_winapi", "multiprocessing", "concurrent.futures.process", "pty", "webbrowser",
    "ray", "ctypes.util", "antigravity", "idlelib", "pip", "ensurepip", "venv", "pydoc",
}  # fmt: skip
"""Modules that start processes."""

NAMED = {"pip", "ray", "venv"}
"""Those whose names stand in texts of other meanings."""

FUNCTIONS = re.compile(
    r"(os|posix|nt)\.((exec|spawn)[lv]p?e?|posix_spawnp?|fork(pty)?|system|popen|startfile)"
    r"|.+\.(create_subprocess_\w+|subprocess(_exec|_shell)?|ProcessPoolExecutor|Forking\w+|echo_via_pager|getpager)"
)
"""Functions and classes of other modules that do."""

ALLOWED = {
    "net/children.py": "its two functions",
    "proxy/child.py": "the program that a person runs with `anyurl proxy -- COMMAND`",
    "web/desktop.py": "the user's browser, as Python's `webbrowser` finds it",
    "batch/check/cluster.py": "Ray's workers, which import nothing from the current folder",
}


def starters(module: Module) -> list[str]:
    """Where a module could start a process: by an import, by a name in a text, or by a function."""
    found = [module.at(node) for name, node in module.imports() if is_starter(name) or FUNCTIONS.fullmatch(name)]
    for node in module.nodes:
        is_called = isinstance(node, ast.Attribute) and FUNCTIONS.fullmatch(f"{called_name(node.value)}.{node.attr}")
        if is_called or (isinstance(node, ast.Constant) and node.value in STARTERS - NAMED):
            found.append(module.at(node))
    return found


def is_starter(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in STARTERS)


def test_processes_are_started_in_one_place() -> None:
    found = {module.path: starters(module) for module in modules()}
    assert {path: places for path, places in found.items() if places and path not in ALLOWED} == {}
    assert {path for path, places in found.items() if places} == set(ALLOWED)


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess", "from subprocess import run", "import os; os.execv('a', [])", "from os import posix_spawn",
        "import asyncio; asyncio.create_subprocess_shell('a')", "from asyncio import subprocess", "f('pty')",
        "from concurrent.futures import ProcessPoolExecutor", "loop.subprocess_exec(f)", "import multiprocessing.pool",
        "import webbrowser", "os.popen('a')", "os.fork()", "from ray import init", "__import__('subprocess')",
    ],
)  # fmt: skip
def test_what_starts_one(line: str, tmp_path: Path) -> None:
    module = object.__new__(Module)
    module.path, module.tree = "x.py", ast.parse(line)
    assert starters(module)


def test_children_has_two_functions() -> None:
    (module,) = [module for module in modules() if module.path == "net/children.py"]
    starting = {
        function.name
        for function in module.functions()
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and re.fullmatch(r"subprocess\.\w+|asyncio\.create\w+", ast.unparse(node.func))
    }
    assert starting == {"run_users", "run_ours"}


def test_the_browser_is_all_that_the_desktop_starts() -> None:
    (module,) = [module for module in modules() if module.path == "web/desktop.py"]
    calls = {ast.unparse(node.func) for node in module.nodes if isinstance(node, ast.Call)}
    assert {each for each in calls if each.startswith("webbrowser")} == {"webbrowser.open"}


def test_rays_workers_import_nothing_from_the_current_folder() -> None:
    """They import from where Ray is begun; `tests/batch/killed_worker.py` begins it among strange modules."""
    (module,) = [module for module in modules() if module.path == "batch/check/cluster.py"]
    (begun,) = [node for node in module.nodes if isinstance(node, ast.Call) and called_name(node) == "init"]
    around = [ast.unparse(node.items[0]) for node in module.above(begun) if isinstance(node, ast.With)]
    assert around == ["chdir(os.path.abspath(os.sep))"]


def test_what_the_action_runs_reads_nothing_of_the_workspace(tmp_path: Path) -> None:
    """A pull request can have a pip.py, and a re.py."""
    words = re.findall(r"\bpython\d? ([^\n]*)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert words
    for name in ("pip", "re", "runpy", "shutil"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')")
    for each in words:
        options = each.partition(" install ")[0].split()
        done = subprocess.run([sys.executable, *options, "--version"], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.startswith("pip "), done.stderr
    assert not (tmp_path / "RAN").exists()
