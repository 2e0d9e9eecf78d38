"""An incomplete file of another program that is resumed: curl's, wget's, a browser's.

The rule: nothing is known of it but its octets. So the last of them are requested again and compared, and only the
octets after them are written. The file keeps its name, and its octets are never changed.
"""

from __future__ import annotations

import errno
import os
import stat

from anyurl.files.channel import complaint, local_error
from anyurl.files.system import date, fcntl, flags, is_own
from anyurl.saving.part_file import PartFile

_OPEN = flags("RDWR", "NOFOLLOW", "CLOEXEC", "NONBLOCK", "NOCTTY")


class ExistingFile(PartFile):
    """A file under its final name that grows in place."""

    __slots__ = ()

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        """Takes ownership of the folder's descriptor."""
        super().__init__(folder, name, shown)
        self.part = name

    def begin(self, old: os.stat_result | None) -> None:
        """Open it.

        Raises:
            LocalFileError: It is another user's, or has several names, or another process is writing it.
            OSError: It can't be opened.
        """
        self.fd = os.open(self._name, _OPEN, dir_fd=self.folder)
        status = os.fstat(self.fd)
        what = f"Continuing {self.shown}"
        if not stat.S_ISREG(status.st_mode) or not is_own(status) or status.st_nlink != 1:
            raise complaint(errno.EEXIST, what, "it is another user's, or has several names")
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise complaint(errno.EAGAIN, what, "another process is writing it") from error
        self.moved = self.had = os.lseek(self.fd, 0, os.SEEK_END)
        self.compare()

    def restart(self) -> None:
        """Give it the octets that it had. Raises LocalFileError."""
        try:
            os.ftruncate(self.fd, self.had)
            os.lseek(self.fd, 0, os.SEEK_END)
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error
        self.moved = self.had

    def commit(self, *, overwrite: bool = True) -> None:
        """Give it its time, and wait until it is on the disk.

        Raises:
            RemoteProtocolError: The received octets end within the earlier ones.
            LocalFileError: It can't be written.
        """
        self._check_end()
        if self.moved == self.had:
            return
        try:
            date(self.fd, self.modified)
            if self.durable:
                os.fsync(self.fd)
        except OSError as error:
            raise local_error(error, f"Writing {self.shown}") from error

    def facts(self) -> bytes:
        """Nothing is known of it."""
        return b""

    def remember(self, facts: bytes) -> None:
        """Nothing needs to be: its octets are compared."""

    def close(self) -> None:
        """Close it; it stays as it is."""
        self._ours = False
        super().close()
