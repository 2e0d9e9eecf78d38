"""Every refusal says why: each `RefusedError` that the source makes has a verdict, or one of the codes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from anyurl.guard.verdict import CODES, UNJUDGED
from tests.architecture.source import modules, nodes_of

pytestmark = pytest.mark.promise("refusal")


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls that make a refusal."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name.endswith("RefusedError") and not name.startswith("Connection"):
                yield node


def fault(call: ast.Call) -> str | None:
    """What a call lacks."""
    words = {word.arg: word.value for word in call.keywords}
    if "verdict" in words:
        return None
    code = words.get("code")
    if not isinstance(code, ast.Constant) or code.value not in CODES:
        return f"line {call.lineno}: it has neither a verdict nor a code of the list"
    return None


def test_each_refusal_in_the_source_has_a_verdict_or_a_code() -> None:
    faults, count = {}, 0
    for module in modules():
        made = list(calls(module.tree))
        count += len(made)
        if found := [text for call in made if (text := fault(call)) is not None]:
            faults[module.path] = found
    assert faults == {}
    assert count > 30


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ('RefusedError("No.")', False),
        ('XRefusedError("No.", code="no-such-code")', False),
        ('errors.RefusedError("No.", subject="x")', False),
        ('RefusedError("No.", code="octets")', True),
        ("RefusedError(str(error), verdict=error.verdict)", True),
    ],
)
def test_what_counts_as_one(text: str, good: bool) -> None:
    (call,) = calls(ast.parse(text))
    assert (fault(call) is None) == good


def test_each_code_that_no_policy_gives_is_given_somewhere() -> None:
    used = set()
    for module in modules():
        for node in module.nodes:
            if isinstance(node, ast.Call):
                values = [*(word.value for word in node.keywords), *node.args]
                used |= {value.value for value in values if isinstance(value, ast.Constant)}
    assert set(UNJUDGED) - used == set()
