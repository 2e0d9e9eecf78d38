"""Captures: the URLs in the records of an archive and their quality, for replay and for its index.

Rule: a line protocol's conversation is not shown, since its content is a record of its own, and neither is an answer
that has nothing (1xx, 304). Each record is found by the end of the one before it, never searched for: the content of
one may itself be an archive. Of a record only its beginning is held in memory. An archive is anybody's: a damaged one
ends earlier. Of several records of one URL the one that shows most is chosen in one place (`rank`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from anyurl.files.system import read_at
from anyurl.values import Struct
from anyurl.warc.block import GZIP

MAX_HEAD = 64 * 1024
"""Octets of the beginning of a record that are read: its fields, and the head of an http response."""

READ_AT_ONCE = 16 * 1024
"""Octets of the file; of most records it reads beyond the end."""

UNPACKED_AT_ONCE = 1024 * 1024
"""Octets decompressed at once: compressed data may expand a thousandfold."""

MAGIC = b"\x1f\x8b"

BEGINS = b"WARC/"

_END = b"\r\n\r\n"


class ScannedRecord(Struct):
    """One record.

    Attributes:
        start: Its offset in the file.
        end: The offset of its end.
        fields: Its fields, with names in lower case.
        content: The first octets of its block.
    """

    start: int
    end: int
    fields: dict[str, str]
    content: bytes

    def http_head(self) -> tuple[int, dict[str, str]] | None:
        """The status and the fields of an http response; None for any other block."""
        if not self.content.startswith(b"HTTP/"):
            return None
        line, _, rest = self.content.partition(_END)[0].partition(b"\r\n")
        status = line.split(b" ", 2)[1:2]
        return (int(status[0]) if status and status[0].isdigit() and len(status[0]) == 3 else 0), _fields(rest)


def scan(fd: int, start: int, end: int) -> Iterator[ScannedRecord]:
    """Go through the records from `start`, where one begins, up to `end`.

    Raises:
        EOFError: No complete record follows the yielded ones.
    """
    while start < end:
        first = read_at(fd, len(BEGINS), start)
        if first.startswith(MAGIC):
            record = _packed(fd, start, end)
        elif first == BEGINS:
            record = _plain(fd, start, end)
        else:
            raise EOFError
        yield record
        start = record.end


def _plain(fd: int, start: int, end: int) -> ScannedRecord:
    head = read_at(fd, min(MAX_HEAD, end - start), start)
    fields, content, size = _parse(head)
    stop = start + len(head) - len(content) + size + len(_END)
    if stop > end:
        raise EOFError
    return ScannedRecord(start, stop, fields, content[:size])


def _packed(fd: int, start: int, end: int) -> ScannedRecord:
    unpacker, head, total, at = zlib.decompressobj(GZIP), b"", 0, start
    while not unpacker.eof:
        piece = read_at(fd, min(READ_AT_ONCE, end - at), at)
        if not piece:
            raise EOFError
        at += len(piece)
        while piece and not unpacker.eof:
            try:
                data = unpacker.decompress(piece, UNPACKED_AT_ONCE)
            except zlib.error:
                raise EOFError from None
            total += len(data)
            if len(head) < MAX_HEAD:
                head += data[: MAX_HEAD - len(head)]
            piece = unpacker.unconsumed_tail
    fields, content, size = _parse(head)
    if total - (len(head) - len(content)) - size > len(_END):  # several records in one gzip member have no places
        raise EOFError
    return ScannedRecord(start, at - len(unpacker.unused_data), fields, content[:size])


def _parse(head: bytes) -> tuple[dict[str, str], bytes, int]:
    """The fields of a record, the beginning of its block, and the size of that."""
    lines, mark, content = head.partition(_END)
    if not (mark and lines.startswith(BEGINS)):
        raise EOFError
    fields = _fields(lines.partition(b"\r\n")[2])
    length = fields.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 20):
        raise EOFError
    return fields, content, int(length)


def _fields(lines: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if colon:
            found.setdefault(name.decode("latin-1").strip().lower(), value.decode("utf-8", "surrogateescape").strip())
    return found


KINDS = ("response", "revisit", "conversion", "resource")

WEB = ("http://", "https://")

REVISIT = "warc/revisit"
"""The media type of a revisit in an index (CDXJ)."""


class IndexedCapture:
    """The capture in one record.

    Attributes:
        url: The URL, as the record names it.
        date: When it was captured (``2026-01-02T03:04:05Z``).
        kind: The type of the record.
        type: The media type; `REVISIT` for a revisit.
        status: That of http; 200 for all else.
        digest: The digest of the content, or empty.
        start, end: The place of the record.
        id: Its id.
        refers: For a revisit the id, the URL and the date of the record that has the content.
        is_whole: Whether it is not marked as truncated, and not a part (206).
    """

    __slots__ = ("url", "date", "kind", "type", "status", "digest", "start", "end", "id", "refers", "is_whole")

    def __init__(self, record: ScannedRecord, kind: str, type: str, status: int) -> None:
        fields = record.fields
        self.url = fields["warc-target-uri"].strip("<>")
        self.date = fields.get("warc-date", "")
        self.kind = kind
        self.type = type
        self.status = status
        self.digest = fields.get("warc-payload-digest") or fields.get("warc-block-digest", "")
        self.start, self.end = record.start, record.end
        self.id = fields.get("warc-record-id", "")
        names = ("warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")
        self.refers = tuple(fields.get(name, "").strip("<>" if "uri" in name else "") for name in names)
        self.is_whole = "warc-truncated" not in fields and status != 206

    @property
    def rank(self) -> tuple[bool, bool, str, int]:
        """Of two captures of one URL the one with the higher rank is shown."""
        return self.is_whole, is_sound(self.status), self.date, shows_most(self.kind, self.url)


def shows_most(kind: str, url: str) -> int:
    """Of several records of one URL and time the one with the highest number is shown: an http response, the page of a
    listing, a content. A revisit counts as its original.
    """
    if kind == "response" or (kind == "revisit" and url.startswith(WEB)):
        return 2
    return 1 if kind == "conversion" else 0


def is_sound(status: int) -> bool:
    """Whether this is the server's final response: not a temporary refusal (429, 5xx), nor a request for a login, which
    the next request of the same dialogue sent.
    """
    return status < 500 and status not in (401, 407, 429)


def capture_of(record: ScannedRecord) -> IndexedCapture | None:
    """The capture in a record; None if it shows nothing."""
    kind = record.fields.get("warc-type", "")
    if kind not in KINDS or not record.fields.get("warc-target-uri"):
        return None
    http = record.http_head()
    status = 200 if http is None else http[0]
    if (kind == "response" and (http is None or status < 200)) or status == 304:
        return None
    own = (record.fields if http is None else http[1]).get("content-type", "")
    type = own.partition(";")[0].strip() or "application/octet-stream"
    return IndexedCapture(record, kind, REVISIT if kind == "revisit" else type, status)


def captures(fd: int, start: int, end: int) -> Iterator[IndexedCapture]:
    """Those of an archive. Raises EOFError where it is damaged."""
    for record in scan(fd, start, end):
        found = capture_of(record)
        if found is not None:
            yield found
