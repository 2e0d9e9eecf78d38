"""Source: the caller's data to put or append, in any of its forms.

Rule: it is read as fast as the peer accepts it, never all at once, and its errors are translated.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

from anyurl.errors import AnyURLError, LocalFileError
from anyurl.errors.reasons import reason_of

Upload: TypeAlias = bytes | bytearray | memoryview | BinaryIO | Iterable[bytes]
"""Octets, a binary file or an iterable of octets."""

File: TypeAlias = Upload | tuple[str, Upload] | tuple[str, Upload, str]
"""A file of a form: its content, or its name, content and media type."""

Files: TypeAlias = Mapping[str, File] | Iterable[tuple[str, File]]


class UploadSource:
    """Octets from a bytes object, a binary file, or an iterable of bytes.

    Attributes:
        size: The total size in octets, or None if unknown.
        can_rewind: Whether it can be read again from its start.
    """

    __slots__ = ("size", "can_rewind", "_given", "_start", "_read", "_rest", "_pieces")

    def __init__(self, upload: Any) -> None:
        """Raises TypeError for anything else, such as a str, whose encoding would be unknown."""
        self.size: int | None = None
        self._rest = memoryview(b"")
        self._pieces: Iterator[bytes] = iter(())
        self._read: Any = None
        self._given = upload
        self._start: int | None = None
        if isinstance(upload, (bytes, bytearray, memoryview)):
            self._rest = memoryview(upload).cast("B")
            self.size = len(self._rest)
        elif hasattr(upload, "read"):
            self._read = upload.read
            self.size = _size_left(upload)
            self._start = _place(upload)
        elif isinstance(upload, Iterable) and not isinstance(upload, str):
            self._pieces = iter(upload)
        else:
            raise _no_octets(upload)
        self.can_rewind: bool = isinstance(upload, Sequence | memoryview) or self._start is not None

    def rewind(self, offset: int = 0, /) -> None:
        """Return to the start, or to an octet counted from it.

        Raises:
            LocalFileError: The caller's file can't seek.
        """
        if self._read is None:
            if isinstance(self._given, (bytes, bytearray, memoryview)):
                self._rest = memoryview(self._given).cast("B")[offset:]
                return
            self._rest, self._pieces = memoryview(b""), iter(self._given)
            while offset and (piece := self.read(offset)):
                offset -= len(piece)
            return
        try:
            self._given.seek((self._start or 0) + offset)
        except Exception as error:  # whatever the caller's own code raises
            text = f"The data to send can't be read again from its start: {reason_of(error)}."
            raise LocalFileError(text) from error
        self._rest = memoryview(b"")

    def read(self, at_most: int, /) -> bytes:
        """The next octets; ``b""`` at the end.

        Raises:
            LocalFileError: The caller's file or iterable can't be read, or does not yield bytes.
        """
        while not self._rest:
            try:
                piece = next(self._pieces, None) if self._read is None else self._read(at_most)
                if isinstance(piece, str):
                    raise LocalFileError("The data to send was opened as text: open it in binary mode.")
                if piece is None and self._read is not None:
                    raise LocalFileError("The data to send is not available yet: open it in blocking mode.")
                if isinstance(piece, bytes) and 0 < len(piece) <= at_most:  # nearly always: it is not copied
                    return piece
                rest = memoryview(piece or b"").cast("B")
            except AnyURLError:
                raise
            except Exception as error:  # whatever the caller's own code raises
                raise LocalFileError(f"The data to send can't be read: {reason_of(error)}.") from error
            if not rest and (piece is None or self._read is not None):
                return b""
            self._rest = rest
        taken = bytes(self._rest[:at_most])
        self._rest = self._rest[at_most:]
        return taken


def _no_octets(upload: Any) -> TypeError:
    return TypeError(f"the content is bytes, a binary file or an iterable of bytes, not {type(upload).__name__}")


def needed(upload: Upload | None) -> Upload:
    """The data to put. Raises TypeError if there is none."""
    if upload is None:
        raise _no_octets(upload)
    return upload


def _place(file: Any) -> int | None:
    """The position of a seekable file, or None."""
    try:
        return int(file.tell()) if file.seekable() else None
    except (OSError, AttributeError, ValueError):
        return None


def _size_left(file: Any) -> int | None:
    try:
        status = os.fstat(file.fileno())
        # Only a regular file has a meaningful size: a pipe's is 0.
        return max(0, status.st_size - file.tell()) if (status.st_mode & 0o170000) == 0o100000 else None
    except (OSError, AttributeError, ValueError):
        pass
    try:
        here = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(here)
        return int(end - here)
    except (OSError, AttributeError, ValueError):
        return None
