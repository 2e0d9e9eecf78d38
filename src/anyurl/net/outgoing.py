"""Outgoing: how much of what was sent has reached the peer, where the system can tell.

Rule: what lies in the buffers of this machine has not moved. A peer that takes it slowly is not silent, though nothing
wakes us for hours: the buffers hold megabytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

_SIOCOUTQ: Final = 0x5411  # linux/sockios.h, tcp(7)


def unsent(descriptor: int) -> int:
    """Octets that the peer's system has not confirmed yet; 0 where nobody can say."""
    if sys.platform != "linux":
        return 0
    from fcntl import ioctl

    try:
        return int.from_bytes(ioctl(descriptor, _SIOCOUTQ, bytes(4)), sys.byteorder)
    except (OSError, ValueError):
        return 0


class Outgoing:
    """What goes out on a connection, as a channel that counts.

    Args:
        sent: Octets that were given to the system, so far.
        descriptor: The socket's.
    """

    __slots__ = ("_sent", "_descriptor", "_most")

    def __init__(self, sent: Callable[[], int], descriptor: Callable[[], int]) -> None:
        self._sent = sent
        self._descriptor = descriptor
        self._most = 0

    @property
    def moved(self) -> int:
        """Octets that have arrived."""
        # The head of a request lies in the buffer too, and is not counted: nothing ever moves back.
        self._most = max(self._most, self._sent() - unsent(self._descriptor()))
        return self._most
