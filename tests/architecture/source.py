"""The source of anyurl as syntax trees, each read once for all tests of this folder, when the first one looks at it.

Rule: these tests look at what is written in ``src``, not at what is installed: a rule is about the text.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "anyurl"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a tree. To walk it takes as long as to parse its text, and many rules look at each node."""
    return tuple(ast.walk(tree))


class Module:
    """A file, and its path from ``src/anyurl`` or another folder; it is read when a test asks for its text or tree."""

    def __init__(self, path: Path, folder: Path = SRC) -> None:
        self.file = path
        self.path = path.relative_to(folder).as_posix()
        self.room = self.path.partition("/")[0].removesuffix(".py")

    @cached_property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.file))

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes."""
        return nodes_of(self.tree)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each node."""
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def at(self, node: ast.AST) -> str:
        """Where a node stands, for a message: ``net/wire/pool.py:12``."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}"

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def functions(self) -> Iterator[Function]:
        """Every function, however deep."""
        return (node for node in self.nodes if isinstance(node, Function))

    def imports(self) -> Iterator[tuple[str, ast.AST]]:
        """Every absolute name that an import statement names, wherever it stands."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((alias.name, node) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or "", node
                yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


@cache
def modules(folder: Path = SRC) -> tuple[Module, ...]:
    """All modules of a folder, in the order of their paths."""
    return tuple(Module(path, folder) for path in sorted(folder.rglob("*.py")))


COMPILED_MODULES: dict[str, str] = {
    name: reason
    for table in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["anyurl"]["compiled"].values()
    for name, reason in table.items()
}
"""What the build compiles, by name without ``anyurl.``, and the reason."""


def in_rooms(*rooms: str) -> tuple[Module, ...]:
    """The modules of some rooms."""
    return tuple(module for module in modules() if module.room in rooms)


def called_name(node: ast.AST) -> str:
    """The last name of what a call calls: ``Send`` for ``dialogue.Send(...)``, or '' for what has no name."""
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
