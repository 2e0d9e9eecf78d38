"""A file that several processes write, each of them whole: one after the other, so that none loses what another wrote.

Rule: the file is locked itself, and read again when the lock is had. One that was replaced meanwhile has not the name
any more: it is waited for anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from anyurl.errors import LocalFileError, escape
from anyurl.net.files.system import fcntl, flags
from anyurl.reasons import reason_of

LOCK_TRIES, LOCK_NAP = 100, 0.05
"""How often, and after how many seconds, it is tried to write when another process does: five seconds, for what takes
milliseconds. One that was stopped meanwhile must not stop the others."""


@contextmanager
def alone(path: str) -> Iterator[None]:
    """No other process writes the file meanwhile, where there are such locks; its folder is there then.

    Raises:
        LocalFileError: It or its folder can't be made, or another process does not let go of it.
    """
    _make_folder(path)
    if fcntl is None:
        yield
        return
    try:
        fd = _locked(path)
    except LocalFileError:
        raise
    except OSError as error:
        raise LocalFileError(f"{escape(path)} can't be written: {reason_of(error)}.") from None
    try:
        yield
    finally:
        os.close(fd)


def _locked(path: str) -> int:
    """A descriptor that holds the lock of the file. Raises OSError, LocalFileError."""
    for _ in range(LOCK_TRIES):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | flags("CLOEXEC", "NONBLOCK", "NOCTTY"), 0o600)
        is_held = False
        try:
            is_held = _lock(fd, path)
        finally:
            if not is_held:
                os.close(fd)
        if is_held:
            return fd
    raise LocalFileError(f"{escape(path)} can't be written: another process does not let go of it.")


def _lock(fd: int, path: str) -> bool:
    """Whether the lock was there to be had, and the file still has its name: else it is that of the one before."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except BlockingIOError:
        time.sleep(LOCK_NAP)
    except FileNotFoundError:  # somebody has taken it away
        pass
    return False


def _make_folder(path: str) -> None:
    """Raises LocalFileError."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder or ".", 0o700, exist_ok=True)
    except OSError as error:
        raise LocalFileError(f"{escape(folder)} can't be made: {reason_of(error)}.") from None
