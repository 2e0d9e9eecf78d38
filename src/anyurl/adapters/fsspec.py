"""Resources of every scheme as a file system of fsspec, for its users: pandas, pyarrow, dask.

Rules: it reads, and writes nothing; paths are URLs, ``anyurl+ftp://`` leads where ``ftp://`` does. It shows one server:
an entry of a listing that leads to another one is left out, so that a stranger's listing leads nowhere else. No path of
a listing has a segment ``.`` or ``..``, and `get` makes the names of files by `safe_path`, below the folder that its
caller named. Without a policy it is untrusted: `fsspec.filesystem("gopher", policy=...)`, or
``storage_options={"policy": ...}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import errno
import io
import os
import re
import weakref
from collections.abc import AsyncIterator, Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from fsspec.asyn import AsyncFileSystem, sync
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.core import has_magic
from fsspec.implementations.local import make_path_posix, trailing_sep
from fsspec.utils import other_paths

from anyurl.access import AsyncClient
from anyurl.adapters.fsspec_files import AsyncFile, FsspecRefusedError, RangedFile, errors_of_files
from anyurl.dialogue import Resume
from anyurl.errors import AnyURLError, LimitError, URLSyntaxError
from anyurl.guard.options import named_policy
from anyurl.guard.policy import Policy
from anyurl.saving.save import Destination
from anyurl.saving.tree import candidates, fold, safe_path
from anyurl.url import URL
from anyurl.url.syntax import FTP, GOPHER, NEWS, WEB
from anyurl.values import shown

if TYPE_CHECKING:
    from anyurl.client.aio_resource import AsyncResource

__all__ = ["AnyURLFileSystem", "FsspecRefusedError"]

OWN = (*GOPHER, *NEWS, "wais", "prospero", "gemini", "dict")
NAMES = (*OWN, *(f"anyurl+{name}" for name in (*OWN, *FTP, *WEB)))
"""Its names in fsspec, as in the entry points of the package: those that fsspec has not given to others."""

DIRECTORIES_AT_MOST = 10_000
"""Of one walk: a server can make up menus without end."""

Info = dict[str, Any]

_PLAIN = frozenset((*FTP, "prospero"))
"""Schemes in which an entry's URL is that of its directory, a slash and a name."""

_SLASHLESS = ("ftp://", "ftps://", "prospero://")

_MAGIC = re.compile(r"[*\[]")
"""A question mark that begins a query is not a wildcard."""

_SLASHES = re.compile(r"/+(?=(?:%09.*)?\Z)")
"""At the end of a path, or of a selector of gopher (RFC 1738 3.4.1)."""

_PLACE = re.compile(r"[^:]*:(?://[^/]*)?")
"""The part of a URL before its path."""

_DOTS = re.compile(r"(?<![^/])\.\.?(?=[/?;#]|%09|\Z)")
"""A segment that programs take for a folder, though it is a name like any other in the selectors of gopher."""


