"""A private folder next to a file that will be replaced; it holds the new file until it gets its final name.

Rule: only its owner can enter it, and its descriptor stays valid whatever other processes rename, so that the file
moved out of it is the one that was written. The process that made it holds a lock on it: a folder that can be locked is
a leftover of a killed process, and is removed when the next such folder is made.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.files.closing import close_descriptor
from anyurl.files.system import fcntl, flags, is_own

SLOTS = 16
"""Numbers used in the names: few enough to try all of them, which is cheaper than reading a large directory."""

FRESH = flags("RDWR", "CREAT", "EXCL", "NOFOLLOW", "CLOEXEC")
"""Flags to create a file that must not exist yet."""

NAME = b"part"
"""The name of the one file in such a folder."""

_ENTER = flags("RDONLY", "DIRECTORY", "NOFOLLOW", "CLOEXEC")


class Staging:
    """A private folder, locked.

    Attributes:
        fd: Its descriptor.

    Args:
        folder: The descriptor of the folder that it is made in; it stays owned by the caller.
    """

    __slots__ = ("fd", "_folder", "_name")

    def __init__(self, folder: int) -> None:
        self.fd: int = -1
        self._folder = folder
        self._name = b""

    def make(self) -> None:
        """Create it, and lock it.

        Raises:
            OSError: It cannot be created.
        """
        collect(self._folder)
        for number in range(2 * SLOTS):
            # In a world-writable folder an attacker may have taken all numbers; a random name cannot be taken first.
            name = b".anyurl-%s" % (b"%d" % number if number < SLOTS else os.urandom(8).hex().encode())
            try:
                os.mkdir(name, 0o700, dir_fd=self._folder)
            except FileExistsError:
                continue
            self._name = name
            self.fd = _lock(self._folder, name, made=True)
            if self.fd >= 0:
                return
        self._name = b""
        raise FileExistsError(errno.EEXIST, "no private folder can be made next to it")

    def create(self) -> int:
        """Create the empty file; its descriptor."""
        return os.open(NAME, FRESH, 0o666, dir_fd=self.fd)

    def close(self) -> None:
        """Remove the folder and its content; may be called twice."""
        fd, self.fd = self.fd, -1
        name, self._name = self._name, b""
        if name:
            _remove(self._folder, name, fd)


def collect(folder: int) -> None:
    """Remove the private folders that this user's killed processes left in a folder."""
    for number in range(SLOTS):
        name = b".anyurl-%d" % number
        fd = _lock(folder, name, made=False)
        if fd >= 0:
            _remove(folder, name, fd)


def _lock(folder: int, name: bytes, *, made: bool) -> int:
    """Lock a private folder that no other process uses; its descriptor, or -1.

    Args:
        made: This process has just created it.
    """
    try:
        fd = os.open(name, _ENTER, dir_fd=folder)
    except OSError:
        return -1
    try:
        status = os.fstat(fd)
        if is_own(status) and not status.st_mode & 0o077 and _can_lock(fd, made=made):
            # Its owner may have removed it between the open and the lock.
            now = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino) and stat.S_ISDIR(now.st_mode):
                return fd
    except OSError:
        pass
    except BaseException:
        close_descriptor(fd)
        raise
    close_descriptor(fd)
    return -1


def _can_lock(fd: int, *, made: bool) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network file systems cannot lock folders: there only the process that made a folder removes it.
        return made and error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN)
    return True


def _remove(folder: int, name: bytes, fd: int) -> None:
    """Remove a locked private folder; files of others in it stay."""
    try:
        if fd >= 0:
            try:
                os.unlink(NAME, dir_fd=fd)
            except FileNotFoundError:
                pass
        os.rmdir(name, dir_fd=folder)
    except OSError:  # removed already, or not empty
        pass
    if fd >= 0:
        close_descriptor(fd)
