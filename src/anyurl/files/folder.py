"""An open local directory, listed a few entries at a time.

Rule: each step takes a few milliseconds, however large the directory is, so that it never blocks the loop: names are
read and sorted in runs, and the runs are merged while the metadata of the names is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from heapq import merge
from itertools import islice
from typing import Any, Literal

from anyurl.dialogue import Channel, FileFacts
from anyurl.errors import LimitError
from anyurl.files.channel import local_error
from anyurl.files.closing import close_descriptor

NAMES_AT_ONCE = 2000
"""Names read and sorted in one step: two milliseconds."""

FACTS_AT_ONCE = 125
"""Names whose metadata one step reads: a millisecond, and twice that to make entries of them (uncompiled, six)."""


class FolderChannel(Channel):
    """An open directory.

    Args:
        path: The path in octets.
        shown: The path, escaped for display.
        limit: Most entries.

    Raises:
        OSError: It is not a directory, or may not be listed.
    """

    __slots__ = ("fd", "_path", "_shown", "_limit", "_entries", "_runs", "_count", "_names")

    def __init__(self, path: bytes, shown: str, limit: int) -> None:
        super().__init__()
        self.fd: int = -1
        self._shown = shown
        self._limit = limit
        self._runs: list[list[str]] = []
        self._count = 0
        self._names: Iterator[str] | None = None
        if os.scandir in os.supports_fd:
            self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._path = path
        self._entries: Any = os.scandir(path if self.fd < 0 else self.fd)

    def advance(self) -> list[FileFacts] | None:
        """The metadata of the next names, sorted; empty at the end; None if another step is needed first.

        Raises:
            LocalFileError: It cannot be read.
            LimitError: It has more entries than the limit.
        """
        if self._names is None:
            try:
                run = [_text(os.fsencode(entry.name)) for entry in islice(self._entries, NAMES_AT_ONCE)]
            except OSError as error:
                raise local_error(error, f"Listing {self._shown}") from error
            self._count += len(run)
            if self._count > self._limit:
                raise LimitError(
                    f"The directory {self._shown} has more than {self._limit:,} entries: the limit allows no more.",
                    limit="listing_entries",
                )
            run.sort()
            self._runs.append(run)
            if len(run) == NAMES_AT_ONCE:
                return None
            self._names = merge(*self._runs) if len(self._runs) > 1 else iter(run)
        return [facts(name, self._status(name)) for name in islice(self._names, FACTS_AT_ONCE)]

    def _status(self, name: str) -> os.stat_result | None:
        """The status of a name's target, or of the link if it is broken; None if the name is already gone."""
        raw, folder = name.encode("utf-8", "surrogateescape"), None if self.fd < 0 else self.fd
        if folder is None:
            raw = os.path.join(self._path, raw)
        try:
            return os.stat(raw, dir_fd=folder)
        except OSError:
            pass
        with suppress(OSError):
            return os.stat(raw, dir_fd=folder, follow_symlinks=False)
        return None

    def close(self) -> None:
        """Close it; may be called twice."""
        fd, self.fd = self.fd, -1
        if hasattr(self, "_entries"):
            self._entries.close()
        if fd >= 0:
            close_descriptor(fd)

    def __del__(self) -> None:
        if hasattr(self, "fd"):
            self.close()


def facts(name: str, status: os.stat_result | None) -> FileFacts:
    """Convert the status of a file; `status` is None if it is gone."""
    if status is None:
        return FileFacts(name, None, 0, 0.0, 0)
    mode = status.st_mode
    regular = stat.S_ISREG(mode)
    kind: Literal["document", "listing"] | None = "document" if regular else "listing" if stat.S_ISDIR(mode) else None
    return FileFacts(name, kind, status.st_size if regular else 0, status.st_mtime, stat.S_IMODE(mode))


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
