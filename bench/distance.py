"""A server at a distance: each packet to it and from it takes time, in both directions and for all connections alike.

Rule: kernels without ``sch_netem`` can't delay packets, so a process does: it holds each one back between two network
namespaces, which are joined by nothing else. This process is root of a network namespace of its own: ``unshare -rn``.
"""

from __future__ import annotations

import array
import fcntl
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

HERE, THERE = "10.71.0.1", "10.71.0.2"
"""The addresses of this end, and of the server's."""

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
"""See linux/if_tun.h: an interface whose packets a process reads and writes, without a head of its own."""

MOST_OCTETS = 65536


@contextmanager
def far_away(command: list[str], seconds: float) -> Iterator[None]:
    """Run a server at `THERE`; a round trip to it takes this time.

    Args:
        command: The server.
        seconds: The time of a round trip.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = [sys.executable, __file__, str(theirs.fileno()), *command]
        server = subprocess.Popen(["unshare", "-n", *child], pass_fds=[theirs.fileno()])
        theirs.close()
        _, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4))
    far = array.array("i", ancillary[0][2])[0]
    near = _interface(HERE, THERE)
    courier = os.fork()
    if not courier:
        try:
            _carry(near, far, seconds / 2)
        finally:
            os._exit(1)
    os.close(far)
    try:
        yield
    finally:
        server.terminate()
        server.wait()
        os.kill(courier, signal.SIGTERM)
        os.waitpid(courier, 0)
        os.close(near)


def _interface(here: str, there: str) -> int:
    """The packets that are sent to the other end, as a descriptor."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", b"far0", IFF_TUN | IFF_NO_PI))
    for words in (f"addr add {here} peer {there} dev far0", "link set far0 up txqueuelen 10000", "link set lo up"):
        subprocess.run(["ip", *words.split()], check=True)
    return fd


def _carry(near: int, far: int, seconds: float) -> None:
    """Carry packets both ways, each `seconds` after it came; all take the same time, so they come in order."""
    under_way: deque[tuple[float, int, bytes]] = deque()
    selector = selectors.SelectSelector()  # epoll counts whole milliseconds
    selector.register(near, selectors.EVENT_READ, far)
    selector.register(far, selectors.EVENT_READ, near)
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        for key, _ in selector.select(wait):
            try:
                while True:
                    under_way.append((time.monotonic() + seconds, key.data, os.read(key.fd, MOST_OCTETS)))
            except BlockingIOError:
                pass
        while under_way and under_way[0][0] <= time.monotonic():
            _, to, packet = under_way.popleft()
            os.write(to, packet)


def main() -> None:
    """The other end: pass on what is sent to it, and become the server."""
    passed = socket.socket(fileno=int(sys.argv[1]))
    fd = _interface(THERE, HERE)
    passed.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    passed.close()
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
