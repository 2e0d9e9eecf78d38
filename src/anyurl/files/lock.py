"""A lock for a file that several processes replace as a whole: one at a time, so that no change is lost.

Rule: the file itself is locked, and read again once the lock is held. If it was replaced meanwhile, the lock is on the
old file, and the new one must be locked instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of
from anyurl.files.system import fcntl, flags

LOCK_TRIES, LOCK_NAP = 100, 0.05
"""Number of tries and seconds between them while another process holds the lock: five seconds in all, for a task of
milliseconds. A process that was stopped meanwhile must not block the others."""


@contextmanager
def alone(path: str) -> Iterator[None]:
    """Hold the lock of the file, on systems with such locks; also creates its folder.

    Raises:
        LocalFileError: The file or its folder cannot be created, or another process does not release the lock.
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
    """A descriptor that holds the lock of the file. Raises OSError or LocalFileError."""
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
    raise LocalFileError(f"{escape(path)} can't be written: another process keeps it locked.")


def _lock(fd: int, path: str) -> bool:
    """Try to lock; True only if the file still has its name, and was not replaced meanwhile."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except BlockingIOError:
        time.sleep(LOCK_NAP)
    except FileNotFoundError:  # removed meanwhile
        pass
    return False


def _make_folder(path: str) -> None:
    """Create the folder of the file. Raises LocalFileError."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder or ".", 0o700, exist_ok=True)
    except OSError as error:
        raise LocalFileError(f"{escape(folder)} can't be made: {reason_of(error)}.") from None
