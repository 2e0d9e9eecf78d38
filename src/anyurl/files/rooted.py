"""A folder outside of which nothing is written: untrusted paths are entered one component at a time.

Rule: no symbolic link is followed below the folder, neither in the middle of a path nor at its end.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Literal

from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import complaint, local_error, open_folder
from anyurl.files.closing import close_descriptor
from anyurl.files.system import ON_PYPY, check_writes, date, flags, is_own, octets_of

_UNNAMED = flags("RDWR", "TMPFILE", "CLOEXEC")
"""Without O_TMPFILE this would open the folder itself for writing, which no system allows."""

_COMPARED_AT_ONCE = 256 * 1024

OPEN_AT_ONCE = 8
"""Most folders kept open: consecutive files are mostly in the same folder."""


class RootedFolder:
    """One folder.

    Args:
        path: The path of the folder, chosen by the user.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._open: OrderedDict[str, int] = OrderedDict()
        self._links: bool | None = None
        """Whether files can be linked by descriptor here; None before the first one."""

    def make(self) -> bool:
        """Create it if needed; returns whether it was.

        Raises:
            LocalFileError: It can't be created.
            UnsupportedError: This system could not write to it.
        """
        check_writes()
        try:
            try:
                os.makedirs(self._path)
            except FileExistsError:
                os.makedirs(self._path, exist_ok=True)  # raises for a file
                return False
        except OSError as error:
            raise local_error(error, f"Making the folder {escape(self._path)}") from error
        return True

    def parent(self, local: str, make: bool = True) -> int:
        """A descriptor of the folder of a path, valid until the next call.

        Args:
            local: Components joined with ``/``.
            make: Create missing folders.

        Raises:
            LocalFileError: One of them cannot be entered.
        """
        name = local.rpartition("/")[0]
        folder = self._open.get(name)
        if folder is not None:
            if not make or os.fstat(folder).st_nlink:  # nothing is found in a removed folder either
                self._open.move_to_end(name)
                return folder
            close_descriptor(self._open.pop(name))  # removed meanwhile
        folder = self._open[name] = self._enter(local, make)
        if len(self._open) > OPEN_AT_ONCE:
            close_descriptor(self._open.popitem(last=False)[1])
        return folder

    def close(self) -> None:
        """Close all open folders."""
        while self._open:
            close_descriptor(self._open.popitem()[1])

    def __del__(self) -> None:
        self.close()

    def _enter(self, local: str, make: bool) -> int:
        try:
            folder = open_folder(os.fsencode(self._path))
        except OSError as error:
            raise local_error(error, f"Entering {escape(self._path)}") from error
        for name in local.split("/")[:-1]:
            try:
                if make:
                    try:
                        os.mkdir(octets_of(name), dir_fd=folder)
                    except FileExistsError:
                        pass
                # Attack: a link in the path would lead out of the folder.
                inner = os.open(
                    octets_of(name), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder
                )
            except OSError as error:
                raise local_error(error, f"Entering {escape(name)} of {escape(local)}") from error
            finally:
                os.close(folder)
            folder = inner
        return folder

    @contextmanager
    def opened(self, local: str) -> Iterator[BinaryIO]:
        """Open a file for reading. Raises LocalFileError."""
        try:
            name, flags = _name(local), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(name, flags, dir_fd=self.parent(local, False))
            with open(descriptor, "rb") as file:
                yield file
        except OSError as error:
            if isinstance(error, LocalFileError):
                raise
            raise local_error(error, f"Reading {escape(local)}") from error

    def stat(self, local: str) -> os.stat_result | None:
        """The status of a file; None if it does not exist."""
        try:
            return os.stat(_name(local), dir_fd=self.parent(local, False), follow_symlinks=False)
        except OSError:
            return None

    def kind_at(self, local: str) -> Literal["file", "folder", ""]:
        """The kind of file at a path: a folder, any other file, or nothing."""
        status = self.stat(local)
        return "" if status is None else "folder" if stat.S_ISDIR(status.st_mode) else "file"

    def has(self, local: str, content: BinaryIO, *, cut: bool = False) -> bool:
        """Whether a file has this content, which is read from its start, and is at its start again.

        Args:
            cut: Only the beginning of the content is enough.
        """
        content.seek(0)
        try:
            with self.opened(local) as file:
                while True:
                    piece = file.read(_COMPARED_AT_ONCE)
                    other = content.read(_COMPARED_AT_ONCE)
                    if piece != other:
                        return cut and len(piece) < len(other) and other.startswith(piece)
                    if not piece:
                        return True
        except LocalFileError:
            return False
        finally:
            content.seek(0)

    def write_new(self, local: str, data: bytes, modified: float | None) -> bool:
        """Write a small file in a few steps; like a `Replacement`, it gets its name when it is complete.

        Returns:
            Whether it was written. If not, the name exists, the folder was removed or this system does not support it:
            a `Replacement` then works, or reports why not.

        Raises:
            LocalFileError: The folder cannot be entered.
        """
        # Nothing can be linked into a folder that was removed meanwhile, so this needs no check here.
        folder = self._open.get(local.rpartition("/")[0]) or self.parent(local)
        try:
            fd = os.open(b".", _UNNAMED, 0o666, dir_fd=folder)
        except OSError:
            return False
        path = b"/proc/self/fd/%d" % fd
        try:
            if self._links is None:
                self._links = not ON_PYPY and os.path.samestat(os.stat(path), os.fstat(fd))
            if not self._links or os.write(fd, data) != len(data):
                return False
            date(fd, modified)
            os.link(path, _name(local), dst_dir_fd=folder, follow_symlinks=True)
        except OSError:
            return False
        finally:
            close_descriptor(fd)
        return True

    def signature(self, local: str) -> str:
        """A text that changes when the file is replaced; empty if it does not exist."""
        status = self.stat(local)
        return "" if status is None else f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns}"

    def mark(self, local: str) -> str:
        """A text that changes when the file is edited, but not when its folder is copied; empty if there is no file."""
        status = self.stat(local)
        return "" if status is None or stat.S_ISDIR(status.st_mode) else _mark(status)

    def has_time(self, local: str, modified: float | None) -> bool:
        """Whether a file has this modification time, to the second; None is that of no file."""
        status = self.stat(local)
        return status is not None and modified is not None and int(status.st_mtime) == int(modified)

    def is_unchanged(
        self, local: str, size: int | None, modified: float | None, mark: str | None, original: int | None
    ) -> bool:
        """Whether a file exists that has this size, and is not older.

        Args:
            mark: That of the file as it was saved, or None.
            original: The time that its original had then, or None if it is not known. A file that has the mark still is
                judged by this time instead of its own: what comes from a backup is older than what it replaces, and
                some file systems keep no time. That of any other file says nothing about the original.
        """
        if size is None or modified is None:
            return False
        status = self.stat(local)
        if status is None or not stat.S_ISREG(status.st_mode) or status.st_size != size:
            return False
        if original is not None and mark == _mark(status):
            return original == int(modified)
        return status.st_mtime >= int(modified)


