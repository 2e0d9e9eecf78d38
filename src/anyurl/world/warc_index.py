"""WarcIndex: what a file of WARC has of each URL, found by one pass over it and read again where it stands.

Rule: the file is anybody's: compressed or not, of other programs, cut off at its end. Nothing of it is held in memory
but the index. What the records say is as hostile as any server.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from anyurl.errors import LocalFileError, MissingExtraError, URLSyntaxError, escape
from anyurl.files.channel import local_error
from anyurl.url import URL

ArchiveIterator: Any = None
ArchiveLoadFailed: type[Exception] = EOFError
try:
    from warcio import archiveiterator, exceptions
except ImportError:  # said by the index, when somebody wants one
    pass
else:
    ArchiveIterator, ArchiveLoadFailed = archiveiterator.ArchiveIterator, exceptions.ArchiveLoadFailed

ORDER = {"response": 3, "revisit": 3, "conversion": 2, "resource": 1}
"""Of several records of one URL and time the one that shows most: an answer of http, a listing's page, a content."""

CHUNK = 64 * 1024

_BROKEN = (EOFError, ArchiveLoadFailed, zlib.error, ValueError)


class KeptUrl:
    """Where something of a URL stands.

    Attributes:
        url: As the record names it.
        date: When it was captured (``2026-01-02T03:04:05Z``).
        offset: Of the record in the file.
        of: The offset of the record that has its content: its own, but for a revisit.
    """

    __slots__ = ("url", "date", "offset", "of", "rank")

    def __init__(self, url: str, date: str, offset: int, rank: tuple[bool, bool, str, int]) -> None:
        self.url: str = url
        self.date: str = date
        self.offset: int = offset
        self.of: int = offset
        self.rank: tuple[bool, bool, str, int] = rank


class RecordContent:
    """What a record has, open for reading.

    Attributes:
        status: Of http; 200 for all else.
        fields: Of http, or the media type; names in lower case.
        size: Octets of the body, or None.
        cut: Why the body is not the whole (``WARC-Truncated``); empty if it is.
    """

    def __init__(self, status: int, fields: list[tuple[str, str]], size: int | None, stream: Any, cut: str) -> None:
        self.status: int = status
        self.fields: list[tuple[str, str]] = fields
        self.size: int | None = size
        self.cut: str = cut
        self._stream = stream

    def pieces(self) -> Iterator[bytes]:
        """The body."""
        while piece := self._stream.read(CHUNK):
            yield piece


