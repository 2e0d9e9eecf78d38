"""A network of its own: every address of the Internet, public and private, is this process's, and no packet leaves it.

Rule: it is made before the process has a second thread, by the system's calls and no program: nothing has to be
installed. `untrusted` refuses loopback, so that loopback alone proves nothing; here ``93.184.216.34`` answers.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1
_RTM_NEWROUTE, _NLM_F_REQUEST, _NLM_F_ACK, _NLM_F_CREATE = 24, 1, 4, 0x400
_TABLE_LOCAL, _SCOPE_HOST, _TYPE_LOCAL, _PROTOCOL_BOOT = 255, 254, 2, 3
_ATTRIBUTE_OIF = 4
_NLMSG_ERROR = 2


class NotPermitted(Exception):
    """This system lets nobody have a network of their own."""


def enter() -> None:
    """Move this process into a new network where each address leads to itself.

    Raises:
        NotPermitted: The system does not let it.
    """
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET):
        raise NotPermitted(f"unshare: {os.strerror(ctypes.get_errno())}")
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
        _raise_loopback()
        for family in (socket.AF_INET, socket.AF_INET6):
            _own_every_address(family)
    except OSError as error:
        raise NotPermitted(str(error)) from error


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(sock, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))


def _own_every_address(family: int) -> None:
    """``ip route add local 0.0.0.0/0 dev lo``, and the same for IPv6 (rtnetlink(7))."""
    route = struct.pack("BBBBBBBBI", family, 0, 0, 0, _TABLE_LOCAL, _PROTOCOL_BOOT, _SCOPE_HOST, _TYPE_LOCAL, 0)
    attribute = struct.pack("HHI", 8, _ATTRIBUTE_OIF, socket.if_nametoindex("lo"))
    flags = _NLM_F_REQUEST | _NLM_F_ACK | _NLM_F_CREATE
    message = struct.pack("IHHII", 16 + len(route) + len(attribute), _RTM_NEWROUTE, flags, 1, 0) + route + attribute
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.send(message)
        kind, number = struct.unpack_from("H", answer := sock.recv(4096), 4)[0], struct.unpack_from("i", answer, 16)[0]
    if kind == _NLMSG_ERROR and number:
        raise OSError(-number, os.strerror(-number))
