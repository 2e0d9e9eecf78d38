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
from tests.architecture.source import ROOT, SRC, Module, modules

PRIVATE = {name for name in sys.stdlib_module_names if name.startswith("_")} - {"__future__"}

CHANGES_THE_PROCESS = {
    "gc.set_threshold", "gc.disable", "gc.freeze", "sys.setdlopenflags", "sys.setswitchinterval",
    "sys.meta_path.insert", "sys.meta_path.append", "marshal.loads", "marshal.dumps", "sys.orig_argv",
}  # fmt: skip

_ENDS = {name.rpartition(".")[2] for name in CHANGES_THE_PROCESS}

IN_SYS_MODULES = {"net/http/libcurl.py": "pycurl's own extension under its own name, so that both ways give one module"}
"""Modules that write into `sys.modules`, and why."""


def is_of_sys_modules(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) == "sys.modules"


def strange(module: Module) -> Iterator[str]:
    """Where a module uses what is private, or changes something of the process."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            is_strange = not {name.name.partition(".")[0] for name in node.names}.isdisjoint(PRIVATE)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            is_strange = (node.module or "").partition(".")[0] in PRIVATE
        elif isinstance(node, ast.Attribute):
            is_strange = node.attr in _ENDS and ast.unparse(node) in CHANGES_THE_PROCESS
        elif isinstance(node, ast.Assign | ast.Delete):
            is_strange = any(map(is_of_sys_modules, node.targets)) and module.path not in IN_SYS_MODULES
        else:
            continue
        if is_strange:
            yield module.at(node)


def test_no_module_needs_anything_private_or_changes_anything_of_the_process() -> None:
    assert [place for module in modules() for place in strange(module)] == []


@pytest.mark.parametrize(
    "text", ["import _thread", "from _io import open", "gc.freeze()", "sys.modules['a'] = b", "del sys.modules['a']"]
)
def test_what_is_private_is_found(text: str) -> None:
    module = Module(SRC / "made.py")
    module.text = text
    assert [*strange(module)] == ["made.py:1"]


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
