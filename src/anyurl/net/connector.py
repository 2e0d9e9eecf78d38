"""Connector: the only place that opens a socket, and only to an address that the policy has just approved.

The order is the rule (each step may end it): host and port rules; look-up; *every* address of the answer; connect to
exactly such an address; look at who really answered; TLS; hand out. Rules on host text alone are worthless: it is
addresses that are judged (RFC 1738 section 6 warns of ports that were not meant; SSRF is the same, thirty years on).
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from anyurl.errors import AnyURLError, ConnectError, LocalFileError, RefusedError, TransferTimeout
from anyurl.guard.policy import Policy
from anyurl.net.channel import WANT_READ, Connection, translate
from anyurl.net.closing import close_all
from anyurl.net.loop import READ, WRITE, Loop, Timer
from anyurl.net.resolver import CACHE_ENTRIES, CACHE_SECONDS, LookUp, LookUpResult, Query, Resolver, literal, look_up
from anyurl.url import syntax
from anyurl.values import Provenance

if TYPE_CHECKING:
    import ssl

ATTEMPT_DELAY = 0.25
"""Seconds before the next address is tried beside the first: RFC 8305 section 5 recommends 250 ms."""

MAX_ADDRESSES = 16
"""Addresses of one name that are tried: round-robin names have a handful; the rest would outlive the connect limit."""

Transport = Literal["tcp", "udp"]


class Network:
    """The world that the connector reaches: names and addresses. Tests put a smaller world in its place.

    Args:
        look_up: All addresses of a name; called in a thread of its own.
        translate: The endpoint that is really connected to instead of an (approved) one; None for itself.
    """

    def __init__(
        self,
        look_up: LookUp = look_up,
        translate: Callable[[tuple[str, int]], tuple[str, int]] | None = None,
    ) -> None:
        self.look_up: LookUp = look_up
        self.translate: Callable[[tuple[str, int]], tuple[str, int]] | None = translate

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> tuple[socket.socket, tuple[str, int]]:
        """A non-blocking socket for an approved endpoint, and where it is to be connected."""
        target = endpoint if self.translate is None else self.translate(endpoint)
        family = socket.AF_INET6 if ":" in target[0] else socket.AF_INET
        sock = socket.socket(family, socket.SOCK_STREAM if transport == "tcp" else socket.SOCK_DGRAM)
        try:
            sock.setblocking(False)
        except OSError:
            close_all(sock)
            raise
        return sock, target


class Connector:
    """Approves endpoints and connects to them, for one scheduler."""

    def __init__(self, loop: Loop, policy: Policy, network: Network, tls: Callable[[], ssl.SSLContext]) -> None:
        self.loop: Loop = loop
        self.policy: Policy = policy
        self.network: Network = network
        self.tls: Callable[[], ssl.SSLContext] = tls
        self.resolver: Resolver = Resolver(network.look_up, loop.wake, loop.after)
        self._approved: dict[tuple[object, ...], tuple[float, tuple[str, ...]]] = {}
        loop.on_wake = self.resolver.collect

    def known(self, scheme: str, host: str, port: int, came_from: Provenance) -> tuple[float, tuple[str, ...]] | None:
        """The addresses that `approve` gave for just this a moment ago, and until when they count; or None."""
        known = self._approved.get((scheme, syntax.ROWS.get(scheme), host, port, came_from.key))
        return known if known is not None and known[0] > time.monotonic() else None

    def approve(
        self,
        scheme: str,
        host: str,
        port: int,
        came_from: Provenance,
        then: Callable[[LookUpResult], None],
        began: Callable[[], None],
    ) -> Sequence[str] | Query:
        """The addresses that may be connected to, or the question that was asked: `then` is called later.

        Args:
            began: Called when the look-up begins, perhaps at once: until then it waits for others.

        Raises:
            RefusedError: The policy refuses the host, the port, or one of the addresses.
            ConnectError: The name is known to have no address.
        """
        known = self.known(scheme, host, port, came_from)
        if known is not None:
            return known[1]
        self.policy.judge_endpoint(scheme, host, port, came_from).check()
        address = literal(host)
        answer: LookUpResult | None = [address] if address is not None else self.resolver.cached(host)
        if answer is not None:
            return self._judge(answer, scheme, host, port, came_from)

        def looked_up(answer: LookUpResult) -> None:
            try:
                then(self._judge(answer, scheme, host, port, came_from))
            except AnyURLError as error:
                then(error)

        return self.resolver.ask(host, looked_up, began)

    def _judge(self, answer: LookUpResult, scheme: str, host: str, port: int, came_from: Provenance) -> Sequence[str]:
        if isinstance(answer, AnyURLError):
            raise answer
        if not answer:
            raise ConnectError(f"The host name {host!r} has no address.", stage="look-up")
        # Every address, not the first that pleases: a name that has a public and a private one is how rebinding
        # begins.
        for address in answer:
            self.policy.judge_address(address, port, scheme, came_from).check()
        addresses = tuple(answer[:MAX_ADDRESSES])
        if len(self._approved) >= CACHE_ENTRIES:
            self._approved.clear()
        key = (scheme, syntax.ROWS.get(scheme), host, port, came_from.key)  # all that the verdicts depend on
        self._approved[key] = (time.monotonic() + CACHE_SECONDS, addresses)
        return addresses

    def close(self) -> None:
        """Let the look-up threads go."""
        self.resolver.close()


class ConnectAttempt:
    """One connection on its way: look-up, attempts, TLS. It calls `then` once, with a wire or an error.

    `close` gives up; `then` is not called any more.
    """

    def __init__(
        self,
        connector: Connector,
        endpoint: tuple[str, int],
        *,
        scheme: str,
        transport: Transport,
        tls: bool,
        came_from: Provenance,
        skip: int = 0,
        then: Callable[[Connection | AnyURLError], None],
    ) -> None:
        self._connector = connector
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
        self._stage = "queue"
        self._seconds = connector.policy.limits.idle
        self._clock = self._loop.after(self._seconds, self._too_late)

    def start(self) -> None:
        """Begin; a refusal is raised at once, all else comes by `then`."""
        host, port = self._endpoint
        try:
            answer = self._connector.approve(
                self._scheme, host, port, self._came_from, self._looked_up, self._look_up_begins
            )
        except AnyURLError:
            self.close()
            raise
        if isinstance(answer, Query):
            self._question = answer
        else:
            self._looked_up(answer)

    def start_approved(self, address: str) -> None:
        """Begin at an address that was judged already (the data connection beside a control connection)."""
        self._looked_up([address])

    def _look_up_begins(self) -> None:
        """The connect clock begins: what others' look-ups took is no fault of this name's."""
        if self._stage == "queue":
            self._stage = "look-up"
            self._seconds = self._connector.policy.limits.connect
            self._clock.cancel()
            self._clock = self._loop.after(self._seconds, self._too_late)

    def _looked_up(self, answer: LookUpResult) -> None:
        if self._then is None:
            return
        if isinstance(answer, AnyURLError):
            self._finish(answer)
            return
        self._look_up_begins()
        self._stage = "connect"
        self._addresses = _interleave(answer)[self._skip :]
        self._try_next()

    def _try_next(self) -> None:
        """Begin the next attempt; the ones under way go on beside it (RFC 8305)."""
        if self._then is None:
            return
        if self._next is not None:
            self._next.cancel()
            self._next = None
        while self._addresses and self._connection is None:
            if self._attempt(self._addresses.pop(0)):
                if self._addresses and self._then is not None:  # by UDP it has succeeded by now, and is over
                    self._next = self._loop.after(ATTEMPT_DELAY, self._try_next)
                return
        if not self._attempts and self._connection is None and self._then is not None:
            self._finish(self._failure or ConnectError(f"The host name {self._endpoint[0]!r} has no address."))

    def _attempt(self, address: str) -> bool:
        """Whether an attempt at this address is now under way (or has already succeeded)."""
        sock: socket.socket | None = None
        try:
            sock, target = self._connector.network.socket_to((address, self._endpoint[1]), self._transport)
            if self._transport == "udp":
                sock.bind(("::" if sock.family == socket.AF_INET6 else "0.0.0.0", 0))
            else:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                # RFC 854's Synch is sent as urgent: without this its first octet is missing, and the rest is text.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
                sock.connect(target)
        except BlockingIOError:
            assert sock is not None
            fd = sock.fileno()
            try:
                self._loop.watch(fd, WRITE, lambda _events: self._answered(fd))
            except LocalFileError as error:
                close_all(sock)
                self._failure = error
                return False
            self._attempts[fd] = (sock, address)
            return True
        except OSError as error:
            if sock is not None:
                close_all(sock)
            self._fail(error)
            return False
        self._won(sock, address, target)
        return True

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
        else:
            self._won(sock, address, None)

    def _fail(self, error: OSError) -> None:
        host, port = self._endpoint
        self._failure = translate(error, f"Connecting to {host} port {port}", stage="connect")

    def _won(self, sock: socket.socket, address: str, target: tuple[str, int] | None) -> None:
        """An attempt succeeded: drop the others, look at who answered (not by UDP, where nobody has), begin TLS."""
        peer = (address, self._endpoint[1])
        if self._transport == "udp" and target is not None:
            self._drop_attempts()
            from anyurl.net.datagram import DatagramSocket

            self._finish(DatagramSocket(sock, self._endpoint, peer, target))
            return
        try:
            actual = sock.getpeername()
        except OSError as error:  # reset already: that says nothing of who it was
            close_all(sock)
            self._fail(error)
            self._loop.soon(self._try_next)
            return
        self._drop_attempts()
        self._connection = Connection(sock, self._endpoint, peer)
        if not self._is_asked(actual, peer):
            self._finish(
                RefusedError(f"The connection to {address} was answered by another address: nothing was sent.")
            )
            return
        if not self._tls:
            self._finish(self._connection)
            return
        self._stage = "tls"
        try:
            self._connection.begin_tls(self._connector.tls(), self._endpoint[0], None)
        except AnyURLError as error:
            self._finish(error)
            return
        self._shake_hands(0)

    def _is_asked(self, actual: tuple[str, int], peer: tuple[str, int]) -> bool:
        expected = peer if self._connector.network.translate is None else self._connector.network.translate(peer)
        return same_address(str(actual[0]), expected[0]) and actual[1] == expected[1]

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
            "queue": f"The look-up of {host!r} could not begin within {limit:g} seconds: too many others hang.",
            "look-up": f"The look-up of {host!r} took longer than {limit:g} seconds.",
            "connect": f"Connecting to {host} port {port} took longer than {limit:g} seconds.",
            "tls": f"TLS with {host} port {port} took longer than {limit:g} seconds to begin.",
        }[self._stage]
        stage = "look-up" if self._stage == "queue" else self._stage
        self._finish(TransferTimeout(text, clock="connect", stage=stage))

    def _finish(self, result: Connection | AnyURLError) -> None:
        then, self._then = self._then, None
        connection, self._connection = self._connection, None
        if connection is not None:
            self._loop.unwatch(connection.fd)
            if connection is not result:
                connection.close()
        self._stop()
        if then is not None:
            then(result)

    def _stop(self) -> None:
        self._clock.cancel()
        if self._question is not None:
            self._question.close()
            self._question = None
        if self._next is not None:
            self._next.cancel()
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


def _interleave(addresses: Sequence[str]) -> list[str]:
    """The first address's family first, then by turns (RFC 8305 section 4)."""
    first = ":" in addresses[0] if addresses else False
    same = [address for address in addresses if (":" in address) == first]
    other = [address for address in addresses if (":" in address) != first]
    mixed: list[str] = []
    for index in range(max(len(same), len(other))):
        mixed += same[index : index + 1] + other[index : index + 1]
    return mixed


def same_address(one: str, other: str) -> bool:
    """Whether two texts of the system's are the same address."""
    if one == other:
        return True
    if ":" not in one or ":" not in other:
        return False
    return _ipv6_octets(one) == _ipv6_octets(other)


def _ipv6_octets(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
