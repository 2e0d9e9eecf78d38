"""A resource as a readable file, as `io` and its users expect.

Rule: seeking transfers nothing. The next read starts a transfer at the new offset, if the scheme supports ranges and
the resource is provably unchanged (RFC 9110 14.2, RFC 3659 5).
"""

from __future__ import annotations

import io
import weakref
from collections.abc import Mapping
from typing import Any, Protocol

from anyurl.errors import RemoteProtocolError
from anyurl.schemes.http.validators import has_strong_validator
from anyurl.url import URL
from anyurl.url.syntax import FTP, WEB

BUFFER_OCTETS = 64 * 1024
"""The buffer that serves small reads: the size of a piece."""

SKIP_OCTETS = 256 * 1024
"""The largest gap that is read and discarded: a new request costs a round trip."""


class Described(Protocol):
    """The known attributes of a resource."""

    url: URL
    kind: Any
    size: int | None

    @property
    def modified(self) -> float | None:
        """Seconds since the epoch."""
        ...

    @property
    def etag(self) -> str | None:
        """Entity tag."""
        ...

    @property
    def attributes(self) -> Mapping[str, object]:
        """Further attributes."""
        ...

    @property
    def status(self) -> int | None:
        """The status of the response."""
        ...


def has_ranges(described: Described) -> bool:
    """Whether a range can be requested, and verified to be of the same version of the resource."""
    if described.kind != "document" or described.size is None:
        return False
    known, scheme = described.attributes, described.url.scheme
    if scheme in WEB:
        proven = has_strong_validator(described.etag, described.modified, known)
        ranges = "bytes" in str(known.get("accept-ranges", "")).lower()
        return proven and ranges and described.status == 200 and "content-encoding" not in known
    if scheme in FTP:
        return known.get("mode") == "i" and described.modified is not None
    return scheme in ("file", "wais")


def no_parts() -> io.UnsupportedOperation:
    """The error for a seek without ranges."""
    return io.UnsupportedOperation("the server sends no parts of it, or nothing that proves that they belong together")


def changed(described: Described) -> RemoteProtocolError:
    """The error for a resource that has changed, so that the rest of it can't be read."""
    return RemoteProtocolError(
        f"{described.url.masked} has changed since it was opened, or its server no longer sends parts of it.",
        stage="reply",
    )


class Reopens(Protocol):
    """A resource that yields pieces, starting at any offset."""

    size: int | None

    def next_octets(self) -> bytes | None:
        """The next piece, or None at the end."""
        ...

    def reopen(self, offset: int) -> None:
        """Restart at this offset."""
        ...

    def seekable(self) -> bool:
        """Whether `reopen` is possible."""
        ...


def place(offset: int, whence: int, here: int, size: int | None) -> int:
    """The absolute offset that a seek means. Raises ValueError if it is before the start."""
    if whence == io.SEEK_END and size is None:
        raise io.UnsupportedOperation("its end is unknown")
    bases = {io.SEEK_SET: 0, io.SEEK_CUR: here, io.SEEK_END: size or 0}
    if whence not in bases:
        raise ValueError(f"whence is 0, 1 or 2, not {whence!r}")
    found = bases[whence] + offset
    if found < 0:
        raise ValueError(f"a position is at least 0, not {found}")
    return found


class RawReader(io.RawIOBase):
    """The octets of a resource; `io.BufferedReader` adds lines and reads of any size.

    Args:
        here: The offset of the octet that comes next.
    """

    def __init__(self, resource: Reopens, here: int) -> None:
        # The resource refers to this: a reference cycle would keep its connection open until garbage collection.
        self._resource = weakref.ref(resource)
        self._position = self._stream = here
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """As the resource."""
        resource = self._resource()
        return resource is not None and resource.seekable()

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from at most one piece; 0 at the end. Raises AnyURLError."""
        resource = self._resource()
        if resource is None:
            return 0
        if self._position != self._stream and not self._move(resource):
            return 0
        if not self._rest:
            self._rest = memoryview(resource.next_octets() or b"")
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        self._position = self._stream = self._stream + count
        return count

    def _move(self, resource: Reopens) -> bool:
        """Move to the position of the last seek; False if it is at or beyond the end."""
        if resource.size is not None and self._position >= resource.size:
            return False
        gap = self._position - self._stream
        if not 0 < gap <= SKIP_OCTETS:
            self._rest = memoryview(b"")
            resource.reopen(self._position)
            self._stream = self._position
        while self._stream < self._position:
            if not self._rest:
                self._rest = memoryview(resource.next_octets() or b"")
                if not self._rest:
                    return False
            count = min(self._position - self._stream, len(self._rest))
            self._rest = self._rest[count:]
            self._stream += count
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the offset of the next read. Raises UnsupportedOperation, ValueError."""
        resource = self._resource()
        if not self.seekable() or resource is None:
            raise no_parts()
        self._position = place(offset, whence, self._position, resource.size)
        return self._position

    def tell(self) -> int:
        """The offset of the next octet."""
        return self._position


def reader(resource: Reopens, here: int) -> io.BufferedReader:
    """A buffered `RawReader`."""
    return io.BufferedReader(RawReader(resource, here), BUFFER_OCTETS)
