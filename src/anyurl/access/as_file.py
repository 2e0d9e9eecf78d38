"""A resource as a file: what `io` and those who use it expect of one that is open for reading.

Rule: seeking transfers nothing; the next read does, from the new place, where the scheme has ranges and what is there
is provably the same (RFC 9110 14.2, RFC 3659 5).
"""

from __future__ import annotations

import io
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from anyurl.dialogue import Resume
from anyurl.errors import RemoteProtocolError
from anyurl.net.task import Task
from anyurl.schemes.http.validators import has_strong_validator
from anyurl.url import URL

BUFFER_OCTETS = 64 * 1024
"""What is read at a time behind a small read: the size of a piece."""

SKIP_OCTETS = 256 * 1024
"""A gap that is read and thrown away: to ask anew costs a round trip and a request."""


class Described(Protocol):
    """What is known of a resource."""

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
        """What else is known."""
        ...

    @property
    def status(self) -> int | None:
        """Of the answer."""
        ...


class Way(Protocol):
    """How a resource was come to, and can be come to again."""

    task: Task

    def again(self, resume: Resume, notify: Callable[[], None] | None = None) -> Way:
        """The same way once more, for the rest of the resource."""
        ...

    def arrived(self) -> bool:
        """Whether it is at its end."""
        ...

    def check(self) -> None:
        """Raise what went wrong."""
        ...

    def drop(self) -> None:
        """Give up."""
        ...


def has_ranges(described: Described) -> bool:
    """Whether a part of it can be asked for, and told from a part of something else."""
    if described.kind != "document" or described.size is None:
        return False
    known, scheme = described.attributes, described.url.scheme
    if scheme in ("http", "https"):
        proven = has_strong_validator(described.etag, described.modified, known)
        ranges = "bytes" in str(known.get("accept-ranges", "")).lower()
        return proven and ranges and described.status == 200 and "content-encoding" not in known
    if scheme in ("ftp", "ftps"):
        return known.get("mode") == "i" and described.modified is not None
    return scheme in ("file", "wais")


def no_parts() -> io.UnsupportedOperation:
    """The error for a seek where there are no ranges."""
    return io.UnsupportedOperation("the server gives no parts of it, or nothing that proves them to be of the same")


def changed(described: Described) -> RemoteProtocolError:
    """The error for a resource of which no part of the same can be had any more."""
    return RemoteProtocolError(
        f"{described.url.masked} has changed since it was opened, or its server no longer sends parts of it.",
        stage="reply",
    )


class Reopens(Protocol):
    """A resource that hands out pieces, from any place."""

    size: int | None

    def next_octets(self) -> bytes | None:
        """The next piece, or None at the end."""
        ...

    def reopen(self, offset: int) -> None:
        """Begin again there."""
        ...

    def seekable(self) -> bool:
        """Whether it can."""
        ...


def place(offset: int, whence: int, here: int, size: int | None) -> int:
    """The position that a seek means. Raises ValueError for one before the start."""
    if whence == io.SEEK_END and size is None:
        raise io.UnsupportedOperation("nobody knows where it ends")
    bases = {io.SEEK_SET: 0, io.SEEK_CUR: here, io.SEEK_END: size or 0}
    if whence not in bases:
        raise ValueError(f"whence is 0, 1 or 2, not {whence!r}")
    found = bases[whence] + offset
    if found < 0:
        raise ValueError(f"a position is at least 0, not {found}")
    return found


class RawReader(io.RawIOBase):
    """The octets of a resource; `io.BufferedReader` makes lines and reads of any size of them.

    Args:
        here: The offset of the octet that comes next.
    """

    def __init__(self, resource: Reopens, here: int) -> None:
        # The resource holds this: a circle would keep its connection until the garbage collector comes.
        self._resource = weakref.ref(resource)
        self._position = self._stream = here
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """As the resource."""
        resource = self._resource()
        return resource is not None and resource.seekable()

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as a piece goes; 0 at the end. Raises AnyURLError."""
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
        """Go where the last seek led; False when nothing is there."""
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
        """Where the next read begins. Raises UnsupportedOperation, ValueError."""
        resource = self._resource()
        if not self.seekable() or resource is None:
            raise no_parts()
        self._position = place(offset, whence, self._position, resource.size)
        return self._position

    def tell(self) -> int:
        """The offset of the next octet."""
        return self._position


def reader(resource: Reopens, here: int) -> io.BufferedReader:
    """The same, buffered."""
    return io.BufferedReader(RawReader(resource, here), BUFFER_OCTETS)