class AnyURLFileSystem(AsyncFileSystem):  # type: ignore[misc]
    """A read-only file system over the resources of every scheme.

    Args:
        policy: A `Policy`, or the name of one; None is `Policy.untrusted`.
        client_options: As `AsyncClient` takes them, but for the policy.

    Attributes:
        protocol: The schemes, as fsspec asks for them.
        async_impl: True: fsspec drives it in a loop.
        root_marker: Empty: a path is a URL.
    """

    def __repr__(self) -> str:
        return shown(self, "_policy.name")

    protocol = NAMES
    async_impl = True
    root_marker = ""

    def __init__(
        self,
        policy: Policy | str | None = None,
        *,
        client_options: dict[str, Any] | None = None,
        asynchronous: bool = False,
        loop: asyncio.AbstractEventLoop | None = None,
        **storage_options: Any,
    ) -> None:
        """Raises ValueError for a name of no policy."""
        super().__init__(asynchronous=asynchronous, loop=loop, **storage_options)
        self._policy = named_policy(policy) if isinstance(policy, str) else policy or Policy.untrusted()
        self._client_options = client_options or {}
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient] = weakref.WeakKeyDictionary()

    def _client(self) -> AsyncClient:
        """The client of the loop that is running."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = AsyncClient(policy=self._policy, **self._client_options)
        return client

    async def aclose(self) -> None:
        """Close the connections that the running loop has open."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def close(self) -> None:
        """The same for programs without a loop."""
        sync(self.loop, self.aclose)

    # ------------------------------------------------------------------------------------------------------ paths

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        text = os.fspath(path).removeprefix("anyurl+")
        return text.rstrip("/") if text.startswith(_SLASHLESS) else text

    def unstrip_protocol(self, name: str) -> str:
        """The path with the name by which fsspec finds this file system."""
        text = str(self._strip_protocol(name))
        return text if text.partition(":")[0] in NAMES else f"anyurl+{text}"

    @classmethod
    def _parent(cls, path: str) -> str:
        path = cls._strip_protocol(path)
        try:
            return str(cls._strip_protocol(str(URL(path).join("."))))
        except URLSyntaxError:
            return ""

    # --------------------------------------------------------------------------------------------------- listings

    async def _info(self, path: str, **_options: Any) -> Info:
        path = self._strip_protocol(path)
        with errors_of_files(path):
            async with await self._client().stat(path) as found:
                return _info(path, found.kind, found.size, found.modified, found.content_type)

    async def _ls(self, path: str, detail: bool = True, **_options: Any) -> list[Any]:
        path = self._strip_protocol(path)
        with errors_of_files(path):
            url = URL(path)
            rows = self._links(url) if url.scheme in WEB else self._entries(url)
            found = {row["name"]: row async for row in rows}
        return list(found.values()) if detail else sorted(found)

    async def _entries(self, url: URL) -> AsyncIterator[Info]:
        async with await self._client().list(url) as listing:
            async for entry in listing.entries():
                if entry.url is not None and entry.url.origin == url.origin:
                    if url.scheme in _PLAIN and entry.name in (".", ".."):
                        continue  # the directory itself, or the one above
                    name = self._strip_protocol(_without_dots(str(entry.url)))
                    # A page of gemini shows its kind only by its name: one that ends with a slash has others below it.
                    kind = "listing" if url.scheme == "gemini" and name.endswith("/") else entry.kind
                    yield _info(name, kind, entry.size, entry.modified, entry.type)

    async def _links(self, url: URL) -> AsyncIterator[Info]:
        """http has no listings: the links of a page that lead right below it."""
        from anyurl.text import find

        async with await self._client().get(url) as page:
            text = await page.read()
            if (page.content_type or "").partition(";")[0] != "text/html":
                yield _info(str(url), page.kind, page.size, page.modified, page.content_type)
                return
            below = str(page.base.replace(query=None, fragment=None).join("."))
            for found in find(text, format="html", base=page.base, schemes=(url.scheme,)):
                name = str(found.url.without_fragment())
                rest = name.removeprefix(below)
                if name.startswith(below) and rest.rstrip("/") and "/" not in rest[:-1] and "?" not in rest:
                    yield _info(name, "listing" if rest.endswith("/") else "document", None, None, None)

    # fsspec has no types: the types that checkers infer for its methods are narrower than documented.
    async def _walk(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, path: str, maxdepth: int | None = None, topdown: bool = True, on_error: Any = "omit", **kwargs: Any
    ) -> AsyncIterator[tuple[str, Any, Any]]:
        if maxdepth is not None and maxdepth < 1:
            raise ValueError("maxdepth must be at least 1")
        detail = kwargs.pop("detail", False)
        walked = self._walked(self._strip_protocol(path), maxdepth, on_error)
        if not topdown:
            walked = _each([step async for step in walked][::-1])
        async for root, dirs, files in walked:
            yield (root, dirs, files) if detail else (root, list(dirs), list(files))

    async def _walked(
        self, start: str, maxdepth: int | None, on_error: Any
    ) -> AsyncIterator[tuple[str, dict[str, Info], dict[str, Info]]]:
        """From the top down. A directory is visited once, wherever menus lead back to it."""
        seen, waiting = {start}, [(start, 1)]
        while waiting:
            path, depth = waiting.pop()
            try:
                listing = await self._ls(path, detail=True)
            except OSError as error:
                if on_error == "raise":
                    raise
                if callable(on_error):
                    on_error(error)
                yield path, {}, {}
                continue
            dirs: dict[str, Info] = {}
            files: dict[str, Info] = {}
            for info in listing:
                if info["name"] == path and info["type"] == "directory":
                    continue
                kind = dirs if info["type"] == "directory" else files
                name = _name(info["name"]) if info["name"] != path else ""
                kind[info["name"] if name in kind else name] = info
            yield path, dirs, files
            if maxdepth is None or depth < maxdepth:
                new = [info["name"] for info in dirs.values() if info["name"] not in seen]
                seen.update(new)
                if len(seen) > DIRECTORIES_AT_MOST:
                    text = f"More than {DIRECTORIES_AT_MOST:,} directories: use a deeper path, or set maxdepth."
                    raise LimitError(text, limit="directories")
                waiting += [(name, depth + 1) for name in reversed(new)]

    async def _glob(self, path: str, maxdepth: int | None = None, **kwargs: Any) -> Any:
        path = self._strip_protocol(path)
        magic = _MAGIC.search(path)
        if path.partition(":")[0] in _PLAIN:
            return await super()._glob(path, maxdepth=maxdepth, **kwargs)
        detail = kwargs.pop("detail", False)
        if magic is None:
            found = {path: await self._info(path)} if await self._exists(path) else {}
        else:
            start = path.rindex("/", 0, magic.start()) + 1
            found = await self._named(path[:start], path[start:].strip("/").split("/"), maxdepth)
        return found if detail else sorted(found)

    async def _named(self, start: str, patterns: list[str], maxdepth: int | None) -> dict[str, Info]:
        """The matches by names, level by level: in a menu a URL does not begin like that of its directory."""
        level: dict[str, Info] = {start: {"type": "directory"}}
        for number, pattern in enumerate(patterns):
            found: dict[str, Info] = {}
            for path in [path for path, info in level.items() if info["type"] == "directory"]:
                depth = maxdepth if pattern == "**" else 1
                async for _, dirs, files in self._walk(path, depth, detail=True):
                    for info in (*dirs.values(), *files.values()):
                        if pattern == "**" or fnmatchcase(_name(info["name"]), pattern):
                            found[info["name"]] = info
            level = {**level, **found} if pattern == "**" and number + 1 < len(patterns) else found
        return level

    def modified(self, path: str) -> datetime.datetime:
        """When it was changed. Raises NotImplementedError, as `AbstractFileSystem.modified`, if unknown."""
        said = self.info(path).get("mtime")
        try:
            if said is not None:
                return datetime.datetime.fromtimestamp(said, datetime.UTC)
        except (OverflowError, ValueError, OSError):  # a server may send any number
            pass
        # fsspec's error for a time that a file system lacks: programs for many file systems catch it.
        raise NotImplementedError("the server does not say when this was last changed")

    # ---------------------------------------------------------------------------------------------------- content

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **_options: Any) -> bytes:
        path = self._strip_protocol(path)
        if (start or 0) < 0 or (end or 0) < 0:
            size = (await self._info(path))["size"]
            if size is None:
                raise ValueError("the server does not say where the end is, so nothing can be counted from it")
            start, end = (None if one is None else one if one >= 0 else max(0, size + one) for one in (start, end))
        start = start or 0
        if end is not None and end <= start:
            return b""
        with errors_of_files(path):
            async with await self._opened(path, start, end) as content:
                while content.tell() < start:  # where there are no ranges
                    if not await content.read(min(start - content.tell(), 65_536)):
                        return b""
                return await content.read(-1 if end is None else end - start)

    async def _opened(self, path: str, start: int = 0, end: int | None = None) -> AsyncResource:
        """The content, from there on if the server can."""
        client = self._client()
        if not start and end is None:
            return await client.get(path)
        try:
            if not path.startswith(("http://", "https://")):
                return await client.get(path, resume=Resume(start))
            # Of one part nothing has to be proven: it is put together with no other.
            headers = {"Range": f"bytes={start}-{'' if end is None else end - 1}"}
            content = await client.get(path, headers=headers)
        except AnyURLError:  # it has no such place, or no ranges
            return await client.get(path)
        if content.start <= start and "content-encoding" not in content.attributes:
            return content
        await content.close()  # a part of something else, as a range of coded octets is
        return await client.get(path)

    async def _get(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        rpath: Any,
        lpath: Any,
        recursive: bool = False,
        callback: Any = DEFAULT_CALLBACK,
        maxdepth: int | None = None,
        *,
        force: bool = False,
        **kwargs: Any,
    ) -> None:
        """As fsspec's: download files, or with `recursive` everything below a path.

        Args:
            force: Replace files whose names come from the server; without it, such a name must not be taken.

        Raises:
            FileExistsError: A name is taken. Nothing was downloaded.
        """
        if isinstance(lpath, list):  # all names are the caller's
            await super()._get(rpath, lpath, recursive, callback, maxdepth, **kwargs)
            return
        lpath = make_path_posix(os.fspath(lpath))
        paths = await self._paths_to_get(rpath, recursive, maxdepth)
        if not paths:
            return
        names = _names_below(lpath, paths, await self._folders(paths), rpath)
        if names == [lpath]:  # the caller's as well
            await super()._get(paths, names, callback=callback, **kwargs)
            return
        _check_free(lpath, names, force)
        await super()._get(paths, names, callback=callback, force=force, **kwargs)

    async def _paths_to_get(self, rpath: Any, recursive: bool, maxdepth: int | None) -> list[str]:
        """As in fsspec's `_get`: of a pattern, or a path that is not taken recursively, only the files."""
        paths: list[str] = await self._expand_path(self._strip_protocol(rpath), recursive=recursive, maxdepth=maxdepth)
        if not isinstance(rpath, str) or (recursive and maxdepth is None):
            return paths
        return [path for path in paths if not (trailing_sep(path) or await self._isdir(path))]

    async def _folders(self, paths: list[str]) -> set[str]:
        """The paths that are folders; without a request, only a final slash or a child of it shows that."""
        above = _above(paths)
        folders = set()
        for path in paths:
            if path.endswith("/") and path.startswith(("http://", "https://", "gemini://")):
                folders.add(path)  # whose own page is not a file among the others
            elif (path.endswith("/") or path in above) and await self._isdir(path):
                folders.add(path)
        return folders

    async def _get_file(self, rpath: str, lpath: Any, *, force: bool | None = None, **kwargs: Any) -> None:
        """Download one file.

        Args:
            force: Whether an existing file is replaced; None if the caller chose the name: that one is written to,
                whatever it is.
        """
        rpath = self._strip_protocol(rpath)
        callback = kwargs.get("callback") or DEFAULT_CALLBACK
        if trailing_sep(lpath) or (await self._info(rpath))["type"] == "directory":
            os.makedirs(lpath, exist_ok=True)
            return
        with errors_of_files(rpath):
            async with await self._opened(rpath) as content:
                callback.set_size(content.size)
                with contextlib.ExitStack() as stack:
                    write: Callable[[bytes], object]
                    destination: Destination | None = None
                    if force is None:
                        write = stack.enter_context(open(lpath, "wb")).write
                    else:
                        destination = stack.enter_context(Destination(lpath, force=force, durable=False))
                        write = destination.write
                    async for piece in content.iter_bytes():
                        write(piece)
                        callback.relative_update(len(piece))
                    if destination is not None:
                        destination.finish()

    async def _open_file(self, path: str) -> io.BufferedIOBase:
        with errors_of_files(path):
            content = await self._opened(path)
            if content.seekable():
                return io.BufferedReader(RangedFile(self, path, content), io.DEFAULT_BUFFER_SIZE * 16)
            async with content:
                return io.BytesIO(await content.read())

    def _open(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, path: str, mode: str = "rb", **_options: Any
    ) -> Any:
        _check_mode(mode)
        return sync(self.loop, self._open_file, self._strip_protocol(path))

    async def open_async(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, path: str, mode: str = "rb", **_options: Any
    ) -> AsyncFile:
        """A file that is read by coroutines: ``await file.read(n)``."""
        _check_mode(mode)
        path = self._strip_protocol(path)
        with errors_of_files(path):
            return AsyncFile(self, path, await self._opened(path))


