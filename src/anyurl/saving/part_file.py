"""The partial file of a resumable download: it has its own name, and survives the process that wrote it.

The rule: a part is resumed only if no other user could have written it and no other process is writing it. Facts about
the resource are stored in a file next to it, which is always removed from the disk before the octets of the part are.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.errors import LocalFileError, RemoteProtocolError
from anyurl.files.channel import Replacement, complaint, kind_of, local_error, sync_folder
from anyurl.files.closing import close_descriptor
from anyurl.files.staging import collect
from anyurl.files.system import fcntl, flags, inherit, is_own, octets_of

SUFFIX = b".anyurl-part"
FACTS_SUFFIX = b".anyurl-part.json"
MAX_NAME_BYTES = 255
"""The longest path component on all common file systems (Linux NAME_MAX)."""

COMPARED_BYTES = 64 * 1024
"""Octets at the end of a part that are requested again, if nothing else proves the resource to be unchanged: two files
rarely share so long a block at the same place, and it takes no longer than a round trip to fetch."""

MAX_FACTS_BYTES = 64 * 1024
"""A URL and a few facts about it; a URL has at most 65,536 octets, and downloads of longer ones cannot be resumed."""

_REOPEN = flags("RDWR", "CREAT", "NOFOLLOW", "CLOEXEC", "NONBLOCK", "NOCTTY")
_READ = flags("RDONLY", "NOFOLLOW", "CLOEXEC", "NONBLOCK")


def part_names(name: bytes) -> tuple[bytes, bytes]:
    """The names of the part and of its facts, for a final name."""
    if len(name) + len(FACTS_SUFFIX) > MAX_NAME_BYTES:
        import hashlib  # OpenSSL comes with it

        name = b"." + hashlib.sha256(name).hexdigest()[:32].encode()
    return name + SUFFIX, name + FACTS_SUFFIX


def part_path(path: str) -> str:
    """The path of the part, for a final path."""
    folder, name = os.path.split(path)
    return os.path.join(folder, os.fsdecode(part_names(octets_of(name))[0]))


class PartFile(Replacement):
    """A partial file next to its final name, with facts about its resource."""

    __slots__ = ("part", "had", "_facts_name", "_ours", "_compared", "_known", "_renewed")

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        """Takes ownership of the folder's descriptor."""
        super().__init__(folder, name, shown)
        self.part, self._facts_name = part_names(name)
        self.had: int = 0
        """Octets that were there before, and that the file has still."""
        self._ours = False
        self._compared = self._known = 0
        """Octets written so far that were compared, and those to compare."""
        self._renewed: bytes | None = None

    def length(self) -> int:
        """The real size of the file: a Ctrl-C may have come between writing and counting."""
        return os.fstat(self.fd).st_size if self.fd >= 0 else 0

    def begin(self, old: os.stat_result | None) -> None:
        """Open the existing part, or create an empty one.

        Args:
            old: The file that will be replaced; None for a new one.

        Raises:
            LocalFileError: The partial file is another user's, or another process is writing it.
            OSError: It can't be opened.
        """
        mode = self._mode_of_new_files()
        self.fd = os.open(self.part, _REOPEN, 0o600, dir_fd=self.folder)
        status = os.fstat(self.fd)
        what = f"Resuming {self.shown}"
        if not stat.S_ISREG(status.st_mode):
            raise complaint(errno.EINVAL, what, f"its part is {kind_of(status.st_mode)}; remove it to start again")
        if status.st_nlink > 1:
            collect(self.folder)  # a process was killed while the part had a temporary name, before the final one
            status = os.fstat(self.fd)
        if status.st_nlink == 2 and self._is_at(self.folder, self._name):
            # ... or when it already had its final name, but still its own as well.
            os.unlink(self.part, dir_fd=self.folder)
            self._let_go()
            self.fd = os.open(self.part, _REOPEN | os.O_EXCL, 0o600, dir_fd=self.folder)
            status = os.fstat(self.fd)
        # Attack: in a directory that others can write to, another user plants a part for us to complete.
        if not is_own(status) or status.st_nlink != 1 or status.st_mode & 0o022:
            raise complaint(errno.EPERM, what, "others may have written its part; remove it to start again")
        self._lock(what, status)
        self._ours = True
        self._place = self.folder, self.part
        os.lseek(self.fd, 0, os.SEEK_END)
        self.moved = self.had = status.st_size
        self.mode = mode if old is None else inherit(self.fd, old)

    def _let_go(self) -> None:
        fd, self.fd = self.fd, -1
        close_descriptor(fd)

    def _mode_of_new_files(self) -> int:
        """The mode of new files, found by creating one (reading the umask would change it for all threads)."""
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
        # The previous holder of the lock may have renamed the part: then this descriptor is that of the final file.
        if (now.st_dev, now.st_ino) != (status.st_dev, status.st_ino):
            raise complaint(errno.EAGAIN, what, "another process has just finished it")

    def facts(self) -> bytes:
        """The stored facts about the resource; empty if there are none or they can't be read."""
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
        """Store the facts about the resource atomically.

        Raises:
            LocalFileError: The facts can't be written.
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

    @property
    def first_compared(self) -> int:
        """The octet from which on the content is requested, if the octets are to be compared: the first one if the last
        ones are all the same, as those of many files are.

        Raises:
            LocalFileError: They can't be read.
        """
        first = max(0, self.moved - COMPARED_BYTES)
        last = self._there(COMPARED_BYTES, first) if first else b""
        return 0 if last == last[:1] * len(last) else first

    def _there(self, size: int, start: int) -> bytes:
        try:
            return os.pread(self.fd, size, start)
        except OSError as error:
            raise local_error(error, f"Reading {self.shown}") from error

    def compare(self, start: int = 0, facts: bytes | None = None) -> None:
        """Compare written octets with the existing content, which is kept; further octets are appended.

        Args:
            start: Where the octets that are written belong.
            facts: Those of the resource, remembered if the octets are the same: it may have grown.
        """
        self._compared, self._known, self._renewed = start, self.moved, facts

    def write(self, *pieces: bytes) -> int:
        """As `Replacement.write`, after `compare` for the octets that are not there yet.

        Raises:
            RemoteProtocolError: They are other octets than those that are there.
            LocalFileError: As `Replacement.write`.
        """
        if self._compared >= self._known:
            return super().write(*pieces)
        octets = b"".join(pieces)
        known = min(len(octets), self._known - self._compared)
        there = self._there(known, self._compared)
        if there != octets[:known]:
            pairs = enumerate(zip(there, octets, strict=False))
            same = next((at for at, (old, new) in pairs if old != new), len(there))
            raise RemoteProtocolError(
                f"The received octets differ from the partial file of {self.shown} from octet "
                f"{self._compared + same:,} on, and nothing proves that it is a later version."
            )
        self._compared += known
        if self._compared == self._known and self._renewed is not None:
            self.remember(self._renewed)
        if known < len(octets):
            super().write(octets[known:])
        return len(octets)

    def _check_end(self) -> None:
        if self._compared < self._known:
            raise RemoteProtocolError(
                f"The document ends after {self._compared:,} octets, but {self.shown} has {self._known:,}."
            )

    def restart(self) -> None:
        """Discard the content and the facts.

        Raises:
            LocalFileError: It can't be written.
        """
        try:
            # Each step is on disk before the next: facts about one resource must never be combined with octets of
            # another, neither the old facts with new octets, nor the new facts with discarded octets.
            if self._forget():
                sync_folder(self.folder)
            if self.length():
                os.ftruncate(self.fd, 0)
                os.fsync(self.fd)
            os.lseek(self.fd, 0, os.SEEK_SET)
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error
        self.moved = self.had = self._compared = self._known = 0

    def _forget(self) -> bool:
        """Remove the facts; returns whether there were any."""
        try:
            os.unlink(self._facts_name, dir_fd=self.folder)
        except FileNotFoundError:
            return False
        return True

    def _drop(self) -> None:
        """Remove the part's own name, and then the facts, which are harmless without it."""
        try:
            if self._is_at(self.folder, self.part):
                os.unlink(self.part, dir_fd=self.folder)
            self._forget()
        except OSError:  # another process has removed them, or the folder is no longer writable
            pass

    def commit(self, *, overwrite: bool = True) -> None:
        """As `Replacement.commit`; the part's own name and the facts are no longer needed.

        Raises:
            RemoteProtocolError: The received octets end within the earlier ones.
        """
        self._check_end()
        super().commit(overwrite=overwrite)
        self._ours = False
        self._drop()

    def close(self) -> None:
        """Close it; the part is kept if it can be resumed."""
        if self.fd >= 0 and self._ours:
            try:
                if self.length() and self.facts():
                    os.fsync(self.fd)
                else:
                    self._drop()
            except OSError:  # then less can be resumed, but nothing wrong
                pass
        super().close()
