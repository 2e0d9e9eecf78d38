"""What is exported is what is listed: ``__all__`` of each door and the names behind it never part."""

from __future__ import annotations

import ast
import builtins
from importlib import import_module

import pytest

import anyurl
from tests.architecture.source import Module, modules
from tests.rows import each_row


def listed(module: Module) -> list[str] | None:
    """The literal ``__all__`` of a module, or None where it has none."""
    if "__all__" not in module.text:  # to read a tree takes a hundred times as long
        return None
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


def offered(module: Module) -> set[str]:
    """The names that a door takes from the rooms behind it, for use or for the type checkers, and its own."""
    names: set[str] = set()
    for node in module.nodes:
        at_top = not any(isinstance(outer, ast.FunctionDef | ast.ClassDef) for outer in module.above(node))
        if at_top and isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anyurl"):
            names |= {alias.asname or alias.name for alias in node.names}
        elif at_top and isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


BUILTINS = {name for name in dir(builtins) if not name.startswith("_")}
"""What is named so is offered, and not listed: a star would hide the builtin."""

DOORS = [
    module
    for module in modules()
    if module.path.endswith("__init__.py")
    and listed(module) is not None
    and not any(isinstance(node, ast.ClassDef) for node in module.tree.body)
]
"""Packages that let names through; one that defines classes is a module like others."""


@each_row("door", DOORS, ids=lambda door: door.path)
def test_a_door_lists_what_it_offers(door: Module) -> None:
    names = listed(door) or []
    assert sorted(names) == sorted(set(names))
    assert {name for name in names if not name.startswith("_")} == offered(door) - BUILTINS


@each_row("module", lambda: [module for module in modules() if listed(module)], ids=lambda module: module.path)
def test_every_listed_name_is_there(module: Module) -> None:
    dotted = "anyurl." + module.path.removesuffix(".py").removesuffix("__init__").strip("/").replace("/", ".")
    home = import_module(dotted.rstrip("."))
    assert [name for name in listed(module) or [] if not hasattr(home, name)] == []


def test_a_door_that_lets_names_through_lists_them() -> None:
    """A package whose ``__init__`` imports public names from below, and does not say which of them are its own."""
    silent = [
        module.path
        for module in modules()
        if module.path.endswith("__init__.py")
        and listed(module) is None
        and any(isinstance(node, ast.ImportFrom) and node.module != "__future__" for node in module.tree.body)
        and offered(module) - {"main"}
    ]
    assert silent == []


def test_dir_shows_the_public_names() -> None:
    assert set(anyurl.__all__) <= set(dir(anyurl))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'anyurl' has no attribute 'nonsense'$"):
        anyurl.nonsense  # noqa: B018
