"""A private folder beside a file that will be replaced: there the new one has a name until it gets the final one.

The rule: only its owner can enter it, and its descriptor leads to it whatever other processes rename, so that what is
moved out of it is what was put into it. Its owner holds a lock on it for as long as it lives: one that can be locked
was left behind by a process that was killed, and is removed by the next one that makes such a folder.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.net.closing import close_descriptor
from anyurl.net.files.system import fcntl, flags, is_own

SLOTS = 16
"""Numbers in their names: few enough to try them all, which costs less than to read a large directory."""

FRESH = flags("RDWR", "CREAT", "EXCL", "NOFOLLOW", "CLOEXEC")
"""How a file is opened that must not be there yet."""

NAME = b"part"
"""Of the one file in such a folder."""

_ENTER = flags("RDONLY", "DIRECTORY", "NOFOLLOW", "CLOEXEC")


class Staging:
    """A private folder, locked.

    Attributes:
        fd: Its descriptor.

    Args:
        folder: The descriptor of the folder that it is made in; it is not taken over.
    """

    __slots__ = ("fd", "_folder", "_name")

    def __init__(self, folder: int) -> None:
        self.fd: int = -1
        self._folder = folder
        self._name = b""

    def make(self) -> None:
        """Make it, and lock it.

        Raises:
            OSError: It can't be made.
        """
        collect(self._folder)
        for number in range(2 * SLOTS):
            # In a folder where everybody writes others may have taken all numbers; a random name nobody can take first.
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
        raise FileExistsError(errno.EEXIST, "no private folder can be made beside it")

    def create(self) -> int:
        """Make the file, empty; its descriptor."""
        return os.open(NAME, FRESH, 0o666, dir_fd=self.fd)

    def close(self) -> None:
        """Remove the folder with what is left in it; a second time does nothing."""
        fd, self.fd = self.fd, -1
        name, self._name = self._name, b""
        if name:
            _remove(self._folder, name, fd)


def collect(folder: int) -> None:
    """Remove the private folders that killed processes of this user have left in a folder."""
    for number in range(SLOTS):
        name = b".anyurl-%d" % number
        fd = _lock(folder, name, made=False)
        if fd >= 0:
            _remove(folder, name, fd)


def _lock(folder: int, name: bytes, *, made: bool) -> int:
    """Enter a private folder that nobody else is in; its descriptor, or -1.

    Args:
        made: This process has just made it.
    """
    try:
        fd = os.open(name, _ENTER, dir_fd=folder)
    except OSError:
        return -1
    try:
        status = os.fstat(fd)
        if is_own(status) and not status.st_mode & 0o077 and _can_lock(fd, made=made):
            # Its owner may have removed it between our opening it and our lock.
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
        # Some network file systems lock no folders: then what is ours is known by having made it, and never collected.
        return made and error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN)
    return True


def _remove(folder: int, name: bytes, fd: int) -> None:
    """Remove a private folder that is locked; what is in it and is not ours stays."""
    try:
        if fd >= 0:
            try:
                os.unlink(NAME, dir_fd=fd)
            except FileNotFoundError:
                pass
        os.rmdir(name, dir_fd=folder)
    except OSError:  # somebody else has removed it, or put something into it
        pass
    if fd >= 0:
        close_descriptor(fd)
