"""Local files: the implementation of `OpenFile`, `Commit`, `StatFile`, `OpenFolder` and `LocalName`.

Rule: only regular files are opened, and only this module opens paths from URLs. Links are followed for reading, as by
every program, but never for writing. A replacement gets the file's name when it is complete, so that no reader ever
sees a partial file (RFC 1738 2 and 3.10).
"""

from __future__ import annotations

import errno
import os
import platform
import stat
from typing import Literal

from anyurl.dialogue import FileFacts
from anyurl.errors import LocalFileError, escape
from anyurl.files.channel import (
    FileChannel,
    Replacement,
    check_regular,
    complaint,
    local_error,
)
from anyurl.files.folder import FolderChannel, facts
from anyurl.files.named import appendix, replacement
from anyurl.files.system import flags, local_path

__all__ = ["FileChannel", "FolderChannel", "local_names", "open_file", "open_listing", "stat_file"]

_BASE = flags("CLOEXEC", "NOCTTY", "NONBLOCK", "BINARY")  # never wait for a FIFO's writer, never get a terminal

Mode = Literal["read", "replace", "append"]


def octets(path: str) -> bytes:
    """The path in octets: UTF-8, with surrogates as the octets that they stand for.

    Raises:
        LocalFileError: It is not absolute, contains NUL or a lone surrogate, or on Windows is not a local file.
    """
    shown = escape(path)
    if not path.startswith("/"):
        raise complaint(errno.EINVAL, f"{shown!r} can't be opened", "the path is not absolute")
    if "\0" in path:
        raise complaint(errno.EINVAL, f"{shown!r} can't be opened", "a path can't contain NUL")
    local = local_path(path) if os.name == "nt" else path
    if local is None:
        raise complaint(
            errno.EINVAL, f"{shown!r} can't be opened", "for Windows this is not the path of a file on this machine"
        )
    try:
        return local.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise complaint(errno.EINVAL, f"{shown!r} can't be opened", "it contains a lone surrogate") from None


def open_file(path: str, mode: Mode = "read", offset: int = 0) -> FileChannel:
    """Open a regular file.

    Args:
        path: Absolute, decoded.
        mode: ``read``, ``replace`` (atomically, by `FileChannel.commit`) or ``append``.
        offset: Octet to start reading at.

    Raises:
        LocalFileError: The file does not exist, is not a regular file, or may not be opened.
    """
    raw = octets(path)
    shown = escape(path)
    try:
        if mode == "read":
            return _open_to_read(raw, shown, offset)
        return _open_to_replace(raw, shown) if mode == "replace" else _open_to_append(raw, shown)
    except OSError as error:
        if isinstance(error, LocalFileError):
            raise
        raise local_error(error, f"{'Reading' if mode == 'read' else 'Writing'} {shown}") from error


def _open_to_read(raw: bytes, shown: str, offset: int) -> FileChannel:
    what = f"Reading {shown}"
    check_regular(os.stat(raw), what)  # before opening: opening a device may already have side effects
    channel = FileChannel(os.open(raw, os.O_RDONLY | _BASE), shown)
    try:
        status = os.fstat(channel.fd)
        check_regular(status, what)
        if offset:
            channel.moved = os.lseek(channel.fd, offset, os.SEEK_SET)
    except BaseException:
        channel.close()
        raise
    channel.size = status.st_size
    channel.modified = status.st_mtime
    return channel


def _open_to_replace(raw: bytes, shown: str) -> FileChannel:
    folder_name, name = os.path.split(raw)
    if name in (b"", b".", b".."):
        raise complaint(errno.EISDIR, f"Writing {shown}", "the name is that of a directory")
    channel = replacement(folder_name, name, shown)
    try:
        channel.begin(_replaceable(channel, name, shown))
    except BaseException:
        channel.close()
        raise
    return channel


def _replaceable(channel: Replacement, name: bytes, shown: str) -> os.stat_result | None:
    """The file that has the name now, or None; a symbolic link itself is replaced, never its target."""
    try:
        old = channel.standing()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(old.st_mode):
        return None
    check_regular(old, f"Writing {shown}")
    # Renaming needs no permission on the file itself, but a user who may not write it must not replace it.
    if not channel.may_be_replaced():
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return old


def _open_to_append(raw: bytes, shown: str) -> FileChannel:
    what = f"Appending to {shown}"
    try:
        status = os.lstat(raw)
    except FileNotFoundError:
        status = None
    if status is not None:
        check_regular(status, what)
    folder_name, name = os.path.split(raw)
    channel = appendix(folder_name, name, shown)
    try:
        channel.begin()
    except BaseException:
        channel.close()
        raise
    return channel


def stat_file(path: str) -> FileFacts:
    """The metadata of one path, following links.

    Raises:
        LocalFileError: The file does not exist, or may not be accessed.
    """
    raw = octets(path)
    try:
        status = os.stat(raw)
    except OSError as error:
        raise local_error(error, f"Looking at {escape(path)}") from error
    return facts(os.path.basename(raw.rstrip(b"/")).decode("utf-8", "surrogateescape"), status)


def open_listing(path: str, limit: int) -> FolderChannel:
    """Open a directory, to list everything in it except ``.`` and ``..``.

    Args:
        limit: Most entries.

    Raises:
        LocalFileError: It is not a directory, or may not be listed.
    """
    raw = octets(path)
    try:
        return FolderChannel(raw, escape(path), limit)
    except OSError as error:
        raise local_error(error, f"Listing {escape(path)}") from error


def local_names() -> frozenset[str]:
    """The names of this machine, in lower case (RFC 8089 2: the host of a file URL), without any look-up."""
    names = {platform.node()}
    return frozenset(name.lower().removesuffix(".") for name in names if name)
