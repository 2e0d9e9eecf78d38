"""Patterns mean the same to every Python that anyurl is for.

PyPy to 7.3.20, which Debian has, takes no item for one or more of them where a single item is repeated possessively:
``a++`` and ``a{1,9}+`` match an empty text. An atomic group says the same, and is kept: ``(?>a+)``. A group that is
repeated is not concerned, nor is what may be absent (``a*+``). Nor does `fullmatch` find what has a group of which no
part is given back: PyPy wants the text to end where the group does.
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import Module, modules

POSSESSIVE = re.compile(r"(?<![\[)\\])(?:\+|\{[1-9][0-9]*(?:,[0-9]*)?\})\+")


def possessive(module: Module) -> list[str]:
    """Where a string has a single item, repeated at least once and possessively."""
    texts = [node for node in ast.walk(module.tree) if isinstance(node, ast.Constant)]
    return [
        f"{module.at(node)}: {found[0]}"
        for node in texts
        if isinstance(node.value, str | bytes) and not isinstance(module.parents.get(node), ast.Expr)
        for text in [node.value if isinstance(node.value, str) else node.value.decode("latin-1")]
        if (found := POSSESSIVE.search(text))
    ]


def test_no_pattern_is_one_that_pypy_takes_for_another() -> None:
    assert [place for module in modules() for place in possessive(module)] == []


@pytest.mark.parametrize(
    ("pattern", "is_refused"),
    [
        (r"[0-9]++", True), (r"\d++", True), (r"a++", True), (r"a{1,9}+", True), (r"a{2}+", True), (r"a{2,}+", True),
        (r"(?:ab)++", False), (r"a*+", False), (r"a?+", False), (r"a{0,9}+", False), (r"(?>a+)", False),
        (r"[+]+", False), (r"\++", False), (r"[+-]+", False),
    ],
)  # fmt: skip
def test_which_are_refused(pattern: str, is_refused: bool) -> None:
    assert bool(POSSESSIVE.search(pattern)) == is_refused


KEPT = re.compile(r"\(\?>|\)(?:[*+?]|\{[0-9,]+\})\+")
"""A group of which no part is given back."""


def whole(module: Module) -> list[str]:
    """Where a whole text is compared with a pattern that has such a group."""
    named = {
        target.id: ast.unparse(node.value)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fullmatch":
            of = node.func.value
            texts = [ast.unparse(node), named.get(of.id, "") if isinstance(of, ast.Name) else ""]
            found += [f"{module.at(node)}: {ast.unparse(of)}" for text in texts if KEPT.search(text)]
    return found


def test_no_pattern_for_a_whole_text_keeps_a_group() -> None:
    assert [place for module in modules() for place in whole(module)] == []
