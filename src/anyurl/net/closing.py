"""Closing descriptors and sockets, whatever the system says to it.

Rule: a descriptor is gone after close even when close fails (close(2)), and it fails late: what has to be on the disk
was made sure of by fsync before. So nothing that was done well is undone by it.
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
