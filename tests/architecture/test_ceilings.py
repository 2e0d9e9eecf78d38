"""How large things may get: module 600 lines, function 60, class 25 public methods. 400 and 30 lines are hints."""

from __future__ import annotations

import ast

from tests.architecture.source import Function, modules

MODULE_LINES = 600
FUNCTION_LINES = 60
PUBLIC_METHODS = 25

RICHER: dict[str, tuple[int, str]] = {
    "URL": (30, "one value: its components, and what users of other URLs look for on it"),
}
"""Classes with more public methods, how many, and why."""


def test_no_module_is_longer_than_its_ceiling() -> None:
    lines = {module.path: module.text.count("\n") for module in modules()}
    assert {path: count for path, count in lines.items() if count > MODULE_LINES} == {}


def test_no_function_is_longer_than_its_ceiling() -> None:
    long = {
        f"{module.at(node)} {node.name}": length
        for module in modules()
        for node in module.functions()
        if (length := (node.end_lineno or 0) - node.lineno + 1) > FUNCTION_LINES
    }
    assert long == {}


def test_no_class_has_more_public_methods_than_its_ceiling() -> None:
    large = {}
    for module in modules():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                names = {item.name for item in node.body if isinstance(item, Function) and item.name[0] != "_"}
                if len(names) > RICHER.get(node.name, (PUBLIC_METHODS,))[0]:
                    large[f"{module.at(node)} {node.name}"] = len(names)
    assert large == {}
