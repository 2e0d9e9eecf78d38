"""What is public is what docs/python.md lists, and its types say something: ``Any`` stands at no door.

``.ci/typed.py`` asks pyright whether every type is known; here is what needs no type checker.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import anyurl
from tests.architecture.source import ROOT, Function, Module, modules
from tests.architecture.test_documents import script
from tests.rows import each_row

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
REFERENCE = script("reference")

NO_ROOMS = {"__init__", "__main__", "_version", "py"}


def listed(name: str) -> list[str]:
    """The names that the page has for a module."""
    section = PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE)


def test_each_room_is_public_or_called_internal() -> None:
    rooms = {module.room for module in modules()} - NO_ROOMS
    public = {name.split(".")[1] for name in REFERENCE.PUBLIC if "." in name}
    assert public.isdisjoint(REFERENCE.INTERNAL)
    assert {room for room in rooms if not room.startswith("_")} == public | set(REFERENCE.INTERNAL)
    for room in REFERENCE.INTERNAL:
        assert f"`{room}`" in PAGE.partition("\n## ")[0]


@each_row("name", REFERENCE.PUBLIC)
def test_a_public_module_lists_its_names_and_the_page_has_them(name: str) -> None:
    module: ModuleType = import_module(name)
    assert listed(name) == REFERENCE.public_names(module)
    assert set(module.__all__) <= set(listed(name))
    assert {one for one in listed(name) if one not in module.__all__} <= set(dir(builtins))


@each_row("name", sorted({*anyurl.__all__, "open", "list"}))
def test_no_type_at_the_top_is_any(name: str) -> None:
    value = getattr(anyurl, name)
    homes = [value, *getattr(value, "__mro__", ())]
    found = []
    for home in homes:
        where = getattr(home, "__module__", None)
        if isinstance(where, str) and where.startswith("anyurl"):
            found += [f"{where}.{home.__name__}: {text}" for text in annotations(source_of(where), home.__name__)]
    assert [text for text in found if re.search(r"\bAny\b", text)] == []


def source_of(dotted: str) -> Module:
    """The module of that name."""
    path = dotted.removeprefix("anyurl").lstrip(".").replace(".", "/")
    wanted = {f"{path}.py", f"{path}/__init__.py".lstrip("/")}
    return next(module for module in modules() if module.path in wanted)


def annotations(module: Module, name: str) -> Iterator[str]:
    """What a class or function says of its public types: parameters, results, attributes."""
    for node in module.tree.body:
        if isinstance(node, Function) and node.name == name:
            yield from of_function(node)
        elif isinstance(node, ast.ClassDef) and node.name == name:
            yield from of_class(node)


def of_class(node: ast.ClassDef) -> Iterator[str]:
    """Its public methods, its constructor, and its public attributes."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and not ast.unparse(one.target).startswith("_"):
            yield ast.unparse(one)
        if not isinstance(one, Function) or (one.name.startswith("_") and one.name != "__init__"):
            continue
        if not any("as_made_by" in ast.unparse(each) for each in one.decorator_list):  # it has the constructor's types
            yield from of_function(one)
        for inner in ast.walk(one):
            if isinstance(inner, ast.AnnAssign) and re.match(r"self\.[a-z]", ast.unparse(inner.target)):
                yield ast.unparse(inner.target) + ": " + ast.unparse(inner.annotation)


def of_function(node: Function) -> Iterator[str]:
    """Each parameter and the result."""
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
    yield from (f"{node.name}({ast.unparse(each)})" for each in given if each is not None)
    yield f"{node.name} -> {ast.unparse(node.returns) if node.returns is not None else 'Any'}"
