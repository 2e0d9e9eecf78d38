"""OwnedSocket: a socket passed to libcurl, and the address of its peer.

Rule: libcurl reports the address that it requested; the address that is compared comes from the socket itself.
"""

from __future__ import annotations

import socket

from anyurl.files.closing import close_all
from anyurl.net.wire.peers import peer_of


class OwnedSocket:
    """A socket passed to libcurl, which duplicates its descriptor; the original is closed with this object."""

    __slots__ = ("_sock",)

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        """The descriptor that libcurl duplicates."""
        return self._sock.fileno()

    def peer(self) -> str | None:
        """The address of the peer, or None while it is not connected."""
        try:
            return str(self._sock.getpeername()[0])
        except OSError:
            return None

    def has_reached_itself(self) -> bool:
        """Whether its peer is the socket itself (`peer_of`)."""
        try:
            peer_of(self._sock)
        except OSError as error:
            return isinstance(error, ConnectionRefusedError)
        return False

    def __del__(self) -> None:
        sock = getattr(self, "_sock", None)  # Ctrl-C may interrupt before it is set
        if sock is not None:
            close_all(sock)


def packed(address: str) -> bytes:
    """An address as octets, so that different spellings compare equal."""
    plain = address.partition("%")[0]
    return socket.inet_pton(socket.AF_INET6 if ":" in plain else socket.AF_INET, plain)
