"""Files of the file system of fsspec, and the errors that programs expect of files.

Rule: a file is read by any thread or by coroutines; its work runs in the loop of its file system.
"""

from __future__ import annotations

import asyncio
import errno
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fsspec.asyn import AbstractAsyncStreamedFile, AsyncFileSystem, sync

from anyurl.client.as_file import place
from anyurl.errors import AnyURLError, NotFoundError, RefusedError

if TYPE_CHECKING:
    from anyurl.client.aio_resource import AsyncResource


_sync: Any = sync
"""It is untyped, and returns the coroutine's result."""


class FsspecRefusedError(RefusedError, PermissionError):
    """The policy refuses a path; nothing was sent."""


@contextmanager
def errors_of_files(path: str) -> Iterator[None]:
    """Translates the errors of a transfer into those of a file system."""
    try:
        yield
    except RefusedError as error:
        raise FsspecRefusedError(str(error), verdict=error.verdict) from error
    except NotFoundError as error:
        raise FileNotFoundError(errno.ENOENT, str(error), path) from error
    except AnyURLError as error:
        raise error if isinstance(error, OSError) else OSError(errno.EIO, str(error), path) from error


class RangedFile(io.RawIOBase):
    """A resource with ranges as a file, for any thread; its work runs in the file system's loop."""

    def __init__(self, system: AsyncFileSystem, path: str, content: AsyncResource) -> None:
        self._system = system
        self._path = path
        self._content = content
        self._lock = asyncio.Lock()
        self._place = 0
        self.size: int | None = content.size

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """The next read begins there; nothing is transferred. Raises ValueError for a place before the start."""
        self._place = place(offset, whence, self._place, self.size)
        return self._place

    def tell(self) -> int:
        """The offset of the octet that is read next."""
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; how many octets. Raises OSError."""
        data = _sync(self._system.loop, self._read, self._place, len(buffer))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)

    async def _read(self, start: int, size: int) -> bytes:
        with errors_of_files(self._path):
            async with self._lock:
                await self._content.seek(start)
                return await self._content.read(size)

    def close(self) -> None:
        """Let go of it; the rest is not transferred."""
        if not self.closed:
            super().close()
            sync(self._system.loop, self._content.close)


class AsyncFile(AbstractAsyncStreamedFile):  # type: ignore[misc]
    """A resource as a file that is read by coroutines."""

    def __init__(self, system: AsyncFileSystem, path: str, content: AsyncResource) -> None:
        super().__init__(system, path, mode="rb", cache_type="none", size=content.size or 0)
        self._content = content

    async def read(self, length: int | None = -1) -> bytes:
        """So many octets, fewer only at the end; all without a number."""
        with errors_of_files(self.path):
            return await self._content.read(length)

    def tell(self) -> int:
        """The offset of the octet that is read next."""
        return self._content.tell()

    def seek(self, loc: int, whence: int = 0) -> int:
        """Raises OSError: a file that is read by coroutines is read from its start to its end."""
        raise io.UnsupportedOperation("a file that is read by coroutines can't be sought in; _cat_file has ranges")

    async def close(self) -> None:
        """Let go of it; the rest is not transferred."""
        await self._content.close()
        await super().close()
