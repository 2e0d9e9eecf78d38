"""RecordBlock and Record: the content of a record of an archive, and how it is written (ISO 28500:2017 4 and 5).

Rule: large contents are not held in memory, but in a temporary file. They are processed in steps, between which other
tasks run. Each record is a gzip member of its own (annex D).
"""

from __future__ import annotations

import uuid
import zlib
from base64 import b32encode
from collections.abc import Generator, Iterator, Sequence
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO

from anyurl.warc.known_secrets import Hider, KnownSecrets

IN_MEMORY = 64 * 1024
"""Octets of a block that are held in memory: most documents are smaller."""

AROUND_AT_MOST = 1024
"""Octets of a conversation besides its content: some status lines, and an end mark."""

LINES_AT_MOST = 16
"""Lines before a content: the greeting, logins and the reply of a news server are some seven."""

AT_ONCE = 256 * 1024
"""Octets that are compressed in one step, which takes some 10 ms."""

GZIP = 31
"""The `wbits` of zlib for a gzip member."""


def spool() -> SpooledTemporaryFile[bytes]:
    """A buffer in memory that becomes a temporary file beyond `IN_MEMORY`; the caller closes it."""
    return SpooledTemporaryFile(IN_MEMORY)


def digest(hashed: object) -> str:
    """A SHA-256 digest in the form of a record: the algorithm, and base 32."""
    octets: bytes = hashed.digest()  # type: ignore[attr-defined]
    return f"sha256:{b32encode(octets).decode('ascii')}"


class RecordBlock:
    """The octets of the block of a record, collected piece by piece.

    Args:
        secrets: The secrets that are replaced in them; None for no replacement.

    Attributes:
        size: The number of octets so far.
    """

    def __init__(self, secrets: KnownSecrets | None = None) -> None:
        self._file: SpooledTemporaryFile[bytes] | None = None
        self._hash = sha256()
        self._hider = None if secrets is None else Hider(secrets)
        self.size: int = 0

    def write(self, data: bytes) -> None:
        """Add octets."""
        self._add(data if self._hider is None else self._hider.feed(data))

    def end(self) -> None:
        """Add the octets that the replacement of secrets still holds back, at the end."""
        if self._hider is not None:
            self._add(self._hider.rest())

    def _add(self, data: bytes) -> None:
        if not data:
            return
        if self._file is None:
            self._file = spool()
        self._hash.update(data)
        self.size += len(data)
        self._file.write(data)

    @property
    def digest(self) -> str:
        """The digest of the octets, valid after `end`."""
        return digest(self._hash)

    def pieces(self) -> Iterator[bytes]:
        """The octets from the beginning, in pieces."""
        if self._file is None:
            return
        self._file.seek(0)
        while piece := self._file.read(AT_ONCE):
            yield piece

    def around(self, content: RecordBlock) -> Generator[None, None, tuple[bytes, bytes] | None]:
        """The few octets before and after a content that is in these octets as it is, after some lines or none; None if
        it is not, or if that takes more than one look at all of it. Processed in steps.
        """
        start, extra = 0, self.size - content.size
        if self._file is None or content._file is None or extra > AROUND_AT_MOST:
            return None
        for _ in range(LINES_AT_MOST):
            self._file.seek(start)
            for number, piece in enumerate(content.pieces()):
                if self._file.read(len(piece)) != piece:
                    if number:
                        return None
                    break
                yield
            else:
                after = self._file.read()
                self._file.seek(0)
                return self._file.read(start), after
            yield
            self._file.seek(start)
            start += len(self._file.readline(extra + 1))
            if start > extra:
                break
        return None

    def close(self) -> None:
        """Release the buffer; a block without octets has no buffer."""
        if self._file is not None:
            self._file.close()


class Record:
    """One record.

    Args:
        kind: ``response``, ``request``, ``resource``, ``metadata`` ...
        date: The time of the capture, in the form of ISO 28500.
        type: The media type of the block, or None.
        fields: The other named fields.
        head: The first octets of the block.
        body: The octets after them, or None.
    """

    __slots__ = ("kind", "date", "type", "fields", "head", "body", "id")

    def __init__(
        self,
        kind: str,
        date: str,
        type: str | None,
        fields: Sequence[tuple[str, str]] = (),
        head: bytes = b"",
        body: RecordBlock | None = None,
    ) -> None:
        self.kind: str = kind
        self.date: str = date
        self.type: str | None = type
        self.fields: Sequence[tuple[str, str]] = fields
        self.head: bytes = head
        self.body: RecordBlock | None = body
        self.id: str = f"<urn:uuid:{uuid.uuid4()}>"

    def _pieces(self) -> Iterator[bytes]:
        yield self.head
        if self.body is not None:
            yield from self.body.pieces()

    def write(self, file: IO[bytes]) -> Iterator[None]:
        """Write the record as a gzip member, in steps."""
        hashed = sha256()
        for piece in self._pieces():
            hashed.update(piece)
            yield
        size = len(self.head) + (0 if self.body is None else self.body.size)
        fields = [("WARC-Type", self.kind), ("WARC-Record-ID", self.id), ("WARC-Date", self.date), *self.fields]
        fields += [("WARC-Block-Digest", digest(hashed))] if size else []
        fields += [] if self.type is None else [("Content-Type", self.type)]
        fields += [("Content-Length", str(size))]
        lines = ["WARC/1.1", *(f"{name}: {one_line(value)}" for name, value in fields), "", ""]
        packer = zlib.compressobj(wbits=GZIP)
        file.write(packer.compress("\r\n".join(lines).encode("utf-8", "replace")))
        for piece in self._pieces():
            file.write(packer.compress(piece))
            yield
        file.write(packer.compress(b"\r\n\r\n") + packer.flush())


def one_line(text: str) -> str:
    """A text as the value of a field. Attack: a line end from a peer would begin another field."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)
