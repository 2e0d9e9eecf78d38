"""Tests mirror the tree: ``net/pool.py`` is tested by ``tests/net/test_pool.py``.

Rule: who changes a module knows the file whose tests have to fail first. Other files beside it are welcome.
"""

from __future__ import annotations

from tests.architecture.source import ROOT, modules

WITHOUT: dict[str, str] = {}
"""Modules that only others' tests reach, by folder. The list may only shrink: a new module comes with its file."""


def test_every_module_has_the_file_that_tests_it() -> None:
    """Doors (``__init__``) have tests of their own in this folder."""
    found: dict[str, list[str]] = {}
    for module in modules():
        folder, _, name = module.path.rpartition("/")
        if name.startswith("_"):
            continue
        if not (ROOT / "tests" / folder / f"test_{name}").exists():
            found.setdefault(folder, []).append(name.removesuffix(".py"))
    assert {folder: " ".join(sorted(names)) for folder, names in found.items()} == WITHOUT