class WarcIndex:
    """The URLs of a file.

    Args:
        path: Of the file.

    Attributes:
        notes: What is worth saying of the file.

    Raises:
        MissingExtraError: warcio is not installed: ``pip install 'anyurl[warc]'``.
        LocalFileError: The file can't be read, or is none of WARC.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if ArchiveIterator is None:
            raise MissingExtraError(
                "Reading archives needs warcio, which the extra `warc` brings: pip install 'anyurl[warc]'.",
                extra="warc",
            )
        self.path: str = os.fspath(path)
        self.notes: list[str] = []
        self._kept: dict[str, KeptUrl] = {}
        self._hosts: dict[str, None] = {}  # of the web, as a set with an order
        what = f"Reading {escape(self.path)}"
        try:
            with open(self.path, "rb") as file:
                self._read(file, what)
        except OSError as error:
            if isinstance(error, LocalFileError):
                raise
            raise local_error(error, what) from error

    def _read(self, file: IO[bytes], what: str) -> None:
        ids: dict[str, int] = {}
        places: dict[tuple[str, str], int] = {}
        revisits: list[tuple[KeptUrl, Any]] = []
        count = 0
        iterator = ArchiveIterator(file)
        try:
            for record in iterator:
                if record.format != "warc":  # of ARC nearly any line is the start of a record
                    break
                count += 1
                fields = record.rec_headers
                url, date = fields.get_header("WARC-Target-URI"), fields.get_header("WARC-Date") or ""
                if record.rec_type not in ORDER or not url or not _is_shown(record):
                    continue
                offset = iterator.get_record_offset()
                rank = (*_soundness(record), date, ORDER[record.rec_type])
                kept = KeptUrl(url, date, offset, rank)
                if record.rec_type == "revisit":
                    revisits.append((kept, fields))
                    continue
                ids[fields.get_header("WARC-Record-ID") or ""] = offset
                places[url, date] = offset
                self._keep(kept)
        except _BROKEN:
            self.notes.append(f"{escape(self.path)} ends within a record: what stands before it is shown.")
        if not count and os.path.getsize(self.path):
            raise LocalFileError(f"{what}: it is not a WARC file.")
        for kept, fields in revisits:
            place = (
                fields.get_header("WARC-Refers-To-Target-URI") or kept.url,
                fields.get_header("WARC-Refers-To-Date") or "",
            )
            of = ids.get(fields.get_header("WARC-Refers-To") or "", places.get(place))
            if of is not None:  # else the content is in another file
                kept.of = of
                self._keep(kept)

    def _keep(self, kept: KeptUrl) -> None:
        if kept.url.startswith(("http://", "https://")):
            self._hosts["/".join(kept.url.split("/", 3)[:3])] = None
        known = self._kept.setdefault(key(kept.url), kept)
        if kept.rank >= known.rank:  # dates are in seconds: of two in one the later is behind the other
            self._kept[key(kept.url)] = kept

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[KeptUrl]:
        return iter(self._kept.values())

    def find(self, url: str) -> KeptUrl | None:
        """The latest that the file has of a URL."""
        return self._kept.get(key(url))

    def at_path(self, path: str) -> list[KeptUrl]:
        """What the hosts of the web have there: a link of a page may name a path alone."""
        found = (self.find(host + path) for host in self._hosts)
        return list(dict.fromkeys(kept for kept in found if kept is not None))

    @contextmanager
    def open(self, kept: KeptUrl) -> Iterator[RecordContent]:
        """What stands there.

        Raises:
            LocalFileError: It can't be read any more.
        """
        try:
            with open(self.path, "rb") as file, open(self.path, "rb") as other:
                record = _record_at(file, kept.offset)
                content = record if kept.of == kept.offset else _record_at(other, kept.of)
                yield _content(record, content)
        except (OSError, *_BROKEN) as error:
            raise LocalFileError(
                f"{escape(self.path)} has changed and no longer contains {escape(kept.url)}."
            ) from error


def key(text: str) -> str:
    """By which a URL is looked up: normalized, without fragment, and without login."""
    try:
        url = URL(text)
        url = url if url.fragment is None else url.without_fragment()
        return str(url.replace(user=None, password=None).normalize() if url.raw_user is not None else url.normalize())
    except URLSyntaxError:
        return text


def _is_shown(record: Any) -> bool:
    """Whether a record has something of its own to show: a line protocol's answer is there as a content, too."""
    http = record.http_headers
    if record.rec_type == "response":
        return http is not None and _status(http) >= 200 and _status(http) != 304
    return record.rec_type != "revisit" or http is None or _status(http) != 304


def _soundness(record: Any) -> tuple[bool, bool]:
    """Whether a record is the whole, and whether it is what the server has: not that it had no time (429, 5xx), nor
    that it wanted a login first, which the next request of the same dialogue sent.
    """
    status = 200 if record.http_headers is None else _status(record.http_headers)
    is_whole = not record.rec_headers.get_header("WARC-Truncated") and status != 206
    return is_whole, status < 500 and status not in (401, 407, 429)


def _status(http: Any) -> int:
    text = http.get_statuscode()
    return int(text) if text and text.isascii() and text.isdigit() and len(text) == 3 else 0


def _record_at(file: IO[bytes], offset: int) -> Any:
    file.seek(offset)
    record = next(iter(ArchiveIterator(file)), None)
    if record is None:
        raise EOFError
    return record


def _content(record: Any, content: Any) -> RecordContent:
    cut = record.rec_headers.get_header("WARC-Truncated") or content.rec_headers.get_header("WARC-Truncated") or ""
    http = record.http_headers or (content.http_headers if record is not content else None)
    if http is None:
        fields = [("content-type", content.rec_headers.get_header("Content-Type") or "application/octet-stream")]
        return RecordContent(200, fields, content.length, content.raw_stream, cut)
    fields = [(name.lower(), value) for name, value in http.headers]
    coded = any(name.lower() == "transfer-encoding" for name, _ in (content.http_headers or http).headers)
    if not coded:
        size = content.payload_length if content.payload_length >= 0 else None
        return RecordContent(_status(http), fields, size, content.raw_stream, cut)
    # Other programs keep the transfer coding; warcio undoes it together with the content's.
    fields = [(name, value) for name, value in fields if name != "content-encoding"]
    return RecordContent(_status(http), fields, None, content.content_stream(), cut)
