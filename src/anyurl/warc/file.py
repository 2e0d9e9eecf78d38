"""WarcFile: the archive, to which complete records are appended (ISO 28500:2017, annex D).

Rule: the records of a dialogue are appended at once and under a lock, since other threads, clients and processes may
write to the file. An incomplete record of a killed process is removed and reported at the next write. The file is
created with the first record: an empty file is not an archive.
"""

from __future__ import annotations

import errno
import os
import stat
import time
import weakref
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from shutil import copyfileobj
from threading import Lock
from typing import IO

from anyurl._version import __version__
from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import complaint, local_error
from anyurl.files.closing import close_descriptor
from anyurl.files.output import refuse_device
from anyurl.files.system import fcntl, flags, read_at
from anyurl.warc.block import AT_ONCE, GZIP, Record
from anyurl.warc.contents import Original, content_at, is_unfinished, read_contents

MAGIC = b"\x1f\x8b\x08"
"""The beginning of a gzip member (RFC 1952 2.3)."""

BEGINS = b"WARC/"

_ENTER = os.O_RDWR | os.O_APPEND | flags("CLOEXEC", "NOCTTY", "NONBLOCK", "BINARY", "NOINHERIT")

ENTERED_AT_MOST = 10
"""Times that a file is opened again because another writer, which had no record for it, has just removed it."""

LOOKED_AT = 512
"""Octets that are read of a possible record, to see whether it is one."""

UNPACKED_AT_ONCE = 16 * 1024
"""Octets decompressed at once: they may expand a thousandfold."""

REMEMBERED = 100_000
"""The most contents whose places are remembered: some 30 MB of memory."""

READ_AGAIN = 32 * 1024 * 1024
"""Octets of an existing file whose contents are read, so that new records can refer to them: a second of work. Of those
after them the large ones are known if there is an index, of an earlier run: a small one may be stored twice."""

LARGE = 16 * 1024
"""Octets of a record that is looked up in the index."""

_files: weakref.WeakValueDictionary[str, WarcFile] = weakref.WeakValueDictionary()
_files_lock = Lock()


