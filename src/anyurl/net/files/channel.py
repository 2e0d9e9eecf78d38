"""Open files of this machine, as channels: one that is read, one that replaces another, one that grows.

The rule: they are regular files and nothing else, and what is written stays invisible, or is taken back, until `commit`
says that it is whole. What `commit` gives a name is the very file that was written, whatever else has its name by then.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.dialogue import Channel
from anyurl.errors import LocalFileError, Truncated
from anyurl.net.closing import close_descriptor
from anyurl.net.files.staging import FRESH, NAME, Staging
from anyurl.net.files.system import ON_PYPY, check_writes, date, inherit
from anyurl.reasons import reason_of

PSEUDO_MOUNTS = ("/proc", "/sys")
"""What looks like regular files here is made by the kernel while it is read: secrets of processes, no lengths."""

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NO_FOLDER_SYNC = (errno.EBADF, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EROFS)
"""A folder that may not be read (O_PATH), and file systems that write names by themselves."""

_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)
"""What the system says where a file without a name can't be made: by its file system, or by an old kernel (open(2))."""


def local_error(error: OSError, what: str) -> LocalFileError:
    """The error of the tree for a system error, with its number kept.

    Args:
        what: What can't be done, as the beginning of a sentence; nothing unescaped.
    """
    ours = LocalFileError(f"{what}: {reason_of(error)}.")
    ours.errno = error.errno
    ours.__cause__ = error
    return ours


def complaint(number: int, what: str, why: str) -> LocalFileError:
    """The same where it is we who say no: a number of `errno`, and the reason in words."""
    ours = LocalFileError(f"{what}: {why}.")
    ours.errno = number
    return ours


