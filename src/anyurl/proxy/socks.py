"""SOCKS version 5, server side (RFC 1928, and the login of RFC 1929).

Rule: octets in, values out. Only CONNECT is supported; names are looked up by the proxy, and a literal address is
judged like the address of a name.
"""

from __future__ import annotations

import socket

from anyurl.errors import RemoteProtocolError
from anyurl.values import Value

VERSION = 5
LOGIN_VERSION = 1
NO_LOGIN, LOGIN, NO_METHOD = 0, 2, 255
CONNECT = 1
ADDRESS_4, NAME, ADDRESS_6 = 1, 3, 4

DONE, FAILED, NOT_ALLOWED, UNREACHABLE, REFUSED, TIMED_OUT, NOT_SUPPORTED, NO_SUCH_TYPE = 0, 1, 2, 4, 5, 6, 7, 8
"""Replies (RFC 1928 6)."""


class SocksRequest(Value):
    """The target that a request names.

    Attributes:
        command: 1 is CONNECT; others are not supported.
        host: A name or an address.
        port: Its port.
    """

    command: int
    host: str
    port: int


def methods(greeting: bytes) -> frozenset[int]:
    """The ways to log in that a client offers (RFC 1928 3). Raises RemoteProtocolError."""
    if len(greeting) < 3 or greeting[0] != VERSION or len(greeting) != 2 + greeting[1]:
        raise RemoteProtocolError("A client of SOCKS begins with 5 and the login methods that it supports.")
    return frozenset(greeting[2:])


def login(octets: bytes) -> tuple[bytes, bytes]:
    """User and password (RFC 1929 2). Raises RemoteProtocolError."""
    user_end = 2 + octets[1] if len(octets) > 1 else 0
    if len(octets) < 5 or octets[0] != LOGIN_VERSION or len(octets) <= user_end:
        raise RemoteProtocolError("A login of SOCKS consists of 1, a user and a password, each with its length.")
    if len(octets) != user_end + 1 + octets[user_end]:
        raise RemoteProtocolError("A login of SOCKS must have the lengths that it declares.")
    return octets[2:user_end], octets[user_end + 1 :]


def place(octets: bytes) -> SocksRequest:
    """The target that a request names (RFC 1928 4). Raises RemoteProtocolError."""
    if len(octets) < 7 or octets[0] != VERSION or octets[2] != 0:
        raise RemoteProtocolError("A request of SOCKS consists of 5, a command, 0, an address and a port.")
    kind, address = octets[3], octets[4:-2]
    if kind == ADDRESS_4 and len(address) == 4:
        host = socket.inet_ntop(socket.AF_INET, address)
    elif kind == ADDRESS_6 and len(address) == 16:
        host = socket.inet_ntop(socket.AF_INET6, address)
    elif kind == NAME and len(address) == 1 + address[0] > 1 and address[1:].isascii():
        host = address[1:].decode("ascii")
    else:
        raise RemoteProtocolError("An address of SOCKS is 4 octets, 16, or a name with its length.")
    return SocksRequest(octets[1], host, int.from_bytes(octets[-2:], "big"))


def rest_of(first: bytes) -> int:
    """The number of octets of a request after the first five, which determine it (RFC 1928 5)."""
    kind = first[3]
    if kind == NAME:
        return first[4] + 2
    if kind in (ADDRESS_4, ADDRESS_6):
        return 5 if kind == ADDRESS_4 else 17
    raise RemoteProtocolError("An address of SOCKS is of type 1, 3 or 4.")


def reply(code: int) -> bytes:
    """The reply to a request; the bound address is not disclosed (0.0.0.0, port 0), as in most servers."""
    return bytes((VERSION, code, 0, ADDRESS_4)) + bytes(6)
