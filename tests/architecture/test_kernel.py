"""Each run says which kernel it has, and has the one it was asked for."""

from __future__ import annotations

import ast
import os
import re
from importlib import import_module
from pathlib import Path

import anyurl
import anyurl.url.cut
from tests.architecture.source import COMPILED_MODULES


def test_this_run_has_the_kernel_that_it_was_asked_for() -> None:
    expected = os.environ.get("ANYURL_EXPECT_KERNEL", "compiled" if anyurl.url.cut.COMPILED else "pure")
    assert expected in ("compiled", "pure")
    names = [f"anyurl.{name}" for name in COMPILED_MODULES]
    suffixes = {name: Path(import_module(name).__file__ or "").suffix for name in names}
    assert suffixes == dict.fromkeys(suffixes, ".py" if expected == "pure" else ".so")
    assert anyurl.url.cut.COMPILED is (expected == "compiled")


def test_what_is_compiled_is_there_and_says_why() -> None:
    """More would be the size of the wheel and two sources of one fact; each has a row of bench/ that needs it."""
    home = Path(anyurl.__file__).parent
    assert len(COMPILED_MODULES) <= 48
    assert [name for name in COMPILED_MODULES if not home.joinpath(*name.split(".")).with_suffix(".py").is_file()] == []
    assert [name for name, reason in COMPILED_MODULES.items() if len(reason.split()) < 3] == []


def test_no_cpdef_function_has_a_closure() -> None:
    """Cython refuses it, which only those would see who compile."""
    home = Path(anyurl.__file__).parent
    wrong: list[str] = []
    for header in sorted(each for each in home.rglob("*.pxd") if each.with_suffix(".py").is_file()):
        names = set(re.findall(r"^ *cpdef [^(]*?(\w+)\(", header.read_text("utf-8"), re.MULTILINE))
        for node in ast.walk(ast.parse(header.with_suffix(".py").read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef) or node.name not in names:
                continue
            inner = [each for part in node.body for each in ast.walk(part)]
            if any(isinstance(each, ast.GeneratorExp | ast.Lambda | ast.FunctionDef) for each in inner):
                wrong.append(f"{header.stem}.{node.name}")
    assert wrong == []
