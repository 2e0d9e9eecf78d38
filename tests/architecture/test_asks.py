"""A scheme never does anything: it asks. What keeps a dialogue honest is the way it is written, so that is tested.

- Every ask is yielded, by ``yield from`` or alone, or returned to who does: an ask that nobody yields does nothing, and
  looks as if it did.
- A bare ``yield``, which costs no generator, has an answer of a type that is written down and is the one that its ask
  has, or an answer that nobody takes.
- No ask in a ``finally`` or in a handler of GeneratorExit: a dialogue that is dropped can't ask any more.
- The codecs in ``schemes/*/wire`` know no asks at all: bytes in, values out.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from anyurl import dialogue
from tests.architecture.source import SRC, Function, Module, called_name, in_rooms

ASKS = {
    name
    for name, value in vars(dialogue).items()
    if inspect.isclass(value) and issubclass(value, dialogue.Ask) and value is not dialogue.Ask
}

ANSWERS = {
    node.name: ast.unparse(base.slice)
    for node in ast.parse((SRC / "dialogue" / "asks.py").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
    for base in node.bases
    if isinstance(base, ast.Subscript)
}
"""The type of each ask's answer, as the ask itself writes it."""


def yields_of(function: ast.AST) -> list[ast.Yield | ast.YieldFrom]:
    """The yields of a function itself, not of those inside it."""
    found: list[ast.Yield | ast.YieldFrom] = []
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            found.append(node)
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))
    return found


def untyped_answers(module: Module) -> list[str]:
    """Bare yields whose answer is taken without the type that their ask has."""
    found = []
    for node in module.nodes:
        if isinstance(node, ast.Yield):
            outer = next(iter(module.above(node)))
            typed = isinstance(outer, ast.AnnAssign) and ast.unparse(outer.annotation) == answer_of(node.value)
            if not typed and not isinstance(outer, ast.Expr):
                found.append(module.at(node))
    return found


def answer_of(node: ast.AST | None) -> str | None:
    return ANSWERS[called_name(node)] if isinstance(node, ast.Call) and makes_an_ask(node) else None


def makes_an_ask(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in ASKS


def unyielded_asks(module: Module) -> list[str]:
    """Calls that make an ask, and are neither what a ``yield`` yields nor what a function returns to one."""
    found = []
    for node in module.nodes:
        if makes_an_ask(node):
            outer = next(outer for outer in module.above(node) if not isinstance(outer, ast.IfExp))
            if not isinstance(outer, ast.YieldFrom | ast.Yield | ast.Return):
                found.append(f"{module.at(node)} {called_name(node)}")
    return found


def branches(node: ast.AST | None) -> list[ast.AST | None]:
    return [*branches(node.body), *branches(node.orelse)] if isinstance(node, ast.IfExp) else [node]


def returns_an_ask(function: Function) -> bool:
    return any(
        isinstance(node, ast.Return) and any(map(makes_an_ask, branches(node.value))) for node in ast.walk(function)
    )


def undriven_dialogues(module: Module) -> list[str]:
    """Calls of a dialogue of this module that nobody yields from, returns or hands on: they would not even start."""
    dialogues = {node.name for node in module.functions() if yields_of(node) or returns_an_ask(node)}
    return [
        f"{module.at(node)} {called_name(node.value)}"
        for node in module.nodes
        if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign | ast.NamedExpr)
        and isinstance(node.value, ast.Call)
        and called_name(node.value) in dialogues
    ]


def asks_on_the_way_out(module: Module) -> list[str]:
    """Yields inside a ``finally``, or inside a handler that would catch GeneratorExit."""
    found = []
    for node in module.nodes:
        if not isinstance(node, ast.Yield | ast.YieldFrom):
            continue
        inner: ast.AST = node
        for outer in module.above(node):
            if isinstance(outer, Function):
                break
            if isinstance(outer, ast.Try | ast.TryStar) and inner in outer.finalbody:
                found.append(f"{module.at(node)} in a finally")
            if isinstance(outer, ast.ExceptHandler) and catches_exit(outer):
                found.append(f"{module.at(node)} where GeneratorExit is caught")
            inner = outer
    return found


def catches_exit(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(called_name(kind) in ("BaseException", "GeneratorExit") for kind in kinds)


@pytest.mark.parametrize("check", [untyped_answers, unyielded_asks, undriven_dialogues, asks_on_the_way_out])
def test_schemes_only_ask(check: object) -> None:
    assert callable(check)
    assert [fault for module in in_rooms("schemes") if "/wire/" not in module.path for fault in check(module)] == []


def test_codecs_know_no_asks() -> None:
    codecs = [module for module in in_rooms("schemes") if "/wire/" in module.path]
    assert len(codecs) > 30
    found = [f"{module.at(node)} {name}" for module in codecs for name, node in module.imports() if names_asks(name)]
    assert found == []


def names_asks(name: str) -> bool:
    return name.startswith("anyurl.dialogue")


SAMPLE = """
def honest(url):
    channel = yield from Connect(url.host, url.port)
    try:
        yield from Send(channel, b"x")
    except OSError:
        yield from Note("it broke")
    return (yield from honest(url))

def forgets_to_yield(url):
    Send(url, b"x")
    honest(url)
    reply = honest(url)
    yield Receive(url)
    data: bytes = yield Receive(url)
    data = yield Receive(url)
    data: str = yield Receive(url)

def describe(url):
    return Note("a") if url else Note("b")

def forgets_to_ask(url):
    describe(url)
    yield from describe(url)

def asks_on_the_way_out(url):
    try:
        yield from Send(url, b"x")
    except BaseException:
        yield from Note("dropped")
    finally:
        if url:
            yield from Close(url)
"""


def test_the_checks_see_what_they_are_for(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text(SAMPLE, encoding="utf-8")
    module = Module(file, tmp_path)
    assert untyped_answers(module) == ["sample.py:16", "sample.py:17"]
    assert unyielded_asks(module) == ["sample.py:11 Send"]
    assert undriven_dialogues(module) == ["sample.py:12 honest", "sample.py:13 honest", "sample.py:23 describe"]
    assert sorted(asks_on_the_way_out(module)) == [
        "sample.py:30 where GeneratorExit is caught",
        "sample.py:33 in a finally",
    ]
