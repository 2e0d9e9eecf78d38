"""Tests mirror the tree: ``net/wire/pool.py`` is tested in ``tests/net``.

Rule: who changes a room knows the folder whose tests have to fail first.
"""

from __future__ import annotations

from tests.architecture.source import ROOT, modules


def test_every_folder_of_the_tree_has_its_folder_of_tests() -> None:
    folders = {module.path.rpartition("/")[0] for module in modules()}
    assert [folder for folder in sorted(folders) if not list((ROOT / "tests" / folder).glob("test_*.py"))] == []
