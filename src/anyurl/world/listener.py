"""A TCP server on loopback: one thread for each connection, and none of them left when it is closed.

`SchemeListener` is one for the server of a scheme, which does no I/O itself.

Rule: the address is 127.0.0.1, so that no other machine can connect, unless the user names another one for their own
folder. The system chooses the port, except where a person has to type it.
"""

from __future__ import annotations

import contextlib
import itertools
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TypeAlias

from anyurl.schemes.kit.server import WireServer
from anyurl.url import URL

HOST = "127.0.0.1"

MAX_CONNECTIONS = 256
"""Connections served at once: far above what a demo or a test opens, far below the usual 1,024 descriptors."""

JOIN_SECONDS = 5.0
"""How long `close` waits for a thread whose socket is already shut down."""

IDLE_SECONDS = 60.0
"""How long a client may send nothing."""

PIECE = 64 * 1024
"""Octets that are received at once."""

LINGER_SECONDS = 1.0
"""How long to wait for the end of the client's data, once the server has sent everything."""

Serve: TypeAlias = Callable[[socket.socket], None]


class Listener:
    """Accepts connections until it is closed.

    Args:
        serve: Called in a new thread for each connection; the socket is closed after it.
        name: The name of the threads.
        port: The port to listen on; the system chooses if 0.
        address: The address to listen on.

    Raises:
        OSError: The port is taken, or the address is not this machine's.
    """

    def __init__(self, serve: Serve, name: str, port: int = 0, address: str = HOST) -> None:
        self._serve = serve
        self._name = name
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self._ending: list[threading.Thread] = []
        self._closed = False
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.create_server((address, port), family=family, backlog=128)
        self.port: int = self._socket.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        # Here and not in the thread, so that a test that counts descriptors after the start counts all of them.
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._accept, name=f"world {name}", daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with self._selector:
            while True:
                ready = [key.fileobj for key, _ in self._selector.select()]
                if self._woken in ready:
                    return
                with contextlib.suppress(OSError):  # the client had already gone
                    self._begin(self._socket.accept()[0])

    def _begin(self, connection: socket.socket) -> None:
        thread = threading.Thread(target=self._run, args=(connection,), name=f"world {self._name} peer", daemon=True)
        with self._lock:
            full = self._closed or len(self._open) >= MAX_CONNECTIONS
            if not full:
                self._open[thread] = connection
            ending, self._ending = self._ending, []
        for ended in ending:
            ended.join()
        if full:
            connection.close()
        else:
            thread.start()

    def _run(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(OSError):  # the peer went away, or close() hung up
                self._serve(connection)
                _see_off(connection)
        finally:
            # Out of the table first: close() must never shut down a descriptor number that has been reused by now.
            with self._lock:
                del self._open[threading.current_thread()]
                self._ending.append(threading.current_thread())
            connection.close()

    def close(self) -> None:
        """Hang up on everybody; when it returns, no socket and no thread of this server is left."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._wake.send(b".")
        self._thread.join()
        for end in (self._socket, self._wake, self._woken):
            end.close()
        with self._lock:
            threads = [*self._open, *self._ending]
            for connection in self._open.values():
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(JOIN_SECONDS)


def _see_off(connection: socket.socket) -> None:
    """Wait until the client has nothing more to say.

    A socket that is closed with unread octets resets the connection, and the last answer is lost with it (RFC 1122,
    section 4.2.2.13).
    """
    connection.shutdown(socket.SHUT_WR)
    end = time.monotonic() + LINGER_SECONDS
    while (left := end - time.monotonic()) > 0:
        connection.settimeout(left)
        if not connection.recv(65536):
            return


class SchemeListener(Listener):
    """A server of a scheme on a port of loopback; the world starts it (`anyurl.world.world.Server`).

    Args:
        make: Makes the server, from the port.
        name: The name of the threads.
        port: The port to listen on; the system chooses if 0.
        root: The URL of its top folder, with ``{}`` for host and port.
        urls: For each scheme that it serves, the URL that the demo gets, in the same form.
        idle: Seconds that a client may send nothing.
        wrap: Speaks TLS on a connection.

    Raises:
        OSError: The port is taken.
    """

    def __init__(
        self,
        make: Callable[[int], WireServer],
        name: str,
        port: int,
        root: str,
        urls: Mapping[str, str],
        *,
        idle: float = IDLE_SECONDS,
        wrap: Callable[[socket.socket], AbstractContextManager[socket.socket]] = contextlib.nullcontext,
    ) -> None:
        self._links = itertools.count(1)
        self._idle = idle
        self._wrap = wrap
        self._turn = threading.Lock()  # one connection at a time, and none before there is a server
        with self._turn:
            super().__init__(self._converse, name, port)
            self._server = make(self.port)
        self.root = URL(root.format(f"{HOST}:{self.port}"))
        self.urls = {scheme: URL(url.format(f"{HOST}:{self.port}")) for scheme, url in urls.items()}

    def _converse(self, connection: socket.socket) -> None:
        connection.settimeout(self._idle)  # which a handshake of TLS must keep, too
        # Commands that arrived together get small replies each: none may wait until the one before is acknowledged.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ssl.SSLError), self._wrap(connection) as wrapped:
            self._exchange(wrapped, next(self._links))

    def _exchange(self, connection: socket.socket, link: int) -> None:
        try:
            with self._turn:
                self._server.begin(link)
            while True:
                while (answer := self._step(link)) is not None:
                    connection.sendall(answer)
                if not self._server.is_open(link):
                    return
                data = connection.recv(PIECE)
                with self._turn:
                    self._server.feed(link, data)
        finally:
            with self._turn:
                self._server.drop(link)

    def _step(self, link: int) -> bytes | None:
        with self._turn:  # and not while an answer is sent, which its client may be slow to read
            return self._server.step(link)
