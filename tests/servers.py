"""Small servers that play a part: each connection runs a function in a thread of its own, on loopback and port 0.

Rule: whatever comes in is kept octet for octet; when the block ends every thread has ended, or the test fails.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 10.0
"""Seconds after which a server gives up on a client: no test may hang."""

WAIT_SECONDS = 60.0
"""Seconds in which a program that a test started must be there, and gone: a busy machine takes many where a free one
takes none."""


class Connection:
    """One connection of a `Server`, with the steps that a part is made of."""

    def __init__(self, sock: socket.socket, received: bytearray) -> None:
        self.sock = sock
        self._received = received
        self._buffer = b""

    def line(self) -> bytes:
        """The next line without its end; ``b""`` at the end of the stream."""
        return self.until(b"\n").rstrip(b"\r\n")

    def until(self, mark: bytes) -> bytes:
        """Everything to the end of the next `mark`."""
        while mark not in self._buffer:
            data = self.sock.recv(65536)
            if not data:
                rest, self._buffer = self._buffer, b""
                return rest
            self._received += data
            self._buffer += data
        found, _, self._buffer = self._buffer.partition(mark)
        return found + mark

    def head(self) -> bytes:
        """The head of an HTTP request."""
        return self.until(b"\r\n\r\n")

    def take(self, count: int) -> bytes:
        """So many octets."""
        while len(self._buffer) < count:
            data = self.sock.recv(65536)
            if not data:
                break
            self._received += data
            self._buffer += data
        found, self._buffer = self._buffer[:count], self._buffer[count:]
        return found

    def drain(self) -> bytes:
        """Everything to the end of the stream."""
        while data := self.sock.recv(65536):
            self._received += data
            self._buffer += data
        return self._buffer

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def reset(self) -> None:
        """Close so that the client sees a reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def hang_up(self) -> None:
        """Send no more, and close when the client has: a close over octets that are not read yet is a reset."""
        self.sock.shutdown(socket.SHUT_WR)
        self.wait_for_close()

    def wait_for_close(self) -> None:
        """Hold the connection until the client lets go of it."""
        with contextlib.suppress(OSError):
            while self.sock.recv(65536):
                pass


Part = Callable[[Connection], None]


_TLS_LOST = (RuntimeError,) if sys.implementation.name == "pypy" else ()
"""What PyPy 7.3.19 raises where a peer has gone while TLS writes: the error has no reason, which it wants to quote."""


class Server:
    """A listening socket whose connections play `part`.

    Attributes:
        received: What each connection got, in the order they were accepted.
    """

    def __init__(
        self, part: Part, *, host: str = "127.0.0.1", context: ssl.SSLContext | None = None, port: int = 0
    ) -> None:
        self.received: list[bytearray] = []
        self._part = part
        self._context = context
        self._family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=self._family, backlog=128)
        self._listener.setblocking(False)
        self._bell, self._bell_heard = socket.socketpair()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._over = threading.Event()
        self.host, self.port = host, int(self._listener.getsockname()[1])
        self._acceptor = threading.Thread(target=self._accept, daemon=True)

    @property
    def authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __enter__(self) -> Server:
        self._acceptor.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()
        self._bell.send(b"!")
        self._acceptor.join(PATIENCE)
        for sock in (self._listener, self._bell, self._bell_heard):
            sock.close()
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a connection's thread did not end"

    def _accept(self) -> None:
        poll = select.poll()
        for waited in (self._listener, self._bell_heard):
            poll.register(waited, select.POLLIN)
        while True:
            poll.poll()
            try:
                sock, _ = self._listener.accept()
            except OSError:  # nobody is there (any more)
                if self._over.is_set():
                    return
                continue
            self._sockets.append(sock)
            received = bytearray()
            self.received.append(received)
            thread = threading.Thread(target=self._play, args=(sock, received), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _play(self, sock: socket.socket, received: bytearray) -> None:
        sock.settimeout(PATIENCE)
        connection = Connection(sock, received)
        with contextlib.suppress(OSError, *_TLS_LOST):
            if self._context is not None:
                connection.sock = self._context.wrap_socket(sock, server_side=True)
            self._part(connection)
        connection.sock.close()


def answers(*replies: bytes) -> Part:
    """An HTTP server that gives these whole answers, one a request, on whichever connection."""
    rest = list(replies)

    def part(connection: Connection) -> None:
        while rest and connection.head():
            connection.send(rest.pop(0))
        connection.wait_for_close()

    return part


def reply(body: bytes = b"", *headers: str, status: str = "200 OK", length: bool = True) -> bytes:
    """An HTTP/1.1 answer."""
    lines = [f"HTTP/1.1 {status}", *headers, *([f"Content-Length: {len(body)}"] if length else [])]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@contextmanager
def unheard() -> Iterator[int]:
    """A port of 127.0.0.1 that refuses connections, and that nobody else on this machine is given meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        yield port


_KEPT: list[socket.socket] = []


def free_port(host: str = "127.0.0.1") -> int:
    """A port for a server that can't be told to take any.

    It is bound, and not listened at, until this process ends: a server that reuses addresses, as they do, can take it,
    and the system gives it to nobody else, neither before the server is there nor after.
    """
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind((host, 0))
    _KEPT.append(kept)
    return int(kept.getsockname()[1])


def descriptors() -> int:
    """How many file descriptors this process has open, once the servers' threads have noticed what was closed."""
    gc.collect()  # what other tests left behind is not this one's
    count, steady = len(os.listdir("/proc/self/fd")), 0
    for _ in range(100):
        time.sleep(0.005)
        now = len(os.listdir("/proc/self/fd"))
        steady = steady + 1 if now == count else 0
        count = now
        if steady == 8:
            break
    return count


def left_open(before: int) -> int:
    """How many more are open than there were: more than none only where they stay so for ten seconds."""
    gc.collect()
    until = time.monotonic() + 10
    while (more := len(os.listdir("/proc/self/fd")) - before) > 0 and time.monotonic() < until:
        time.sleep(0.005)
    return more


@contextlib.contextmanager
def certificate(folder: Path, *names: str) -> Iterator[tuple[ssl.SSLContext, Path]]:
    """A server context whose certificate is for these names, and the file of the authority that signed it."""
    import trustme

    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    path = folder / "authority.pem"
    authority.cert_pem.write_to_path(path)
    yield context, path
