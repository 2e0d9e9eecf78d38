"""Outgoing: how much of what was sent has reached the peer, where the system can tell.

Rule: what lies in the buffers of this machine has not moved. A peer that takes it slowly is not silent, though nothing
wakes us for hours: the buffers hold megabytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable


def unsent(descriptor: int) -> int:
    """Octets that the peer's system has not confirmed yet; 0 where nobody can say."""
    try:
        from fcntl import ioctl
        from termios import TIOCOUTQ  # of a socket, Linux means the same by it (tcp(7), SIOCOUTQ)

        return int(struct.unpack("i", ioctl(descriptor, TIOCOUTQ, bytes(4)))[0])
    except (ImportError, OSError, ValueError):
        return 0


class Outgoing:
    """What goes out on a connection, as a channel that counts.

    Args:
        sent: Octets that were given to the system, so far.
        descriptor: The socket's.
    """

    __slots__ = ("_sent", "_descriptor")

    def __init__(self, sent: Callable[[], int], descriptor: Callable[[], int]) -> None:
        self._sent = sent
        self._descriptor = descriptor

    @property
    def moved(self) -> int:
        """Octets that have arrived."""
        return self._sent() - unsent(self._descriptor())
