"""Each run says which kernel it has, and has the one it was asked for."""

from __future__ import annotations

import ast
import os
from importlib import import_module
from pathlib import Path

import anyurl.kernel
from tests.architecture.source import ROOT


def compiled_modules() -> list[str]:
    """What setup.py compiles, as the names of modules."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    listed: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("MODULES", "HOT_PATH"):
            listed += ast.literal_eval(node.value)
    return ["anyurl." + name.replace("/", ".") for name in listed]


def test_this_run_has_the_kernel_that_it_was_asked_for() -> None:
    expected = os.environ.get("ANYURL_EXPECT_KERNEL", "compiled" if anyurl.kernel.COMPILED else "pure")
    assert expected in ("compiled", "pure")
    suffixes = {name: Path(import_module(name).__file__ or "").suffix for name in compiled_modules()}
    assert suffixes == dict.fromkeys(suffixes, ".py" if expected == "pure" else ".so")
    assert anyurl.kernel.COMPILED is (expected == "compiled")
