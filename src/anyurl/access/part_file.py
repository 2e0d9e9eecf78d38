"""The part of a download that may be gone on with: it has a name of its own, and outlives the process that wrote it.

The rule: a part is used again only if nobody else could have written it and nobody else is writing it; what is known
about the resource stands beside it, and goes before its octets go.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat

from anyurl.errors import LocalFileError
from anyurl.net.closing import close_descriptor
from anyurl.net.files.channel import Replacement, complaint, inherit, kind_of, local_error

SUFFIX = b".anyurl-part"
FACTS_SUFFIX = b".anyurl-part.json"
MAX_NAME_BYTES = 255
"""Of one component of a path, on all file systems in use (Linux NAME_MAX)."""

MAX_FACTS_BYTES = 64 * 1024
"""A URL and a few facts beside it; a URL has at most 65,536 octets, longer ones can't be gone on with."""

_REOPEN = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def part_names(name: bytes) -> tuple[bytes, bytes]:
    """The names of the part, and of what is known about it, for a final name."""
    if len(name) + len(FACTS_SUFFIX) > MAX_NAME_BYTES:
        name = b"." + hashlib.sha256(name).hexdigest()[:32].encode()
    return name + SUFFIX, name + FACTS_SUFFIX


class PartFile(Replacement):
    """A part beside its final name, with facts about the resource that it is a part of.

    Attributes:
        moved: Octets that it has.
    """

    __slots__ = ("_facts_name", "_ours")

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        """Takes over the descriptor of the folder."""
        part, self._facts_name = part_names(name)
        super().__init__(folder, name, shown, part=part, keep=True)
        self._ours = False

    def begin(self, old: os.stat_result | None) -> None:
        """Open the part that is there, or make an empty one.

        Args:
            old: The file that will be replaced; None for a new one.

        Raises:
            LocalFileError: The part is not ours, or another process is writing it.
            OSError: It can't be opened.
        """
        mode = self._mode_of_new_files()
        self.fd = os.open(self.part, _REOPEN, 0o600, dir_fd=self.folder)
        status = os.fstat(self.fd)
        what = f"Going on with {self.shown}"
        if not stat.S_ISREG(status.st_mode):
            raise complaint(errno.EINVAL, what, f"its part is {kind_of(status.st_mode)}; remove it to start anew")
        # In a directory that others can write to, somebody could have laid a part there for us to complete.
        if status.st_uid != os.geteuid() or status.st_nlink != 1 or status.st_mode & 0o022:
            raise complaint(errno.EPERM, what, "its part was not written by us alone; remove it to start anew")
        self._lock(what, status)
        self._ours = True
        os.lseek(self.fd, 0, os.SEEK_END)
        self.moved = status.st_size
        self.mode = mode if old is None else inherit(self.fd, old)

    def _mode_of_new_files(self) -> int:
        """The mode that the umask leaves, seen on a file that is made for it (asking would set it for all threads)."""
        probe = Replacement(os.dup(self.folder), b"", self.shown)
        try:
            probe.begin(None)
            return probe.mode
        finally:
            probe.close()

    def _lock(self, what: str, status: os.stat_result) -> None:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            now = os.stat(self.part, dir_fd=self.folder, follow_symlinks=False)
        except (BlockingIOError, FileNotFoundError) as error:
            raise complaint(errno.EAGAIN, what, "another process is writing it") from error
        # Whoever held the lock may have renamed the part meanwhile: then this descriptor is that of the final file.
        if (now.st_dev, now.st_ino) != (status.st_dev, status.st_ino):
            raise complaint(errno.EAGAIN, what, "another process has just finished it")

    def facts(self) -> bytes:
        """What was remembered about the resource; empty when nothing was, or when it can't be read."""
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            fd = os.open(self._facts_name, flags, dir_fd=self.folder)
        except OSError:
            return b""
        try:
            status = os.fstat(fd)
            trusted = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
            return os.read(fd, MAX_FACTS_BYTES) if trusted and status.st_size <= MAX_FACTS_BYTES else b""
        except OSError:
            return b""
        finally:
            close_descriptor(fd)

    def remember(self, facts: bytes) -> None:
        """Write down what is known about the resource, in one step.

        Raises:
            LocalFileError: There is no room.
        """
        beside = Replacement(os.dup(self.folder), self._facts_name, self.shown)
        try:
            beside.begin(None)
            beside.mode = 0o600
            beside.write(facts)
            beside.commit()
        except OSError as error:
            if isinstance(error, LocalFileError):
                raise
            raise local_error(error, f"Writing beside {self.shown}") from error
        finally:
            beside.close()

    def restart(self) -> None:
        """Throw away what the part has, and what was known about it.

        Raises:
            LocalFileError: It can't be written.
        """
        try:
            self._forget()  # first: facts about one resource must never stand beside octets of another
            os.ftruncate(self.fd, 0)
            os.lseek(self.fd, 0, os.SEEK_SET)
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error
        self.moved = 0

    def _forget(self) -> None:
        try:
            os.unlink(self._facts_name, dir_fd=self.folder)
        except FileNotFoundError:
            pass

    def commit(self, *, overwrite: bool = True) -> None:
        """As `Replacement.commit`; what was known about the resource is no longer needed."""
        super().commit(overwrite=overwrite)
        try:
            self._forget()
        except OSError:  # the file is whole and has its name: facts that stay behind vouch for nothing
            pass

    def close(self) -> None:
        """Let it go: the part stays if it has anything that can be gone on with."""
        if self.fd >= 0 and self._ours and self.part:
            self.keep = bool(self.moved and self.facts())
            try:
                if self.keep:
                    os.fsync(self.fd)
                else:
                    self._forget()
            except OSError:  # then less can be gone on with; nothing wrong can
                pass
        super().close()
