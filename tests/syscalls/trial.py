"""Fail each call of the C library once, at every place where a transfer calls it: ``trial.py SHIM [SCHEME...]``.

It runs with ``LD_PRELOAD=SHIM`` (fail.c). For each scheme of the world a good transfer is made and its calls are
counted; then the transfer is made again for each function and each of its calls, which fails. Each time what comes out
is an error of the tree or the whole content; the file that is saved is there whole or not at all, and nothing beside
it; descriptors and threads are as before; and the next transfer is good. Writes one JSON object for each scheme.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import json
import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anyurl import Client, Policy, consent_to_all
from anyurl.access import save
from anyurl.errors import AnyURLError
from anyurl.guard.limits import Limits
from anyurl.world import World

FAULTS: dict[str, int] = {
    "socket": errno.EMFILE, "socketpair": errno.EMFILE, "bind": errno.EADDRINUSE, "connect": errno.ENETUNREACH,
    "send": errno.EPIPE, "sendto": errno.EPERM, "sendmsg": errno.EPIPE, "recv": errno.ECONNRESET,
    "recvfrom": errno.ECONNRESET, "recvmsg": errno.ECONNRESET, "getsockopt": errno.ENOBUFS, "setsockopt": errno.ENOBUFS,
    "getpeername": errno.ENOTCONN, "getsockname": errno.ENOBUFS, "epoll_create1": errno.EMFILE,
    "epoll_ctl": errno.ENOSPC, "epoll_wait": errno.EINTR, "poll": errno.EINTR, "open": errno.EMFILE,
    "openat": errno.EMFILE, "read": errno.EIO, "write": errno.ENOSPC, "close": errno.EIO, "fsync": errno.EIO,
    "fchmod": errno.EPERM, "ftruncate": errno.EIO, "lseek": errno.EINVAL, "rename": errno.EACCES, "link": errno.EPERM,
    "unlink": errno.EPERM, "fstat": errno.EIO, "stat": errno.EIO, "fcntl": errno.EINVAL, "ioctl": errno.EINVAL,
    "dup": errno.EMFILE,
}  # fmt: skip
"""Every function of the shim, and what it fails with: something that the system does say there."""

LIMITS = Limits(connect=0.5, idle=0.3, total=1.0)
"""Where a call has failed: what is never answered is over soon."""

GOOD = Limits(connect=10.0, idle=10.0, total=30.0)
"""Where none has: a busy machine is no failure."""

CALLS_AT_MOST = int(os.environ.get("ANYURL_SYSCALLS", 4))
"""Calls of one function that are failed in turn; ANYURL_SYSCALLS=1000 fails them all."""


class Trial:
    """The transfers of one scheme."""

    def __init__(self, shim: Any, scheme: str, world: World, folder: Path) -> None:
        self._shim = shim
        self._scheme = scheme
        self._url = world.urls[scheme]
        self._settings = world.settings
        self._folder = folder
        self._kept = b""
        self._before = _opened(), threading.active_count()
        self.trials = 0
        self.clean = 0
        self.survived = 0
        self.problems: list[str] = []

    def transfer(self, limits: Limits = LIMITS) -> None:
        """Get it, and save it as a file of its own."""
        path = self._folder / "file"
        with Client(Policy.open().replace(limits=limits), ask_consent=consent_to_all, **self._settings) as client:
            if self._scheme == "mailto":
                message = b"Subject: x\r\n\r\nhello\r\n"
                client.append(self._url, message)
                path.write_bytes(message)
            elif self._scheme == "telnet":
                with client.session(self._url) as session:
                    path.write_bytes(session.read(timeout=1)[:1])
            else:
                with client.get(self._url) as resource:
                    save(resource, path)

    def run(self) -> None:
        """All of them."""
        self._good("before anything")
        self._shim.fault_count()
        self._good("while calls are counted")
        counts = {name: self._shim.fault_counted(name.encode()) for name in FAULTS}
        self._shim.fault_disarm()
        for name, number in FAULTS.items():
            for nth in range(1, min(counts[name], CALLS_AT_MOST) + 1):
                self._fail(name, nth, number)
            if counts[name]:
                self._good(f"after {name} had failed")

    def _good(self, when: str) -> None:
        try:
            self.transfer(GOOD)
        except AnyURLError as error:
            self.problems.append(f"{when}: a good transfer fails with {error!r}")
            return
        found = (self._folder / "file").read_bytes()
        self._kept = self._kept or found
        if found != self._kept or not found:
            self.problems.append(f"{when}: something else was saved")
        self._sweep()

    def _fail(self, name: str, nth: int, number: int) -> None:
        what = f"{name} {nth} ({errno.errorcode[number]})"
        error: BaseException | None = None
        self._shim.fault_arm(name.encode(), nth, number)
        try:
            self.transfer()
        except BaseException as caught:
            error = caught
        struck = self._shim.fault_disarm()
        self.trials += bool(struck)
        if isinstance(error, OSError) and not isinstance(error, AnyURLError) and self._scheme in ("mailto", "telnet"):
            error = None  # the file that this program writes itself
        self._judge(what, error)
        del error
        gc.collect()
        deadline = time.monotonic() + 10
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(0.005)
        if left:
            self.problems.append(f"{what}: {left}")
        self._sweep()

    def _left(self) -> str:
        """What is there that was not before the first transfer: the servers of the world are in this process, too."""
        opened, threads = _opened() - self._before[0], threading.active_count()
        if not opened and threads <= self._before[1]:
            return ""
        return f"left open {sorted(opened)}, threads {self._before[1]} -> {threads}"

    def _judge(self, what: str, error: BaseException | None) -> None:
        path = self._folder / "file"
        there = path.read_bytes() if path.exists() else None
        if error is None:
            self.survived += 1
            if there != self._kept and self._scheme not in ("mailto", "telnet"):
                self.problems.append(f"{what}: no error, and something else was saved")
        elif isinstance(error, AnyURLError):
            self.clean += 1
            if not str(error).isprintable():
                self.problems.append(f"{what}: the message is {str(error)!r}")
        else:
            self.problems.append(f"{what}: {error!r}")
        if there not in (None, self._kept) and self._scheme not in ("mailto", "telnet"):
            self.problems.append(f"{what}: a part of the file has its name")
        if "unlink" not in what and (beside := [each.name for each in self._folder.iterdir() if each.name != "file"]):
            self.problems.append(f"{what}: left {beside}")

    def _sweep(self) -> None:
        for each in self._folder.iterdir():
            each.unlink()


def _opened() -> frozenset[str]:
    # Without the descriptor by which the folder is read, whose number is free again.
    return frozenset(each for each in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{each}"))


def main(shim_path: str, *schemes: str) -> None:
    """The program."""
    warnings.simplefilter("error")
    shim = ctypes.CDLL(shim_path)
    shim.fault_counted.restype = ctypes.c_long
    sys.unraisablehook = _unraisable(problems := [])
    with World(schemes or None) as world, tempfile.TemporaryDirectory() as folder:
        for scheme in world.urls:
            place = Path(folder) / scheme
            place.mkdir()
            trial = Trial(shim, scheme, world, place)
            trial.run()
            trial.problems += problems
            problems.clear()
            record = {name: getattr(trial, name) for name in ("trials", "clean", "survived", "problems")}
            sys.stdout.write(json.dumps({"scheme": scheme, **record}) + "\n")
            sys.stdout.flush()


def _unraisable(problems: list[str]) -> Callable[[Any], None]:
    def note(found: Any) -> None:
        problems.append(f"nobody could raise {found.exc_value!r} in {found.object!r}")

    return note


if __name__ == "__main__":
    main(*sys.argv[1:])
