"""A lock that is taken is let go of, whatever happens behind it: Ctrl-C comes between any two statements."""

from __future__ import annotations

import ast
from itertools import zip_longest

from tests.architecture.source import modules, nodes_of


def is_taken(node: ast.stmt) -> bool:
    """Whether a statement takes a lock, and waits for it."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    call = node.value.func
    return isinstance(call, ast.Attribute) and call.attr == "acquire"


def unguarded(tree: ast.Module) -> list[int]:
    """The lines that take a lock, and are not followed by what lets it go."""
    found = []
    for node in nodes_of(tree):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            statements = body if isinstance(body, list) else []
            for taken, following in zip_longest(statements, statements[1:]):
                if is_taken(taken) and not (isinstance(following, ast.Try) and following.finalbody):
                    found.append(taken.lineno)
    return found


def test_what_takes_a_lock_is_followed_by_what_lets_it_go() -> None:
    assert [f"{module.path}:{line}" for module in modules() for line in unguarded(module.tree)] == []


def test_one_that_would_be_lost_is_seen() -> None:
    lost = "lock.acquire()\nwork()\ntry: ...\nfinally: lock.release()"
    kept = "lock.acquire()\ntry:\n    work()\nfinally: lock.release()"
    assert unguarded(ast.parse(lost)) == [1]
    assert unguarded(ast.parse("if x:\n    lock.acquire()")) == [2]
    assert unguarded(ast.parse(kept)) == []
