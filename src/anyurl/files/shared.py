"""A folder of the user that others may read, and nothing else of this machine.

Rule: a path is entered one component at a time, and no link is followed, so nothing outside the folder can be reached.
Names that begin with a dot are hidden, in listings and by name; anything that is neither a file nor a folder is treated
as missing.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from anyurl.errors import UnsupportedError, escape
from anyurl.files.channel import local_error
from anyurl.files.system import WRITES, flags, octets_of
from anyurl.values import Value

_FOLDER = flags("RDONLY", "DIRECTORY", "NOFOLLOW", "CLOEXEC")
_FILE = flags("RDONLY", "NOFOLLOW", "NONBLOCK", "CLOEXEC")
"""Without O_NONBLOCK, opening a pipe would wait for a writer."""


class SharedName(Value):
    """An entry of a folder.

    Attributes:
        name: Its name, surrogate-escaped.
        is_folder: Whether it is a folder.
        size: In octets.
        modified: The modification time, in seconds since the epoch.
    """

    name: str
    is_folder: bool
    size: int
    modified: float


class SharedFolder:
    """One folder, which stays the same one if it is renamed.

    Args:
        path: Its path, chosen by the user.

    Raises:
        LocalFileError: It is not a folder, or can't be entered.
        UnsupportedError: This system can't open files relative to a folder.
    """

    def __init__(self, path: str) -> None:
        if not WRITES:
            raise UnsupportedError("A folder can't be served here: that needs folder descriptors, which it lacks.")
        try:
            self._root = os.open(octets_of(path), os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise local_error(error, f"Serving {escape(path)}") from error

    def close(self) -> None:
        """Close it; may be called once."""
        os.close(self._root)

    def open_file(self, path: str) -> tuple[BinaryIO, SharedName] | None:
        """A file, opened for reading, and its status; None if there is no file of that path.

        Args:
            path: Names below the folder, with ``/`` between them.
        """
        *parents, name = path.strip("/").split("/")
        folder = self._enter(parents)
        if folder is None:
            return None
        try:
            descriptor = os.open(octets_of(name), _FILE, dir_fd=folder) if _is_shared(name) else None
        except (OSError, ValueError):
            return None
        finally:
            os.close(folder)
        if descriptor is None:
            return None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            return None
        return open(descriptor, "rb"), _entry(name, status)

    def names(self, path: str) -> list[SharedName] | None:
        """The files and folders of a folder, by name; None if there is no folder of that path."""
        folder = self._enter([name for name in path.strip("/").split("/") if name])
        if folder is None:
            return None
        try:
            found = []
            for name in filter(_is_shared, os.listdir(folder)):
                try:
                    status = os.stat(octets_of(name), dir_fd=folder, follow_symlinks=False)
                except OSError:  # removed meanwhile
                    continue
                if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
                    found.append(_entry(name, status))
            return sorted(found, key=lambda entry: (not entry.is_folder, entry.name))
        except OSError:
            return None
        finally:
            os.close(folder)

    def _enter(self, names: list[str]) -> int | None:
        folder = os.dup(self._root)
        for name in names:
            try:
                inner = os.open(octets_of(name), _FOLDER, dir_fd=folder) if _is_shared(name) else None
            except (OSError, ValueError):
                inner = None
            os.close(folder)
            if inner is None:
                return None
            folder = inner
        return folder


def _is_shared(name: str) -> bool:
    """Whether it is the name of something that is not hidden. ``..`` and ``.`` begin with a dot, too."""
    return bool(name) and not name.startswith(".") and "\0" not in name


def _entry(name: str, status: os.stat_result) -> SharedName:
    return SharedName(name, stat.S_ISDIR(status.st_mode), status.st_size, status.st_mtime)
