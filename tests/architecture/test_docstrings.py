"""Every public thing says what it is: each module, class, function and method that a user or a neighbour can reach."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import Function, Module, modules

MODULE_LINES = range(1, 31)
"""A module's docstring is its thing, its rule and its clause; one that is longer is a page of docs/."""


def public(module: Module, body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield f"{module.at(node)} {prefix}{node.name}", node
            yield from public(module, node.body, f"{node.name}.")
        elif isinstance(node, Function) and not node.name.startswith("_") and not is_a_repetition(node):
            yield f"{module.at(node)} {prefix}{node.name}", node


def is_a_repetition(node: Function) -> bool:
    """An overload, or the setter of a property: the contract stands at the other one. An override says so itself."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"overload", "setter", "deleter", "override"})


def test_every_module_says_what_it_is() -> None:
    faults = []
    for module in modules():
        text = ast.get_docstring(module.tree) or ""
        if text.count("\n") + 1 not in MODULE_LINES or not text:
            faults.append(module.path)
    assert faults == []


def test_every_public_name_says_what_it_does() -> None:
    bare = [
        where
        for module in modules()
        for where, node in public(module, module.tree.body)
        if not ast.get_docstring(node)  # type: ignore[arg-type]
    ]
    assert bare == []


def test_every_module_reads_its_annotations_late() -> None:
    """``from __future__ import annotations``: hints cost nothing at start-up, and may name what is defined below.

    Those of a `TypedDict` do cost something then: `typing` compiles each string. A module with one may read them early.
    """
    eager = [
        module.path
        for module in modules()
        if any(isinstance(node, Function | ast.AnnAssign) for node in module.nodes)
        and "from __future__ import annotations\n" not in module.text
        and "(TypedDict" not in module.text
    ]
    assert eager == []
