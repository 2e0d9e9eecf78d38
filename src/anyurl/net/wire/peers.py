"""Addresses of peers: in which order they are tried, whether two are the same, and which one a socket has reached."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Sequence


def interleave(addresses: Sequence[str]) -> list[str]:
    """The first address's family first, then by turns (RFC 8305 section 4)."""
    if len(addresses) < 2:
        return list(addresses)
    first = ":" in addresses[0]
    same = [address for address in addresses if (":" in address) == first]
    other = [address for address in addresses if (":" in address) != first]
    mixed: list[str] = []
    for index in range(max(len(same), len(other))):
        mixed += same[index : index + 1] + other[index : index + 1]
    return mixed


def same_address(one: str, other: str) -> bool:
    """Whether two ways of writing an address mean the same."""
    if one == other:
        return True
    if ":" not in one or ":" not in other:
        return False
    return _ipv6_octets(one) == _ipv6_octets(other)


def peer_of(sock: socket.socket) -> tuple[str, int]:
    """The peer of a TCP socket, as `getpeername` gives it.

    Raises:
        OSError: It is not connected. For a socket that has reached itself the connection is refused: to connect to a
            port of this machine without a listener, the system may choose that very port (RFC 9293 3.5, simultaneous
            open), and the request comes back as the reply.
    """
    peer: tuple[str, int] = sock.getpeername()
    if peer == sock.getsockname():
        raise connection_refused()
    return peer


def connection_refused() -> ConnectionRefusedError:
    """The error of a system for a port without a listener."""
    return ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))


def _ipv6_octets(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
