"""What files are opened by, and what is done where a system has it not.

Rule: a file is written by a descriptor of its folder and never through a link. Where there is no such thing (Windows),
files are read, and nothing is written: who reads there redirects the output.
"""

from __future__ import annotations

import os
from typing import Any

from anyurl.errors import UnsupportedError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: who would need it does not come that far
    fcntl = None

WRITES = hasattr(os, "O_NOFOLLOW") and os.open in os.supports_dir_fd
"""Whether this system has what files are written by."""


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
            "Nothing is written to files here: this system has no descriptors of folders, by which that is safe. "
            "The content can be redirected to a file."
        )


def is_own(status: os.stat_result, *, or_root: bool = False) -> bool:
    """Whether a file is this user's (or root's); always, where the owner is not told."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() or (or_root and status.st_uid == 0)


def others_may(status: os.stat_result, bits: int) -> bool:
    """Whether somebody else may do what these permission bits say; never, where they say nothing."""
    return hasattr(os, "geteuid") and bool(status.st_mode & bits)
