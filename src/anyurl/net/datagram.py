"""Datagrams: a UDP socket as the scheduler sees it; each `send` is a datagram, each `receive` gives one.

Rule: what comes from another host than the approved one does not exist. The socket is not connected, since a server may
answer from another port (Prospero's, from 191 when it was asked at 1525); what the system hears by ICMP is asked for
instead, where it can tell: a port that is closed is then known at once.
"""

from __future__ import annotations

import errno
import socket
import struct
import sys
from typing import Final

from anyurl.net.channel import WANT_READ, Connection, Want, translate
from anyurl.net.zones import Target

STRANGERS_AT_ONCE = 64
"""Datagrams of other hosts that are thrown away in one go: a flood of them must not keep the loop from its timers."""

ERRORS_AT_ONCE = 64
"""Reports of the system that are read in one go; its own buffer holds no more of them."""

# linux/in.h and linux/in6.h; the socket module has no names for them.
_IP_RECVERR: Final = 11
_IPV6_RECVERR: Final = 25


class DatagramSocket(Connection):
    """A UDP socket and the one host that it speaks with.

    Args:
        target: Where datagrams really go: the approved peer, but for tests with a smaller network.
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
            except OSError:  # a closed port is then found out by waiting
                pass

    def receive(self, at_most: int) -> bytes | Want:
        """The next datagram, at most so many octets of it; an empty one is no end."""
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
        # Only the host itself can say that a port is closed. What a router says on the way (no route, too large, too
        # many hops) may be over when the next repeat is sent.
        if errno.ECONNREFUSED in reports:
            error = ConnectionRefusedError(errno.ECONNREFUSED, "nothing listens there")
            raise translate(error, f"Reading from {self.where}", stage="transfer") from error

    def _reports(self) -> list[int | None]:
        """What the system has heard by ICMP since it was last asked; unread, it would wake the loop again and again."""
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
        except OSError:  # perhaps what became of an earlier datagram: it is told once
            return self._udp.sendto(self._unsent, self._target)


def _place(family: int, of: Target) -> tuple[bytes, int]:
    """The octets of an address, and its zone: another link has the same addresses."""
    return socket.inet_pton(family, of[0].partition("%")[0]), of[3] if len(of) == 4 else 0
