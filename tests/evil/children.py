"""The resource probe: a function in a process of its own, under limits, measured, and killed when it hangs.

Rule: the child is forked, so that it starts with everything loaded, and says what it found through a pipe; it never
returns into the caller's test.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import select
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from tests.clocks import Slow

HANG = "HANG"
HANG_SECONDS = 120.0
"""After which a child hangs: beyond the clocks of `rig.PATIENT`."""

MEMORY_GROWTH = 64 * 1024 * 1024
"""Octets of resident memory that any stream may cost."""

ADDRESS_SPACE = 1024 * 1024 * 1024
"""Octets of address space that a child may take beside what it began with."""

DESCRIPTORS = 64


_LIVING: list[Child] = []


def kill_all() -> None:
    """End the children that nobody waited for: a cell that fails leaves none behind."""
    for child in list(_LIVING):
        child.signal(signal.SIGKILL)
        child.forget()


class Child:
    """A child process under way.

    Attributes:
        status: Its exit code, or minus the signal that ended it, once it was waited for.
        cpu: Seconds that it computed.
    """

    def __init__(self, function: Callable[[], Any], **limits: int) -> None:
        reader, writer = os.pipe()
        self._reader = reader
        self.status: int | None = None
        self.cpu = 0.0
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # 3.12: servers have threads, and the child only execs us
            self.pid = os.fork()
        if self.pid == 0:
            os.close(reader)
            _run(function, writer, limits)
        os.close(writer)
        _LIVING.append(self)

    def forget(self) -> None:
        """Don't wait for what it has to say."""
        os.close(self._reader)
        self._wait()

    def signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def result(self, seconds: float = HANG_SECONDS) -> Any:
        """What the function returned; what it raised is raised here. `HANG` when it had to be killed.

        None when it ended by a signal, or by `os._exit`, before it had anything to say.
        """
        data, until = b"", time.monotonic() + seconds
        try:
            while select.select([self._reader], [], [], max(0.0, until - time.monotonic()))[0]:
                piece = os.read(self._reader, 65536)
                if not piece:
                    break
                data += piece
            else:
                self.signal(signal.SIGKILL)
                self._wait()
                return HANG
        finally:
            os.close(self._reader)
            self._wait()
        if not data:
            return None
        kind, value = pickle.loads(data)
        if kind == "slow":
            raise Slow(f"in the child: {value}")
        if kind == "error":
            raise AssertionError(f"in the child: {value}")
        return value

    def _wait(self) -> None:
        if self.status is None:
            _, status, usage = os.wait4(self.pid, 0)
            self.status = os.waitstatus_to_exitcode(status)
            _LIVING.remove(self)
            self.cpu = usage.ru_utime + usage.ru_stime


def _run(function: Callable[[], Any], writer: int, limits: dict[str, int]) -> None:
    try:
        _LIVING.clear()
        # What they count is the parent's, and so is its garbage: a Ctrl-C that meets one of them, or a finalizer, is
        # lost.
        gc.callbacks.clear()
        gc.freeze()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for name, value in limits.items():
            limit(name, value)
        answer = ("value", function())
    except Slow as slow:
        answer = ("slow", str(slow))
    except BaseException:
        answer = ("error", traceback.format_exc())
    try:
        data = memoryview(pickle.dumps(answer))
        while data:
            data = data[os.write(writer, data) :]
    finally:
        os._exit(0)


def limit(name: str, value: int) -> None:
    """Set a limit of this process: ``AS``, ``NOFILE``, ``FSIZE``."""
    number = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(number)[1]
    resource.setrlimit(number, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def in_child(function: Callable[[], Any], *, seconds: float = HANG_SECONDS, **limits: int) -> Any:
    """Run a function in a child, and return what it returns."""
    return Child(function, **limits).result(seconds)


def measured(function: Callable[[], Any], *, seconds: float = 30.0) -> tuple[Any, int]:
    """Run a function in a child of little means; what it returned, and by how many octets its memory grew at most."""

    def probe() -> tuple[Any, int]:
        limit("AS", _memory("VmSize") + ADDRESS_SPACE)
        limit("NOFILE", max(DESCRIPTORS, len(os.listdir("/proc/self/fd")) + DESCRIPTORS))
        before = _memory("VmRSS")
        value = function()
        return value, _memory("VmHWM") - before

    found = in_child(probe, seconds=seconds)
    assert found != HANG, f"HANG: killed after {seconds:g} s"
    value, growth = found
    return value, int(growth)


def _memory(name: str) -> int:
    with open("/proc/self/status", encoding="ascii") as lines:
        for line in lines:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    raise AssertionError(f"no {name} in /proc/self/status")
