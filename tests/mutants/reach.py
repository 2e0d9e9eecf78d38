"""Which tests reach which block of anyurl: a plugin of pytest that notes it, and what it wrote, read again.

A block that is entered while a test runs says so, by a statement that is put before its first one as the module is
loaded. That costs little, where a tracer of every call takes longer than the tests do.
Rule: what is remembered from the test before (a cache) is not seen to be reached again, nor what another process does,
of which it is only noted that there was one.
"""

from __future__ import annotations

import ast
import builtins
import os
import pickle
import sys
from array import array
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

import pytest

from tests.mutants.mutator import blocks

VARIABLE = "ANYURL_REACH"
"""Names the folder that the plugin writes into: each process of the tests a file."""

NOTE = "__anyurl_reached__"
"""The function that a block calls with its name, among those of Python."""


PROCESS = "a process"
"""Reached by a test that starts one, which may reach anything."""

STARTS = frozenset(("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"))
"""What Python's auditing (PEP 578) says as one is started."""


class Reach:
    """What was reached, by the tests that were run.

    Attributes:
        seconds: Of each test, by its name.
        failed: The names of those that failed.
        tests: Those that enter a block, by its name (see `key`): the place of each in ``seconds``.
        mark: Of the sources and tests that it is about.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.tests: dict[str, array[int]] = {}
        self.mark = ""

    def add(self, test: str, reached: set[str]) -> None:
        """A test that is over has entered these blocks."""
        self.seconds.setdefault(test, 0)
        number = len(self.seconds) - 1
        for block in reached:
            self.tests.setdefault(block, array("I")).append(number)

    def write(self, file: Path) -> None:
        """So that `read` has it again."""
        file.write_bytes(pickle.dumps(vars(self)))

    @classmethod
    def read(cls, files: Sequence[Path]) -> Reach:
        """What was written there, of the tests that each process ran."""
        found = cls()
        for file in files:
            one = pickle.loads(file.read_bytes())
            first = len(found.seconds)
            found.seconds |= one["seconds"]
            found.failed |= one["failed"]
            found.mark = one["mark"]
            for block, numbers in one["tests"].items():
                found.tests.setdefault(block, array("I")).extend(first + number for number in numbers)
        return found

    def of(self, block: str, room: str, within: float) -> list[str]:
        """The tests that enter a block, as many as end within these seconds: of its room first, then the quickest."""
        names = [*self.seconds]
        reaching = [names[number] for number in self.tests.get(block, ())]
        chosen: list[str] = []
        for test in sorted(reaching, key=lambda test: (not test.startswith(f"tests/{room}/"), self.seconds[test])):
            within -= self.seconds[test]
            if within < 0:
                break
            chosen.append(test)
        return chosen

    def takes(self, tests: list[str]) -> float:
        """So many seconds these tests take, of which each may be a file or a folder."""
        whole = tuple(f"{test}{mark}" for test in tests if "::" not in test for mark in ("::", "/"))
        return sum(self.seconds.get(test, 0) for test in tests) + sum(
            taken for test, taken in self.seconds.items() if whole and test.startswith(whole)
        )


def key(path: str, block: int) -> str:
    """What names a block: its file, below ``src/anyurl``, and the line of its first statement."""
    return f"{path}:{block}"


def noting(text: str | bytes, path: str) -> ast.Module:
    """The program in which each block of a function calls `NOTE` as it is entered."""
    tree = ast.parse(text)
    for block, first in [*blocks(tree)]:
        name = ast.Constant(key(path, block[first].lineno))
        call = ast.Expr(ast.Call(ast.Name(NOTE, ast.Load()), [name], []))
        block.insert(first, ast.fix_missing_locations(ast.copy_location(call, block[first])))
    return tree


_REACHED: set[str] = set()
"""By the test that is running."""


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:  # whatever Python keeps of the file's own
        path = self.get_filename(fullname)
        name = Path(path).as_posix().rpartition("/anyurl/")[2]
        return compile(noting(self.get_data(path), name), path, "exec", dont_inherit=True)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name.partition(".")[0] == "anyurl" else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Plugin:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reach = Reach()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        _REACHED.clear()
        try:
            return (yield)
        finally:
            self._reach.add(item.nodeid, _REACHED.copy())  # threads may still note

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reach.seconds[report.nodeid] = self._reach.seconds.get(report.nodeid, 0) + report.duration
        if report.failed:
            self._reach.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._reach.write(self._folder / str(os.getpid()))


if VARIABLE in os.environ:  # as it is loaded: by tests/conftest.py, before another conftest loads anyurl
    setattr(builtins, NOTE, _REACHED.add)
    sys.meta_path.insert(0, _Finder())
    sys.addaudithook(lambda event, _args: _REACHED.add(PROCESS) if event in STARTS else None)


def pytest_configure(config: pytest.Config) -> None:
    # With several workers those have the tests, and the process that leads them has none.
    if (folder := os.environ.get(VARIABLE)) and (hasattr(config, "workerinput") or not config.getoption("-n", None)):
        config.pluginmanager.register(_Plugin(Path(folder)))
