"""A form with files, as multipart/form-data (RFC 7578).

Rule: files are read as they are sent, never all at once. A name or file name can't inject a header line.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from posixpath import basename
from typing import Any

from anyurl.client.source import Files, UploadSource
from anyurl.dialogue.http import check_fields
from anyurl.url.arguments import named
from anyurl.url.fields import check_pairs


class Multipart:
    """A form encoded as octets.

    Args:
        fields: Names and values.
        files: The files by field name.

    Attributes:
        size: The total size in octets, or None if the size of a file is unknown.
        can_rewind: Whether it can be read again.
        type: Its media type, with the boundary.
    """

    __slots__ = ("size", "can_rewind", "type", "_parts", "_at")

    def __init__(self, fields: Sequence[tuple[str, str]], files: Files) -> None:
        """Raises TypeError for a value that is not a file."""
        # RFC 2046 5.1.1: a random boundary does not occur in any content.
        boundary = f"anyurl-{secrets.token_hex(16)}"
        self.type: str = f"multipart/form-data; boundary={boundary}"
        self._parts: list[UploadSource] = []
        for name, value in fields:
            data = value.encode("utf-8", "surrogateescape")
            self._add(_head(boundary, name), UploadSource(data))
        for name, file in check_pairs("files", files):
            filename, content, type = self._file(file)
            self._add(_head(boundary, name, filename, type), content)
        self._parts.append(UploadSource(f"--{boundary}--\r\n".encode()))
        sizes = [part.size for part in self._parts]
        self.size: int | None = None if None in sizes else sum(size for size in sizes if size is not None)
        self.can_rewind: bool = all(part.can_rewind for part in self._parts)
        self._at = 0

    def _add(self, head: bytes, content: UploadSource) -> None:
        self._parts += [UploadSource(head), content, UploadSource(b"\r\n")]

    def _file(self, file: Any) -> tuple[str, UploadSource, str]:
        type = None
        if isinstance(file, tuple):
            if len(file) not in (2, 3) or not all(isinstance(text, str) for text in (file[0], *file[2:])):
                raise TypeError(f"a file is (name, content) or (name, content, media type), not {named(file)}")
            name, content, *rest = file
            type = rest[0] if rest else None
        else:
            name, content = basename(str(getattr(file, "name", "file"))), file
        return name, UploadSource(content), type or _media_type(name)

    def read(self, at_most: int, /) -> bytes:
        """The next octets; ``b""`` at the end. Raises LocalFileError."""
        while self._at < len(self._parts):
            data = self._parts[self._at].read(at_most)
            if data:
                return data
            self._at += 1
        return b""

    def rewind(self, offset: int = 0, /) -> None:
        """Start again at an octet. Raises LocalFileError."""
        for part in self._parts:
            part.rewind()
        self._at = 0
        while offset and (piece := self.read(offset)):
            offset -= len(piece)


def _head(boundary: str, name: str, filename: str | None = None, type: str | None = None) -> bytes:
    lines = [f"--{boundary}", f'Content-Disposition: form-data; name="{_quoted(name)}"']
    if filename is not None:
        lines[1] += f'; filename="{_quoted(filename)}"'
    if type is not None:
        lines += [f"{field}: {value}" for field, value in check_fields([("Content-Type", type)])]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")


def _quoted(text: str) -> str:
    """The text with quotes and line ends percent-encoded (WHATWG HTML 4.10.21.8)."""
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22").replace("\0", "%00")


def _media_type(name: str) -> str:
    from mimetypes import guess_type

    type, coding = guess_type(name)
    return type if type is not None and coding is None else "application/octet-stream"