def now() -> str:
    """The date of a record (W3C-DTF, in UTC)."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def warc_file(path: str | os.PathLike[str]) -> WarcFile:
    """The archive at a path, shared by all that write to it in this process.

    Raises:
        LocalFileError: It can't be written to, or is something else.
    """
    refuse_device(os.fspath(path))
    place = os.path.realpath(os.fspath(path))
    with _files_lock:
        found = _files.get(place)
        if found is None:
            found = _files[place] = WarcFile(place)
    found.check()
    return found


class WarcFile:
    """A file of compressed records.

    Args:
        path: An absolute path; the file is created with its first records.

    Attributes:
        is_indexed: Whether an index is written next to it when a client that writes to it is closed.
    """

    def __init__(self, path: str) -> None:
        self.path: str = path
        self.is_indexed: bool = False
        self._lock = Lock()
        self._process = os.getpid()
        self._end = -1
        self._read = 0
        self._inode: tuple[int, int] | None = None
        self._informed = False
        self._said: list[str] = []
        self._failed: LocalFileError | None = None
        self._originals: dict[str, Original] = {}
        self._indexed: dict[str, int] | None = None
        """Contents that an index tells of, by digest, and where their records begin; None before it is read."""
        self._information: Record | None = None

    def check(self) -> None:
        """Check that the file can be written to, and remove an incomplete record. Raises LocalFileError."""
        self._append(None)

    def said(self) -> list[str]:
        """Notes for the user that were not returned before."""
        said, self._said = self._said, []
        return said

    def check_failed(self) -> None:
        """Raises the LocalFileError of a dropped dialogue, which could not be raised then."""
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    def fail(self, error: LocalFileError) -> None:
        """Remember an error that can't be raised now, for `check_failed`."""
        self._failed = error

    def original(self, digest: str) -> Original | None:
        """The place of a content with this digest in the file, or None."""
        found = self._originals.get(digest)
        indexed = self._indexed  # another thread may find that the file was replaced
        place = indexed.pop(digest, None) if found is None and indexed else None
        if place is not None:
            found = self._content_at(place, digest)
            if found is not None:
                self._remember(digest, found)
        return found

    def _content_at(self, place: int, digest: str) -> Original | None:
        """The content that an index tells of, if it is there: the file may be another one by now."""
        with self._own_lock(), suppress(OSError):  # closing any descriptor would release the lock of another thread
            with open(self.path, "rb") as file:
                content = content_at(file.fileno(), place)
            return None if content is None or content[0] != digest else content[1]
        return None

    @property
    def information(self) -> Record:
        """The ``warcinfo`` record, which describes the writer."""
        if self._information is None:
            lines = [
                f"software: anyurl/{__version__}",
                "format: WARC File Format 1.1",
                "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
                "",
            ]
            fields = [("WARC-Filename", os.path.basename(self.path))]
            text = "\r\n".join(lines).encode("ascii")
            self._information = Record("warcinfo", now(), "application/warc-fields", fields, text)
        return self._information

    def write_index(self) -> None:
        """Write the index next to it, if there is a file. Raises LocalFileError."""
        from anyurl.warc.cdxj import write_index  # needed only here

        if os.path.exists(self.path):
            write_index(self.path)

    def append(self, records: IO[bytes], originals: Iterable[tuple[str, Original]]) -> None:
        """Append written records, all or none.

        Args:
            originals: Digests and places of the contents in them, to which later records may refer.

        Raises:
            LocalFileError: There is no room, or the file can't be written to.
        """
        self._append(records)
        for digest, original in originals:
            self._remember(digest, original)

    def _remember(self, digest: str, original: Original) -> None:
        self._originals.setdefault(digest, original)
        while len(self._originals) > REMEMBERED:
            del self._originals[next(iter(self._originals))]

    def _own_lock(self) -> Lock:
        if self._process != os.getpid():  # a forked child: a thread of the parent may have held the lock
            self._lock, self._process = Lock(), os.getpid()
        return self._lock

    def _append(self, records: IO[bytes] | None) -> None:
        what = f"Writing to {escape(self.path)}"
        with self._own_lock():
            try:
                for _ in range(ENTERED_AT_MOST):
                    if self._entered(records, what):
                        return
                raise complaint(errno.ESTALE, what, "it is removed whenever it is opened")
            except OSError as error:
                if isinstance(error, LocalFileError):
                    raise
                raise local_error(error, what) from error

    def _entered(self, records: IO[bytes] | None, what: str) -> bool:
        """Open the file and append; False if it was removed before it could be locked."""
        try:
            fd, new = os.open(self.path, _ENTER), False
        except FileNotFoundError:
            if records is None:
                _check_folder(os.path.dirname(self.path))
                return True
            fd, new = os.open(self.path, _ENTER | os.O_CREAT, 0o666), True
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise complaint(errno.EINVAL, what, "it is not a regular file")
            if fcntl is not None:
                fcntl.lockf(fd, fcntl.LOCK_EX)  # held by the process, and released when it ends
            status = os.fstat(fd)
            if status.st_nlink == 0:
                return False
            try:
                self._append_to(fd, status.st_size, records, what)
            finally:
                if (new or status.st_size) and os.fstat(fd).st_size == 0:  # an empty file of the user's stays
                    with suppress(OSError):  # Windows removes no open file
                        os.unlink(self.path)
            return True
        finally:
            close_descriptor(fd)

    def _append_to(self, fd: int, size: int, records: IO[bytes] | None, what: str) -> None:
        if size != self._end:
            size = self._mend(fd, size, what)
            self._learn(fd, size)
        if records is None:
            self._end = size
            return
        try:
            with os.fdopen(fd, "ab", closefd=False) as file:  # closing any descriptor releases the lock
                if not (size and self._informed):
                    for _ in self.information.write(file):
                        pass
                records.seek(0)
                copyfileobj(records, file, AT_ONCE)
        except BaseException:
            os.ftruncate(fd, size)
            raise
        self._informed = True
        if self._read == size:  # the contents just written are known
            self._read = os.fstat(fd).st_size
        self._end = os.fstat(fd).st_size

    def _learn(self, fd: int, end: int) -> None:
        """Read the contents that other processes have written since the last time."""
        status = os.fstat(fd)
        if self._inode != (status.st_dev, status.st_ino) or self._read > end:  # the file was replaced
            self._originals.clear()
            self._indexed = None
            self._read, self._inode = 0, (status.st_dev, status.st_ino)
        for place, digest, original in read_contents(fd, self._read, min(end, READ_AGAIN)):
            self._read = place
            if digest and original:
                self._remember(digest, original)
        if end > READ_AGAIN:
            self._read = max(self._read, end)
            if self._indexed is None:
                self._indexed = dict(islice(self._told_by_index(), REMEMBERED))

    def _told_by_index(self) -> Iterator[tuple[str, int]]:
        """The large contents that were not read, from the index that an earlier run made."""
        from anyurl.warc import cdxj, wacz  # needed only here

        package = wacz.package_of(self.path)
        lines = wacz.index_lines(package) if os.path.exists(package) else cdxj.index_lines(self.path)
        for digest, place in cdxj.places_of_contents(lines, os.path.basename(self.path), LARGE):
            if digest not in self._originals:
                yield digest, place

    def _mend(self, fd: int, size: int, what: str) -> int:
        """Remove an incomplete record at the end; returns the new size. Raises LocalFileError for any other file."""
        end = end_of_records(fd, size)
        if end is None:
            raise complaint(errno.EINVAL, what, "it is not a WARC file with separately compressed records")
        if end < size <= READ_AGAIN:
            # Attack: the incomplete record may contain an archive, whose last complete record was found.
            self._learn(fd, size)
            end = self._read if self._read < end and is_unfinished(fd, self._read, size) else end
        if end < size:
            os.ftruncate(fd, end)
            self._said.append(
                f"{escape(self.path)} ended within a record, {size - end:,} octets of which were removed: its writer "
                "was interrupted. All records before it are complete."
            )
        return end


