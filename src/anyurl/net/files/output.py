"""Output: a file of this machine that the user names, which has its name when it is whole, and before that another one.

Rule: what goes wrong leaves the file that was there, and nothing beside it. It is written by its path, as any program
writes it; what a server names is written by the descriptor of its folder (`anyurl.net.files.channel`).
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
from anyurl.reasons import reason_of


def refuse_device(path: str) -> None:
    """Raises LocalFileError for a device or a pipe: it would be replaced by a file, for everybody on this machine."""
    try:
        mode = os.stat(path).st_mode
    except OSError:  # whoever opens it says so
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise LocalFileError(f"{escape(path)} is a device or a pipe, and only a regular file would do.")


def probe(path: str) -> None:
    """Raises LocalFileError when `whole_file` could not write there now. What is there stays as it is."""
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
def whole_file(path: str, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write to, which is on the disk and has its name when the block ends well; else it is gone.

    Args:
        path: What a symbolic link leads to is replaced, and not the link.
        mode: Who may do what with it, but for what the umask says.

    Raises:
        LocalFileError: It can't be written.
    """
    refuse_device(path)  # by its own name: where /dev/stdout leads to, a pipe has none
    path = os.path.realpath(path)
    part = _part_of(path)
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                os.replace(part, path)
            except BaseException:
                os.unlink(part)
                raise
    except LocalFileError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def write_text(pieces: Iterable[str], path: str, mode: int = 0o666) -> None:
    """Write a text to a file, or nothing. Raises LocalFileError when it can't be written."""
    with whole_file(path, mode) as file:
        file.writelines(piece.encode("utf-8", "surrogateescape") for piece in pieces)
