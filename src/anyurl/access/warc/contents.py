"""Which contents a file of records has already, whoever wrote it: what a later one may refer to (ISO 28500:2017 6.7).

Rule: records are read one after the other from the start, never looked for: the content of one may be an archive
itself, whose records would pass for those of the file. Only a whole `response` or `resource` counts.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from anyurl._typing import TypeAlias
from anyurl.access.warc.block import GZIP
from anyurl.net.files.system import read_at

MAX_HEAD = 64 * 1024
"""Octets of a record's own fields that are looked at: those of ours have some hundred, and a URL that is long."""

READ_AT_ONCE = 256 * 1024
UNPACKED_AT_ONCE = 1024 * 1024
"""Octets: a piece may become a thousand times as many."""

KINDS = (b"response", b"resource")

Original: TypeAlias = tuple[str, str, str]
"""Of a content that stands in the file: the id of its record, its URL and its date."""

_FIELD = re.compile(rb"^(WARC-(?:Type|Record-ID|Target-URI|Date|Payload-Digest|Truncated)):[ \t]*(.*?)[ \t]*\r?$", re.M)


def read_contents(fd: int, start: int, end: int) -> Iterator[tuple[int, str, Original] | tuple[int, None, None]]:
    """Go through the records from `start`, where one begins, up to `end`.

    Yields:
        Where each ends; and the digest of its content, and where that stands, if others may refer to it. Nothing more
        from the first one on that is not whole.
    """
    while start < end:
        member = _member(fd, start, end)
        if member is None:
            return
        start, head = member
        found = dict(_FIELD.findall(head.partition(b"\r\n\r\n")[0]))
        texts = [_text(found.get(name, b"")) for name in (b"WARC-Record-ID", b"WARC-Target-URI", b"WARC-Date")]
        digest = _text(found.get(b"WARC-Payload-Digest", b""))
        if found.get(b"WARC-Type") in KINDS and b"WARC-Truncated" not in found and digest and all(texts):
            yield start, digest, (texts[0], texts[1], texts[2])
        else:
            yield start, None, None


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "replace")


def is_unfinished(fd: int, start: int, end: int) -> bool:
    """Whether what begins at `start` is a gzip member that lacks its end, and no other octets."""
    unpacker, at = zlib.decompressobj(GZIP), start
    while at < end and not unpacker.eof:
        piece = read_at(fd, min(READ_AT_ONCE, end - at), at)
        at += len(piece)
        while piece and not unpacker.eof:
            try:
                unpacker.decompress(piece, UNPACKED_AT_ONCE)
            except zlib.error:
                return False
            piece = unpacker.unconsumed_tail
    return not unpacker.eof


def _member(fd: int, start: int, end: int) -> tuple[int, bytes] | None:
    """Where the gzip member ends that begins there, and what it begins with; None where it is not whole."""
    unpacker, head, at = zlib.decompressobj(GZIP), b"", start
    while not unpacker.eof:
        piece = read_at(fd, min(READ_AT_ONCE, end - at), at)
        if not piece:
            return None
        at += len(piece)
        while piece and not unpacker.eof:
            try:
                data = unpacker.decompress(piece, UNPACKED_AT_ONCE)
            except zlib.error:
                return None
            head += data[: MAX_HEAD - len(head)]
            piece = unpacker.unconsumed_tail
    return at - len(unpacker.unused_data), head
