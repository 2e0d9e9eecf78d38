"""Open files of this machine, as channels: one that is read, one that replaces another, one that grows.

The rule: they are regular files and nothing else, and what is written stays invisible, or is taken back, until `commit`
says that it is whole.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.dialogue import Channel
from anyurl.errors import LocalFileError, Truncated
from anyurl.net.closing import close_descriptor

PSEUDO_MOUNTS = ("/proc", "/sys")
"""What looks like regular files here is made by the kernel while it is read: secrets of processes, no lengths."""

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def local_error(error: OSError, what: str) -> LocalFileError:
    """The error of the tree for a system error, with its number kept.

    Args:
        what: What can't be done, as the beginning of a sentence; nothing unescaped.
    """
    ours = LocalFileError(f"{what}: {error.strerror or error}.")
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
        self.fd = fd
        self.moved = 0
        self.shown = shown

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
    """A file that is written beside the one that it will become.

    `begin` opens it, `commit` gives it its name, `close` without `commit` removes it (unless it is to be kept).

    Attributes:
        folder: The descriptor of the directory.
        part: The name until it is whole; empty afterwards.
        mode: The permission bits that it gets when it is whole.
        keep: Whether a part that is not whole stays where it is.

    Args:
        folder: A descriptor of the directory; it is taken over.
        name: The final name, in that directory.
        shown: The final path as people may see it.
        part: The name until then; a random one when None.
        keep: Leave the part where it is when it is closed without `commit`.
    """

    __slots__ = ("folder", "part", "_name", "mode", "keep", "_on_the_way", "_begun")

    def __init__(self, folder: int, name: bytes, shown: str, *, part: bytes | None = None, keep: bool = False) -> None:
        super().__init__(-1, shown)
        self.folder = folder
        self._name = name
        self.part = part or b".anyurl-%s.part" % os.urandom(8).hex().encode()
        self.keep = keep
        self.mode = 0o600
        self._on_the_way = 0
        self._begun = False

    def begin(self, old: os.stat_result | None) -> None:
        """Create the part, empty.

        Args:
            old: The file that will be replaced, whose mode and owner are kept; None for a new one.

        Raises:
            OSError: It can't be created.
        """
        self._begun = True  # beforehand: Ctrl-C may find us when the file is there, and its descriptor not yet ours
        # The kernel applies the umask (asking for it would set it for the whole process); until the file is whole,
        # only its owner may see it.
        self.fd = os.open(self.part, _FRESH, 0o666, dir_fd=self.folder)
        mode = stat.S_IMODE(os.fstat(self.fd).st_mode)
        os.fchmod(self.fd, 0o600)
        self.mode = mode if old is None else inherit(self.fd, old)

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
            os.fchmod(self.fd, self.mode)
            os.fsync(self.fd)
            if overwrite:
                os.rename(self.part, self._name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
            else:
                self._take_name()
        except FileExistsError as error:
            raise complaint(errno.EEXIST, f"Writing {self.shown}", "another file has taken the name") from error
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error
        self.part = b""
        sync_folder(self.folder)

    def _take_name(self) -> None:
        """Rename without overwriting: a link fails where a name stands, so of two that try one wins whole."""
        try:
            os.link(self.part, self._name, src_dir_fd=self.folder, dst_dir_fd=self.folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # FAT and its kin have no links: the name is claimed first, and then replaced by its claimant.
            close_descriptor(os.open(self._name, _FRESH, 0o600, dir_fd=self.folder))
            os.rename(self.part, self._name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        else:
            os.unlink(self.part, dir_fd=self.folder)

    def close(self) -> None:
        """Let it go; without a `commit` before, nothing of it is left unless it is to be kept."""
        opened = self.fd >= 0
        super().close()
        folder, self.folder = self.folder, -1
        if folder < 0:
            return
        if (opened or self._begun) and self.part and not self.keep:
            try:
                os.unlink(self.part, dir_fd=folder)
            except OSError:  # somebody else removed it, or the folder is gone: nothing is left either way
                pass
        close_descriptor(folder)


class Appendix(FileChannel):
    """Octets behind a file's end. `close` without `commit` takes them back, if nobody wrote behind them."""

    __slots__ = ("_start", "_whole")

    def __init__(self, fd: int, shown: str, start: int) -> None:
        super().__init__(fd, shown)
        self._start = start
        self._whole = False

    def commit(self) -> None:
        """Write them to the disk.

        Raises:
            LocalFileError: The disk is full or broken.
        """
        try:
            os.fsync(self.fd)
        except OSError as error:
            raise local_error(error, f"Appending to {self.shown}") from error
        self._whole = True

    def close(self) -> None:
        """Let it go."""
        if self.fd >= 0 and not self._whole:
            try:
                if os.fstat(self.fd).st_size == self._start + self.moved:
                    os.ftruncate(self.fd, self._start)
            except OSError:  # the file stays as it is: what is behind the end is all that could be lost
                pass
        super().close()


def open_folder(path: bytes) -> int:
    """A descriptor of a directory, in which names are then opened: the path may change meanwhile."""
    flags = os.O_DIRECTORY | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDONLY | flags)
    except PermissionError:  # a folder that may be written and entered, but not listed
        return os.open(path, getattr(os, "O_PATH", os.O_RDONLY) | flags)


def sync_folder(folder: int) -> None:
    """Write a folder's names to the disk, where the file system can."""
    try:
        os.fsync(folder)
    except OSError:  # O_PATH, and file systems that sync names by themselves
        pass


def inherit(fd: int, old: os.stat_result) -> int:
    """Give a new file its predecessor's owner where that is possible; the mode that it may then have."""
    mode = stat.S_IMODE(old.st_mode) & 0o777  # never set-user-id: that was said of the old content
    for owner, group in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        try:
            os.fchown(fd, owner, group)
        except PermissionError:  # only root may give files away
            continue
        return mode
    # The group is another one: it gets no more than everybody has.
    return mode & 0o707 | mode & (mode & 0o007) << 3
