"""Connector: the only place that opens a socket, and only to an address that the policy has just approved.

Rule: the order of the steps, each of which may refuse: host and port rules; look-up; *every* address of the answer;
connect to exactly one of these addresses; compare the address that answered; TLS; hand the connection out. Rules on the
host's text alone are worthless: addresses are judged (RFC 1738 section 6 warns of ports that were not intended; SSRF is
the same attack, thirty years later).
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Literal

from anyurl.errors import AnyURLError, ConnectError
from anyurl.errors.log import record
from anyurl.files.closing import close_all
from anyurl.guard.decisions import LOG, Decisions
from anyurl.guard.policy import Policy
from anyurl.net.loop.loop import Loop
from anyurl.net.wire.peers import peer_of, same_address
from anyurl.net.wire.proxies.table import PROXY, Proxies, Proxy
from anyurl.net.wire.resolver import (
    CACHE_ENTRIES,
    CACHE_SECONDS,
    LookUp,
    LookUpResult,
    Query,
    Resolver,
    literal,
    look_up,
)
from anyurl.net.wire.tls import TLSConfig
from anyurl.net.wire.zones import Target, target, with_zone, without_zone
from anyurl.url import syntax
from anyurl.values import CONFIGURATION, Provenance

MAX_ADDRESSES = 16
"""The most addresses of one name that are tried: round-robin names have a few; more would exceed the connect limit."""

Transport = Literal["tcp", "udp"]

_UNDER_WAY = (errno.EINPROGRESS, errno.EWOULDBLOCK)


class Network:
    """The names and addresses that the connector reaches. Tests replace it with a smaller network.

    Args:
        look_up: Returns all addresses of a name; called in a separate thread.
        translate: Maps an approved endpoint to the one really connected to; None connects to the endpoint itself.
        addresses: The addresses of these hosts and ports, which are not looked up; judged like all others.
    """

    def __init__(
        self,
        look_up: LookUp = look_up,
        translate: Callable[[tuple[str, int]], tuple[str, int]] | None = None,
        addresses: Mapping[tuple[str, int], Sequence[str]] | None = None,
    ) -> None:
        self.look_up: LookUp = look_up
        self.addresses: Mapping[tuple[str, int], Sequence[str]] = addresses or {}
        self.translate: Callable[[tuple[str, int]], tuple[str, int]] | None = translate

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> tuple[socket.socket, Target]:
        """A non-blocking socket for an approved endpoint, and the address to connect it to.

        Raises:
            OSError: No socket can be made, or the endpoint's address lacks its zone.
        """
        address, port = endpoint
        to = target(address, port) if self.translate is None else self.translate((without_zone(address), port))
        family = socket.AF_INET6 if ":" in to[0] else socket.AF_INET
        sock = socket.socket(family, socket.SOCK_STREAM if transport == "tcp" else socket.SOCK_DGRAM)
        try:
            sock.setblocking(False)
        except OSError:
            close_all(sock)
            raise
        return sock, to

    def begin(self, endpoint: tuple[str, int]) -> tuple[socket.socket, tuple[str, int] | None]:
        """Begin to connect to an approved endpoint; the socket, and the peer address if it is connected already.

        Raises:
            OSError: As `socket_to`, or the connection failed at once.
        """
        sock, to = self.socket_to(endpoint, "tcp")
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # RFC 854's Synch is sent as urgent data: without this its first octet is lost, and the rest read as text.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
            code = sock.connect_ex(to)  # connect would raise for EINPROGRESS, which is slow
            if code and code not in _UNDER_WAY:
                raise OSError(code, os.strerror(code))
        except OSError:
            close_all(sock)
            raise
        try:
            return sock, peer_of(sock)
        except ConnectionRefusedError:
            close_all(sock)
            raise
        except OSError:
            return sock, None

    def datagram_socket(self, endpoint: tuple[str, int]) -> tuple[socket.socket, Target]:
        """A socket as from `socket_to`, for UDP and bound to a free port.

        It never has the port of the endpoint: on this machine an unanswered socket would answer itself.
        """
        sock, to = self.socket_to(endpoint, "udp")
        try:
            sock.bind(("::" if sock.family == socket.AF_INET6 else "0.0.0.0", 0))
            if sock.getsockname()[1] == to[1]:
                other = self.datagram_socket(endpoint)  # while this one has the port
                close_all(sock)
                return other
        except OSError:
            close_all(sock)
            raise
        return sock, to

    def is_asked(self, actual: tuple[str, int], asked: tuple[str, int]) -> bool:
        """Whether the peer that answered is the endpoint that was requested."""
        expected = asked if self.translate is None else self.translate(asked)
        return same_address(str(actual[0]), expected[0]) and actual[1] == expected[1]


class Connector:
    """Approves endpoints and connects to them, for one scheduler."""

    def __init__(
        self,
        loop: Loop,
        policy: Policy,
        network: Network,
        tls: TLSConfig,
        proxies: Proxies | None = None,
        zone: str | None = None,
        decisions: Decisions = LOG,
    ) -> None:
        self.decisions: Decisions = decisions
        self.proxies: Proxies | None = proxies
        self.loop: Loop = loop
        self.policy: Policy = policy
        self.network: Network = network
        self.tls: TLSConfig = tls
        self.zone: str | None = zone
        self.resolver: Resolver = Resolver(network.look_up, loop.wake, loop.after)
        self._approved: dict[tuple[object, ...], tuple[float, tuple[str, ...]]] = {}
        self._judged: dict[tuple[object, ...], float] = {}
        loop.on_wake = self.resolver.collect

    def known(self, scheme: str, host: str, port: int, came_from: Provenance) -> tuple[float, tuple[str, ...]] | None:
        """The cached result of `approve` for these arguments, and when it expires; None if there is none."""
        known = self._approved.get((scheme, syntax.ROWS.get(scheme), host, port, came_from.key))
        return known if known is not None and known[0] > monotonic() else None

    def was_judged(self, key: tuple[object, ...]) -> bool:
        """Whether `remember` was called with this key and the entry has not expired."""
        return self._judged.get(key, 0.0) > monotonic()

    def remember(self, key: tuple[object, ...]) -> None:
        """Cache that an open connection may be reused; the key holds everything that the verdict depends on."""
        if len(self._judged) >= CACHE_ENTRIES:
            self._judged.clear()
        self._judged[key] = monotonic() + CACHE_SECONDS

    def approve(
        self,
        scheme: str,
        host: str,
        port: int,
        came_from: Provenance,
        then: Callable[[LookUpResult], None],
        began: Callable[[], None],
    ) -> Sequence[str] | Query:
        """The approved addresses, or the pending look-up: then `then` is called later.

        Args:
            began: Called when the look-up begins, perhaps at once; until then it waits in a queue.

        Raises:
            RefusedError: The policy refuses the host, the port, or one of the addresses.
            ConnectError: The name is known to have no address, or the interface of the zone does not exist.
        """
        known = self.known(scheme, host, port, came_from)
        if known is not None:
            return known[1]
        if scheme == PROXY:
            verdict = self.policy.judge_proxy(host, port)
            self.decisions.keep(verdict, f"The proxy {host} port {port}", origin=CONFIGURATION)
        else:
            self._judge_endpoint(scheme, host, port, came_from)
        address = literal(host)
        answer: LookUpResult | None = [address] if address is not None else self.network.addresses.get((host, port))
        if answer is None:
            answer = self.resolver.cached(host)
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
        # Judge every address, not only the first allowed one: DNS rebinding begins with a name that has both a public
        # and a private address.
        record("net", "%s has the addresses %s.", host, ", ".join(answer))
        for address in answer:
            if scheme == PROXY:
                verdict = self.policy.judge_proxy_address(address, port, host)
            else:
                verdict = self.policy.judge_address(address, port, scheme, came_from, host)
            self.decisions.keep(verdict, f"{host} port {port} at {address}", address=address, origin=came_from)
        addresses = tuple(with_zone(address, self.zone) for address in answer[:MAX_ADDRESSES])
        if len(self._approved) >= CACHE_ENTRIES:
            self._approved.clear()
        key = (scheme, syntax.ROWS.get(scheme), host, port, came_from.key)  # everything that the verdicts depend on
        self._approved[key] = (monotonic() + CACHE_SECONDS, addresses)
        return addresses

    def proxy_for(self, scheme: str, host: str, port: int, addresses: Sequence[str] = ()) -> Proxy | None:
        """The proxy for this endpoint, or None; `addresses` are those of a name that was looked up."""
        return None if self.proxies is None else self.proxies.proxy_for(scheme, host, port, addresses)

    def unseen(self, scheme: str, host: str, port: int, came_from: Provenance) -> Proxy | None:
        """The proxy that looks this name up; None if it is looked up here.

        Raises:
            RefusedError: The policy must see the address, or refuses the host or port.
        """
        proxy = self.proxy_for(scheme, host, port)
        if proxy is None or literal(host) is not None or proxy.scheme == "socks5":
            return None
        if (host, port) in self.network.addresses:
            return None
        if not (proxy.resolves or self.policy.proxy_resolves):
            return None
        self._judge_endpoint(scheme, host, port, came_from)
        self.decisions.keep(self.policy.judge_unseen(host, came_from), f"{host}, unseen", origin=came_from)
        return proxy

    def _judge_endpoint(self, scheme: str, host: str, port: int, came_from: Provenance) -> None:
        verdict = self.policy.judge_endpoint(scheme, host, port, came_from)
        self.decisions.keep(verdict, f"{host} port {port}", origin=came_from)

    def close(self) -> None:
        """Let the look-up threads end."""
        self.resolver.close()
