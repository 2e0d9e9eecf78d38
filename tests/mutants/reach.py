"""Which functions of anyurl each test reaches: a plugin of pytest that notes each call, and what it wrote, read again.

Rule: calls are noted, not lines; what is remembered from the test before (a cache) is not seen to be called again.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import pytest

from anyurl.cli.run import file_of

VARIABLE = "ANYURL_REACH"
"""Names the file that the plugin writes."""


class Reach:
    """What was reached, by the tests that were run.

    Attributes:
        seconds: Of each test, by its name.
        tests: The names of those that call a function; see ``key``.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.tests: dict[str, list[str]] = {}

    def write(self, file: Path) -> None:
        """So that `read` has it again."""
        at = {test: number for number, test in enumerate(self.seconds)}
        tests = {name: [at[test] for test in found] for name, found in self.tests.items()}
        file.write_text(json.dumps([self.seconds, tests]), encoding="utf-8")

    @classmethod
    def read(cls, file: Path) -> Reach:
        """What was written there."""
        found = cls()
        found.seconds, tests = json.loads(file.read_text(encoding="utf-8"))
        names = [*found.seconds]
        found.tests = {name: [names[number] for number in numbers] for name, numbers in tests.items()}
        return found

    def of(self, path: str, function: str, within: float) -> list[str]:
        """The tests that call a function, as many as end within these seconds: of its room first, then the quickest."""
        room = f"tests/{path.split('/')[0]}/"
        chosen: list[str] = []
        for test in sorted(
            self.tests.get(f"{path}::{function}", ()), key=lambda test: (not test.startswith(room), self.seconds[test])
        ):
            within -= self.seconds[test]
            if within < 0:
                break
            chosen.append(test)
        return chosen

    def takes(self, tests: list[str]) -> float:
        """So many seconds these tests take, of which each may be a file."""
        whole = tuple(f"{test}::" for test in tests if "::" not in test)
        return sum(self.seconds.get(test, 0) for test in tests) + sum(
            taken for test, taken in self.seconds.items() if whole and test.startswith(whole)
        )


def key(code: CodeType) -> str:
    """What names a function of anyurl, as a mutant names it: its file, and the functions that it is in; else empty."""
    path = file_of(code.co_filename)
    functions = [part.rpartition(".")[2] for part in code.co_qualname.split(".<locals>.")]
    return f"{path}::{'.'.join(functions)}" if path else ""


class _Plugin:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._reach = Reach()
        self._called: dict[int, CodeType] = {}

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        self._called[id(frame.f_code)] = frame.f_code

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._called.clear()
        sys.settrace(self._note)
        threading.settrace(self._note)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            for name in {key(code) for code in [*self._called.values()]} - {""}:  # threads may still note
                self._reach.tests.setdefault(name, []).append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reach.seconds[report.nodeid] = self._reach.seconds.get(report.nodeid, 0) + report.duration

    def pytest_sessionfinish(self) -> None:
        self._reach.write(self._file)


def pytest_configure(config: pytest.Config) -> None:
    if file := os.environ.get(VARIABLE):
        config.pluginmanager.register(_Plugin(Path(file)))