def kind_of(mode: int) -> str:
    """What a file's mode says it is, for people."""
    for test, name in (
        (stat.S_ISREG, "a regular file"), (stat.S_ISDIR, "a directory"), (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"),
    ):  # fmt: skip
        if test(mode):
            return name
    return "a device"


def check_regular(status: os.stat_result, what: str) -> None:
    """Refuse what is no regular file: a FIFO or a device may never end, and reading one may do something.

    Raises:
        LocalFileError: It is something else, or the kernel makes it up (``/proc``, ``/sys``).
    """
    if not stat.S_ISREG(status.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise complaint(number, what, f"it is {kind_of(status.st_mode)}, and only a regular file would be opened")
    root = os.stat("/").st_dev
    for mount in PSEUDO_MOUNTS:
        try:
            device = os.stat(mount).st_dev
        except OSError:
            continue
        if status.st_dev == device != root:
            raise complaint(errno.EINVAL, what, f"the files below {mount} are made by the kernel and have no length")


class FileChannel(Channel):
    """An open regular file. It blocks, as all local files do.

    Attributes:
        fd: The descriptor, -1 when closed.
        moved: The offset of the next octet to be read, or how many were written.
        shown: The path, as people may see it.
    """

    __slots__ = ("fd", "moved", "shown")

    def __init__(self, fd: int, shown: str) -> None:
        super().__init__()
        self.fd: int = fd
        self.moved: int = 0
        self.shown: str = shown

    def fileno(self) -> int:
        """The descriptor, for those who copy files faster than by pieces."""
        return self.fd

    def receive(self, at_most: int) -> bytes:
        """The next octets; ``b""`` at the end of what the file held when it was opened.

        Raises:
            Truncated: The file has become shorter.
            LocalFileError: It can't be read.
        """
        if self.size is None:
            raise complaint(errno.EBADF, f"Reading {self.shown}", "it was opened for writing")
        left = self.size - self.moved
        if left <= 0:
            return b""  # what was appended since is not part of what was described
        try:
            data = os.read(self.fd, min(at_most, left))
        except OSError as error:
            raise local_error(error, f"Reading {self.shown}") from error
        self.moved += len(data)
        if not data and at_most > 0:
            raise Truncated(
                f"{self.shown} became shorter while it was read: {self.moved:,} of {self.size:,} octets came.",
                received=self.moved,
                expected=self.size,
            )
        return data

    def write(self, data: bytes) -> None:
        """Write all of these octets.

        Raises:
            LocalFileError: There is no room, or it can't be written.
        """
        try:
            done = os.write(self.fd, data)
            self.moved += done
            while done < len(data):  # a disk that is nearly full takes a part first
                more = os.write(self.fd, memoryview(data)[done:])
                self.moved += more
                done += more
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error

    def commit(self) -> None:
        """The file is whole.

        Raises:
            LocalFileError: It was opened for reading, or can't be written to the disk.
        """
        raise complaint(errno.EBADF, f"Writing {self.shown}", "it was opened for reading")

    def close(self) -> None:
        """Let it go; a second time does nothing."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            close_descriptor(fd)

    def __del__(self) -> None:
        if hasattr(self, "fd"):  # Ctrl-C may have come before there was one
            self.close()


WRITE_BACK_OCTETS = 8 * 1024 * 1024
"""Octets after which writing to the disk is begun: left to the end, the fsync of 1 GB took as long as receiving it."""


class Replacement(FileChannel):
    """A file that gets its name when it is whole.

    `begin` opens it, `commit` gives it its name; after `close` without `commit` nothing of it is left. Where the system
    can, it has no name before (open(2), O_TMPFILE), so that a process that is killed leaves nothing; elsewhere it is in
    a private folder.

    Attributes:
        folder: The descriptor of the directory.
        mode: The permission bits that it gets when it is whole.
        modified: Its modification time from then on, in seconds since the epoch; None for the moment of writing.
        durable: `commit` waits until it is on the disk. Without that a power cut may leave the name to a shorter file.

    Args:
        folder: A descriptor of the directory; it is taken over.
        name: The final name, in that directory.
        shown: The final path as people may see it.
    """

    __slots__ = ("folder", "mode", "modified", "durable", "_name", "_place", "_staging", "_on_the_way", "_mode_now")

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        super().__init__(-1, shown)
        self.folder: int = folder
        self.mode: int = 0o600
        self.modified: float | None = None
        self.durable: bool = True
        self._name = name
        self._place: tuple[int, bytes] | None = None
        """Folder and name that it has until then; None for none."""
        self._staging: Staging | None = None
        self._on_the_way = 0
        self._mode_now = -1

    def standing(self) -> os.stat_result:
        """What has the name now; a link itself. Raises OSError, of which FileNotFoundError is for nothing."""
        return os.stat(self._name, dir_fd=self.folder, follow_symlinks=False)

    def may_be_replaced(self) -> bool:
        """Whether what has the name now may be written by this user."""
        real = os.access in os.supports_effective_ids
        return os.access(self._name, os.W_OK, dir_fd=self.folder, effective_ids=real)

    def begin(self, old: os.stat_result | None) -> None:
        """Create the file, empty.

        Args:
            old: The file that will be replaced, whose mode and owner are kept; None for a new one.

        Raises:
            OSError: It can't be created.
        """
        status = self._create()
        # The kernel has applied the umask: asking for it would set it for the whole process.
        mode = stat.S_IMODE(status.st_mode)
        if old is None and self._place is None:  # it has its mode, and no name that others could open
            self.mode = self._mode_now = mode
            return
        os.fchmod(self.fd, 0o600)  # until it is whole, only its owner may see it
        self.mode = mode if old is None else inherit(self.fd, old)

    def _create(self) -> os.stat_result:
        if hasattr(os, "O_TMPFILE"):
            try:
                self.fd = os.open(b".", os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o666, dir_fd=self.folder)
            except OSError as error:
                if error.errno not in _NO_UNNAMED:
                    raise
            if self.fd >= 0 and (status := self._reached()) is not None:
                return status
            super().close()
        self._staging = Staging(self.folder)
        self._staging.make()
        self.fd = self._staging.create()
        self._place = self._staging.fd, NAME
        return os.fstat(self.fd)

    def write(self, data: bytes) -> None:
        """As `FileChannel.write`; every now and then the kernel is told to begin writing to the disk."""
        super().write(data)
        if self.moved - self._on_the_way >= WRITE_BACK_OCTETS and hasattr(os, "posix_fadvise"):
            # Linux begins to write a range back that nobody needs in memory any more, and does not wait for it.
            os.posix_fadvise(self.fd, self._on_the_way, self.moved - self._on_the_way, os.POSIX_FADV_DONTNEED)
            self._on_the_way = self.moved

    def commit(self, *, overwrite: bool = True) -> None:
        """Write it to the disk and give it its name, in one step.

        Args:
            overwrite: Whether a file that has the name now is replaced.

        Raises:
            LocalFileError: The disk is full, the folder can't be written any more, or somebody else took the name.
        """
        try:
            if self.mode != self._mode_now:
                os.fchmod(self.fd, self.mode)
            self._date()
            if self.durable:
                os.fsync(self.fd)  # before it has the name: a power cut may else leave the name to an empty file
            self._publish(overwrite)
            if self.durable and self.folder >= 0:
                sync_folder(self.folder)
        except FileExistsError as error:
            raise complaint(errno.EEXIST, f"Writing {self.shown}", "another file has taken the name") from error
        except OSError as error:
            if isinstance(error, LocalFileError):
                raise
            raise local_error(error, f"Writing {self.shown}") from error

    def _date(self) -> None:
        date(self.fd, self.modified)

    def _publish(self, overwrite: bool) -> None:
        """A link fails where a name stands: of two that try one wins whole. Only a rename replaces."""
        try:
            self._link(self.folder, self._name)
        except OSError as error:
            if error.errno not in _NO_LINKS or self._place is None:
                if overwrite and isinstance(error, FileExistsError):
                    self._replace()
                    return
                raise
            if not overwrite:
                # FAT and its kin have no links: the name is claimed first, and then replaced by its claimant.
                close_descriptor(os.open(self._name, FRESH, 0o600, dir_fd=self.folder))
            self._rename(*self._place)

    def _replace(self) -> None:
        if self._staging is None:
            self._staging = Staging(self.folder)
            self._staging.make()
            try:
                self._link(self._staging.fd, NAME)
            except OSError as error:
                if error.errno not in _NO_LINKS or self._place is None:
                    raise
                self._rename(*self._place)
                return
        self._rename(self._staging.fd, NAME)

    def _link(self, folder: int, name: bytes) -> None:
        """Give it another name: by its descriptor where the system can, since a name may lead elsewhere by now."""
        if self._place is None or self._reached() is not None:
            os.link(self._path(), name, dst_dir_fd=folder, follow_symlinks=True)
            return
        self._check_place(*self._place)
        os.link(self._place[1], name, src_dir_fd=self._place[0], dst_dir_fd=folder, follow_symlinks=ON_PYPY)

    def _rename(self, folder: int, name: bytes) -> None:
        self._check_place(folder, name)
        os.rename(name, self._name, src_dir_fd=folder, dst_dir_fd=self.folder)

    def _check_place(self, folder: int, name: bytes) -> None:
        """Make sure that a name still leads to this file.

        Raises:
            LocalFileError: It leads to another one, or is gone: some other process is at work here.
        """
        if not self._is_at(folder, name):
            raise complaint(errno.ESTALE, f"Writing {self.shown}", "another process has taken its part away")

    def _is_at(self, folder: int, name: bytes) -> bool:
        try:
            return _identity(os.stat(name, dir_fd=folder, follow_symlinks=False)) == _identity(os.fstat(self.fd))
        except FileNotFoundError:
            return False

    def _path(self) -> bytes:
        """A path that leads to the open file itself, whatever its name is."""
        return b"/proc/self/fd/%d" % self.fd

    def _reached(self) -> os.stat_result | None:
        """What `_path` leads to, if that is this file, and can be linked: there may be no ``/proc``."""
        if ON_PYPY:
            return None
        try:
            there = os.stat(self._path())
            return there if _identity(there) == _identity(os.fstat(self.fd)) else None
        except OSError:
            return None

    def close(self) -> None:
        """Let it go; without a `commit` before, nothing of it is left."""
        super().close()
        staging, self._staging = self._staging, None
        if staging is not None:
            staging.close()
        folder, self.folder = self.folder, -1
        if folder >= 0:
            close_descriptor(folder)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def open_folder(path: bytes) -> int:
    """A descriptor of a directory, in which names are then opened: the path may change meanwhile.

    Raises:
        OSError: It can't be opened.
        UnsupportedError: This system has no such descriptors.
    """
    check_writes()
    flags = os.O_DIRECTORY | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDONLY | flags)
    except PermissionError:  # a folder that may be written and entered, but not listed
        return os.open(path, getattr(os, "O_PATH", os.O_RDONLY) | flags)


def sync_folder(folder: int) -> None:
    """Write a folder's names to the disk, where the file system can.

    Raises:
        OSError: The disk is broken.
    """
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
