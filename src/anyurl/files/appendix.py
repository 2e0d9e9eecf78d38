"""Appending to a local file: octets are written at its end, and removed again on failure.

Rule: octets that other processes have written meanwhile are never removed.
"""

from __future__ import annotations

import os

from anyurl.files.channel import FileChannel, check_regular, local_error, sync_folder
from anyurl.files.closing import close_descriptor


class Appendix(FileChannel):
    """Octets appended to a file. `close` without `commit` removes them, unless another process wrote after them.

    If this process is killed, the octets written so far stay.

    Args:
        folder: A descriptor of the directory, owned by this object from now on.
        name: The file's name in that directory.
        shown: Its path, escaped for display.
    """

    __slots__ = ("_folder", "_name", "_start", "_whole")

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        super().__init__(-1, shown)
        self._folder = folder
        self._name = name
        self._start = 0
        self._whole = False

    def begin(self) -> None:
        """Open the file, or create it.

        Raises:
            OSError: It cannot be opened, or is not a regular file.
        """
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
        self.fd = os.open(self._name, flags, 0o666, dir_fd=self._folder)
        self._measure()

    def _measure(self) -> None:
        status = os.fstat(self.fd)
        check_regular(status, f"Appending to {self.shown}")
        self._start = status.st_size

    def commit(self) -> None:
        """Write the octets to the disk.

        Raises:
            LocalFileError: The disk is full or broken.
        """
        try:
            os.fsync(self.fd)
            if not self._start:
                self._sync_name()
        except OSError as error:
            raise local_error(error, f"Appending to {self.shown}") from error
        self._whole = True

    def _sync_name(self) -> None:
        """Write the file's name to the disk as well, since the file may be new."""
        sync_folder(self._folder)

    def close(self) -> None:
        """Close the file, and remove uncommitted octets."""
        if self.fd >= 0 and not self._whole:
            try:
                if os.fstat(self.fd).st_size == self._start + self.moved:
                    os.ftruncate(self.fd, self._start)
            except OSError:  # the file stays as it is: only appended octets are affected
                pass
        super().close()
        folder, self._folder = self._folder, -1
        if folder >= 0:
            close_descriptor(folder)
