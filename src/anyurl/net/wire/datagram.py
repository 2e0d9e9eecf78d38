"""Datagrams: a UDP socket with the interface of a connection; each `send` sends a datagram, each `receive` returns one.

Rule: datagrams from any host but the approved one are ignored. The socket is not connected, since a server may answer
from another port (Prospero's answers from 191 when asked at 1525); ICMP errors are read from the socket's error queue
instead, on systems that have one, so that a closed port is noticed at once.
"""

from __future__ import annotations

import errno
import socket
import struct
import sys
from typing import Final

from anyurl.net.wire.channel import WANT_READ, Connection, Want, translate
from anyurl.net.wire.zones import Target

STRANGERS_AT_ONCE = 64
"""Most datagrams of other hosts discarded in one call: a flood of them must not keep the loop from its timers."""

ERRORS_AT_ONCE = 64
"""Most ICMP errors read in one call; the system's buffer holds no more."""

# linux/in.h and linux/in6.h; the socket module has no names for them.
_IP_RECVERR: Final = 11
_IPV6_RECVERR: Final = 25


class DatagramSocket(Connection):
    """A UDP socket and the one host that it talks to.

    Args:
        target: Where datagrams really go: the approved peer, except in tests with a smaller network.
    """

    __slots__ = ("_udp", "_target", "_host")

    def __init__(self, sock: socket.socket, endpoint: tuple[str, int], peer: tuple[str, int], target: Target) -> None:
        super().__init__(sock, endpoint, peer)
        self._udp = sock  # which never becomes an `ssl.SSLSocket`
        self._target = target
        self._host = _place(sock.family, target)
        if sys.platform == "linux":
            try:
                if sock.family == socket.AF_INET6:
                    sock.setsockopt(socket.IPPROTO_IPV6, _IPV6_RECVERR, 1)
                else:
                    sock.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
            except OSError:  # a closed port is then noticed only by the timeout
                pass

    def receive(self, at_most: int) -> bytes | Want:
        """The next datagram, at most `at_most` octets of it; an empty datagram does not mean the end."""
        for _ in range(STRANGERS_AT_ONCE):
            try:
                data, sender = self._udp.recvfrom(at_most)
            except (BlockingIOError, InterruptedError):
                self._raise_if_refused(self._reports())
                return WANT_READ
            except OSError as error:
                self._raise_if_refused([error.errno, *self._reports()])
                continue
            if _place(self._udp.family, sender) == self._host:
                self.received += len(data)
                return data
        return WANT_READ

    def _raise_if_refused(self, reports: list[int | None]) -> None:
        # Only the host itself reports a closed port. Errors of routers on the path (no route, too large, too many hops)
        # may be gone when the request is repeated.
        if errno.ECONNREFUSED in reports:
            error = ConnectionRefusedError(errno.ECONNREFUSED, "nothing listens there")
            raise translate(error, f"Reading from {self.where}", stage="transfer") from error

    def _reports(self) -> list[int | None]:
        """The ICMP errors since the last call; left unread, they would wake the loop again and again."""
        found: list[int | None] = []
        if sys.platform == "linux":
            for _ in range(ERRORS_AT_ONCE):
                try:
                    _data, ancillary, _flags, _to = self._udp.recvmsg(1, 512, socket.MSG_ERRQUEUE)
                except OSError:
                    break
                found += [struct.unpack_from("=I", data)[0] for _level, _kind, data in ancillary if len(data) >= 4]
        return found

    def _send_once(self) -> int:
        try:
            return self._udp.sendto(self._unsent, self._target)
        except ConnectionRefusedError:
            raise
        except BlockingIOError:
            raise
        except OSError:  # may be the error of an earlier datagram, which is reported once
            return self._udp.sendto(self._unsent, self._target)


def _place(family: int, of: Target) -> tuple[bytes, int]:
    """The octets of an address and its zone: other links use the same addresses."""
    return socket.inet_pton(family, of[0].partition("%")[0]), of[3] if len(of) == 4 else 0
