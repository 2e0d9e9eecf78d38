"""One tree of errors, drawn in the docstring of ``errors/__init__.py``, and nothing beside it."""

from __future__ import annotations

import ast
import builtins
import inspect
import re

from anyurl import errors
from tests.architecture.source import modules

LINE = re.compile(r"^ {4}(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+)(?: \((?P<builtin>\w+)\))?(?P<note>.*)$")
CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, errors.AnyURLError)]


def drawn_tree() -> list[tuple[int, str, str | None]]:
    """Depth, name and builtin parent of each class, as the docstring draws them."""
    found = []
    for line in (errors.__doc__ or "").splitlines():
        match = LINE.match(line)
        if match:
            found.append((len(match["branch"]) // 4, match["name"], match["builtin"]))
    return found


def built_tree(cls: type = errors.AnyURLError, depth: int = 0) -> list[tuple[int, str, str | None]]:
    """The same, as the classes are: children in the order of their definition."""
    foreign = [base.__name__ for base in cls.__bases__ if base.__module__ == "builtins" and base is not Exception]
    found: list[tuple[int, str, str | None]] = [(depth, cls.__name__, foreign[0] if foreign else None)]
    for child in CLASSES:
        if cls in child.__bases__:
            found += built_tree(child, depth + 1)
    return found


def test_the_docstring_draws_the_tree() -> None:
    assert drawn_tree() == built_tree()


def test_every_attribute_that_the_docstring_names_is_there() -> None:
    missing = []
    for line in (errors.__doc__ or "").splitlines():
        match = LINE.match(line)
        if match:
            source = inspect.getsource(getattr(errors, match["name"]))
            missing += [
                f"{match['name']}.{name}"
                for name in re.findall(r"(?<!\w)\.(\w+)", match["note"])
                if not re.search(rf"\b(self\.)?{name}(: [^\n]+)? = ", source)
            ]
    assert missing == []


def test_every_error_keeps_its_words() -> None:
    """str() of an error is its sentence, also where a builtin parent would make something else of it."""
    for cls in CLASSES:
        if cls is not errors.URLSyntaxError:
            assert str(cls("a sentence")) == "a sentence", cls


def test_no_error_stands_outside_the_tree() -> None:
    """No other module defines a public exception class."""
    ours = {cls.__name__ for cls in CLASSES}
    theirs = {
        name for name, value in vars(builtins).items() if inspect.isclass(value) and issubclass(value, BaseException)
    }
    outside = [
        f"{module.at(node)} {node.name}"
        for module in modules()
        if module.path != "errors/__init__.py"
        for node in module.nodes
        if isinstance(node, ast.ClassDef)
        and not node.name.startswith("_")
        and {base.id for base in node.bases if isinstance(base, ast.Name)} & theirs
        and not {base.id for base in node.bases if isinstance(base, ast.Name)} & ours
    ]
    assert outside == []
