"""Connections for protocols of other programs, with the same look-up and checks as anyurl's own connections.

Rule: each call makes one connection, with the same connector that the schemes use; nothing is cached and nothing is
sent. The result belongs to the caller: a blocking socket, or the two streams of asyncio.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from typing import TypeGuard

from anyurl.errors import AnyURLError, TransferTimeout
from anyurl.files.closing import close_all
from anyurl.guard.policy import Policy
from anyurl.net.loop.loop import Loop
from anyurl.net.wire.attempt import ConnectAttempt
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.connector import Connector, Network, Transport
from anyurl.net.wire.resolver import LookUpResult, Query
from anyurl.net.wire.tls import TLSConfig
from anyurl.net.wire.zones import Target
from anyurl.url.arguments import checked, holds_several, named
from anyurl.values import USER, Provenance

SocketOption = tuple[int, int, int | bytes]
"""Arguments of `socket.setsockopt`: level, name, value."""


def _are_options(given: object) -> TypeGuard[tuple[SocketOption, ...]]:
    kinds = (int, int, int | bytes)
    return isinstance(given, tuple) and all(
        isinstance(each, tuple) and len(each) == 3 and all(map(isinstance, each, kinds)) for each in given
    )


def _is_place(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and all(map(isinstance, given, (str, int)))


def connect(
    host: str,
    port: int,
    *,
    scheme: str,
    policy: Policy,
    came_from: Provenance = USER,
    timeout: float | None = None,
    local_address: tuple[str, int] | None = None,
    socket_options: Iterable[SocketOption] = (),
) -> socket.socket:
    """Open a TCP connection to a host, under the policy.

    The name is looked up once, all its addresses are judged, the connection is made to one of them, and the address
    that answered is compared with it. The socket is blocking; TLS is up to the caller.

    Args:
        host: A name or an address, without brackets.
        scheme: The protocol that will be spoken; it decides which ports count as its own (`Policy.judge_port`).
        came_from: Who named the host.
        timeout: Seconds for the whole call; never longer than the policy's ``limits.connect``.
        local_address: The local end of the connection, as for `socket.bind`.
        socket_options: Set before connecting.

    Raises:
        RefusedError: The policy refuses the host, the port, or one of the addresses; nothing was connected to.
        ConnectError: The name has no address, or no address answers.
        TransferTimeout: It took too long.
    """
    dialler = Dialler(policy, local_address, socket_options)
    try:
        dialler.start(host, port, scheme, came_from, timeout)
        while not dialler.done:
            dialler.loop.turn()
        return dialler.take()
    finally:
        dialler.close()


def resolve(
    host: str, port: int, *, scheme: str, policy: Policy, came_from: Provenance = USER, timeout: float | None = None
) -> Sequence[str]:
    """The addresses of a host, all allowed by the policy: for libraries that have to connect by themselves.

    Args: and Raises: as `connect`.
    """
    dialler = Dialler(policy)
    try:
        dialler.start_look_up(host, port, scheme, came_from, timeout)
        while not dialler.done:
            dialler.loop.turn()
        return dialler.take_addresses()
    finally:
        dialler.close()


class Dialler:
    """One attempt and the loop that drives it.

    Attributes:
        addresses: The result of a look-up.
        connection: The result of an attempt.
        error: The error of either.
    """

    @checked
    def __init__(
        self,
        policy: Policy,
        local_address: tuple[str, int] | None = None,
        socket_options: Iterable[SocketOption] = (),
    ) -> None:
        """Raises TypeError for an argument of another type."""
        if not (local_address is None or _is_place(local_address)):
            raise TypeError(f"local_address is a tuple of a str and an int, not {named(local_address)}")
        options = tuple(socket_options) if holds_several(socket_options) else socket_options
        if not _are_options(options):
            raise TypeError(f"socket_options is a list of tuples: level, name, value, not {named(options)}")
        self.loop: Loop = Loop()
        self.tell: Callable[[], None] = lambda: None
        self.addresses: Sequence[str] | None = None
        self.connection: Connection | None = None
        self.error: AnyURLError | None = None
        self._connector = Connector(self.loop, policy, _TunedNetwork(local_address, options), TLSConfig())
        self._close: Callable[[], None] = lambda: None

    @checked
    def start(self, host: str, port: int, scheme: str, came_from: Provenance, timeout: float | None) -> None:
        """Begin to connect. Raises RefusedError for a refused host or port, TypeError for a wrong type."""
        attempt = self.attempt((host, port), scheme, came_from, self._end)
        self._close = attempt.close
        self._limit((host, port), timeout)
        attempt.start()

    def attempt(
        self,
        endpoint: tuple[str, int],
        scheme: str,
        came_from: Provenance,
        then: Callable[[Connection | AnyURLError], None],
    ) -> ConnectAttempt:
        """An attempt that has not begun; it passes its result to `then`."""
        return ConnectAttempt(
            self._connector, endpoint, scheme=scheme, transport="tcp", tls=None, came_from=came_from, then=then
        )

    @checked
    def start_look_up(self, host: str, port: int, scheme: str, came_from: Provenance, timeout: float | None) -> None:
        """Begin a look-up. Raises as `start`."""
        limit = self._connector.policy.limits.connect
        self._limit((host, port), limit if timeout is None else min(limit, timeout))
        answer = self._connector.approve(scheme, host, port, came_from, self._end, lambda: None)
        if not isinstance(answer, Query):
            self._end(answer)

    def _limit(self, endpoint: tuple[str, int], seconds: float | None) -> None:
        if seconds is not None:
            text = f"Connecting to {endpoint[0]} port {endpoint[1]} took longer than {seconds:g} seconds."
            self.loop.after(seconds, lambda: self._end(TransferTimeout(text, clock="connect", stage="connect")))

    def _end(self, result: Connection | LookUpResult) -> None:
        if isinstance(result, AnyURLError):
            self.error = result
        elif isinstance(result, Connection):
            self.connection = result
        else:
            self.addresses = result
        self.tell()

    @property
    def done(self) -> bool:
        """Whether there is a result or an error to take."""
        return not (self.error is None and self.connection is None and self.addresses is None)

    def take_addresses(self) -> Sequence[str]:
        """The addresses found. Raises the error if the look-up failed."""
        if self.error is not None:
            raise self.error
        assert self.addresses is not None
        return self.addresses

    def take(self) -> socket.socket:
        """The connection, now owned by the caller. Raises the error if the attempt failed."""
        if self.error is not None:
            raise self.error
        assert self.connection is not None
        sock, self.connection = self.connection.sock, None
        assert isinstance(sock, socket.socket)
        sock.setblocking(True)
        return sock

    def close(self) -> None:
        """Abandon the attempts under way."""
        self._close()
        if self.connection is not None:
            self.connection.close()
        self._connector.close()
        self.loop.close()


class _TunedNetwork(Network):
    """The real network, with the caller's socket options and local address."""

    def __init__(self, local_address: tuple[str, int] | None, socket_options: tuple[SocketOption, ...]) -> None:
        super().__init__()
        self._local_address = local_address
        self._socket_options = socket_options

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> tuple[socket.socket, Target]:
        sock, target = super().socket_to(endpoint, transport)
        try:
            for option in self._socket_options:
                sock.setsockopt(*option)
            if self._local_address is not None:
                sock.bind(self._local_address)
        except OSError:
            close_all(sock)
            raise
        return sock, target
