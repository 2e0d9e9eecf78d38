"""What a test may not leave behind in the process: the next one, which may be any, finds it as this one did.

Rule: what is compared is cheap, for it is compared around each test: which modules of anyurl are loaded and where their
packages say they are, what anyurl reads of the environment (libraries set variables of their own), the folder, where
modules are found, and what handles the signals of a command.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")

HANDLED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE") if hasattr(signal, name))


READ = ("PATH", "HOME", "COLUMNS", "TERM", "NO_COLOR", "BROWSER", "NNTPSERVER", "LC_ALL", "TZ")


@cache
def _is_read(name: str) -> bool:
    return name in READ or name.startswith(("ANYURL_", "XDG_")) or name.lower().endswith("_proxy")


class _Loaded:
    """What a look at all modules found. They are thousands, and this is asked around each test: as long as no module
    comes or goes, and each of anyurl is where it was, the answer is the same."""

    def __init__(self) -> None:
        self.modules = {
            name: module for name, module in sys.modules.items() if name.startswith("anyurl") and module is not None
        }
        self.astray: list[str] = []
        self._count = len(sys.modules)
        self._names, self._found = [*self.modules], [*self.modules.values()]
        parted = [name.rpartition(".") for name in self._names]
        self._packages = [sys.modules.get(package) for package, _, _ in parted]
        self._lasts = [last for _, _, last in parted]
        self._inner = self._look_inside()
        for name, module, inner in zip(self._names, self._found, self._inner, strict=True):
            if inner is not module and isinstance(inner, ModuleType):  # a function may have the name of its module
                self.astray.append(name)

    def _look_inside(self) -> list[object]:
        """What each package has by the name of its module."""
        return [*map(getattr, self._packages, self._lasts, self._found)]

    def is_current(self) -> bool:
        return (
            len(sys.modules) == self._count
            and [*map(sys.modules.get, self._names)] == self._found
            and self._look_inside() == self._inner
        )


_seen: _Loaded | None = None


def _look() -> _Loaded:
    global _seen
    if _seen is None or not _seen.is_current():
        _seen = _Loaded()
    return _seen


class Process(NamedTuple):
    """What is to be the same after a test.

    Attributes:
        state: What is compared by its value, by name.
        modules: The modules of anyurl by name; the dictionary is not changed later.
        astray: Modules that ``import a.b`` and ``from a import b`` find in two versions.
    """

    state: dict[str, Any]
    modules: dict[str, ModuleType]
    astray: list[str]


def now() -> Process:
    """What the process is like."""
    seen = _look()
    return Process(_state(), seen.modules, seen.astray)


def put(name: str, module: ModuleType | None) -> None:
    """Make a module the one of that name, also for its package; None: there is none, until it is loaded again."""
    package, _, last = name.rpartition(".")
    inner = vars(sys.modules[package]) if package in sys.modules else {}
    if module is None:
        sys.modules.pop(name, None)
        inner.pop(last, None)
    else:
        sys.modules[name] = inner[last] = module


def shuffled(tests: Sequence[Item], seed: int, file: Callable[[Item], object]) -> list[Item]:
    """The tests in an order that the seed decides: files, and tests in a file; what a file starts, it starts once."""
    chance = random.Random(seed)
    files: dict[object, list[Item]] = {}
    for test in tests:
        files.setdefault(file(test), []).append(test)
    order = list(files.values())
    chance.shuffle(order)
    for group in order:
        chance.shuffle(group)
    return [test for group in order for test in group]


def _state() -> dict[str, Any]:
    return {
        "the environment": {name: os.environ[name] for name in os.environ if _is_read(name)},
        "the folder": os.getcwd(),
        "sys.path": list(sys.path),
        "signals": [signal.getsignal(number) for number in HANDLED],
    }


def difference(before: Process, after: Process) -> list[str]:
    """What is not as it was, each in a few words."""
    found = [
        f"{name}: {_what(value, after.state[name])}"
        for name, value in before.state.items()
        if value != after.state[name]
    ]
    if after.modules is not before.modules:
        found += [
            f"{name} is another module now"
            for name, module in before.modules.items()
            if after.modules.get(name) is not module
        ]
    return found + [f"{name} is not the one of its package" for name in after.astray]


def _what(before: Any, now: Any) -> str:
    if isinstance(before, dict):
        names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
        return ", ".join(names)
    return f"{before!r} has become {now!r}"
