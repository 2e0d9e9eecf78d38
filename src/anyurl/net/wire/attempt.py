"""ConnectAttempt: makes one connection, from the look-up to the end of the TLS handshake.

Rule: it connects only to addresses that the connector has approved, directly or through a proxy, and compares the
address that answered before anything is sent.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Sequence

from anyurl.errors import AnyURLError, ConnectError, LocalFileError, RefusedError, TransferTimeout
from anyurl.errors.log import LOADED, record
from anyurl.errors.reasons import exhaustion_translated
from anyurl.files.closing import close_all
from anyurl.guard.verdict import aside
from anyurl.net.loop.loop import READ, WRITE, Timer
from anyurl.net.wire.channel import NO_ROUTE, WANT_READ, Connection, translate
from anyurl.net.wire.connector import Connector, Transport
from anyurl.net.wire.datagram import DatagramSocket
from anyurl.net.wire.peers import interleave, peer_of
from anyurl.net.wire.proxies.table import PROXY, Proxy
from anyurl.net.wire.proxies.tunnel import Tunnel
from anyurl.net.wire.resolver import LookUpResult, Query
from anyurl.net.wire.tls import AUTHORITY, TLSTerms
from anyurl.net.wire.zones import without_zone
from anyurl.values import CONFIGURATION, Provenance

ATTEMPT_DELAY = 0.25
"""Seconds before the next address is tried in parallel with the first: RFC 8305 section 5 recommends 250 ms."""


def answered_by_another(address: str) -> RefusedError:
    """The error for a connection whose peer is not the address that was requested."""
    return RefusedError(
        f"The connection to {address} was answered by another address: nothing was sent.", code="peer", subject=address
    )


class ConnectAttempt:
    """Makes one connection: look-up, connecting, TLS. It calls `then` once, with a connection or an error.

    After `close`, `then` is not called.
    """

    def __init__(
        self,
        connector: Connector,
        endpoint: tuple[str, int],
        *,
        scheme: str,
        transport: Transport,
        tls: TLSTerms | None,
        came_from: Provenance,
        skip: int = 0,
        within: float | None = None,
        then: Callable[[Connection | AnyURLError], None],
    ) -> None:
        self._connector = connector
        limit = connector.policy.limits.connect
        self._limit = limit if within is None else min(within, limit)
        self._loop = connector.loop
        self._endpoint = endpoint
        self._scheme = scheme
        self._transport: Transport = transport
        self._tls = tls
        self._came_from = came_from
        self._skip = skip
        self._then: Callable[[Connection | AnyURLError], None] | None = then
        self._addresses: list[str] = []
        self._attempts: dict[int, tuple[socket.socket, str]] = {}
        self._connection: Connection | None = None
        self._failure: AnyURLError | None = None
        self._next: Timer | None = None
        self._question: Query | None = None
        self._tunnel: Tunnel | None = None
        self._proxy: Proxy | None = None
        self._stage = "queue"
        self._seconds = 0.0
        self._clock: Timer | None = None

    def start(self) -> None:
        """Begin. A refusal is raised at once; every other result is passed to `then`."""
        host, port = self._endpoint
        connector = self._connector
        try:
            if connector.proxies is not None and self._scheme != PROXY:
                self._proxy = connector.unseen(self._scheme, host, port, self._came_from)
                if self._proxy is not None:
                    self._go_through([(host, port)])
                    return
            answer = connector.approve(self._scheme, host, port, self._came_from, self._looked_up, self._look_up_begins)
        except AnyURLError:
            self.close()
            raise
        if not isinstance(answer, Query):
            self._looked_up(answer)
            return
        self._question = answer
        if self._clock is None:  # the look-up waits in the queue
            self._restart_clock("queue", connector.policy.limits.idle)

    def start_beside(self, control: Connection) -> None:
        """Begin with the address and the proxy of this connection, which were judged already."""
        assert control.peer is not None
        self._proxy = control.proxy
        if self._proxy is None:
            self._take([control.peer[0]])
            self._try_next()
        else:
            self._go_through([(control.peer[0], self._endpoint[1])])

    def go_on(self, sock: socket.socket) -> None:
        """Wait for a connect that was begun elsewhere."""
        self._restart_clock("connect", self._limit)
        if not self._watch(sock, self._endpoint[0]):
            self._finish(self._failure or LocalFileError("Given up."))

    def _look_up_begins(self) -> None:
        """Start the connect clock; time spent queued for other look-ups does not count."""
        if self._stage == "queue":
            self._restart_clock("look-up", self._limit)

    def start_through(self, proxy: Proxy, places: list[tuple[str, int]]) -> None:
        """Begin with this proxy and endpoints that were judged already. A refusal of the proxy is raised at once."""
        self._proxy = proxy
        self._go_through(places)

    def _looked_up(self, answer: LookUpResult) -> None:
        if self._then is None:
            return
        if isinstance(answer, AnyURLError):
            self._finish(answer)
            return
        if self._connector.proxies is not None and self._scheme != PROXY:
            host, port = self._endpoint
            self._proxy = self._connector.proxy_for(self._scheme, host, port, answer)
            if self._proxy is not None:
                try:
                    self._go_through([(without_zone(address), port) for address in interleave(answer)])
                except AnyURLError as error:
                    self._finish(error)
                return
        self._take(answer)
        self._try_next()

    def _take(self, answer: Sequence[str]) -> None:
        """Take these addresses, one of which is to be connected to."""
        self._look_up_begins()
        self._stage = "connect"
        self._addresses = interleave(answer)[self._skip :]

    def _go_through(self, places: list[tuple[str, int]]) -> None:
        """Let the proxy connect to one of these endpoints."""
        self._look_up_begins()
        self._stage = "proxy"
        assert self._proxy is not None
        if self._transport == "udp":
            way = aside("no-proxy", self._connector.policy.remedies, self._endpoint[0])
            raise RefusedError(
                f"{self._scheme} sends datagrams, which no proxy carries: nothing was sent. It would be allowed "
                f"without a proxy{way}.",
                code="proxy",
                subject=self._scheme,
            )
        self._tunnel = Tunnel(self._loop, self._proxy, places, self._to_proxy, self._tunnelled)
        self._tunnel.start()

    def _to_proxy(self, then: Callable[[Connection | AnyURLError], None]) -> ConnectAttempt:
        proxy = self._proxy
        assert proxy is not None
        return ConnectAttempt(
            self._connector,
            (proxy.host, proxy.port),
            scheme=PROXY,
            transport="tcp",
            tls=AUTHORITY if proxy.scheme == "https" else None,
            came_from=CONFIGURATION,
            then=then,
        )

    def _tunnelled(self, result: Connection | AnyURLError) -> None:
        self._tunnel = None
        if isinstance(result, Connection):
            result.endpoint, result.proxy = self._endpoint, self._proxy
            self._connection = result
            self._secure(result)
        else:
            self._finish(result)

    def _try_next(self) -> None:
        """Begin the next attempt; earlier ones continue in parallel (RFC 8305)."""
        if self._then is None:
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        while self._addresses and self._connection is None:
            if self._attempt(self._addresses.pop(0)):
                if self._addresses and self._then is not None:  # UDP attempts finish at once
                    self._next = self._loop.after(ATTEMPT_DELAY, self._try_next)
                return
        if not self._attempts and self._connection is None and self._then is not None:
            self._finish(self._failure or ConnectError(f"The host name {self._endpoint[0]!r} has no address."))

    def _attempt(self, address: str) -> bool:
        """Whether an attempt at this address is now under way (or has already succeeded)."""
        endpoint, network = (address, self._endpoint[1]), self._connector.network
        try:
            if self._transport == "udp":
                self._to_datagrams(endpoint)
                return True
            sock, actual = network.begin(endpoint)
        except OSError as error:
            self._fail(error)
            return False
        if actual is None:
            return self._watch(sock, address)
        self._won(sock, endpoint, actual)
        return True

    def _to_datagrams(self, peer: tuple[str, int]) -> None:
        """Finish with a UDP socket: there is nothing to wait for, and no peer to compare yet. Raises OSError."""
        sock, target = self._connector.network.datagram_socket(peer)
        self._drop_attempts()
        self._finish(DatagramSocket(sock, self._endpoint, peer, target))

    def _watch(self, sock: socket.socket, address: str) -> bool:
        """Watch the socket of an attempt; False if the system cannot watch it."""
        fd = sock.fileno()
        try:
            self._loop.watch(fd, WRITE, lambda _events: self._answered(fd))
        except LocalFileError as error:
            close_all(sock)
            self._failure = error
            return False
        self._attempts[fd] = (sock, address)
        return True

    def _restart_clock(self, stage: str, seconds: float) -> None:
        self._stage, self._seconds = stage, seconds
        if self._clock is not None:
            self._clock.cancel()
        self._clock = self._loop.after(seconds, self._too_late)

    def _answered(self, fd: int) -> None:
        sock, address = self._attempts.pop(fd)
        self._loop.unwatch(fd)
        try:
            code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        except OSError as error:
            code = error.errno or errno.EIO
        if code:
            close_all(sock)
            self._fail(OSError(code, os.strerror(code)))
            self._try_next()
            return
        try:
            actual = peer_of(sock)
        except OSError as error:  # reset already: the address of the peer is unknown
            close_all(sock)
            self._fail(error)
            self._loop.soon(self._try_next)
            return
        self._won(sock, (address, self._endpoint[1]), actual)

    def _fail(self, error: OSError) -> None:
        """Keep the last error, but none that this machine has no IPv6, say, instead of what the peer has answered."""
        if self._failure is None or error.errno not in NO_ROUTE:
            host, port = self._endpoint
            self._failure = translate(error, f"Connecting to {host} port {port}", stage="connect")

    def _won(self, sock: socket.socket, peer: tuple[str, int], actual: tuple[str, int]) -> None:
        """An attempt succeeded: drop the others, compare the address that answered, begin TLS."""
        if self._attempts:
            self._drop_attempts()
        self._connection = Connection(sock, self._endpoint, peer)
        if not self._connector.network.is_asked(actual, peer):
            self._finish(answered_by_another(peer[0]))
            return
        self._secure(self._connection)

    def _secure(self, connection: Connection) -> None:
        """Begin TLS if requested; without it the connection is ready."""
        if self._tls is None:
            self._finish(connection)
            return
        self._stage = "tls"
        try:
            with exhaustion_translated():  # it loads TLS
                connection.begin_tls(self._connector.tls, self._endpoint[0], self._tls)
        except AnyURLError as error:
            self._finish(error)
            return
        self._shake_hands(0)

    def _shake_hands(self, _events: int) -> None:
        connection = self._connection
        assert connection is not None
        try:
            want = connection.handshake()
        except AnyURLError as error:
            self._finish(error)
            return
        if want is None:
            self._finish(connection)
            return
        try:
            self._loop.watch(connection.fd, READ if want is WANT_READ else WRITE, self._shake_hands)
        except LocalFileError as error:
            self._finish(error)

    def _too_late(self) -> None:
        host, port = self._endpoint
        limit = self._seconds
        text = {
            "queue": f"The look-up of {host!r} could not begin within {limit:g} seconds: too many others wait.",
            "look-up": f"The look-up of {host!r} took longer than {limit:g} seconds.",
            "connect": f"Connecting to {host} port {port} took longer than {limit:g} seconds.",
            "proxy": f"The proxy {self._proxy} made no connection to {host} port {port} within {limit:g} seconds.",
            "tls": f"TLS with {host} port {port} took longer than {limit:g} seconds to begin.",
        }[self._stage]
        stage = {"queue": "look-up", "proxy": "connect"}.get(self._stage, self._stage)
        self._finish(TransferTimeout(text, clock="connect", stage=stage))

    def _finish(self, result: Connection | AnyURLError) -> None:
        then, self._then = self._then, None
        connection, self._connection = self._connection, None
        if "logging" in LOADED:
            self._tell(result)
        if connection is not None:
            self._loop.unwatch(connection.fd)
            if connection is not result:
                connection.close()
        self._stop()
        if then is not None:
            then(result)

    def _tell(self, result: Connection | AnyURLError) -> None:
        host, port = self._endpoint
        if isinstance(result, AnyURLError):
            record("net", "No connection to %s port %d: %s", host, port, result)
            return
        way = "" if self._proxy is None else f" through {self._proxy}"
        tls = "" if self._tls is None else " with TLS"
        record("net", "Connected to %s port %d at %s%s%s.", host, port, result.peer and result.peer[0], tls, way)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        if self._question is not None:
            self._question.close()
            self._question = None
        if self._tunnel is not None:
            self._tunnel.close()
            self._tunnel = None
        if self._next is not None:
            self._next.cancel()
        if self._attempts:
            self._drop_attempts()

    def _drop_attempts(self) -> None:
        for fd, (sock, _address) in self._attempts.items():
            self._loop.unwatch(fd)
            close_all(sock)
        self._attempts.clear()

    def close(self) -> None:
        """Give up."""
        self._then = None
        self._finish(LocalFileError("Given up."))


def connect_data(
    connector: Connector,
    control: Connection,
    port: int,
    scheme: str,
    came_from: Provenance,
    then: Callable[[ConnectAttempt, Connection | AnyURLError], None],
    within: float | None = None,
) -> Connection | ConnectAttempt:
    """A data connection beside a control connection (RFC 959 3.2): to its exact address, by the same proxy.

    Returns:
        The connection, if it succeeds at once, as it does on this machine; else an attempt, which calls `then`.

    Raises:
        RefusedError: Another address has answered.
    """
    assert control.peer is not None
    place = control.peer[0], port
    network = connector.network
    begun = None
    if control.proxy is None:
        try:
            begun, actual = network.begin(place)
        except OSError:  # the attempt reports the error
            pass
        else:
            if actual is not None:
                if not network.is_asked(actual, place):
                    close_all(begun)
                    raise answered_by_another(place[0])
                if "logging" in LOADED:
                    record("net", "Connected to %s port %d at %s.", *place, place[0])
                return Connection(begun, place, place)
    attempt = ConnectAttempt(
        connector,
        place,
        scheme=scheme,
        transport="tcp",
        tls=None,
        came_from=came_from,
        within=within,
        then=lambda result: then(attempt, result),
    )
    if begun is None:
        attempt.start_beside(control)
    else:
        attempt.go_on(begun)
    return attempt
