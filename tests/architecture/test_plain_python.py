"""The package is plain Python: it uses no private modules, changes nothing of the process, and runs its sources alone.

Each of these bought a millisecond of a start, and misled whoever read, patched or embedded the package.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator

import pytest

import anyurl
from tests.architecture.source import ROOT, SRC, modules, nodes_of
from tests.rows import each_row

PRIVATE = {name for name in sys.stdlib_module_names if name.startswith("_")} - {"__future__"}

CHANGES_THE_PROCESS = {
    "gc.set_threshold", "gc.disable", "gc.freeze", "sys.setdlopenflags", "sys.setswitchinterval",
    "sys.meta_path.insert", "sys.meta_path.append", "marshal.loads", "marshal.dumps", "sys.orig_argv",
    "signal.setitimer", "signal.alarm", "sys.set_int_max_str_digits",
    "sys.modules.pop", "sys.modules.update", "sys.modules.setdefault", "sys.modules.clear",
}  # fmt: skip

_ENDS = {name.rpartition(".")[2] for name in CHANGES_THE_PROCESS}

IN_SYS_MODULES = {"net/http/libcurl.py": "pycurl's own extension under its own name, so that both ways give one module"}
"""Modules that write into `sys.modules`, and why."""


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement or a call imports."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [node.module or ""]
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__"):
        return [each.value for each in node.args[:1] if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return []


def tricks(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Where a source needs what is private, or changes something of the process, and what."""
    for node in nodes_of(tree):
        yield from ((node, name) for name in imported(node) if name.partition(".")[0] in PRIVATE)
        if isinstance(node, ast.Attribute) and node.attr in _ENDS and ast.unparse(node) in CHANGES_THE_PROCESS:
            yield node, ast.unparse(node)
        if (
            isinstance(node, ast.Subscript)
            and not isinstance(node.ctx, ast.Load)
            and ast.unparse(node.value) == "sys.modules"
        ):
            yield node, "sys.modules"


def test_no_module_needs_anything_private_or_changes_anything_of_the_process() -> None:
    found = [(module, node, trick) for module in modules() for node, trick in tricks(module.tree)]
    allowed = [module.path in IN_SYS_MODULES and trick == "sys.modules" for module, _, trick in found]
    assert [(one[0].at(one[1]), one[2]) for one, may in zip(found, allowed, strict=True) if not may] == []


@each_row(
    "line",
    [
        "import _socket", "from _thread import lock", "import_module('_weakref')", "gc.set_threshold(50_000)",
        "sys.modules['datetime'] = fake", "sys.modules['datetime']: object = fake", "del sys.modules['typing']",
        "sys.modules.pop('typing')", "gc.freeze()", "sys.setdlopenflags(1)", "marshal.loads(octets)",
        "if sys.orig_argv: ...", "signal.setitimer(signal.ITIMER_REAL, 1)",
    ],
)  # fmt: skip
def test_what_is_a_trick(line: str) -> None:
    assert [trick for _, trick in tricks(ast.parse(line))] != []


@pytest.mark.parametrize("line", ["import socket", "from __future__ import annotations", "sys.modules.get('ssl')"])
def test_what_is_none(line: str) -> None:
    assert list(tricks(ast.parse(line))) == []


def test_the_build_has_no_flags_of_its_own() -> None:
    """But for debug information, which is most of the size."""
    text = (ROOT / "setup.py").read_text("utf-8")
    flags = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    assert {flag for flag in flags if isinstance(flag, str) and flag.startswith(("-f", "-O", "-W", "--param"))} == set()
    assert text.count("\n") <= 60


def test_what_is_installed_is_sources_and_what_is_compiled_of_them() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    assert settings["py-modules"] == ["anyurl_start"]
    assert [
        path for path in SRC.rglob("*") if path.suffix in (".bin", ".pyc") and "__pycache__" not in path.parts
    ] == []
    assert not hasattr(anyurl, "_compiled")
