"""Closing descriptors and sockets; errors of close are ignored.

Rule: a descriptor is released even if close fails (close(2)), and data that must be on disk was already secured by
fsync. So a failing close does not make a successful operation fail.
"""

from __future__ import annotations

import os
from typing import Protocol


class Closeable(Protocol):
    """A socket, or a selector."""

    def close(self) -> None:
        """Close it."""
        ...


def close_all(*things: Closeable) -> None:
    """Close each of these."""
    for thing in things:
        try:
            thing.close()
        except OSError:
            pass


def close_descriptor(fd: int) -> None:
    """Close a descriptor of the system."""
    try:
        os.close(fd)
    except OSError:
        pass
