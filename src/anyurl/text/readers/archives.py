"""Archives: zip, including documents that are zip files (DOCX, ODT, EPUB, wheels), and tar.

Rule: members are read in place and in sequence; nothing is written to disk except a copy of a zip that is not seekable.
Sizes in headers are never trusted.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyurl.errors import LimitError, escape
from anyurl.text.limits import MAX_DIRECTORY, Budget
from anyurl.text.readers.registry import Reader
from anyurl.text.source import PIECE

MAX_HEADER = 1 << 20
"""Octets of a name or of an extended header in a tar, which tarfile holds in memory."""

_IN_MEMORY = 8 << 20
_END = b"PK\5\6"
_END_64 = b"PK\6\6"
_END_REACH = 65_557
"""The end record of a zip has 22 octets and a comment of at most 65,535 (APPNOTE 4.3.16)."""

_DAMAGED = "the archive is damaged, or packed in a way that is not read here"


@contextmanager
def _noticed(name: str = "") -> Iterator[None]:
    """Turn whatever the libraries raise, which hostile octets lead them into, into an OSError."""
    try:
        yield
    except (LimitError, MemoryError):
        raise
    except Exception as error:
        raise OSError(f"{_DAMAGED} ({escape(name)})" if name else _DAMAGED) from error


class _ArchiveMember:
    """A member whose octets are counted as they are read."""

    def __init__(self, file: Any, budget: Budget, packed: int) -> None:
        self._file = file
        self._budget = budget
        self._packed = packed
        self._out = 0

    def seekable(self) -> bool:
        """Never."""
        return False

    def read(self, size: int = PIECE) -> bytes:
        """The next octets; none at the end. Raises OSError for damage, LimitError for too much."""
        with _noticed():
            data: bytes = self._file.read(PIECE if size < 0 else min(size, PIECE))
        self._out += len(data)
        self._budget.take(len(data), self._out, self._packed)
        return data


@contextmanager
def _sought(file: Any, budget: Budget) -> Iterator[Any]:
    """The file, or a seekable copy of it."""
    if file.seekable():
        yield file
        return
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        while data := file.read(PIECE):
            budget.take(len(data), 0, 1)
            copy.write(data)
        yield copy


def _check_directory(file: Any) -> int:
    """The size of a zip. Raises LimitError for a central directory that is too large for memory."""
    size: int = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END_REACH))
    tail: bytes = file.read(_END_REACH)
    for mark, at, width in ((_END, 12, 4), (_END_64, 40, 8)):
        place = tail.rfind(mark)
        listed = int.from_bytes(tail[place + at : place + at + width], "little") if place >= 0 else 0
        if listed > MAX_DIRECTORY and (width == 8 or listed != 0xFFFFFFFF):
            raise LimitError("The archive's list of members is too long.", limit="MAX_DIRECTORY")
    file.seek(0)
    return size


def unpack_zip(file: Any, budget: Budget) -> Iterator[tuple[str, Any]]:
    """The members of a zip, except those with a password."""
    with _sought(file, budget) as sought:
        with _noticed():
            size = _check_directory(sought)
            archive = zipfile.ZipFile(sought)
        with archive:
            for info in archive.infolist():
                budget.member()
                if info.filename.endswith("/") or info.flag_bits & 1:
                    continue
                with _noticed(info.filename):
                    member = archive.open(info)
                with member:
                    yield info.filename, _ArchiveMember(member, budget, size)


class _TarHeader(tarfile.TarInfo):
    """A header of a tar with names of limited length.

    It is checked when its type or its size is set: which method of tarfile parses a header differs between versions,
    and each of them sets both before it reads the name.
    """

    _type = tarfile.REGTYPE
    _size = 0

    @property
    def type(self) -> bytes:  # pyright: ignore[reportIncompatibleVariableOverride]  # an attribute there
        """The kind of the member, as in its header. Setting it or the size raises LimitError for a name that is too
        long."""
        return self._type

    @type.setter
    def type(self, value: bytes) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  # an attribute there
        self._type = value
        self._check()

    @property
    def size(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  # an attribute there
        """Octets of the member, or of the name that it is."""
        return self._size

    @size.setter
    def size(self, value: int) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  # an attribute there
        self._size = value
        self._check()

    def _check(self) -> None:
        if self._type in _EXTENDED and self._size > MAX_HEADER:
            raise LimitError("The archive has a member with too long a name.", limit="MAX_HEADER")


_EXTENDED = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
)  # fmt: skip


def unpack_tar(file: Any, budget: Budget) -> Iterator[tuple[str, Any]]:
    """The files in a tar."""
    with _noticed():
        archive: Any = tarfile.open(fileobj=file, mode="r|", tarinfo=_TarHeader)  # noqa: SIM115 it is closed below
    with archive:
        while True:
            with _noticed():
                header = archive.next()
                member = None if header is None or not header.isreg() else archive.extractfile(header)
            if header is None:
                return
            archive.members.clear()  # otherwise tarfile would keep every header
            budget.member()
            if member is not None:
                yield header.name, _ArchiveMember(member, budget, max(1, header.size))


def is_tar(head: bytes) -> bool:
    """Whether these octets are a header of ustar or GNU tar."""
    return head[257:262] == b"ustar"


READERS = (
    Reader(
        name="zip", summary="zip, and documents that are zip files: DOCX, ODT, EPUB, wheels",
        suffixes=(".zip", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".whl", ".jar"),
        types=("application/zip",), begins=lambda head: head.startswith(b"PK\3\4"), unpack=unpack_zip,
    ),
    Reader(
        name="tar", summary="tar, compressed or not", suffixes=(".tar",), types=("application/x-tar",), begins=is_tar,
        unpack=unpack_tar,
    ),
)  # fmt: skip
