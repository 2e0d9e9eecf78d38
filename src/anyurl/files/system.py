"""System-dependent parts of opening files, and substitutes for missing features.

Rule: files are written by a descriptor of their folder and never through a link. Where that is impossible (Windows),
single files are replaced or appended to by path (`anyurl.files.named`), and features that need more are refused.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from typing import Any

from anyurl.errors import UnsupportedError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows, where it is never needed
    fcntl = None

WRITES = hasattr(os, "O_NOFOLLOW") and os.open in os.supports_dir_fd
"""Whether this system can open files relative to the descriptor of a folder, without following links."""

DEVICES = frozenset({"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}) | {
    f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789¹²³"
}
"""Names of devices that Windows opens in any directory and with any suffix."""

NOT_IN_NAMES = re.compile(r'[\0-\x1f"*/:<>?\\|]')
"""On Windows ``\\`` is a separator too, and ``:`` begins the name of a stream."""


ON_PYPY = sys.implementation.name == "pypy"
"""PyPy's `os.link` never follows links, and treats `follow_symlinks=True` as that behaviour."""


def flags(*names: str) -> int:
    """The given flags of open(2), named without ``O_``, as far as this system has them (Windows lacks some)."""
    found = 0
    for name in names:
        found |= getattr(os, f"O_{name}", 0)
    return found


def octets_of(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> bytes:
    """A path in octets; one that the encoding of the system can't hold (LC_ALL=C) in UTF-8, as those of file URLs."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return str(os.fspath(path)).encode("utf-8", "surrogateescape")  # its octets from a shell stay unchanged


def check_writes() -> None:
    """Raise UnsupportedError if files cannot be written by descriptors of folders."""
    if not WRITES:
        raise UnsupportedError(
            "This is not possible here: it needs folder descriptors, which this system lacks. A complete file can be "
            "saved under a new name."
        )


def date(file: int | bytes, modified: float | None) -> bool:
    """Set the time of a file; False on failure: the file is kept even if the file system cannot store its time.

    Args:
        file: A descriptor, or a path.
        modified: Seconds since the epoch; None for the time of writing, which it has already.
    """
    if modified is not None and (isinstance(file, bytes) or os.utime in os.supports_fd):
        try:
            os.utime(file, ns=(time.time_ns(), int(modified * 1_000_000_000)))
        except (OSError, OverflowError, ValueError):
            return False
    return True


def read_at(fd: int, count: int, place: int) -> bytes:
    """As os.pread; on systems without it, this moves the offset of the descriptor."""
    if hasattr(os, "pread"):
        return os.pread(fd, count, place)
    os.lseek(fd, place, os.SEEK_SET)
    return os.read(fd, count)


def is_own(status: os.stat_result, *, or_root: bool = False) -> bool:
    """Whether a file belongs to this user (or root); True on systems without owners."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() or (or_root and status.st_uid == 0)


def others_may(status: os.stat_result, bits: int) -> bool:
    """Whether other users have these permissions; False on systems where the bits mean nothing."""
    return hasattr(os, "geteuid") and bool(status.st_mode & bits)


def is_device(name: str) -> bool:
    """Whether Windows would open a device by that name, such as "nul.txt" and "nul:"."""
    return name.partition(".")[0].partition(":")[0].rstrip(" ").lower() in DEVICES


def is_plain_name(name: str) -> bool:
    """Whether Windows uses a name unchanged: it drops final dots and spaces, and "x:y" is a stream of the file x."""
    return not (NOT_IN_NAMES.search(name) or name.endswith((".", " ")) or is_device(name))


def local_path(path: str) -> str | None:
    """A URL's path in the form of Windows, beginning with the drive letter (RFC 8089 E.2).

    None if it is not a local file: a share, a device, a stream, or a file with another name. Attack: opening
    ``//host/share`` sends that host the name of the user and a proof of their password.
    """
    has_drive = path[1:2].isascii() and path[1:2].isalpha() and path[2:4] in (":", ":/")
    rest = path[3:] if has_drive else path
    if rest.startswith("//") or not all(name in ("", ".", "..") or is_plain_name(name) for name in rest.split("/")):
        return None
    return path[1:] if has_drive else path


def inherit(fd: int, old: os.stat_result) -> int:
    """Give a new file the owner of the old one, if possible; the mode that it may then have."""
    mode = stat.S_IMODE(old.st_mode) & 0o777  # never set-user-id: that was granted to the old content
    for owner, group in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        try:
            os.fchown(fd, owner, group)
        except PermissionError:  # only root may give files away
            continue
        return mode
    # The group differs: it gets only the permissions of others.
    return mode & 0o707 | mode & (mode & 0o007) << 3
