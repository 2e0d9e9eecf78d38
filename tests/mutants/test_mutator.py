"""The changes that the mutator makes of a line, and those of the tree: each is a program; a seed picks them again."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.source import SRC
from tests.mutants.__main__ import files, rounds
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.mutator import mutants, pick


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
    assert set(every) == {"access", "dialogue", "grammar", "guard", "net", "schemes", "text", "url"}
    rooms = {room: every[room] for room in ("dialogue", "guard")}
    picked = list(pick(SRC, rooms, 60, 1738))
    assert picked == list(pick(SRC, rooms, 60, 1738))
    assert picked != list(pick(SRC, rooms, 60, 1739))
    assert {each.path.split("/")[0] for each in picked} == set(rooms)
    for each in picked:
        ast.parse(each.applied((SRC / each.path).read_text(encoding="utf-8")))


def test_a_file_is_tested_by_its_mirror_and_then_by_its_room() -> None:
    assert next(rounds("guard/hops.py")) == ["tests/guard/test_hops.py"]
    assert next(rounds("schemes/ftp/wire/telnet.py")) == ["tests/schemes/ftp/wire/test_telnet.py"]
    (only,) = rounds("schemes/ftp/replies.py")  # it has no mirror
    assert only[0] == "tests/schemes/ftp"


def test_what_nobody_can_tell_is_still_there() -> None:
    keys = {mutant.key for path in {key[0] for key in EQUIVALENT} for mutant in mutants(SRC, path)}
    assert [key for key in EQUIVALENT if key not in keys] == []
