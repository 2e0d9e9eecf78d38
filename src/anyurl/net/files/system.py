"""What files are opened by, and what is done where a system has it not.

Rule: a file is written by a descriptor of its folder and never through a link. Where there is no such thing (Windows),
one file is replaced, or grows, by its path (`anyurl.net.files.named`), and what needs more is not done.
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
except ImportError:  # Windows: who would need it does not come that far
    fcntl = None

WRITES = hasattr(os, "O_NOFOLLOW") and os.open in os.supports_dir_fd
"""Whether this system has what files are written by."""

DEVICES = frozenset({"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}) | {
    f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789¹²³"
}
"""Windows opens these devices by name, in any directory and with any suffix."""

NOT_IN_NAMES = re.compile(r'[\0-\x1f"*/:<>?\\|]')
"""Windows parts names by ``\\`` too, and ``:`` begins the name of a stream."""


ON_PYPY = sys.implementation.name == "pypy"
"""Its `os.link` follows no link, and takes that to be said by `follow_symlinks=True`."""


def flags(*names: str) -> int:
    """Those flags of open(2), without ``O_``, that this system has: Windows waits for no FIFO, and has no terminals."""
    found = 0
    for name in names:
        found |= getattr(os, f"O_{name}", 0)
    return found


def check_writes() -> None:
    """Raise UnsupportedError where files can't be written by their folders."""
    if not WRITES:
        raise UnsupportedError(
            "This is not done here: it needs folder descriptors, which this system lacks. A complete file can be "
            "saved under a new name."
        )


def date(file: int | bytes, modified: float | None) -> bool:
    """Give a file its time; whether it has it: one that the file system can't hold is no reason to lose the file.

    Args:
        file: A descriptor, or a path.
        modified: Seconds since the epoch; None for the moment of writing, which it has already.
    """
    if modified is not None and (isinstance(file, bytes) or os.utime in os.supports_fd):
        try:
            os.utime(file, ns=(time.time_ns(), int(modified * 1_000_000_000)))
        except (OSError, OverflowError, ValueError):
            return False
    return True


def read_at(fd: int, count: int, place: int) -> bytes:
    """As os.pread; where that is not, the place where the descriptor stands is moved."""
    if hasattr(os, "pread"):
        return os.pread(fd, count, place)
    os.lseek(fd, place, os.SEEK_SET)
    return os.read(fd, count)


def is_own(status: os.stat_result, *, or_root: bool = False) -> bool:
    """Whether a file is this user's (or root's); always, where the owner is not told."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() or (or_root and status.st_uid == 0)


def others_may(status: os.stat_result, bits: int) -> bool:
    """Whether somebody else may do what these permission bits say; never, where they say nothing."""
    return hasattr(os, "geteuid") and bool(status.st_mode & bits)


def is_device(name: str) -> bool:
    """Whether Windows opens a device by that name: "nul.txt" and "nul:" too."""
    return name.partition(".")[0].partition(":")[0].rstrip(" ").lower() in DEVICES


def is_plain_name(name: str) -> bool:
    """Whether Windows takes a name as it is: it drops final dots and spaces, and "x:y" is a stream of the file x."""
    return not (NOT_IN_NAMES.search(name) or name.endswith((".", " ")) or is_device(name))


def local_path(path: str) -> str | None:
    """A URL's path as Windows has it: the drive letter stands first (RFC 8089 E.2).

    None where it would be no file of this machine: a share, a device, a stream, or a file of another name. Attack: who
    opens ``//host/share`` tells that host the name of the user, and what proves their password.
    """
    has_drive = path[1:2].isascii() and path[1:2].isalpha() and path[2:4] in (":", ":/")
    rest = path[3:] if has_drive else path
    if rest.startswith("//") or not all(name in ("", ".", "..") or is_plain_name(name) for name in rest.split("/")):
        return None
    return path[1:] if has_drive else path


def inherit(fd: int, old: os.stat_result) -> int:
    """Give a new file its predecessor's owner where that is possible; the mode that it may then have."""
    mode = stat.S_IMODE(old.st_mode) & 0o777  # never set-user-id: that was said of the old content
    for owner, group in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        try:
            os.fchown(fd, owner, group)
        except PermissionError:  # only root may give files away
            continue
        return mode
    # The group is another one: it gets no more than everybody has.
    return mode & 0o707 | mode & (mode & 0o007) << 3
