"""Devices and pipes that a resource is written to: `/dev/null`, `/dev/stdout`, a FIFO, a link that leads to one.

The rule: what is no file has no old content to protect and no name to give: it is written to as it is, and never
replaced or removed. A path that leads to a descriptor of this process (``/dev/stdout``, ``/dev/fd/3``) is that
descriptor.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.net.closing import close_descriptor
from anyurl.net.files.channel import FileChannel, complaint
from anyurl.net.files.system import fcntl, flags

MAX_LINKS = 40
"""Links that are followed one after the other (Linux: 40, path_resolution(7))."""

_OPEN = flags("WRONLY", "NOFOLLOW", "NOCTTY", "NONBLOCK", "CLOEXEC")


class Sink(FileChannel):
    """An open device or pipe. What was written to it is gone: `commit` has nothing to do."""

    __slots__ = ("modified",)

    def __init__(self, fd: int, shown: str) -> None:
        super().__init__(fd, shown)
        self.modified: float | None = None  # a device has no time that would be that of what is written to it

    def commit(self, *, overwrite: bool = True) -> None:
        """Nothing is left to be done."""


def open_sink(path: bytes, shown: str, *, force: bool) -> Sink | None:
    """Open what the path leads to if that is a device, a pipe or a descriptor of this process; None for all else.

    Args:
        force: Write to a disk too: that replaces what is on it.

    Raises:
        LocalFileError: Nobody reads from the pipe, or a disk would be overwritten unasked.
        OSError: It can't be opened.
    """
    what = f"Saving to {shown}"
    descriptors = b"/proc/%d/fd" % os.getpid()
    for _ in range(MAX_LINKS):
        folder, name = os.path.split(path)
        if name.isdigit() and os.path.realpath(folder or b".") in (descriptors, b"/dev/fd"):
            return _duplicate(int(name), what, shown)
        try:
            status = os.lstat(path)
        except OSError:  # what is wrong with it is said when it is looked at as the name of a file
            return None
        if not stat.S_ISLNK(status.st_mode):
            return _open(path, status, what, shown, force)
        path = os.path.join(folder, os.readlink(path))
    return None


def _duplicate(number: int, what: str, shown: str) -> Sink:
    """A descriptor that is open already: opened anew, a file would be written to from its start."""
    fd = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        close_descriptor(fd)
        raise complaint(errno.EBADF, what, "it is open for reading only")
    return Sink(fd, shown)


def _open(path: bytes, seen: os.stat_result, what: str, shown: str, force: bool) -> Sink | None:
    kind = stat.S_IFMT(seen.st_mode)
    if kind not in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO):
        return None
    if kind == stat.S_IFBLK and not force:
        raise complaint(errno.EEXIST, what, "it is a disk (--force overwrites it)")
    try:
        fd = os.open(path, _OPEN)
    except OSError as error:
        if error.errno == errno.ENXIO and kind == stat.S_IFIFO:
            raise complaint(errno.ENXIO, what, "it is a FIFO that no process reads") from error
        raise
    now = os.fstat(fd)
    if (now.st_dev, now.st_ino, stat.S_IFMT(now.st_mode)) != (seen.st_dev, seen.st_ino, kind):
        close_descriptor(fd)
        raise complaint(errno.ESTALE, what, "another process has changed it just now")
    os.set_blocking(fd, True)  # from here on a slow reader makes the transfer wait
    return Sink(fd, shown)
