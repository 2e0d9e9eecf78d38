"""No circles: a module is understood after those that it imports, imports for types and inside functions included.

Rule: there is no list of exceptions. Two modules that need each other are one, or what both need is a third.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.architecture.source import Module, modules


def dotted(module: Module) -> str:
    """``anyurl.net.wire.pool``; a package for its ``__init__``."""
    name = "anyurl." + module.path.removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def origins(module: Module) -> dict[str, str]:
    """Where a package takes the names from that it lets through: by name, the module that has it."""
    return {
        alias.asname or alias.name: node.module or ""
        for node in module.nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def graph(found: tuple[Module, ...]) -> dict[str, set[str]]:
    """By module, the modules that it imports; a name that a package lets through counts as the module that has it."""
    names = {dotted(module) for module in found}
    packages = {dotted(module): origins(module) for module in found if module.path.endswith("__init__.py")}
    edges: dict[str, set[str]] = {name: set() for name in names}
    for module in found:
        own = dotted(module)
        for node in module.nodes:
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                wanted = [resolve(node.module, alias.name, names, packages) for alias in node.names]
            else:
                continue
            edges[own] |= {name for name in wanted if name in names and name != own}
    return edges


def resolve(home: str, name: str, names: set[str], packages: dict[str, dict[str, str]]) -> str:
    """The module that ``from home import name`` is about."""
    whole = f"{home}.{name}"
    if whole in names:
        return whole
    origin = packages.get(home, {}).get(name, "")
    return origin if origin.startswith("anyurl.") and origin != home else home


def circles(edges: dict[str, set[str]]) -> set[frozenset[str]]:
    """The strongly connected components of more than one module."""
    reached = {name: reach(name, edges) for name in edges}
    return {
        frozenset(other for other in reached[name] if name in reached[other]) for name in edges if name in reached[name]
    }


def reach(name: str, edges: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(edges[name])
    while todo:
        other = todo.pop()
        if other not in found:
            found.add(other)
            todo.extend(edges[other])
    return found


def test_there_are_no_circles() -> None:
    assert circles(graph(modules())) == set()


def test_a_circle_is_seen(tmp_path: Path) -> None:
    """Through an import for types, through a package that lets a name through, and through one inside a function."""
    texts = {
        "__init__.py": "",
        "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from anyurl.room import Thing\n",
        "room/__init__.py": "from anyurl.room.things import Thing as Thing\n",
        "room/things.py": "def make():\n    from anyurl import b\n    return b\n",
        "b.py": "import anyurl.a\n",
        "alone.py": "from anyurl.a import x\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = tuple(Module(tmp_path / name, tmp_path) for name in texts)
    assert circles(graph(found)) == {frozenset({"anyurl.a", "anyurl.b", "anyurl.room.things"})}
