"""Output: a local file that the user named, written under a temporary name until it is complete.

Rule: after a failure, only the old file is left. The file is written by its path, as by any program; files that a
server named are written by the descriptor of their folder (`anyurl.files.channel`).
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from anyurl.errors import LocalFileError, escape
from anyurl.errors.reasons import reason_of


def refuse_device(path: str) -> None:
    """Raises LocalFileError for a device or a pipe, which would be replaced by a file for all users of this machine."""
    try:
        mode = os.stat(path).st_mode
    except OSError:  # opening it will report the error
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise LocalFileError(f"{escape(path)} is a device or a pipe, and only a regular file can be used.")


def probe(path: str) -> None:
    """Raises LocalFileError if `whole_file` could not write there now. Changes nothing."""
    refuse_device(path)
    path = os.path.realpath(path)
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "")
        part = _part_of(path)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.unlink(part)
    except OSError as error:
        raise _unwritable(path, error) from None


def _part_of(path: str) -> str:
    return f"{path}.{secrets.token_hex(8)}.part"  # another thread may write the same file


def _unwritable(path: str, error: OSError) -> LocalFileError:
    return LocalFileError(f"{escape(path)} can't be written: {reason_of(error)}.")


@contextmanager
def whole_file(path: str, mode: int = 0o666, *, waits: bool = True) -> Iterator[BinaryIO]:
    """A file to write to; it is on the disk with its name if the block succeeds, and removed otherwise.

    Args:
        path: The target of a symbolic link is replaced, not the link.
        mode: Its permission bits, before the umask.
        waits: Whether to wait for the disk. Otherwise a power failure may lose the file, and the old one with it.

    Raises:
        LocalFileError: It cannot be written.
    """
    refuse_device(path)  # before links are followed: the target of /dev/stdout may be a pipe without a path
    path = os.path.realpath(path)
    part = _part_of(path)
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            try:
                yield file
                file.flush()
                if waits:
                    os.fsync(file.fileno())
                os.replace(part, path)
            except BaseException:
                os.unlink(part)
                raise
    except LocalFileError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def write_text(pieces: Iterable[str], path: str, mode: int = 0o666, *, waits: bool = True) -> None:
    """Write a text to a file, completely or not at all. Raises LocalFileError if it cannot be written."""
    with whole_file(path, mode, waits=waits) as file:
        file.writelines(piece.encode("utf-8", "surrogateescape") for piece in pieces)


def append_text(text: str, path: str) -> None:
    """Write a text to the end of a file, completely or not at all. Raises LocalFileError if it cannot be written."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        with open(path, "r+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            if file.write(data) < len(data):  # the disk is full
                file.truncate(end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise _unwritable(path, error) from None
