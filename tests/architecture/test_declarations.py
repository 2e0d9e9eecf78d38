"""A compiled class has the attributes that its ``.pxd`` declares and no others: one more is an error, there alone."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import SRC

DECLARED = sorted(SRC.rglob("*.pxd"))

_CLASS = re.compile(r"^cdef class (\w+)(?:\((\w+)\))?:\n((?:(?: +.*)?\n)*)", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^ +(?:cdef )?[\w.* \[\]:,]*?[ *](\w+(?:, \w+)*)(?: *#.*)?$", re.MULTILINE)


def assigned(kind: ast.ClassDef) -> set[str]:
    """The attributes that the methods of a class assign to ``self``."""
    return {
        node.attr
        for node in ast.walk(kind)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if isinstance(node.value, ast.Name) and node.value.id == "self"
    }


@pytest.mark.parametrize("path", DECLARED, ids=lambda path: path.relative_to(SRC).as_posix())
def test_every_attribute_of_a_compiled_class_is_declared(path: object) -> None:
    file = SRC / str(path)
    text = file.read_text("utf-8")
    tree = ast.parse(file.with_suffix(".py").read_text("utf-8")) if file.with_suffix(".py").exists() else None
    declared = {
        name: {each.strip() for row in _ATTRIBUTE.findall(body) for each in row.split(",")}
        for name, _base, body in _CLASS.findall(text)
    }
    bases = {name: base for name, base, _body in _CLASS.findall(text)}
    assert text.count("cdef class") == len(declared)
    for node in () if tree is None else tree.body:
        if isinstance(node, ast.ClassDef) and node.name in declared and not bases[node.name]:
            properties = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            assert assigned(node) - declared[node.name] - properties == set(), node.name
    if tree is not None:  # what is no `public` attribute has no name for it
        called = {
            each.func.id for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
        }
        assert called & {"setattr", "delattr", "vars"} == set()
