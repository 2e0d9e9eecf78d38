"""Random mutants: what a slip of the hand would make of a line, by the syntax tree, each with its place in the source.

Rule: a mutant changes what the program does in one place inside a function. Sentences for people, annotations and
docstrings stay as they are: what they say is another page's business. The same seed picks the same mutants of a tree.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
"""The boundary next to it, and the opposite."""


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        path: Of the file, below ``src/anyurl``.
        function: The function that it is in.
        block: The line at which its block begins (see `blocks`).
        line: Its line, from 1.
        start: Where what is replaced begins, in characters of the file.
        end: Where it ends.
        new: What takes the place of what stands there.
        before: The lines that it touches, without the space between words.
        after: The same with it.
    """

    path: str
    function: str
    block: int
    line: int
    start: int
    end: int
    new: str
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names it when lines have moved."""
        return self.path, self.function, self.after

    def applied(self, text: str) -> str:
        """The file with it."""
        return text[: self.start] + self.new + text[self.end :]


def blocks(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """The blocks of a program, each with the place of its first statement: behind a docstring.

    A block is a list of statements that are reached one after the other: the body of a function, or of a statement.
    """
    for node in ast.walk(tree):
        for field in () if isinstance(node, ast.Module | ast.ClassDef) else ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            first = int(is_function and ast.get_docstring(node, clean=False) is not None)
            if isinstance(block, list) and block[first:]:
                yield block, first


class _Places(ast.NodeVisitor):
    """Collects the mutants of one file."""

    def __init__(self, path: str, text: str, tree: ast.Module) -> None:
        self.found: list[Mutant] = []
        self._path, self._text = path, text
        self._block = 0
        self._block_of = {id(each): block[first].lineno for block, first in blocks(tree) for each in block[first:]}
        self._names: list[str] = []
        lines = text.splitlines(keepends=True)
        self._lines = lines
        self._begins = [0]
        for line in lines:
            self._begins.append(self._begins[-1] + len(line))

    def _at(self, line: int, octet: int) -> int:
        return self._begins[line - 1] + len(self._lines[line - 1].encode()[:octet].decode())

    def _add(self, node: ast.expr | ast.stmt, new: str) -> None:
        if not self._names or node.end_lineno is None or node.end_col_offset is None:
            return
        start, end = self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)
        first, last = self._begins[node.lineno - 1], self._begins[node.end_lineno]
        before = " ".join(self._text[first:last].split())
        after = " ".join((self._text[first:start] + new + self._text[end:last]).split())
        function = ".".join(self._names)
        self.found.append(Mutant(self._path, function, self._block, node.lineno, start, end, new, before, after))

    # --- what is walked through ------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> None:
        outer = self._block
        self._block = self._block_of.get(id(node), outer)
        super().visit(node)
        self._block = outer

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._names.append(node.name)
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        self._block = self._block_of[id(body[0])] if body else 0  # a default is seen where the function is called
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        for statement in body:
            self.visit(statement)
        self._names.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.visit(statement)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Places inside of them are not told (before Python 3.12), and most are sentences."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        if not isinstance(node.exc, ast.Name) or node.exc.id != "NotImplementedError":  # what subclasses define
            self._add(node, "pass")  # what it says is not walked through

    # --- what is changed -------------------------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        for index, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
                self._add(node, f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._add(node, f"({ast.unparse(ast.BoolOp(other, node.values))})")
        for index in range(len(node.values)):
            rest = [*node.values[:index], *node.values[index + 1 :]]
            self._add(node, f"({ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Add | ast.Sub):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            if not any(isinstance(side, ast.JoinedStr) for side in (node.left, node.right)):
                self._add(node, f"({ast.unparse(ast.BinOp(node.left, other, node.right))})")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(node, f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "cython.compiled":  # mutants are not
            for statement in node.orelse:
                self.visit(statement)
            return
        self._add(node.test, f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """The name of an encoding stays: Python leaves marks out of it. So does what `zip` checks: it never happens."""
        coding = isinstance(node.func, ast.Attribute) and node.func.attr in ("encode", "decode")
        self.visit(node.func)
        for argument in (*node.args[int(coding) :], *node.keywords):
            if not isinstance(argument, ast.keyword) or argument.arg != "strict":
                self.visit(argument)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._add(node, repr(not value))
        elif isinstance(value, int):
            self._add(node, repr(value + 1))
        elif isinstance(value, str) and " " not in value.strip():
            self._add(node, repr(value + "?"))
        elif isinstance(value, bytes):
            self._add(node, repr(value + b"?"))

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self._add(node, "return None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._add(node, "continue")


def mutants(source: Path, path: str) -> list[Mutant]:
    """All of one file."""
    text = (source / path).read_text(encoding="utf-8")
    tree = ast.parse(text)
    places = _Places(path, text, tree)
    places.visit(tree)
    return places.found


def pick(source: Path, rooms: dict[str, list[str]], seed: int) -> Iterator[Mutant]:
    """All mutants at random, of each room in turn.

    Args:
        source: The folder ``src/anyurl``.
        rooms: The files of each.
        seed: Picks them in the same order again.
    """
    chance = random.Random(seed)
    left = {room: [one for path in paths for one in mutants(source, path)] for room, paths in rooms.items()}
    for found in left.values():
        chance.shuffle(found)
    while any(left.values()):
        for found in left.values():
            if found:
                yield found.pop()
