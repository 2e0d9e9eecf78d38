"""Output: a file that has its name when it is whole, and before that another one.

Rule: what goes wrong leaves the file that was there, and nothing beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from anyurl.errors import LocalFileError, escape


def reason_of(error: Exception) -> str:
    """Why a file can't be read or written, as the end of a sentence."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    lines = str(error).splitlines() or [type(error).__name__]
    return escape(lines[0].rstrip(".")[:200])


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file to write to, which is on the disk and has its name when the block ends well; else it is gone.

    Raises:
        LocalFileError: It can't be written.
    """
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file:
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
        raise LocalFileError(f"{escape(path)} can't be written: {reason_of(error)}.") from None


def write_text(pieces: Iterable[str], path: str) -> None:
    """Write a text to a file, or nothing. Raises LocalFileError when it can't be written."""
    with whole_file(path) as file:
        file.writelines(piece.encode() for piece in pieces)
