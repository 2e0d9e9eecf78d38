"""The records of an archive, read in sequence: their fields and positions.

Rule: each record is found by the end of the one before it, never searched for: the content of one may itself be an
archive. Of a record only its beginning is held in memory. An archive is anybody's: a damaged one ends earlier.
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
