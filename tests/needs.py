"""What a test needs of the machine, and that it sees nothing else of it.

A test says what it needs by a mark, ``@pytest.mark.needs("curl", "namespace")``, or by `need` and `program` where a
fixture chooses it, and skips with the reason where that is missing. PATH is one folder of links: to the utilities of
POSIX, and to the programs of the test that runs. An audit hook refuses to start any other in the process of the tests.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

MACHINE = os.environ.setdefault(
    "ANYURL_TESTS_PATH", os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin:/sbin"
)
"""Where programs are looked for, also by workers: servers are not on everybody's PATH."""

POSIX = (
    "awk", "basename", "cat", "chmod", "chown", "cksum", "cmp", "cp", "cut", "date", "dd", "df", "dirname", "du",
    "echo", "env", "expr", "false", "find", "fold", "getconf", "grep", "head", "id", "kill", "ln", "ls", "mkdir",
    "mkfifo", "mktemp", "mv", "nohup", "od", "printenv", "printf", "ps", "pwd", "readlink", "realpath", "rm",
    "rmdir", "sed", "seq", "sh", "sleep", "sort", "stty", "tail", "tee", "test", "timeout", "touch", "tr", "true",
    "tty", "uname", "uniq", "wc", "which", "xargs", "yes",
)  # fmt: skip
"""What any test may start: the utilities of POSIX that Debian calls essential, with a few that it adds to them."""


class Need(NamedTuple):
    """Something that is no program."""

    is_met: Callable[[], bool]
    reason: str
    programs: tuple[str, ...] = ()


def _runs(*command: str) -> bool:
    found = shutil.which(command[0], path=MACHINE)
    if found is None:
        return False
    try:
        done = subprocess.run(
            [found, *command[1:]], env={"PATH": MACHINE}, capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _has_terminals() -> bool:
    try:
        ends = os.openpty()
    except (AttributeError, OSError):
        return False
    for end in ends:
        os.close(end)
    return True


NEEDS = {
    "root": Need(lambda: hasattr(os, "geteuid") and os.geteuid() == 0, "only root can do this"),
    "namespace": Need(
        lambda: _runs("unshare", "-rn", "sh", "-c", "ip link set lo up"),
        "this machine can't make a network of its own (unshare -rn, and ip)",
        ("unshare", "ip"),
    ),
    "mounts": Need(
        lambda: _runs("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"),
        "this machine can't make a mount namespace",
        ("unshare", "mount", "umount"),
    ),
    "compiler": Need(
        lambda: sys.platform == "linux" and _runs("cc", "--version"),
        "there is no C compiler here (or no Linux)",
        ("cc", "gcc", "as", "ld"),
    ),
    "terminal": Need(_has_terminals, "there are no terminals here"),
}


@functools.cache
def _path(name: str) -> str | None:
    return shutil.which(name, path=MACHINE)


@functools.cache
def _is_met(name: str) -> bool:
    return NEEDS[name].is_met() if name in NEEDS else _path(name) is not None


class _Shown:
    """The folder that is PATH."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="anyurl-path-"))
        self.folder.chmod(0o755)  # a test may start one as somebody else
        self._maker = os.getpid()
        self.more: set[str] = set()
        self.said: set[str] = set()
        """Where those are that a fixture has said: a server of a module starts them while later tests run."""
        for name in POSIX:
            self._link(name)
        atexit.register(self._remove)

    def _link(self, name: str) -> None:
        found = _path(name)
        if found is not None and not (self.folder / name).is_symlink():
            (self.folder / name).symlink_to(found)

    def only(self, names: Iterable[str]) -> None:
        """Show these, beside the utilities of POSIX, and no others."""
        wanted = set(names)
        for name in self.more - wanted:
            (self.folder / name).unlink(missing_ok=True)
        self.more = set()
        self.add(wanted)

    def add(self, names: Iterable[str]) -> None:
        """Show these as well."""
        for name in names:
            if name not in POSIX and _path(name) is not None:
                self._link(name)
                self.more.add(name)

    def say(self, path: str | Path) -> None:
        """Let it be started until the end, by its path."""
        self.said.add(os.path.realpath(path))

    def has(self, path: str) -> bool:
        """Whether it is one that is shown, or that a fixture has said."""
        place = os.path.realpath(path)
        return (
            os.path.basename(path) in POSIX
            or place in self.said
            or any(place == os.path.realpath(self.folder / each) for each in self.more)
        )

    def _remove(self) -> None:
        if os.getpid() == self._maker:  # not at the end of a child
            shutil.rmtree(self.folder, ignore_errors=True)


SHOWN = _Shown()
os.environ["PATH"] = str(SHOWN.folder)


def missing(names: Iterable[str]) -> str | None:
    """Why a test that needs these can't run here, or None."""
    for name in names:
        if not _is_met(name):
            return NEEDS[name].reason if name in NEEDS else f"{name} is not installed (scripts/peers installs it)"
    return None


def programs(names: Iterable[str]) -> list[str]:
    """The programs that belong to what is needed."""
    return [program for name in names for program in (NEEDS[name].programs if name in NEEDS else (name,))]


def begin(item: pytest.Item) -> None:
    """Show what a test says it needs; it skips where that is missing."""
    names = [name for mark in item.iter_markers("needs") for name in mark.args]
    SHOWN.only(programs(names))
    if (reason := missing(names)) is not None:
        pytest.skip(reason)


def need(*names: str) -> None:
    """Say, in a test or a fixture, what it needs; it skips where that is missing."""
    SHOWN.add(programs(names))
    if (reason := missing(names)) is not None:
        pytest.skip(reason)
    for found in filter(None, map(_path, programs(names))):
        SHOWN.say(found)


def program(name: str) -> str:
    """The path of a program that a test or a fixture needs; it skips without it."""
    need(name)
    found = _path(name)
    assert found is not None
    return found


STARTS = frozenset(("subprocess.Popen", "os.exec", "os.posix_spawn"))
"""What an audit hook is told of a program that starts; its name comes first."""

_PLACES = tuple(
    os.path.realpath(place) + os.sep
    for place in (tempfile.gettempdir(), Path(__file__).parents[1], *([sys.prefix] * (sys.prefix != sys.base_prefix)))
)
"""Where that is which a test has made, what belongs to the tree, and what is installed beside anyurl."""


def installed_in(folder: Path, name: str) -> str:
    """The path of a program of a package that keeps its own apart."""
    SHOWN.say(folder / name)
    return str(folder / name)


def is_declared(command: str) -> bool:
    """Whether the test that runs may start this: a Python, a utility, what it says that it needs, what it has made."""
    if os.sep not in command:
        if command in POSIX or command in SHOWN.more:
            return True
        found = shutil.which(command)  # a test may put what it has made on PATH
        return found is not None and is_declared(os.path.abspath(found))
    folder, name = os.path.split(os.path.abspath(command))
    return name.startswith("python") or (os.path.realpath(folder) + os.sep).startswith(_PLACES) or SHOWN.has(command)


def _is_there(command: str) -> bool:
    """Whether this machine has it at all: of what it has not, the system says so itself."""
    return os.path.exists(command) if os.sep in command else _path(command) is not None


def check_started(command: str | bytes | os.PathLike[str]) -> None:
    """Refuse to start a program that the test does not name."""
    name = os.fsdecode(command)
    if not is_declared(name) and _is_there(name):
        base = os.path.basename(name)
        raise RuntimeError(f'a test would start {name}, which it does not say: pytest.mark.needs("{base}")')
