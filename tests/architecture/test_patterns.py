"""Patterns mean the same to every Python that anyurl is for.

PyPy to 7.3.20, which Debian has, takes no item for one or more of them where a single item is repeated possessively:
``a++`` and ``a{1,9}+`` match an empty text. An atomic group says the same, and is kept: ``(?>a+)``. A group that is
repeated is not concerned, nor is what may be absent (``a*+``). Nor does `fullmatch` find what has a group of which no
part is given back: PyPy wants the text to end where the group does.

CPython before 3.11.5 (gh-106052) goes on where a repetition gave up and not where it began, if what is repeated
possessively can give up on the way: ``(?:ab?c)*+`` takes all of ``aca``. An atomic group goes back: ``(?:(?>ab?c))*+``.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.architecture.source import Module, modules
from tests.rows import each_row

POSSESSIVE = re.compile(r"(?<![\[)\\])(?:\+|\{[1-9][0-9]*(?:,[0-9]*)?\})\+")


def possessive(module: Module) -> list[str]:
    """Where a string has a single item, repeated at least once and possessively."""
    texts = [node for node in module.nodes if isinstance(node, ast.Constant)]
    return [
        f"{module.at(node)}: {found[0]}"
        for node in texts
        if isinstance(node.value, str | bytes) and not isinstance(module.parents.get(node), ast.Expr)
        for text in [node.value if isinstance(node.value, str) else node.value.decode("latin-1")]
        if (found := POSSESSIVE.search(text))
    ]


def test_no_pattern_is_one_that_pypy_takes_for_another() -> None:
    assert [place for module in modules() for place in possessive(module)] == []


@each_row(
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
        for node in module.nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fullmatch":
            of = node.func.value
            texts = [ast.unparse(node), named.get(of.id, "") if isinstance(of, ast.Name) else ""]
            found += [f"{module.at(node)}: {ast.unparse(of)}" for text in texts if KEPT.search(text)]
    return found


def test_no_pattern_for_a_whole_text_keeps_a_group() -> None:
    assert [place for module in modules() for place in whole(module)] == []


ONE = (code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN, code.AT)
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)


def is_one(items: Any) -> bool:
    return len(items) == 1 and items[0][0] in ONE


def gives_up_where_it_began(items: Any, *, last: bool = True) -> bool:
    """Whether what does not match has not moved: all that it has beside characters stands where it begins."""
    items = list(items)
    while last and len(items) > 1 and items[-1][0] in REPEATS and items[-1][1][0] == 0:
        items.pop()  # it always matches
    if any(kind not in ONE for kind, _ in items[1:]):
        return False
    kind, argument = items[0] if items else (code.AT, None)
    end = last and len(items) == 1
    if kind in ONE:
        return True
    if kind is code.BRANCH:
        return all(gives_up_where_it_began(each, last=end) for each in argument[1])
    if kind is code.SUBPATTERN and argument[0] is None:
        return gives_up_where_it_began(argument[3], last=end)
    if kind is code.ATOMIC_GROUP or (kind in REPEATS and is_one(argument[2])):
        return end
    return kind is code.POSSESSIVE_REPEAT and end and gives_up_where_it_began(argument[2])


def groups_repeated_possessively(part: Any) -> Iterator[Any]:
    """What is repeated, wherever it stands in a parsed pattern."""
    if isinstance(part, tuple) and part[0] is code.POSSESSIVE_REPEAT and not is_one(part[1][2]):
        yield part[1][2]
    if isinstance(part, tuple | list | parser.SubPattern):
        for inner in part:
            yield from groups_repeated_possessively(inner)


def is_safe(pattern: str | bytes, flags: int = 0) -> bool:
    return all(gives_up_where_it_began(each) for each in groups_repeated_possessively(parser.parse(pattern, flags)))


def test_what_is_repeated_possessively_gives_up_where_it_began() -> None:
    unsafe, read = [], 0
    for module in modules():
        if KEPT.search(module.text):
            name = "anyurl." + module.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            for constant, value in vars(importlib.import_module(name)).items():
                if isinstance(value, re.Pattern):
                    read += 1
                    unsafe += [f"{name}.{constant}"] * (not is_safe(value.pattern, value.flags))
    assert unsafe == []
    assert read > 50


def test_a_group_that_is_kept_stands_in_a_pattern_of_its_module() -> None:
    """Those that a function compiles are seen by no test of the patterns."""
    hidden = [
        module.at(node)
        for module in modules()
        for function in module.functions()
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and KEPT.search(ast.unparse(node))
    ]
    assert hidden == []


@each_row(
    ("pattern", "safe"),
    [
        (r"(?:ab?c)*+", False), (r"(?:(?>ab?c))*+", True), (r"(?:ab?c)?+", False), (r"(?:(?>ab?c)){1,3}+", True),
        (r"(?:[^q]|q(?!qq))*+", False), (r"(?:[^q]|(?!qqq)q)*+", False), (r"(?:[^q]|(?>q(?!qq)))*+", True),
        (r"(?:a+:)?+", False), (r"(?:a:)?+", True), (r"(?:a:b*+)?+", True), (r"(?:a:b++)?+", False),
        (r"(?:[^q]+|qq)*+", True), (r"(?:q[^q]*q)*+", False), (r"(?:(?>x)y)*+", False), (r"(?:a|bc)*+", True),
        (r"(?:(?:a|bc)d)*+", True), (r"(?:d(?:ad|bc))*+", False), (r"(?>(?:ab?c)*)", True), (r"a*+b++", True),
        (r"x|(y(?:(?:ab?c)*+)?)", False), (r"(?:(?>(?:ab?c)*+))*+", False), (r"(?=(?:ab?c)*+)", False),
        (r"(x)?(?(1)(?:ab?c)*+|y)", False),
    ],
)  # fmt: skip
def test_what_gives_up_where_it_began(pattern: str, safe: bool) -> None:
    assert is_safe(pattern) == safe


@pytest.mark.parametrize(
    ("pattern", "text", "end"),
    [
        (r"(?:(?>ab?c))*+", "aca", 2), (r"(?:(?>ab?c)){1,3}+", "aca", 2), (r"(?:(?>ab?c))?+", "a", 0),
        (r"(?:[^q]|(?>q(?!qq)))*+", "aqqbqqq", 4), (r"(?:x|(?>q(?:[^q]+|qq)*+q))*+", "xqaqxqab", 5),
    ],
)  # fmt: skip
def test_a_group_that_is_kept_gives_up_where_it_began(pattern: str, text: str, end: int) -> None:
    """What the rule relies on, of the Python that runs the tests."""
    found = re.match(pattern, text)
    assert found is not None
    assert found.end() == end
