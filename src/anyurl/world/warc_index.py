"""WarcIndex: the records of each URL in files of WARC and WACZ, found in one pass and later read from their positions.

Rule: the files are anybody's: compressed or not, of other programs, cut off at the end. The index is a temporary file,
so that memory does not grow with the number of records. Records are as hostile as any server.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import threading
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from anyurl.errors import LocalFileError, MissingExtraError, URLSyntaxError, escape
from anyurl.files.channel import local_error
from anyurl.url import URL
from anyurl.values import Struct
from anyurl.warc.captures import WEB, IndexedCapture, captures, is_sound, shows_most
from anyurl.warc.cdxj import lines_of, read_line, surt
from anyurl.warc.sorted_lines import SortedLines
from anyurl.warc.wacz import BROKEN, INDEX

ArchiveIterator: Any = None
ArchiveLoadFailed: type[Exception] = EOFError
try:
    from warcio import archiveiterator, exceptions
except ImportError:  # reported by the index on request
    pass
else:
    ArchiveIterator, ArchiveLoadFailed = archiveiterator.ArchiveIterator, exceptions.ArchiveLoadFailed

CHUNK = 64 * 1024

PACKAGE_AT_MOST = 1024 * 1024
"""Octets of the description of a WACZ."""

ROWS_AT_ONCE = 1000

MOST_DIGITS = 18
"""Of an offset: SQLite stores no larger one."""

MOST_HOSTS = 1000
"""Hosts that are searched for a path alone."""

PARTS_OF_LOCAL_HEADER = 26, 30
"""The offset of the lengths of name and extra field in the local header of a zip, and its size without them."""

_BROKEN = (EOFError, ArchiveLoadFailed, zlib.error, ValueError)

_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE capture (
    number INTEGER PRIMARY KEY, hash INTEGER, url TEXT, date TEXT, kind INTEGER, whole INTEGER, sound INTEGER,
    file INTEGER, at INTEGER, of_file INTEGER, of_at INTEGER,
    id INTEGER, moment INTEGER, refers_id INTEGER, refers_moment INTEGER
);
CREATE TABLE host (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""

_FOUND = "SELECT url, date, kind, whole, sound, file, at, of_file, of_at FROM capture"

# A revisit stands for the record with its id, or for that of the URL and the date that it names; else it shows nothing.
_RESOLVED = """
CREATE INDEX by_id ON capture (id);
CREATE INDEX by_moment ON capture (moment);
UPDATE capture SET (of_file, of_at) = (
    SELECT other.file, other.at FROM capture AS other
    WHERE other.id = capture.refers_id AND other.refers_moment IS NULL ORDER BY number LIMIT 1
) WHERE refers_moment IS NOT NULL;
UPDATE capture SET (of_file, of_at) = (
    SELECT other.file, other.at FROM capture AS other
    WHERE other.moment = capture.refers_moment AND other.refers_moment IS NULL ORDER BY number LIMIT 1
) WHERE refers_moment IS NOT NULL AND of_at IS NULL;
DROP INDEX by_id;
DROP INDEX by_moment;
DELETE FROM capture WHERE refers_moment IS NOT NULL AND of_at IS NULL;
"""

_INDEXED = "CREATE INDEX by_url ON capture (hash)"


class _Candidate:
    """A capture in the index; `of` is the place of its content, or None if only a foreign index names it."""

    __slots__ = ("url", "date", "kind", "is_whole", "is_sound", "place", "of")

    def __init__(
        self,
        url: str,
        date: str,
        kind: int,
        is_whole: bool,
        is_sound: bool,
        file: int,
        at: int,
        of_file: int | None = None,
        of_at: int | None = None,
    ) -> None:
        self.url, self.date, self.kind = url, date, kind
        self.is_whole, self.is_sound = is_whole, is_sound
        self.place = file, at
        self.of = None if of_file is None or of_at is None else (of_file, of_at)

    def rank(self) -> tuple[object, ...]:
        """Of several captures of a URL the one with the highest rank is shown."""
        return self.is_whole, self.is_sound, self.date, self.kind, self.place


def _told(line: str, names: Mapping[str, int]) -> _Candidate | None:
    """The capture of a line of an index; None if it is not in one of these archives."""
    told = read_line(line)
    if told is None or told.get("filename") not in names:
        return None
    offset = told.get("offset", "")
    if not offset.isdecimal() or len(offset) > MOST_DIGITS:
        return None
    digits, status = told["timestamp"], told.get("status", "")
    date = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{digits[10:12]}:{digits[12:14]}Z"
    number = int(status) if status.isascii() and status.isdigit() and len(status) == 3 else 200
    url, kind = told["url"], "conversion" if told.get("mime") == "text/html" else "resource"
    most = shows_most("response" if url.startswith(WEB) else kind, url)
    return _Candidate(url, date, most, number != 206, is_sound(number), names[told["filename"]], int(offset))


class KeptUrl(Struct):
    """The position of a record of a URL.

    Attributes:
        url: As the record names it.
        date: When it was captured (``2026-01-02T03:04:05Z``).
        place: The file and the offset of the record.
        of: Those of the record that has its content: its own, but for a revisit.
    """

    url: str
    date: str
    place: tuple[int, int]
    of: tuple[int, int]


class RecordContent:
    """The content of a record, open for reading.

    Attributes:
        status: Of http; 200 for all else.
        fields: Of http, or the media type; names in lower case.
        size: Octets of the body, or None.
        cut: Why the body is not the whole (``WARC-Truncated``); empty if it is.
        is_listing: It is a listing as a page of links.
    """

    def __init__(
        self, status: int, fields: list[tuple[str, str]], size: int | None, stream: Any, cut: str, *, is_listing: bool
    ) -> None:
        self.status: int = status
        self.fields: list[tuple[str, str]] = fields
        self.size: int | None = size
        self.cut: str = cut
        self.is_listing: bool = is_listing
        self._stream = stream

    def pieces(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The body, from one octet to another."""
        at = 0
        while (end is None or at < end) and (piece := self._stream.read(CHUNK)):
            first, at = at, at + len(piece)
            if at > start:
                yield piece[max(0, start - first) : None if end is None else end - first]


