"""The contents that an archive already has, to which later records may refer (ISO 28500:2017 6.7).

Rule: records are read in sequence from the start, never searched for: the content of one may itself be an archive,
whose records would be mistaken for those of the file. Only complete `response` and `resource` records count.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import TypeAlias

from anyurl.files.system import read_at
from anyurl.warc.block import GZIP

MAX_HEAD = 64 * 1024
"""Octets of the fields of a record that are read: those written here have a few hundred, besides a long URL."""

READ_AT_ONCE = 256 * 1024
HEAD_AT_ONCE = 4 * 1024
UNPACKED_AT_ONCE = 1024 * 1024
"""Octets decompressed at once: compressed data may expand a thousandfold."""

KINDS = (b"response", b"resource")

Original: TypeAlias = tuple[str, str, str]
"""A content in the file: the id of its record, its URL and its date."""

_FIELD = re.compile(rb"^(WARC-(?:Type|Record-ID|Target-URI|Date|Payload-Digest|Truncated)):[ \t]*(.*?)[ \t]*\r?$", re.M)


def content_at(fd: int, start: int) -> tuple[str, Original] | None:
    """The digest and the place of the content whose record begins at `start`; None if others may not refer to it."""
    unpacker, head, at = zlib.decompressobj(GZIP), b"", start
    while b"\r\n\r\n" not in head and len(head) < MAX_HEAD:
        piece = read_at(fd, HEAD_AT_ONCE, at)
        at += len(piece)
        try:
            head += unpacker.decompress(piece, MAX_HEAD)
        except zlib.error:
            return None
        if not piece or unpacker.eof:
            break
    return _content_of(head)


def read_contents(fd: int, start: int, end: int) -> Iterator[tuple[int, str, Original] | tuple[int, None, None]]:
    """Go through the records from `start`, where one begins, up to `end`.

    Yields:
        The end of each record; and the digest and the place of its content, if others may refer to it. Stops before the
        first incomplete record.
    """
    while start < end:
        member = _member(fd, start, end)
        if member is None:
            return
        start, head = member
        content = _content_of(head)
        if content is None:
            yield start, None, None
        else:
            yield start, *content


def _content_of(head: bytes) -> tuple[str, Original] | None:
    found = dict(_FIELD.findall(head.partition(b"\r\n\r\n")[0]))
    texts = [_text(found.get(name, b"")) for name in (b"WARC-Record-ID", b"WARC-Target-URI", b"WARC-Date")]
    digest = _text(found.get(b"WARC-Payload-Digest", b""))
    if found.get(b"WARC-Type") in KINDS and b"WARC-Truncated" not in found and digest and all(texts):
        return digest, (texts[0], texts[1], texts[2])
    return None


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "replace")


def is_unfinished(fd: int, start: int, end: int) -> bool:
    """Whether the octets from `start` on are a gzip member without its end."""
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
    """The end of the gzip member at `start`, and its first octets; None if it is incomplete."""
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
