"""The tests are what they seem: each file has some, each runs, and each uses what its rows say.

Rule: a test that can't be red is worse than none. What would make one so is found by reading ``tests`` as syntax trees;
the examples below show that each finder finds.
"""

from __future__ import annotations

import ast
import gc
import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import conftest
from tests.architecture.source import ROOT, Function, called_name, modules, nodes_of
from tests.rows import each_row

TESTS = ROOT / "tests"

REASON = "reason"
"""The one column of a table that a test need not use, where it is the name of the row (``ids=``)."""

KERNELS = ("compiled", "pure")


@cache
def files() -> dict[str, ast.Module]:
    """Every file of the tests as a syntax tree, by its path."""
    return {module.path: module.tree for module in modules(TESTS)}


def own_tests(body: list[ast.stmt]) -> list[str]:
    """The names of what pytest would take for tests; what a class inherits counts as one."""
    found = []
    for node in body:
        if isinstance(node, Function) and node.name.startswith("test"):
            found.append(node.name)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            found += own_tests(node.body) or [node.name] * bool(node.bases)
    return found


def expected_failures(tree: ast.Module) -> Iterator[str]:
    """``xfail``, in each of its forms: a mark, a call, a parameter's mark."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute | ast.Name) and called_name(node) == "xfail":
            yield f"line {node.lineno}: xfail"


def bare_skips(tree: ast.Module) -> Iterator[str]:
    """A test that every machine skips: ``mark.skip``, ``skip()`` under no condition, a condition that is a constant."""
    conditional: set[ast.AST] = set()
    for node in nodes_of(tree):  # from the outside in
        is_condition = isinstance(node, ast.If) and not isinstance(node.test, ast.Constant)
        if (is_condition or isinstance(node, ast.ExceptHandler)) and node not in conditional:
            conditional.update(ast.walk(node))
        if isinstance(node, ast.Attribute) and node.attr == "skip" and called_name(node.value) == "mark":
            yield f"line {node.lineno}: mark.skip"
        if not isinstance(node, ast.Call):
            continue
        name = called_name(node)
        if name == "skipif" and (not node.args or isinstance(node.args[0], ast.Constant)):
            yield f"line {node.lineno}: skipif without a condition"
        if name in ("skip", "exit") and ast.unparse(node.func) == f"pytest.{name}" and node not in conditional:
            yield f"line {node.lineno}: {name} without a condition"


def unused_names(tree: ast.Module) -> Iterator[str]:
    """Names of ``parametrize`` and ``each_row`` that the test never looks at: an expectation that nothing is compared
    with."""
    for node in nodes_of(tree):
        if not isinstance(node, Function | ast.ClassDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and called_name(mark) in ("parametrize", "each_row"):
                used = {name.id for part in node.body for name in ast.walk(part) if isinstance(name, ast.Name)}
                names = ast.literal_eval(mark.args[0])
                names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
                free = {REASON} if any(keyword.arg == "ids" for keyword in mark.keywords) else set()
                yield from (
                    f"line {node.lineno}: {node.name} never uses {name}" for name in names if name not in used | free
                )


def kernel_marks(tree: ast.Module) -> Iterator[ast.Call]:
    """The marks that name a kernel."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and called_name(node) == "kernel" and ".mark." in ast.unparse(node.func):
            yield node


def unknown_kernels(tree: ast.Module) -> Iterator[str]:
    """Marks of a kernel that there is not: with ``kernel("complied")`` a test runs with none."""
    for mark in kernel_marks(tree):
        if [ast.unparse(argument) for argument in mark.args] not in [[repr(kernel)] for kernel in KERNELS]:
            yield f"line {mark.lineno}: {ast.unparse(mark)}"


def never_run(path: str, tree: ast.Module) -> list[str]:
    """Tests in a file that pytest doesn't read."""
    return [] if Path(path).name.startswith("test_") else [f"{path}: {name}" for name in own_tests(tree.body)]


Finder = Callable[[ast.Module], Iterator[str]]
FINDERS: list[Finder] = [expected_failures, bare_skips, unused_names, unknown_kernels]


def test_every_test_file_has_a_test() -> None:
    read = {path: tree for path, tree in files().items() if Path(path).name.startswith("test_")}
    assert [path for path, tree in read.items() if not own_tests(tree.body)] == []


def test_every_test_is_in_a_file_that_is_read() -> None:
    assert [fault for path, tree in files().items() for fault in never_run(path, tree)] == []