def _check_mode(mode: str) -> None:
    """Raises NotImplementedError for all but reading."""
    if mode != "rb":
        # As fsspec's own read-only file systems do: nothing is written here on purpose.
        raise NotImplementedError("this file system only reads")


def _info(path: str, kind: str | None, size: int | None, modified: float | None, media: str | None) -> Info:
    """A row of fsspec's."""
    found: Info = {"name": path, "size": size, "type": "directory" if kind in ("listing", "index") else "file"}
    if modified is not None:
        found["mtime"] = modified
    if media is not None:
        found["mimetype"] = media
    return found


def _name(path: str) -> str:
    """The last name of a path; as it is written if it would be a path when it is decoded."""
    path = _SLASHES.sub("", path)
    try:
        name = URL(path).name
    except URLSyntaxError:
        return path
    return path.rpartition("/")[2] if name in (".", "..") or "/" in name or "\0" in name else name


def _without_dots(url: str) -> str:
    """The same URL with the segments ``.`` and ``..`` encoded, which are a name to its scheme."""
    place = _PLACE.match(url)
    end = 0 if place is None else place.end()
    return url[:end] + _DOTS.sub(lambda found: found[0].replace(".", "%2E"), url[end:])


def _names_below(folder: str, paths: list[str], folders: set[str], asked: Any) -> list[str]:
    """The local paths of the downloads: laid out as by fsspec, but each component is safe, and each is unique.

    Args:
        folder: The local path that the caller gave; the only one that is not below it is itself.
        folders: Those paths that are folders.
        asked: The path or paths that the caller requested.
    """
    one = isinstance(asked, str)
    is_folder = trailing_sep(folder) or os.path.isdir(folder)
    magic = one and has_magic(asked)
    inside = one and (len(paths) == 1 if magic else is_folder and not trailing_sep(asked))
    laid = other_paths(paths, folder, exists=inside, flatten=not one)
    root = folder.rstrip("/")
    below = [safe_path(name[len(root) :].split("/")) for name in laid]
    # A folder takes precedence over a file of the same name, such as "a/" over "a" on the web.
    taken = {fold(name) for name in _above(below)}
    unique: list[str] = []
    for name, path in zip(below, paths, strict=True):
        if path in folders:
            unique.append(f"{root}/{name}/" if name else folder)
            continue
        name = next(other for other in candidates(name, path) if fold(other) not in taken)
        taken.add(fold(name))
        unique.append(f"{root}/{name}" if name else folder)
    return unique


def _above(paths: list[str]) -> set[str]:
    """The folders in which these paths are."""
    return {path[:end] for path in paths for end, char in enumerate(path) if char == "/"}


def _check_free(folder: str, names: list[str], force: bool) -> None:
    """Raises FileExistsError for a link, which could lead out of the folder, and without `force` for a file."""
    seen: set[str] = set()
    for name in names:
        place = folder
        for part in name[len(folder.rstrip("/")) :].strip("/").split("/"):
            place = os.path.join(place, part)
            if place in seen:
                continue
            seen.add(place)
            if os.path.islink(place):
                raise FileExistsError(errno.EEXIST, "there is a link of that name, and none is followed", place)
            if not force and os.path.lexists(place) and not os.path.isdir(place):
                raise FileExistsError(errno.EEXIST, "there is a file of that name (force=True replaces it)", place)


async def _each(steps: list[Any]) -> AsyncIterator[Any]:
    for step in steps:
        yield step
