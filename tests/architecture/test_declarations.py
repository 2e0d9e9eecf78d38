"""A compiled class has the attributes that its ``.pxd`` declares and no others: one more is an error, there alone."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import SRC
from tests.rows import each_row

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


@each_row("path", DECLARED, ids=lambda path: path.relative_to(SRC).as_posix())
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


_CALLABLE = re.compile(r"^( *)(?:cdef|cpdef) (?!class\b)[\w.* ]*?(\w+)\((.*)")


def declared_functions(text: str) -> list[tuple[str, str, int]]:
    """The class (empty: none), the name and the number of arguments of each function that a ``.pxd`` declares."""
    found, of_class = [], ""
    for line in re.sub(r"([,(])\n +", r"\1 ", text).splitlines():
        if heading := _CLASS_LINE.match(line):
            of_class = heading[1]
        elif line[:1].strip() and not line.startswith("@"):
            of_class = ""
        if declared := _CALLABLE.match(line):
            arguments = declared[3].partition(")")[0]
            found.append((of_class if declared[1] else "", declared[2], len(arguments.split(",")) if arguments else 0))
    return found


_CLASS_LINE = re.compile(r"cdef class (\w+)")


def defined_functions(tree: ast.Module) -> dict[tuple[str, str], int]:
    """The number of arguments of each function of a source, by its class and name."""
    kinds: list[tuple[str, list[ast.stmt]]] = [("", tree.body)]
    kinds += [(node.name, node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        (kind, node.name): len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)
        for kind, body in kinds
        for node in body
        if isinstance(node, ast.FunctionDef)
    }


@each_row("path", DECLARED, ids=lambda path: path.relative_to(SRC).as_posix())
def test_every_declared_function_is_defined_with_as_many_arguments(path: object) -> None:
    """One that is not compiles for nobody, which only those would see who compile."""
    header = SRC / str(path)
    source = header.with_suffix(".py")
    if not source.exists():  # declarations of C, without a source
        assert declared_functions(header.read_text("utf-8")) == []
        return
    defined = defined_functions(ast.parse(source.read_text("utf-8")))
    declared = declared_functions(header.read_text("utf-8"))
    assert [(kind, name, count) for kind, name, count in declared if defined.get((kind, name)) != count] == []


def test_what_a_declaration_of_a_function_is() -> None:
    methods = ("cdef int x", "cdef bint f(self, a=*,", "        b=*) except -1", "cpdef k(", "    self)")
    text = "\n    ".join(("cdef class A:", *methods)) + "\ncpdef g()\ncdef inline int h(int a)"
    assert declared_functions(text) == [("A", "f", 3), ("A", "k", 1), ("", "g", 0), ("", "h", 1)]
