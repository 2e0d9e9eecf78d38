"""The changes that the mutator makes of a line, and those of the tree: each is a program; a seed picks them again."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import SRC
from tests.mutants.__main__ import files, rounds
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutator import Mutant, mutants, pick
from tests.mutants.reach import Reach, key


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("return a < b", ["(a <= b)", "(a >= b)", "return None"]),
        ("return a == 'x y'", ["(a != 'x y')", "return None"]),  # a sentence stays as it is
        ("return a is not None", ["(a is None)", "return None"]),
        ("x = a and b and c", ["(a or b or c)", "(b and c)", "(a and c)", "(a and b)"]),
        ("x = not a", ["(a)"]),
        ("x = a + 1", ["(a - 1)", "2"]),
        ("x = f'{a + 1}'", []),
        ("x = b'a' if a else True", ["(True if a else b'a')", "b'a?'", "False"]),
        ("if a: b()", ["(not (a))", "pass"]),
        ("raise ValueError(1)", ["pass"]),
        ("x += 0", ["pass", "1"]),
        ("'a sentence'", []),
        ("x: int = 3", ["4"]),
    ],
)
def test_what_becomes_of_a_line(tmp_path: Path, line: str, changed: list[str]) -> None:
    text = f'X = 1\ndef ä(a, b, c):\n    """1"""\n    {line}\n'
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    found = mutants(tmp_path, "a.py")
    assert sorted(each.new for each in found) == sorted(changed)
    assert {each.line for each in found} <= {4}
    for each in found:
        assert ast.unparse(ast.parse(each.applied(text))) != ast.unparse(ast.parse(text))


def test_a_seed_picks_the_same_of_each_room_and_each_is_a_program() -> None:
    every = files([])
    assert set(every) == {"access", "batch", "dialogue", "grammar", "guard", "net", "schemes", "text", "url"}
    rooms = {room: every[room] for room in ("dialogue", "guard")}
    picked = list(pick(SRC, rooms, 60, 1738))
    assert picked == list(pick(SRC, rooms, 60, 1738))
    assert picked != list(pick(SRC, rooms, 60, 1739))
    assert {each.path.split("/")[0] for each in picked} == set(rooms)
    for each in picked:
        ast.parse(each.applied((SRC / each.path).read_text(encoding="utf-8")))


def test_a_function_of_asyncio_is_changed_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:\n    async def b(self):\n        return await c()\n", encoding="utf-8")
    assert [(each.function, each.new) for each in mutants(tmp_path, "a.py")] == [("b", "return None")]


def _mutant(path: str, function: str) -> Mutant:
    return Mutant(path, function, 1, 0, 0, "", "", "")


def test_a_mutant_is_tested_by_its_mirror_and_then_by_the_quickest_that_call_the_function(tmp_path: Path) -> None:
    own, room, other = (
        "tests/guard/test_hops.py::test_a",
        "tests/guard/test_policy.py::test_b",
        "tests/net/test_tls.py::test_c",
    )
    reach = Reach()
    reach.seconds = {own: 1, room: 30, other: 2, "tests/net/test_tls.py::test_d": 59}
    reach.tests = {"guard/hops.py::judge": [*reach.seconds]}
    assert [*rounds(_mutant("guard/hops.py", "judge"), reach)] == [["tests/guard/test_hops.py"], [room, other]]
    assert [*rounds(_mutant("guard/hops.py", "lost"), reach)] == [["tests/guard/test_hops.py"]]
    # No mirror, and nothing is known of a call: all of the folder.
    assert [*rounds(_mutant("schemes/ftp/replies.py", "lost"), reach)] == [["tests/schemes/ftp"]]
    reach.write(tmp_path / "reach")
    assert vars(Reach.read(tmp_path / "reach")) == vars(reach)
    assert reach.takes(["tests/net/test_tls.py", own]) == 62


def test_a_function_is_named_as_its_mutants_are(tmp_path: Path) -> None:
    text = "class A:\n    def b(self):\n        def c():\n            return d\n        return c\n"
    place = tmp_path / "anyurl/net/a.py"
    place.parent.mkdir(parents=True)
    place.write_text(text, encoding="utf-8")
    space: dict[str, Any] = {}
    exec(compile(text, "src/anyurl/net/a.py", "exec"), space)
    outer = space["A"]().b
    assert [key(each.__code__) for each in (outer, outer())] == ["net/a.py::b", "net/a.py::b.c"]
    assert {f"{each.path}::{each.function}" for each in mutants(tmp_path / "anyurl", "net/a.py")} == {
        "net/a.py::b", "net/a.py::b.c",
    }  # fmt: skip
    assert key(test_a_function_is_named_as_its_mutants_are.__code__) == ""


def test_what_nobody_can_tell_is_still_there() -> None:
    keys = {mutant.key for path in {key[0] for key in EQUIVALENT} for mutant in mutants(SRC, path)}
    assert [key for key in EQUIVALENT if key not in keys] == []
