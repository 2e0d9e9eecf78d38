"""OwnedSocket: a socket on its way to libcurl, and who is at its other end.

Rule: libcurl tells the address that it wanted; what it is compared with is what the socket itself says.
"""

from __future__ import annotations

import socket

from anyurl.net.closing import close_all


class OwnedSocket:
    """A socket that was given to libcurl, which takes a duplicate of its descriptor; ours is closed with this."""

    __slots__ = ("_sock",)

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        """What libcurl duplicates."""
        return self._sock.fileno()

    def peer(self) -> str | None:
        """The address at the other end, or None while there is none."""
        try:
            return str(self._sock.getpeername()[0])
        except OSError:
            return None

    def __del__(self) -> None:
        sock = getattr(self, "_sock", None)  # Ctrl-C may have come before there was one
        if sock is not None:
            close_all(sock)


def packed(address: str) -> bytes:
    """An address in octets, so that two ways of writing it are the same."""
    plain = address.partition("%")[0]
    return socket.inet_pton(socket.AF_INET6 if ":" in plain else socket.AF_INET, plain)
