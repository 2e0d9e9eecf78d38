"""Namespaces of Linux in which a program reaches no network but its own loopback (unshare(2), user_namespaces(7)).

Rule: no privilege is needed, and none is gained: the caller's own user and group are mapped, nothing else. Only the
network is cut off: files, Unix sockets with a path and other processes stay as they are.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import sys
from collections.abc import Callable

CLONE_NEWUSER, CLONE_NEWNET = 0x1000_0000, 0x4000_0000
"""linux/sched.h"""

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
"""linux/sockios.h and linux/if.h"""


_NOT_LET = (
    "it lets this user make none (kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, or "
    "the seccomp profile of a container)"
)
_NO_MORE = "it makes no more of them (user.max_user_namespaces)"
_UNKNOWN = "it was built without them"

REFUSALS = {
    errno.EPERM: _NOT_LET, errno.EACCES: _NOT_LET, errno.ENOSPC: _NO_MORE, errno.EUSERS: _NO_MORE,
    errno.EINVAL: _UNKNOWN, errno.ENOSYS: _UNKNOWN,
}  # fmt: skip
"""Why a kernel refuses namespaces, by the number of the error (unshare(2), user_namespaces(7))."""


def can_confine() -> bool:
    """Whether this system has such namespaces; its kernel may still refuse them."""
    try:  # here, since the process that leaves is a fork, which had better find them loaded
        import ctypes  # noqa: F401
        import fcntl  # noqa: F401
    except ImportError:  # Windows has no fcntl
        return False
    return sys.platform == "linux"


def leave_network() -> None:
    """Move this process, which must have one thread, to its own user and network namespaces.

    Its loopback is up afterwards. There is no way back: the network outside belongs to a user namespace in which the
    process has no capability.

    Raises:
        OSError: The kernel refuses it.
    """
    user, group = os.getuid(), os.getgid()
    _unshare()(CLONE_NEWUSER | CLONE_NEWNET)
    # An ordinary user may map groups only after setgroups(2) is given up (user_namespaces(7), CVE-2014-8989).
    _write("setgroups", "deny")
    _write("uid_map", f"{user} {user} 1")
    _write("gid_map", f"{group} {group} 1")
    _raise_loopback()


def _unshare() -> Callable[[int], object]:
    if sys.version_info >= (3, 12):
        return os.unshare
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)

    def unshare(flags: int) -> None:
        if library.unshare(flags):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return unshare


def _write(name: str, text: str) -> None:
    # In one write, as the kernel wants it.
    number = os.open(f"/proc/self/{name}", os.O_WRONLY)
    try:
        os.write(number, text.encode("ascii"))
    finally:
        os.close(number)


def _raise_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