def _check_folder(folder: str) -> None:
    """Raises OSError if no file can be created in the folder."""
    os.stat(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


# --- where the last record ends --------------------------------------------------------------------------------------


def end_of_records(fd: int, size: int) -> int | None:
    """The end of the last complete record of a file; 0 without a record, and None if it is not an archive.

    The search starts at the end: earlier records were complete when the last one was begun.
    """
    first = read_at(fd, LOOKED_AT, 0)
    if size and not _begins_record(first):
        return 0 if size < LOOKED_AT and _may_be_cut(first) else None
    end = size
    while end > 0:
        start = max(0, end - AT_ONCE)
        piece = read_at(fd, end - start + len(MAGIC) - 1, start)
        at = len(piece)
        while (at := piece.rfind(MAGIC, 0, at + len(MAGIC) - 1)) >= 0:
            if _begins_record(read_at(fd, LOOKED_AT, start + at)):
                whole = _end_of_member(fd, start + at)
                return start + at if whole is None else whole
        end = start
    return 0


def _begins_record(octets: bytes) -> bool:
    try:
        return zlib.decompressobj(GZIP).decompress(octets, len(BEGINS)) == BEGINS
    except zlib.error:
        return False


def _may_be_cut(octets: bytes) -> bool:
    """Whether this may be the beginning of a record, too short to tell."""
    try:
        unpacked = zlib.decompressobj(GZIP).decompress(octets, len(BEGINS))
    except zlib.error:
        return False
    return octets[: len(MAGIC)] == MAGIC[: len(octets)] and BEGINS.startswith(unpacked)


def _end_of_member(fd: int, start: int) -> int | None:
    """The end of the gzip member at `start`; None if it is incomplete."""
    unpacker = zlib.decompressobj(GZIP)
    at = start
    while not unpacker.eof:
        piece = read_at(fd, UNPACKED_AT_ONCE, at)
        if not piece:
            return None
        at += len(piece)
        try:
            unpacker.decompress(piece)
        except zlib.error:
            return None
    return at - len(unpacker.unused_data)
