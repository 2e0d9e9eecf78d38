"""Outgoing: how many of the sent octets have reached the peer, if the system can tell.

Rule: data in the buffers of this machine has not moved yet. A peer that reads slowly is not silent, even if the socket
does not become writable for hours: the buffers hold megabytes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

_SIOCOUTQ: Final = 0x5411  # linux/sockios.h, tcp(7)


def unsent(descriptor: int) -> int:
    """Octets that the peer's system has not acknowledged yet; 0 if the system cannot tell."""
    if sys.platform != "linux":
        return 0
    try:
        from fcntl import ioctl

        return int.from_bytes(ioctl(descriptor, _SIOCOUTQ, bytes(4)), sys.byteorder)
    except (OSError, ValueError, ImportError):  # also where no descriptor is left to load that module with
        return 0


class Outgoing:
    """The outgoing side of a connection, as a `Moving` channel.

    Args:
        sent: Returns the number of octets handed to the system so far.
        descriptor: Returns the socket's descriptor.
    """

    __slots__ = ("_sent", "_descriptor", "_most")

    def __init__(self, sent: Callable[[], int], descriptor: Callable[[], int]) -> None:
        self._sent = sent
        self._descriptor = descriptor
        self._most = 0

    @property
    def moved(self) -> int:
        """Octets that have arrived."""
        # The head of a request is in the buffer too but not in `sent`: the maximum keeps the count from going down.
        self._most = max(self._most, self._sent() - unsent(self._descriptor()))
        return self._most
