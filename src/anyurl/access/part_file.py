"""The partial file of a resumable download: it has a name of its own, and outlives the process that wrote it.

The rule: a part is used again only if nobody else could have written it and nobody else is writing it; what is known
about the resource stands beside it, and is gone from the disk before its octets go.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.errors import LocalFileError
from anyurl.net.closing import close_descriptor
from anyurl.net.files.channel import Replacement, complaint, kind_of, local_error, sync_folder
from anyurl.net.files.staging import collect
from anyurl.net.files.system import fcntl, flags, inherit, is_own

SUFFIX = b".anyurl-part"
FACTS_SUFFIX = b".anyurl-part.json"
MAX_NAME_BYTES = 255
"""Of one component of a path, on all file systems in use (Linux NAME_MAX)."""

MAX_FACTS_BYTES = 64 * 1024
"""A URL and a few facts beside it; a URL has at most 65,536 octets, and downloads of longer ones cannot be resumed."""

_REOPEN = flags("WRONLY", "CREAT", "NOFOLLOW", "CLOEXEC", "NONBLOCK", "NOCTTY")
_READ = flags("RDONLY", "NOFOLLOW", "CLOEXEC", "NONBLOCK")


def part_names(name: bytes) -> tuple[bytes, bytes]:
    """The names of the part, and of what is known about it, for a final name."""
    if len(name) + len(FACTS_SUFFIX) > MAX_NAME_BYTES:
        import hashlib  # OpenSSL comes with it

        name = b"." + hashlib.sha256(name).hexdigest()[:32].encode()
    return name + SUFFIX, name + FACTS_SUFFIX


class PartFile(Replacement):
    """A part beside its final name, with facts about the resource that it is a part of."""

    __slots__ = ("part", "_facts_name", "_ours")

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        """Takes over the descriptor of the folder."""
        super().__init__(folder, name, shown)
        self.part, self._facts_name = part_names(name)
        self._ours = False

    def length(self) -> int:
        """Octets that the file has: between its growing and our counting there may have been a Ctrl-C."""
        return os.fstat(self.fd).st_size if self.fd >= 0 else 0

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
        what = f"Resuming {self.shown}"
        if not stat.S_ISREG(status.st_mode):
            raise complaint(errno.EINVAL, what, f"its part is {kind_of(status.st_mode)}; remove it to start anew")
        if status.st_nlink > 1:
            collect(self.folder)  # a process was killed when the part had another name, on its way to the final one
            status = os.fstat(self.fd)
        if status.st_nlink == 2 and self._is_at(self.folder, self._name):
            # ... or when it had got the final one, and had not lost its own yet.
            os.unlink(self.part, dir_fd=self.folder)
            self._let_go()
            self.fd = os.open(self.part, _REOPEN | os.O_EXCL, 0o600, dir_fd=self.folder)
            status = os.fstat(self.fd)
        # In a directory that others can write to, somebody could have laid a part there for us to complete.
        if not is_own(status) or status.st_nlink != 1 or status.st_mode & 0o022:
            raise complaint(errno.EPERM, what, "others may have written its part; remove it to start anew")
        self._lock(what, status)
        self._ours = True
        self._place = self.folder, self.part
        os.lseek(self.fd, 0, os.SEEK_END)
        self.moved = status.st_size
        self.mode = mode if old is None else inherit(self.fd, old)

    def _let_go(self) -> None:
        fd, self.fd = self.fd, -1
        close_descriptor(fd)

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
            fd = os.open(self._facts_name, _READ, dir_fd=self.folder)
        except OSError:
            return b""
        try:
            status = os.fstat(fd)
            trusted = stat.S_ISREG(status.st_mode) and is_own(status) and not status.st_mode & 0o022
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
            # Each on the disk before the next: facts about one resource must never stand beside octets of another,
            # neither the old ones beside what comes now, nor those that are written now beside what is thrown away.
            if self._forget():
                sync_folder(self.folder)
            if self.length():
                os.ftruncate(self.fd, 0)
                os.fsync(self.fd)
            os.lseek(self.fd, 0, os.SEEK_SET)
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error
        self.moved = 0

    def _forget(self) -> bool:
        """Remove the facts; whether there were any."""
        try:
            os.unlink(self._facts_name, dir_fd=self.folder)
        except FileNotFoundError:
            return False
        return True

    def _drop(self) -> None:
        """Remove the part's own name, and then the facts: alone they vouch for nothing."""
        try:
            if self._is_at(self.folder, self.part):
                os.unlink(self.part, dir_fd=self.folder)
            self._forget()
        except OSError:  # another process has removed them, or the folder may not be written any more
            pass

    def commit(self, *, overwrite: bool = True) -> None:
        """As `Replacement.commit`; the part's own name and the facts are no longer needed."""
        super().commit(overwrite=overwrite)
        self._ours = False
        self._drop()

    def close(self) -> None:
        """Let it go: the part stays if it has anything that can be resumed."""
        if self.fd >= 0 and self._ours:
            try:
                if self.length() and self.facts():
                    os.fsync(self.fd)
                else:
                    self._drop()
            except OSError:  # then less can be resumed; nothing wrong can
                pass
        super().close()
