"""A file of this machine that grows: octets are written behind its end, and taken back if it does not go well.

The rule: what others have written to the file meanwhile is never taken away.
"""

from __future__ import annotations

import os

from anyurl.net.closing import close_descriptor
from anyurl.net.files.channel import FileChannel, check_regular, local_error, sync_folder


class Appendix(FileChannel):
    """Octets behind a file's end. `close` without `commit` takes them back, if nobody wrote behind them.

    A process that is killed takes nothing back: what it had written by then stays.

    Args:
        folder: A descriptor of the directory; it is taken over.
        name: The file's name, in that directory.
        shown: Its path as people may see it.
    """

    __slots__ = ("_folder", "_name", "_start", "_whole")

    def __init__(self, folder: int, name: bytes, shown: str) -> None:
        super().__init__(-1, shown)
        self._folder = folder
        self._name = name
        self._start = 0
        self._whole = False

    def begin(self) -> None:
        """Open the file; one that is not there is made.

        Raises:
            OSError: It can't be opened, or is no regular file.
        """
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
        self.fd = os.open(self._name, flags, 0o666, dir_fd=self._folder)
        self._measure()

    def _measure(self) -> None:
        status = os.fstat(self.fd)
        check_regular(status, f"Appending to {self.shown}")
        self._start = status.st_size

    def commit(self) -> None:
        """Write them to the disk.

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
        """The file may be new: its name is written to the disk like its octets."""
        sync_folder(self._folder)

    def close(self) -> None:
        """Let it go."""
        if self.fd >= 0 and not self._whole:
            try:
                if os.fstat(self.fd).st_size == self._start + self.moved:
                    os.ftruncate(self.fd, self._start)
            except OSError:  # the file stays as it is: what is behind the end is all that could be lost
                pass
        super().close()
        folder, self._folder = self._folder, -1
        if folder >= 0:
            close_descriptor(folder)
