"""WarcFile: the file that records are appended to, whole ones only (ISO 28500:2017, annex D).

Rule: what one dialogue leaves goes in at once and under a lock, whoever else writes to the file: another thread,
client or process. A record that a killed process left half is seen by whoever writes next, said, and cut off.
"""

from __future__ import annotations

import errno
import os
import stat
import time
import weakref
import zlib
from collections.abc import Iterable
from shutil import copyfileobj
from threading import Lock

from anyurl._typing import IO
from anyurl._version import __version__
from anyurl.access.warc.block import AT_ONCE, GZIP, Record
from anyurl.access.warc.contents import Original, is_unfinished, read_contents
from anyurl.errors import LocalFileError, escape
from anyurl.net.closing import close_descriptor
from anyurl.net.files.channel import complaint, local_error
from anyurl.net.files.output import refuse_device
from anyurl.net.files.system import fcntl, flags, read_at

MAGIC = b"\x1f\x8b\x08"
"""What a gzip member begins with (RFC 1952 2.3)."""

BEGINS = b"WARC/"

_ENTER = flags("CLOEXEC", "NOCTTY", "NONBLOCK", "BINARY", "NOINHERIT")

LOOKED_AT = 512
"""Octets of what may be a record, to see whether it is one."""

UNPACKED_AT_ONCE = 16 * 1024
"""Octets: they may become a thousand times as many."""

REMEMBERED = 100_000
"""Contents of which it is known where they stand already: some 30 MB at most."""

READ_AGAIN = 32 * 1024 * 1024
"""Octets of a file whose contents are read, so that a later process refers to them: a second of work. Behind them a
content may stand twice, as one does of which nobody knows."""

_files: weakref.WeakValueDictionary[str, WarcFile] = weakref.WeakValueDictionary()
_files_lock = Lock()


def now() -> str:
    """The date of a record (W3C-DTF, in UTC)."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def warc_file(path: str | os.PathLike[str]) -> WarcFile:
    """The file of that name; all of one process that write to it share it.

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
        path: Absolute; it is made if it is not there.
    """

    def __init__(self, path: str) -> None:
        self.path: str = path
        self._lock = Lock()
        self._process = os.getpid()
        self._end = -1
        self._read = 0
        self._inode: tuple[int, int] | None = None
        self._informed = False
        self._said: list[str] = []
        self._failed: LocalFileError | None = None
        self._originals: dict[str, Original] = {}
        self._information: Record | None = None

    def check(self) -> None:
        """See that it can be written to, and cut off what is not whole at its end. Raises LocalFileError."""
        self._append(None)

    def said(self) -> list[str]:
        """What is worth saying, and was not said before."""
        said, self._said = self._said, []
        return said

    def check_failed(self) -> None:
        """Raises LocalFileError for a dialogue that was dropped, and that nobody could be told of."""
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    def fail(self, error: LocalFileError) -> None:
        """Nobody can be told now."""
        self._failed = error

    def original(self, digest: str) -> Original | None:
        """Where a content of this digest stands already."""
        return self._originals.get(digest)

    @property
    def information(self) -> Record:
        """The record that says who writes (``warcinfo``)."""
        if self._information is None:
            lines = [
                f"software: anyurl/{__version__}", "format: WARC File Format 1.1",
                "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/", "",
            ]  # fmt: skip
            fields = [("WARC-Filename", os.path.basename(self.path))]
            text = "\r\n".join(lines).encode("ascii")
            self._information = Record("warcinfo", now(), "application/warc-fields", fields, text)
        return self._information

    def append(self, records: IO[bytes], originals: Iterable[tuple[str, Original]]) -> None:
        """Append written records, all or none.

        Args:
            originals: By digest, the contents in them that later records may refer to.

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

    def _append(self, records: IO[bytes] | None) -> None:
        if self._process != os.getpid():  # a thread of the parent's may have had the lock when this process began
            self._lock, self._process = Lock(), os.getpid()
        what = f"Writing to {escape(self.path)}"
        with self._lock:
            try:
                fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _ENTER, 0o666)
            except OSError as error:
                raise local_error(error, what) from error
            try:
                self._append_to(fd, records, what)
            except OSError as error:
                if isinstance(error, LocalFileError):
                    raise
                raise local_error(error, what) from error
            finally:
                close_descriptor(fd)

    def _append_to(self, fd: int, records: IO[bytes] | None, what: str) -> None:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise complaint(errno.EINVAL, what, "it is not a regular file")
        if fcntl is not None:
            fcntl.lockf(fd, fcntl.LOCK_EX)  # of the process, and gone with it
        size = os.fstat(fd).st_size
        if size != self._end:
            size = self._mend(fd, size, what)
            self._learn(fd, size)
        if records is None:
            self._end = size
            return
        try:
            with os.fdopen(fd, "ab", closefd=False) as file:  # closing another descriptor would lose the lock
                if not (size and self._informed):
                    for _ in self.information.write(file):
                        pass
                records.seek(0)
                copyfileobj(records, file, AT_ONCE)
        except BaseException:
            os.ftruncate(fd, size)
            raise
        self._informed = True
        if self._read == size:  # what was just written is known
            self._read = os.fstat(fd).st_size
        self._end = os.fstat(fd).st_size

    def _learn(self, fd: int, end: int) -> None:
        """Which contents others have written since it was last looked: another process, or the one before this."""
        status = os.fstat(fd)
        if self._inode != (status.st_dev, status.st_ino) or self._read > end:  # it is another file now
            self._originals.clear()
            self._read, self._inode = 0, (status.st_dev, status.st_ino)
        for place, digest, original in read_contents(fd, self._read, min(end, READ_AGAIN)):
            self._read = place
            if digest and original:
                self._remember(digest, original)
        self._read = max(self._read, end) if end > READ_AGAIN else self._read

    def _mend(self, fd: int, size: int, what: str) -> int:
        """Cut off a record that is not whole; the size then. Raises LocalFileError for what is no such file."""
        end = end_of_records(fd, size)
        if end is None:
            raise complaint(errno.EINVAL, what, "it is not a WARC file with separately compressed records")
        if end < size <= READ_AGAIN:
            # Attack: the record that is cut may hold an archive itself, of which the last whole record was found.
            self._learn(fd, size)
            end = self._read if self._read < end and is_unfinished(fd, self._read, size) else end
        if end < size:
            os.ftruncate(fd, end)
            self._said.append(
                f"{escape(self.path)} ended within a record, {size - end:,} octets of which were removed: its writer "
                "was interrupted. All records before it are complete."
            )
        return end


# --- where the last record ends --------------------------------------------------------------------------------------


def end_of_records(fd: int, size: int) -> int | None:
    """Where the last whole record of a file ends; None where there is none, and something else.

    It is looked for from the end: what stands before the last record was whole when that was begun.
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
    """Whether this is the start of a record that is too short to tell."""
    try:
        unpacked = zlib.decompressobj(GZIP).decompress(octets, len(BEGINS))
    except zlib.error:
        return False
    return octets[: len(MAGIC)] == MAGIC[: len(octets)] and BEGINS.startswith(unpacked)


def _end_of_member(fd: int, start: int) -> int | None:
    """Where the gzip member ends that begins there, or None where it does not."""
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
