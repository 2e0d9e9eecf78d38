"""Tunnel: a connection through a proxy to one of the endpoints that the policy has approved.

Rule: the proxy is judged like any other endpoint, and gets an address that was judged here, or a name only if the
policy lets proxies look names up. The result is a `Connection` like any other: higher layers see no difference.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Protocol

from anyurl.errors import AnyURLError, ConnectError
from anyurl.files.closing import close_all
from anyurl.net.loop.loop import READ, Loop
from anyurl.net.wire.channel import Connection, translate
from anyurl.net.wire.proxies.handshakes import AnotherConnection, Handshake, handshake
from anyurl.net.wire.proxies.relay import relayed
from anyurl.net.wire.proxies.table import Proxy

READ_AT_MOST = 4096
"""Most octets of a proxy's response peeked at in one go: nearly always all of it."""


class Connecting(Protocol):
    """A connection that is being made."""

    def start(self) -> None:
        """Begin. A refusal is raised at once."""
        ...

    def close(self) -> None:
        """Give up."""
        ...


class Tunnel:
    """Makes one tunnel: connects to the proxy, then does the handshake, trying the endpoints in turn.

    Args:
        places: Host and port of each acceptable endpoint: approved addresses, or a name for the proxy to look up.
        connect: Makes a connection to the proxy; its argument is called with the result.
        then: Called once, with a connection or an error; not called after `close`.
    """

    def __init__(
        self,
        loop: Loop,
        proxy: Proxy,
        places: Sequence[tuple[str, int]],
        connect: Callable[[Callable[[Connection | AnyURLError], None]], Connecting],
        then: Callable[[Connection | AnyURLError], None],
    ) -> None:
        self._loop = loop
        self._connect = connect
        self._proxy = proxy
        self._places = list(places)
        self._then: Callable[[Connection | AnyURLError], None] | None = then
        self._attempt: Connecting | None = None
        self._connection: Connection | None = None
        self._handshake: Handshake | None = None
        self._place = ("", 0)

    def start(self) -> None:
        """Begin with the next endpoint. A refusal of the proxy itself is raised at once."""
        self._place = self._places.pop(0)
        self._handshake = handshake(self._proxy, *self._place)
        self._call()

    def _call(self) -> None:
        self._attempt = self._connect(self._reached)
        self._attempt.start()

    def _reached(self, result: Connection | AnyURLError) -> None:
        self._attempt = None
        if isinstance(result, AnyURLError):
            self._finish(result)
            return
        self._connection = result
        try:
            if self._proxy.scheme == "https":
                self._connection = relayed(self._loop, result)
            assert self._handshake is not None
            self._say(self._handshake.begin())
            self._loop.watch(self._connection.fd, READ, self._hear)
        except AnyURLError as error:
            self._finish(error)

    def _say(self, data: bytes) -> None:
        """Send octets of the handshake: a few hundred, which always fit into the buffer of a new connection."""
        connection = self._connection
        assert connection is not None
        if data and connection.send(data) is not None:
            raise ConnectError(
                f"The proxy {self._proxy} does not accept the first octets of a new connection.", stage="connect"
            )

    def _hear(self, _events: int) -> None:
        connection, shake = self._connection, self._handshake
        assert connection is not None
        assert shake is not None
        try:
            if self._step(connection.sock, shake):
                self._finish(_renewed(connection, self._place))
        except AnotherConnection:
            self._again(self._call)
        except ConnectError as error:
            if self._places:  # the proxy cannot reach that address: try the next one
                self._again(self.start)
            else:
                self._finish(error)
        except AnyURLError as error:
            self._finish(error)

    def _step(self, sock: socket.socket, shake: Handshake) -> bool:
        """Read only the proxy's own octets: those after its response are the target server's."""
        data = self._receive(sock, READ_AT_MOST, socket.MSG_PEEK)
        if data is None:
            return False
        if not data:
            text = f"The proxy {self._proxy} closed the connection before it had made a tunnel."
            raise ConnectError(text, stage="connect")
        used, unsent, done = shake.feed(data)
        if used:
            self._receive(sock, used, 0)
        self._say(unsent)
        return done

    def _receive(self, sock: socket.socket, at_most: int, flags: int) -> bytes | None:
        try:
            return sock.recv(at_most, flags)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError as error:
            raise translate(error, f"Reading from the proxy {self._proxy}", stage="connect") from error

    def _again(self, call: Callable[[], None]) -> None:
        """Continue with another connection to the proxy."""
        self._drop()
        try:
            call()
        except AnyURLError as error:
            self._finish(error)

    def _finish(self, result: Connection | AnyURLError) -> None:
        then, self._then = self._then, None
        if isinstance(result, Connection) and self._connection is not None:
            self._loop.unwatch(self._connection.fd)
            self._connection = None  # the socket is still used
        self._drop()
        if then is not None:
            then(result)
        elif isinstance(result, Connection):
            result.close()

    def _drop(self) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            attempt.close()
        connection, self._connection = self._connection, None
        if connection is not None:
            self._loop.unwatch(connection.fd)
            close_all(connection)

    def close(self) -> None:
        """Give up."""
        self._then = None
        self._drop()


def _renewed(connection: Connection, place: tuple[str, int]) -> Connection:
    """The same socket as a new connection to the endpoint behind the proxy."""
    return Connection(connection.sock, place, place)
