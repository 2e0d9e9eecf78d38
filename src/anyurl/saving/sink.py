"""Devices and pipes as targets of a download: `/dev/null`, `/dev/stdout`, a FIFO, a link to one.

The rule: a device or pipe has no old content to protect and needs no temporary name: it is written to directly, and
never replaced or removed. A path to a descriptor of this process (``/dev/stdout``, ``/dev/fd/3``) means that
descriptor.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.files.channel import FileChannel, complaint
from anyurl.files.closing import close_descriptor
from anyurl.files.system import fcntl, flags
from anyurl.guard.verdict import Reader, aside

MAX_LINKS = 40
"""Links that are followed in a row (Linux: 40, path_resolution(7))."""

_OPEN = flags("WRONLY", "NOFOLLOW", "NOCTTY", "NONBLOCK", "CLOEXEC")


class Sink(FileChannel):
    """An open device or pipe. Octets are written immediately, so `commit` does nothing."""

    __slots__ = ("modified",)

    def __init__(self, fd: int, shown: str) -> None:
        super().__init__(fd, shown)
        self.modified: float | None = None  # the modification time is not applied to a device

    def commit(self, *, overwrite: bool = True) -> None:
        """Do nothing."""


def open_sink(path: bytes, shown: str, *, force: bool, reader: Reader = "arguments") -> Sink | None:
    """Open the path if it leads to a device, a pipe or a descriptor of this process; None for anything else.

    Args:
        force: Also write to a disk, which overwrites its content.
        reader: Who reads that this would be needed.

    Raises:
        LocalFileError: No process reads the pipe, or a disk would be overwritten without `force`.
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
        except OSError:  # the error is reported when the path is opened as a file
            return None
        if not stat.S_ISLNK(status.st_mode):
            return _open(path, status, what, shown, force, reader)
        path = os.path.join(folder, os.readlink(path))
    return None


def _duplicate(number: int, what: str, shown: str) -> Sink:
    """Duplicate an open descriptor: reopening it would write a file from its start."""
    fd = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        close_descriptor(fd)
        raise complaint(errno.EBADF, what, "it is open for reading only")
    return Sink(fd, shown)


def _open(path: bytes, seen: os.stat_result, what: str, shown: str, force: bool, reader: Reader) -> Sink | None:
    kind = stat.S_IFMT(seen.st_mode)
    if kind not in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO):
        return None
    if kind == stat.S_IFBLK and not force:
        raise complaint(errno.EEXIST, what, f"it is a disk{aside('force', reader, then=' overwrites it')}")
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
    os.set_blocking(fd, True)  # from now on a slow reader slows the transfer down
    return Sink(fd, shown)
