"""One word, one thing: no two classes share a name; an underscore before it tells none apart."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.architecture.source import modules


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].add(module.path)
    assert len(homes) > 200
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
