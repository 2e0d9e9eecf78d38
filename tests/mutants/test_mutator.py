"""The changes that the mutator makes of a line, and those of the tree: each is a program; a seed picks them again."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from tests.architecture.source import SRC
from tests.mutants import __main__ as program
from tests.mutants.__main__ import COMPILED, ROOMS, changed, files, picked, rounds
from tests.mutants.mutator import Mutant, mutants, pick
from tests.mutants.reach import PROCESS, VARIABLE, Reach


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
        ("x = a.encode('utf-8', 'b')", ["'b?'"]),
        ("x = b'a' if a else True", ["(True if a else b'a')", "b'a?'", "False"]),
        ("if a: b()", ["(not (a))", "pass"]),
        ("if cython.compiled: b()\n    else: b(1)", ["pass", "2"]),
        ("raise ValueError(1)", ["pass"]),
        ("raise ValueError", ["pass"]),
        ("x = zip(a, b, strict=True)", []),
        ("raise NotImplementedError", []),  # what it stands in is defined by others
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
    assert {each.line for each in found} <= {4, 5}
    for each in found:
        assert ast.unparse(ast.parse(each.applied(text))) != ast.unparse(ast.parse(text))


def test_a_seed_picks_the_same_of_each_room_and_each_is_a_program() -> None:
    every = files([])
    assert set(every) == {*ROOMS}
    assert files(["net", "url/url.py"]) == {"net": every["net"], "url": ["url/url.py"]}
    rooms = {room: every[room] for room in ("dialogue", "guard")}
    found = [*islice(pick(SRC, rooms, 1738), 60)]
    assert found == [*islice(pick(SRC, rooms, 1738), 60)]
    assert found != [*islice(pick(SRC, rooms, 1739), 60)]
    assert {each.path.split("/")[0] for each in found} == set(rooms)
    for each in found:
        ast.parse(each.applied((SRC / each.path).read_text(encoding="utf-8")))


def test_a_function_of_asyncio_is_changed_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:\n    async def b(self):\n        return await c()\n", encoding="utf-8")
    assert [(each.function, each.new) for each in mutants(tmp_path, "a.py")] == [("b", "return None")]


def _mutant(path: str, block: int) -> Mutant:
    return Mutant(path, "judge", block, 1, 0, 0, "", "", "")


def test_a_mutant_is_tested_by_its_mirror_and_then_by_the_quickest_that_reach_the_block(tmp_path: Path) -> None:
    own, room, other, slow = (
        "tests/guard/test_hops.py::test_a",
        "tests/guard/test_policy.py::test_b",
        "tests/net/wire/test_tls.py::test_c",
        "tests/net/wire/test_tls.py::test_d",
    )
    reach = Reach()
    for test, seconds in {own: 1, room: 30, other: 2, slow: 59}.items():
        reach.add(test, {"guard/hops.py:7"})
        reach.seconds[test] = seconds
    assert [*rounds(_mutant("guard/hops.py", 7), reach)] == [["tests/guard/test_hops.py"], [room, other]]
    assert [*rounds(_mutant("guard/hops.py", 8), reach)] == [["tests/guard/test_hops.py"]]
    # Of what starts a process nobody knows what that reaches: those of the room are asked at last.
    starts, general, elsewhere = (f"tests/{name}::test" for name in ("guard/test_x.py", "test_x.py", "net/test_x.py"))
    for test in (starts, general, elsewhere):
        reach.add(test, {PROCESS})
    assert [*rounds(_mutant("guard/hops.py", 7), reach)] == [
        ["tests/guard/test_hops.py"],
        [room, other],
        [starts, general],
    ]
    assert [*rounds(_mutant("guard/hops.py", 8), reach)] == [["tests/guard/test_hops.py"], [starts, general]]
    # No mirror, and nobody is known to reach it: all of the folder.
    assert [*rounds(_mutant("schemes/ftp/nothing.py", 7), reach)] == [["tests/schemes/ftp"]]
    reach.write(tmp_path / "reach")
    assert vars(Reach.read([tmp_path / "reach"])) == vars(reach)
    assert reach.takes(["tests/net/wire/test_tls.py", own]) == 62
    assert reach.takes(["tests/net"]) == 61


def test_what_several_processes_noted_is_one(tmp_path: Path) -> None:
    for name, blocks in {"a": {"x.py:1"}, "b": {"x.py:1", "y.py:2"}}.items():
        one = Reach()
        one.add(f"tests/test_{name}.py::test", blocks)
        one.failed |= {name}
        one.write(tmp_path / name)
    found = Reach.read([tmp_path / "b", tmp_path / "a"])
    assert found.of("x.py:1", "", 9) == ["tests/test_b.py::test", "tests/test_a.py::test"]
    assert found.of("y.py:2", "", 9) == ["tests/test_b.py::test"]
    assert found.failed == {"a", "b"}


NOTED = '''"""What it says."""
if True:
    def a(x=1):
        """And what this says."""
        if x:
            return [y
                    for y in (1, 2)]
        elif x is None:
            return 3
        try:
            x()
        except TypeError:
            class A:
                def b(self): return 4
            return A().b()
'''


def test_each_block_that_a_test_enters_is_noted_with_the_line_that_its_mutants_have(tmp_path: Path) -> None:
    (tmp_path / "src/anyurl").mkdir(parents=True)
    (tmp_path / "src/anyurl/__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "src/anyurl/a.py").write_text(NOTED, encoding="utf-8")
    (tmp_path / "noted").mkdir()
    (tmp_path / "test_it.py").write_text(
        "import anyurl.a\n"
        "def test_one(): assert (anyurl.a.a(), anyurl.a.__doc__, anyurl.a.a.__doc__)"
        " == ([1, 2], 'What it says.', 'And what this says.')\n"
        "def test_last(): import sys, subprocess; subprocess.run([sys.executable, '-c', ''])\n"
        "def test_other(): assert anyurl.a.a(0) == 4\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:anyurl", "-p", "tests.mutants.reach",
         tmp_path],
        cwd=tmp_path, capture_output=True, text=True,
        env={"PATH": "", VARIABLE: str(tmp_path / "noted"), "PYTHONPATH": f"{tmp_path / 'src'}:{program.ROOT}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    reach = Reach.read([*(tmp_path / "noted").iterdir()])
    assert reach.of(PROCESS, "", 9) == ["test_it.py::test_last"]
    del reach.tests[PROCESS]
    entered = {block: sorted(test[-3:] for test in reach.of(block, "", 9)) for block in reach.tests}
    assert entered == {"a.py:5": ["her", "one"], "a.py:6": ["one"], "a.py:8": ["her"], "a.py:11": ["her"],
                       "a.py:13": ["her"], "a.py:14": ["her"]}  # fmt: skip
    made = {each.block for each in mutants(tmp_path / "src/anyurl", "a.py")}
    assert made - {9} == {*(int(block.rpartition(":")[2]) for block in entered)}


@pytest.mark.parametrize("workers", ["0", "1"])
def test_what_a_conftest_has_loaded_is_noted_too(tmp_path: Path, workers: str) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:anyurl",
        "-p",
        "tests.mutants.reach",
    ]
    done = subprocess.run(
        [*command, "-n", workers, "tests/cli/test_records.py"],  # of cli is a conftest that loads nearly all of it
        cwd=program.ROOT, capture_output=True, text=True,
        env={**os.environ, VARIABLE: str(tmp_path), "PYTHONPATH": str(SRC.parent), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    reach = Reach.read([*tmp_path.iterdir()])
    assert PROCESS not in reach.tests
    assert {"cli/records.py", "errors/__init__.py", "url/url.py"} <= {block.rpartition(":")[0] for block in reach.tests}


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@a.example", *words], cwd=folder, check=True)


@pytest.mark.needs("git")
def test_only_lines_that_have_changed_since_a_commit_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "src/anyurl/net/a.py"
    file.parent.mkdir(parents=True)
    before = [f"def f{n}(x):\n    return x < {n}\n" for n in range(9)]
    file.write_text("".join(before), encoding="utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "a"]):
        _git(tmp_path, *words)
    monkeypatch.setattr(program, "ROOT", tmp_path)
    monkeypatch.setattr(program, "SOURCE", tmp_path / "src")
    assert changed("HEAD") == set()
    file.write_text("".join([*before[:3], *before[4:6], "def new(x):\n    return x\n", *before[6:]]), encoding="utf-8")
    assert changed("HEAD") == {("net/a.py", 11), ("net/a.py", 12)}
    assert {each.function for each in picked(99, 1, {"net": ["net/a.py"]}, changed("HEAD"))} == {"new"}
    # Of a branch it is what the main one has not; of the main one, its last commit.
    _git(tmp_path, "switch", "-q", "-c", "branch")
    _git(tmp_path, "commit", "-qam", "b")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "c")
    assert changed(program.base()) == {("net/a.py", 11), ("net/a.py", 12)}
    _git(tmp_path, "switch", "-q", "main")
    assert program.base() == "HEAD^"
    with pytest.raises(SystemExit, match="3"):  # as a clone that has only the last commit
        changed(program.base())


def test_what_only_runs_compiled_is_still_there_and_never_picked() -> None:
    found = {(path, mutant.function) for path in {path for path, _ in COMPILED} for mutant in mutants(SRC, path)}
    assert found >= COMPILED
    rooms = {"batch": sorted({path for path, _ in COMPILED})}
    assert {(each.path, each.function.partition(".")[0]) for each in picked(9999, 1, rooms, None)}.isdisjoint(COMPILED)


def test_what_tests_say_may_be_any_octets(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test(): assert False\n", encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        "import os\ndef pytest_unconfigure(): os.write(1, b'\\xd8\\n')\n", encoding="utf-8"
    )
    code, said = program.ran(SRC.parent, [str(tmp_path / "test_it.py")], 60, "-p", "tests.conftest")
    assert code == 1, said
    assert "FAILED" in said
    assert "\\xd8" in said
