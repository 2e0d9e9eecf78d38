"""RecordBlock and Record: what a record of an archive holds, and how it is written (ISO 28500:2017 4 and 5).

Rule: a content is never held in memory, however large: beyond some octets it waits in a temporary file. Work on it is
done in steps, between which others have their turn. Each record is a gzip member of its own (annex D).
"""

from __future__ import annotations

import uuid
import zlib
from base64 import b32encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from tempfile import SpooledTemporaryFile

from anyurl._typing import IO
from anyurl.access.known_secrets import Hider, KnownSecrets

IN_MEMORY = 64 * 1024
"""Octets of a block before it goes to a temporary file: most documents are smaller."""

AT_ONCE = 256 * 1024
"""Octets that are compressed before others have their turn: some 10 ms."""

GZIP = 31
"""zlib's word for a gzip member."""


def spool() -> SpooledTemporaryFile[bytes]:
    """A place for octets: in memory, and from some on in a temporary file; whoever has it closes it."""
    return SpooledTemporaryFile(IN_MEMORY)


def digest(hashed: object) -> str:
    """A digest as a record names it: the algorithm, and base 32."""
    octets: bytes = hashed.digest()  # type: ignore[attr-defined]
    return f"sha256:{b32encode(octets).decode('ascii')}"


class RecordBlock:
    """Octets on their way into a record.

    Args:
        secrets: Is replaced in them; None where they are not looked through.

    Attributes:
        size: How many there are.
    """

    def __init__(self, secrets: KnownSecrets | None = None) -> None:
        self._file = spool()
        self._hash = sha256()
        self._hider = None if secrets is None else Hider(secrets)
        self.size: int = 0

    def write(self, data: bytes) -> None:
        """Add these."""
        self._add(data if self._hider is None else self._hider.feed(data))

    def end(self) -> None:
        """No more come."""
        if self._hider is not None:
            self._add(self._hider.rest())

    def _add(self, data: bytes) -> None:
        self._hash.update(data)
        self.size += len(data)
        self._file.write(data)

    @property
    def digest(self) -> str:
        """Of all of them."""
        return digest(self._hash)

    def pieces(self) -> Iterator[bytes]:
        """All of them, once more."""
        self._file.seek(0)
        while piece := self._file.read(AT_ONCE):
            yield piece

    def close(self) -> None:
        """They are not needed any more."""
        self._file.close()


class Record:
    """One record.

    Args:
        kind: ``response``, ``request``, ``resource``, ``metadata`` ...
        date: When it was captured, as ISO 28500 writes it.
        type: Media type of the block; None for none.
        fields: Its other named fields.
        head: The octets that its block begins with.
        body: Those behind them, or None.
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
        """Write it as a gzip member, in steps."""
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
    """A text as the value of a field: attack: a line end of a peer's would begin a field of its own."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)