def _mark(status: os.stat_result) -> str:
    return f"{status.st_size} {status.st_mtime_ns}"


_NOT_OWN = "others may have written it, as its mode is not 600; remove it to start again"


def make_own(path: str, shown: str) -> None:
    """Create a private file, if it does not exist.

    Raises:
        LocalFileError: It exists, and another user may have written it.
        OSError: It cannot be created.
    """
    check_writes()
    _check_own(os.open(path, flags("RDWR", "CREAT", "NOFOLLOW", "CLOEXEC", "NONBLOCK"), 0o600), shown)


def has_own(path: str, shown: str) -> bool:
    """Whether there is a private file, which is not created.

    Raises:
        LocalFileError: Another user may have written it.
        OSError: It cannot be opened.
    """
    try:
        descriptor = os.open(path, flags("RDONLY", "NOFOLLOW", "CLOEXEC", "NONBLOCK"))
    except (FileNotFoundError, NotADirectoryError):
        return False
    _check_own(descriptor, shown)
    return True


def _check_own(descriptor: int, shown: str) -> None:
    """Close a file. Raises LocalFileError if another user may have written it."""
    try:
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    # Attack: an archive from a stranger contains a list of URLs that would count as the user's own.
    if not stat.S_ISREG(status.st_mode) or not is_own(status) or status.st_mode & 0o077:
        raise complaint(errno.EPERM, f"Resuming {shown}", _NOT_OWN)


def _name(local: str) -> bytes:
    """The last component of a path, as the system has it."""
    return octets_of(local.rpartition("/")[2])


def remove(path: str, shown: str) -> None:
    """Remove a file. Raises LocalFileError."""
    try:
        os.unlink(path)
    except OSError as error:
        raise local_error(error, f"Removing {shown}") from error
