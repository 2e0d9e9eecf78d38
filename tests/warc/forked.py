"""The command, forked from a process that has imported it: ``forked.py``, one run for each line of standard input.

A line is a JSON array: the arguments, and the seconds of processor after which the kernel kills the run (SIGKILL), or
null. So a moment of a run is the same one on a busy machine. Writes for each run the signal or exit code, its seconds
of processor, and what it wrote to standard error.
"""

from __future__ import annotations

import ctypes
import json
import os
import pkgutil
import signal
import sys
import tempfile
import time
import traceback
from importlib import import_module
from typing import NoReturn

import anyurl

ROOMS = ("cli", "client", "net", "saving", "schemes", "warc")


def load() -> None:
    """Import what a run imports, which takes longer than the run."""
    for room in ROOMS:
        package = import_module(f"{anyurl.__name__}.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(found.name)


class SignalEvent(ctypes.Structure):
    """`struct sigevent` of Linux, whose last fields are not used here."""

    _fields_ = (
        ("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int), ("unused", ctypes.c_char * 48),
    )  # fmt: skip


def kill_after(seconds: float) -> None:
    """Have the kernel kill this process when it has used so much of the processor: no timer of Python's kills."""
    library = ctypes.CDLL(None, use_errno=True)
    event, timer = SignalEvent(signal=signal.SIGKILL), ctypes.c_void_p()
    nanoseconds = round(seconds * 1e9)
    spec = (ctypes.c_long * 4)(0, 0, *divmod(nanoseconds, 10**9))
    for failed in (
        library.timer_create(time.CLOCK_PROCESS_CPUTIME_ID, ctypes.byref(event), ctypes.byref(timer)),
        library.timer_settime(timer, 0, spec, None),
    ):
        if failed:
            raise OSError(ctypes.get_errno(), "the timer of a kill")


def run(words: list[str], seconds: float | None, said: int) -> NoReturn:
    """Be the command."""
    from anyurl.cli import main

    code: object = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(said, 2)
        sys.argv = ["anyurl", *words]
        if seconds is not None:
            kill_after(seconds)
        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code if isinstance(code, int) else 1)


def main() -> None:
    """Do what the lines say."""
    load()
    for line in sys.stdin:
        words, seconds = json.loads(line)
        with tempfile.TemporaryFile() as said:
            pid = os.fork()
            if not pid:
                run(words, seconds, said.fileno())
            _, status, used = os.wait4(pid, 0)
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(status)
        sys.stdout.write(json.dumps([code, used.ru_utime + used.ru_stime, text]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
