"""What the compiler lays out is what Python makes: a class of a ``.pxd`` has every attribute that its ``.py`` sets.

Uncompiled nobody would miss one; compiled its class can't even be made.
"""

from __future__ import annotations

import ast
import re

from tests.architecture.source import SRC

CLASS = re.compile(r"^cdef class (\w+)(?:\((\w+)\))?:\n((?:(?:[ \t].*)?\n)*)", re.MULTILINE)
ATTRIBUTE = re.compile(r"^    cdef [^(\n]*?\b(\w+)(?:\[\w+\])?(?: *#.*)?$", re.MULTILINE)


def layouts(text: str) -> dict[str, tuple[str, set[str]]]:
    """By class of a ``.pxd``, its base and its own attributes."""
    return {name: (base, set(ATTRIBUTE.findall(body))) for name, base, body in CLASS.findall(text + "\n")}


def assigned(node: ast.ClassDef) -> set[str]:
    """The attributes of ``self`` that the methods of a class set."""
    return {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and isinstance(inner.value, ast.Name)
        and inner.value.id == "self"
    }


def missing(text: str, layout: str, inherited: dict[str, tuple[str, set[str]]]) -> list[str]:
    """What a module sets and its layout lacks."""
    own = layouts(layout)
    known = {**inherited, **own}
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name in own:
            declared: set[str] = set()
            base = node.name
            while base in known:
                base, attributes = known[base]
                declared |= attributes
            found += [f"{node.name}.{name}" for name in sorted(assigned(node) - declared)]
    return found


def test_every_attribute_is_laid_out() -> None:
    files = sorted(SRC.rglob("*.pxd"))
    everywhere: dict[str, tuple[str, set[str]]] = {}
    for file in files:
        everywhere |= layouts(file.read_text(encoding="utf-8"))
    assert len(everywhere) > 20
    faults = [
        f"{file.relative_to(SRC)}: {fault}"
        for file in files
        if (module := file.with_suffix(".py")).exists()
        for fault in missing(module.read_text(encoding="utf-8"), file.read_text(encoding="utf-8"), everywhere)
    ]
    assert faults == []


LAYOUT = """
cdef class Base:
    cdef public object one

    cpdef do(self)


cdef class Made(Base):
    cdef int[::1] two  # octets
"""

TEXT = """
class Made(Base):
    def __init__(self):
        self.one, self.two = 1, 2
        self.three: int = 3
"""


def test_no_attribute_is_laid_out_twice() -> None:
    bodies = [body for file in SRC.rglob("*.pxd") for _, _, body in CLASS.findall(file.read_text(encoding="utf-8"))]
    names = [ATTRIBUTE.findall(body) for body in bodies]
    assert [sorted(each) for each in names] == [sorted(set(each)) for each in names]


def test_the_check_sees_what_it_is_for() -> None:
    assert missing(TEXT, LAYOUT, {}) == ["Made.three"]