@pytest.mark.parametrize("find", FINDERS, ids=lambda find: find.__name__)
def test_no_test_is_sure_to_be_green(find: Finder) -> None:
    assert [f"{path} {fault}" for path, tree in files().items() for fault in find(tree)] == []


LIES = [
    (expected_failures, "@pytest.mark.xfail\ndef test_x(): ...", 1),
    (expected_failures, "@pytest.mark.xfail(reason='later')\ndef test_x(): ...", 1),
    (expected_failures, "def test_x():\n    pytest.xfail('later')", 1),
    (expected_failures, "ROWS = [pytest.param(1, marks=pytest.mark.xfail)]", 1),
    (expected_failures, "from pytest import mark, xfail\nxfail('later')", 1),
    (bare_skips, "@pytest.mark.skip\ndef test_x(): ...", 1),
    (bare_skips, "@pytest.mark.skip(reason='later')\ndef test_x(): ...", 1),
    (bare_skips, "pytestmark = pytest.mark.skip('later')", 1),
    (bare_skips, "@pytest.mark.skipif(True, reason='later')\ndef test_x(): ...", 1),
    (bare_skips, "@pytest.mark.skipif('1', reason='later')\ndef test_x(): ...", 1),
    (bare_skips, "def test_x():\n    pytest.skip('later')", 1),
    (bare_skips, "def test_x():\n    if True:\n        pytest.skip('later')", 1),
    (bare_skips, "def test_x():\n    if os.geteuid() != 0:\n        pytest.skip('root only')", 0),
    (bare_skips, "def test_x():\n    try:\n        f()\n    except KeyError:\n        pytest.skip('no such user')", 0),
    (bare_skips, "@pytest.mark.skipif(sys.platform != 'linux', reason='/proc')\ndef test_x(): ...", 0),
    (unused_names, "@pytest.mark.parametrize(('a', 'b'), ROWS)\ndef test_x(a, b):\n    assert a", 1),
    (unused_names, "@pytest.mark.parametrize('a, b', ROWS)\ndef test_x(a, b):\n    assert a", 1),
    (unused_names, "@pytest.mark.parametrize(('a', 'b'), ROWS)\ndef test_x(a, b):\n    assert f(a) == b", 0),
    (unused_names, "@each_row('a, b', ROWS)\ndef test_x(a, b):\n    assert a", 1),
    (unused_names, "@pytest.mark.parametrize(('a', 'reason'), ROWS)\ndef test_x(a, reason):\n    assert a", 1),
    (unused_names, "@pytest.mark.parametrize(('a', 'reason'), ROWS, ids=IDS)\ndef test_x(a, reason):\n    assert a", 0),
    (unknown_kernels, "@pytest.mark.kernel('complied')\ndef test_x(): ...", 1),
    (unknown_kernels, "@pytest.mark.kernel()\ndef test_x(): ...", 1),
    (unknown_kernels, "@pytest.mark.kernel('pure')\ndef test_x(): ...", 0),
]


@each_row(("find", "text", "count"), LIES, ids=[f"{row[0].__name__}-{row[1]!r}" for row in LIES])
def test_a_lie_is_found(find: Finder, text: str, count: int) -> None:
    assert len(list(find(ast.parse(text)))) == count


def test_what_counts_as_a_test() -> None:
    def count(text: str) -> list[str]:
        return own_tests(ast.parse(text).body)

    assert count('"""Was emptied."""\nROWS = [1]\ndef helper(): ...') == []
    assert count("class TestFtp(Contract):\n    scheme = 'ftp'") == ["TestFtp"]
    assert count("class TestNothing:\n    pass") == []
    assert count("async def test_x(): ...\nclass TestY:\n    def test_z(self): ...") == ["test_x", "test_z"]
    assert never_run("net/kit.py", ast.parse("def test_x(): ...")) == ["net/kit.py: test_x"]


def test_no_test_is_called_by_when_its_octets_were_packed() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a", b"")
    names = [conftest.pytest_make_parametrize_id(each, "one") for each in (gzip.compress(b""), packed.getvalue(), b"x")]
    assert names == ["one", "one", None]


@pytest.mark.cpython
def test_what_a_file_of_tests_keeps_is_not_looked_at_by_the_next(request: pytest.FixtureRequest) -> None:
    """A collection that looks at the syntax trees of all files takes seconds."""
    kept = [[number] for number in range(10_000)]
    hook = conftest.pytest_runtest_teardown(request.node, None)
    next(hook)
    next(hook, None)  # what follows the test's own teardown
    assert len(gc.get_objects()) < len(kept)