class _Window(io.RawIOBase):
    """A part of a file, as a separate file."""

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self._file, self._start, self._end = file, start, end
        self._at = start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._at)
        data = self._file.read(min(len(buffer), self._end - self._at))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class _ArchiveFile:
    """An archive: a file, or a part of one.

    Attributes:
        path: The file.
        start, end: The position of the archive in it.
    """

    def __init__(self, path: str, start: int, end: int) -> None:
        self.path = path
        self.start, self.end = start, end

    @contextmanager
    def record(self, at: int) -> Iterator[Any]:
        """The record at an offset, as warcio reads it. Raises EOFError: No such record."""
        with open(self.path, "rb") as file:
            window = io.BufferedReader(_Window(file, self.start + at, self.end))
            record = next(iter(ArchiveIterator(window)), None)
            if record is None:
                raise EOFError
            yield record


class WarcIndex:
    """The URLs of archives.

    Args:
        paths: The files: WARC, compressed or not, or WACZ.

    Attributes:
        notes: Remarks on the files.

    Raises:
        MissingExtraError: warcio is not installed: the extra ``warc``.
        LocalFileError: A file can't be read, or is not an archive.
    """

    def __init__(self, *paths: str | os.PathLike[str]) -> None:
        if ArchiveIterator is None:
            raise MissingExtraError(
                "Reading archives needs warcio: in a clone of anyurl, pip install '.[warc]'.",
                extra="warc",
            )
        self.paths: Sequence[str] = [os.fspath(path) for path in paths]
        self.notes: list[str] = []
        self._sources: list[_ArchiveFile] = []
        self._indexes: list[tuple[SortedLines, dict[str, int]]] = []
        self._lock = threading.Lock()
        self._base = sqlite3.connect("", isolation_level=None, check_same_thread=False)  # a temporary file
        try:
            self._base.executescript(_TABLES)
            self._base.execute("BEGIN")
            for path in self.paths:
                what = f"Reading {escape(path)}"
                try:
                    self._read(path, what)
                except OSError as error:
                    if isinstance(error, LocalFileError):
                        raise
                    raise local_error(error, what) from error
            self._base.execute("COMMIT")
            if self._do("SELECT 1 FROM capture WHERE refers_moment IS NOT NULL LIMIT 1"):
                self._base.executescript(_RESOLVED)
            self._base.execute(_INDEXED)
            self._count = self._do("SELECT count(DISTINCT hash) FROM capture")[0][0]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the index."""
        with self._lock:
            self._base.close()
        for lines, _ in self._indexes:
            lines.close()

    def _do(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            return self._base.execute(statement, values).fetchall()

    # --- reading -----------------------------------------------------------------------------------------------------

    def _read(self, path: str, what: str) -> None:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if file.read(4) == b"PK\x03\x04":
                self._read_package(path, file, what)
                return
            self._sources.append(_ArchiveFile(path, 0, size))
            count = self._take(self._scanned(file.fileno(), 0, size, path))
            if not count and size and not self._begins(path):
                raise LocalFileError(f"{what}: it is not a WARC file.")

    def _begins(self, path: str) -> bool:
        """Whether a file begins with a record, which may be one that shows nothing."""
        try:
            with self._sources[-1].record(0) as record:
                return bool(record.format == "warc")
        except _BROKEN:
            return False

    def _scanned(self, fd: int, start: int, end: int, path: str) -> Iterator[IndexedCapture]:
        try:
            yield from captures(fd, start, end)
        except EOFError:
            self.notes.append(f"{escape(path)} ends within a record: the records before it are shown.")

    def _read_package(self, path: str, file: BinaryIO, what: str) -> None:
        """Read a WACZ: by its own index if it has one, else as the archives that are in it."""
        try:
            with zipfile.ZipFile(file) as zipped:
                names = {}
                for info in zipped.infolist():
                    if info.filename.startswith("archive/") and info.compress_type == zipfile.ZIP_STORED:
                        start = _start_of(file, info)
                        names[info.filename.removeprefix("archive/")] = len(self._sources)
                        self._sources.append(_ArchiveFile(path, start, start + info.file_size))
                if not names:
                    raise LocalFileError(f"{what}: it is not a WACZ, which has an archive.")
                if self._take_sorted(zipped, names):
                    return
                if not self._take_lines(self._lines(zipped), names):
                    for number in names.values():
                        source = self._sources[number]
                        self._take(self._scanned(file.fileno(), source.start, source.end, path), number, source.start)
        except BROKEN as error:
            raise LocalFileError(f"{what}: it is not a whole WACZ.") from error

    @staticmethod
    def _lines(zipped: zipfile.ZipFile) -> Iterator[str]:
        import gzip  # needed only here

        for name in zipped.namelist():
            if name.startswith("indexes/") and name.endswith((".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")):
                with zipped.open(name) as member:
                    opened: Any = gzip.GzipFile(fileobj=member) if name.endswith(".gz") else member
                    for line in lines_of(io.BufferedReader(opened)):
                        yield line.decode("utf-8", "surrogateescape")

    def _take_sorted(self, zipped: zipfile.ZipFile, names: dict[str, int]) -> bool:
        """Take the index of a package of our own as it is: sorted, with the keys that we make; False for others."""
        if INDEX not in zipped.namelist() or not _is_own(zipped):
            return False
        file = TemporaryFile()  # noqa: SIM115 - closed with the index
        try:
            with zipped.open(INDEX) as member:
                copyfileobj(member, file, CHUNK)
            lines = SortedLines(file)
        except BaseException:
            file.close()
            raise
        if not lines.is_sorted:
            lines.close()
            return False
        self._indexes.append((lines, names))
        return bool(lines.count)

    def _take_lines(self, lines: Iterator[str], names: dict[str, int]) -> int:
        """Take the captures of an index, which has neither ids nor marks of truncation; returns their number."""
        rows: list[tuple[object, ...]] = []
        count = 0
        for line in lines:
            told = _told(line, names)
            if told is None:
                continue
            row = _row(key(told.url), told.url, told.date, told.kind, told.is_whole, told.is_sound, *told.place)
            rows.append((*row, *(None,) * 6))
            count += 1
            if len(rows) >= ROWS_AT_ONCE:
                self._add(rows)
                rows = []
        self._add(rows)
        return count

    def _take(self, found: Iterator[IndexedCapture], number: int | None = None, base: int = 0) -> int:
        """Take the captures of an archive; returns their number."""
        number = len(self._sources) - 1 if number is None else number
        rows: list[tuple[object, ...]] = []
        count = 0
        for each in found:
            is_whole, sound, date, kind = each.rank
            name = key(each.url)
            row = _row(name, each.url, date, kind, is_whole, sound, number, each.start - base)
            if each.kind == "revisit":
                record, url, then = each.refers
                refers = _hash(record) if record else None, _hash(f"{key(url) if url else name} {then}")
                rows.append((*row, None, None, None, None, *refers))
            else:
                here = number, each.start - base
                rows.append((*row, *here, _hash(each.id), _hash(f"{name} {date}"), None, None))
            count += 1
            if len(rows) >= ROWS_AT_ONCE:
                self._add(rows)
                rows = []
        self._add(rows)
        return count

    def _add(self, rows: list[tuple[object, ...]]) -> None:
        self._base.executemany(f"INSERT INTO capture VALUES ({', '.join('?' * 15)})", rows)
        urls = [str(row[2]) for row in rows]
        hosts = {_origin(url) for url in urls if url.startswith(WEB)}
        self._base.executemany("INSERT OR IGNORE INTO host VALUES (?)", [(each,) for each in hosts])

    # --- looking up --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self._count) + sum(lines.count for lines, _ in self._indexes)

    def __iter__(self) -> Iterator[KeptUrl]:
        return iter(self.some(0, len(self)))

    def some(self, skipped: int, most: int) -> list[KeptUrl]:
        """The URLs in the order of the archives, or of their index, from the one with this number on."""
        statement = (
            "SELECT url FROM capture WHERE number IN "
            "(SELECT min(number) FROM capture WHERE hash IS NOT NULL GROUP BY hash ORDER BY 1 LIMIT ? OFFSET ?)"
        )
        urls = [str(url) for (url,) in self._do(statement, most, skipped)]
        skipped = max(0, skipped - self._count)
        for lines, names in self._indexes:
            for name in islice(lines.keys(skipped), most - len(urls)):
                told = [each.url for line in lines.with_key(name) if (each := _told(line, names)) is not None]
                urls += {key(url): url for url in told}.values()
            skipped = max(0, skipped - lines.count)
        found = [self.find(url) for url in urls]
        return [kept for kept in found if kept is not None]

    def find(self, url: str) -> KeptUrl | None:
        """The best that the archives have of a URL: the latest that is whole."""
        broken: KeptUrl | None = None
        for each in sorted(self._captures(url), key=_Candidate.rank, reverse=True):
            if each.of is not None:
                return KeptUrl(each.url, each.date, each.place, each.of)
            kept = self._resolved(KeptUrl(each.url, each.date, each.place, each.place))
            if kept is not None and not self._is_cut(kept):
                return kept
            broken = broken or kept
        return broken

    def _captures(self, url: str) -> list[_Candidate]:
        """The captures of a URL."""
        wanted = key(url)
        found = [_Candidate(*row) for row in self._do(f"{_FOUND} WHERE hash = ?", _hash(wanted))]
        for lines, names in self._indexes:
            found += [each for line in lines.with_key(surt(url)) if (each := _told(line, names)) is not None]
        return [each for each in found if key(each.url) == wanted]  # Attack: URLs that were made to have one hash

    def _resolved(self, kept: KeptUrl) -> KeptUrl | None:
        """The same capture, known only from an index, with the place of its content; None if that is not there."""
        try:
            with self._sources[kept.place[0]].record(kept.place[1]) as record:
                if record.rec_type != "revisit":
                    return kept
                fields = record.rec_headers
                url = fields.get_header("WARC-Refers-To-Target-URI") or kept.url
                date = (fields.get_header("WARC-Refers-To-Date") or "")[:19]
        except (OSError, *_BROKEN):
            return None
        for each in sorted(self._captures(url), key=lambda each: each.place):
            if each.date.startswith(date) and each.place != kept.place:
                kept.of = each.place
                return kept
        return None

    def _is_cut(self, kept: KeptUrl) -> bool:
        try:
            with self._sources[kept.of[0]].record(kept.of[1]) as record:
                return bool(record.rec_headers.get_header("WARC-Truncated"))
        except (OSError, *_BROKEN):
            return True

    def at_path(self, path: str) -> list[KeptUrl]:
        """The records of all web hosts at a path: a link of a page may name a path alone."""
        urls = [f"{name}{path}" for (name,) in self._do("SELECT name FROM host LIMIT ?", MOST_HOSTS)]
        below = surt(f"http://h{path}").partition(")")[2]
        for lines, names in self._indexes:
            for host in islice(lines.hosts(), MOST_HOSTS):
                told = [_told(line, names) for line in lines.with_key(host + below)]
                urls += [_origin(each.url) + path for each in told if each is not None and each.url.startswith(WEB)]
        found = {kept.place: kept for kept in map(self.find, dict.fromkeys(urls)) if kept is not None}
        return list(found.values())

    @contextmanager
    def open(self, kept: KeptUrl) -> Iterator[RecordContent]:
        """The record there.

        Raises:
            LocalFileError: It can't be read any more.
        """
        try:
            with self._sources[kept.place[0]].record(kept.place[1]) as record:
                if key(record.rec_headers.get_header("WARC-Target-URI") or "") != key(kept.url):
                    raise EOFError
                if kept.of == kept.place:
                    yield _content(record, record)
                    return
                with self._sources[kept.of[0]].record(kept.of[1]) as content:
                    yield _content(record, content)
        except (OSError, *_BROKEN) as error:
            shown = escape(self._sources[kept.place[0]].path)
            raise LocalFileError(f"{shown} has changed and no longer contains {escape(kept.url)}.") from error


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _is_own(zipped: zipfile.ZipFile) -> bool:
    """Whether a package says that anyurl made it, so that its index is sorted and has our keys."""
    try:
        if zipped.getinfo("datapackage.json").file_size > PACKAGE_AT_MOST:
            return False
        about = json.loads(zipped.read("datapackage.json"))
        return isinstance(about, dict) and str(about.get("software", "")).startswith("anyurl/")
    except (KeyError, ValueError, RecursionError):
        return False


def _row(name: str, url: str, date: str, kind: int, whole: bool, sound: bool, file: int, at: int) -> tuple[object, ...]:
    """The first columns of a capture."""
    return None, _hash(name), url, date, kind, whole, sound, file, at


def _hash(text: str) -> int:
    octets = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(octets, "big", signed=True)


def _start_of(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    """Where the octets of a member begin."""
    lengths, end = PARTS_OF_LOCAL_HEADER
    file.seek(info.header_offset + lengths)
    octets = file.read(end - lengths)
    return info.header_offset + end + int.from_bytes(octets[:2], "little") + int.from_bytes(octets[2:], "little")


def key(text: str) -> str:
    """The key of a URL: normalized, without fragment, and without login."""
    try:
        url = URL(text)
        url = url if url.fragment is None else url.without_fragment()
        return str(url.replace(user=None, password=None).normalize() if url.raw_user is not None else url.normalize())
    except URLSyntaxError:
        return text


def _status(http: Any) -> int:
    text = http.get_statuscode()
    return int(text) if text and text.isascii() and text.isdigit() and len(text) == 3 else 0


def _content(record: Any, content: Any) -> RecordContent:
    cut = record.rec_headers.get_header("WARC-Truncated") or content.rec_headers.get_header("WARC-Truncated") or ""
    http = record.http_headers or (content.http_headers if record is not content else None)
    if http is None:
        fields = [("content-type", content.rec_headers.get_header("Content-Type") or "application/octet-stream")]
        is_listing = content.rec_type == "conversion" and fields[0][1].startswith("text/html")
        return RecordContent(200, fields, content.length, content.raw_stream, cut, is_listing=is_listing)
    fields = [(name.lower(), value) for name, value in http.headers]
    coded = any(name.lower() == "transfer-encoding" for name, _ in (content.http_headers or http).headers)
    if not coded:
        size = content.payload_length if content.payload_length >= 0 else None
        return RecordContent(_status(http), fields, size, content.raw_stream, cut, is_listing=False)
    # Other programs keep the transfer coding; warcio undoes it together with the content's.
    fields = [(name, value) for name, value in fields if name != "content-encoding"]
    return RecordContent(_status(http), fields, None, content.content_stream(), cut, is_listing=False)
