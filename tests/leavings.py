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
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")

HANDLED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE") if hasattr(signal, name))


READ = ("PATH", "HOME", "COLUMNS", "TERM", "NO_COLOR", "BROWSER", "NNTPSERVER", "LC_ALL", "TZ")


def _is_read(name: str) -> bool:
    return name.startswith(("ANYURL_", "XDG_")) or name.lower().endswith("_proxy")


class _Loaded(NamedTuple):
    """What a look at all modules found: those of anyurl, each with its package and its name there, and how many there
    are of all."""

    modules: dict[str, ModuleType]
    places: list[tuple[str, ModuleType, str, str]]
    count: int

    def is_current(self) -> bool:
        """Whether no module came or went, and each of anyurl is the same."""
        return len(sys.modules) == self.count and all(
            sys.modules.get(name) is module for name, module in self.modules.items()
        )


_seen = _Loaded({}, [], -1)


def _look() -> _Loaded:
    """All modules are thousands, and are looked at only when one came or went: this runs around each test."""
    global _seen
    if not _seen.is_current():
        modules = {
            name: module for name, module in sys.modules.items() if name.startswith("anyurl") and module is not None
        }
        places = [
            (name, module, package, last)
            for name, module in modules.items()
            for package, _, last in [name.rpartition(".")]
            if package
        ]
        _seen = _Loaded(modules, places, len(sys.modules))
    return _seen


def loaded() -> dict[str, ModuleType]:
    """The modules of anyurl by name; the dictionary is not changed later."""
    return _look().modules


def astray() -> list[str]:
    """Modules that ``import a.b`` and ``from a import b`` find in two versions."""
    found = []
    for name, module, package, last in _look().places:
        inner = getattr(sys.modules.get(package), last, module)
        if inner is not module and isinstance(inner, ModuleType):  # a function may have the name of its module
            found.append(name)
    return found


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


def state() -> dict[str, Any]:
    """What is to be the same after a test, by name."""
    return {
        "the environment": {name: value for name, value in os.environ.items() if name in READ or _is_read(name)},
        "the folder": os.getcwd(),
        "sys.path": list(sys.path),
        "signals": [signal.getsignal(number) for number in HANDLED],
    }


def difference(
    before: dict[str, Any], modules: dict[str, ModuleType], now: dict[str, Any] | None = None
) -> list[str]:
    """What is not as it was, each in a few words; `now` is the `state` where it has been asked for already."""
    now = state() if now is None else now
    found = [f"{name}: {_what(before[name], now[name])}" for name in before if before[name] != now[name]]
    others = loaded()
    found += [f"{name} is another module now" for name, module in modules.items() if others.get(name) is not module]
    return found + [f"{name} is not the one of its package" for name in astray()]


def _what(before: Any, now: Any) -> str:
    if isinstance(before, dict):
        names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
        return ", ".join(names)
    return f"{before!r} has become {now!r}"
