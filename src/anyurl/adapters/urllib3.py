"""The guard under urllib3: `GuardedPoolManager` replaces `urllib3.PoolManager`.

Rule: the connection classes connect by `anyurl.connect`, and look at their peer again before each request; the key of a
pool holds the policy. urllib3 has no public hook for the socket of an https connection: `_new_conn` is what its own
support of SOCKS overrides, and a connection whose peer was not judged sends nothing. For urllib3 2.0 or later.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import urllib3
import urllib3.connection
from urllib3.util import Retry, Url, parse_url

from anyurl.adapters.gate import OWN, PEER, REFERRAL, Gate, Referral, default_port, in_referral, written
from anyurl.adapters.hop import credentials, without_certificate
from anyurl.errors import AnyURLError, RefusedError, TransferTimeout
from anyurl.guard.hops import SAFE_METHODS
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.url import URL
from anyurl.values import Provenance, shown

if TYPE_CHECKING:
    import socket


__all__ = ["GuardedPoolManager", "Urllib3RefusedError"]


class Urllib3RefusedError(RefusedError, urllib3.exceptions.HTTPError):
    """The policy refuses a request of urllib3; nothing was sent."""


class GuardedConnection(urllib3.connection.HTTPConnection):
    """A connection to a judged address."""

    scheme = "http"

    def __init__(self, host: str, port: int | None = None, *, gate: Gate | None = None, **options: Any) -> None:
        self.gate: Gate = gate or Gate()
        self.peer: str | None = None
        if options.get("proxy") is not None:
            raise self.gate.refuse_proxy(Urllib3RefusedError)
        super().__init__(host, port, **options)

    def set_tunnel(self, *_given: Any, **_options: Any) -> None:
        """Raises Urllib3RefusedError: connections of a proxy cannot be judged."""
        raise self.gate.refuse_proxy(Urllib3RefusedError)

    def _new_conn(self) -> socket.socket:
        timeout = self.timeout if isinstance(self.timeout, int | float) else None
        try:
            sock = self.gate.connect(
                self.host, self.port, self.scheme, REFERRAL.get(), timeout, self.source_address,
                self.socket_options or (),
            )  # fmt: skip
        except RefusedError as error:
            raise Urllib3RefusedError(str(error), verdict=error.verdict) from error
        except TransferTimeout as error:
            raise urllib3.exceptions.ConnectTimeoutError(self, str(error)) from error
        except AnyURLError as error:
            raise urllib3.exceptions.NewConnectionError(self, str(error)) from error
        sock.settimeout(timeout)
        self.peer = str(sock.getpeername()[0])
        sys.audit("http.client.connect", self, self.host, self.port)
        return sock

    def connect(self) -> None:
        """Connect. Raises Urllib3RefusedError if urllib3 made the socket in another way."""
        super().connect()
        self._check_peer()

    def request(self, *given: Any, **options: Any) -> None:
        """Send a request. Raises Urllib3RefusedError; else as urllib3 does."""
        referral = REFERRAL.get()
        if self.sock is not None:
            self._check_peer()
            # A kept connection: the origin of this request may be allowed less than its opener.
            if referral is not OWN:
                self._judge_peer(referral.origin)
        super().request(*given, **options)
        PEER.set(self.peer)

    def _check_peer(self) -> None:
        if self.peer is None:
            raise Urllib3RefusedError("Refused: the target of this connection was not judged.", code="peer")

    def _judge_peer(self, came_from: Provenance) -> None:
        assert self.peer is not None
        try:
            self.gate.judge([self.peer], self.port, self.scheme, came_from, self.host)
        except RefusedError as error:
            raise Urllib3RefusedError(str(error), verdict=error.verdict) from error

    def close(self) -> None:
        """Close it."""
        self.peer = None
        super().close()


class GuardedTLSConnection(GuardedConnection, urllib3.connection.HTTPSConnection):
    """The same with TLS."""

    scheme = "https"


class GuardedPool(urllib3.HTTPConnectionPool):
    """Connections to one host."""

    ConnectionCls: Any = GuardedConnection


class GuardedTLSPool(urllib3.HTTPSConnectionPool):
    """The same with TLS."""

    ConnectionCls: Any = GuardedTLSConnection


class GuardedPoolManager(urllib3.PoolManager):
    """A `urllib3.PoolManager` under the policy.

    Args:
        policy: None is `Policy.untrusted`.
        num_pools: As urllib3 has it; and so are `headers` and the options of the pools.
        on_verdict: Called with each `anyurl.guard.Decision`.
    """

    def __repr__(self) -> str:
        return shown(self, "gate.policy.name")

    def __init__(
        self,
        policy: Policy | None = None,
        num_pools: int = 10,
        headers: Mapping[str, str] | None = None,
        *,
        on_verdict: Callable[[Decision], object] | None = None,
        **options: Any,
    ) -> None:
        self.gate: Gate = Gate(policy, on_verdict)
        super().__init__(num_pools, headers, **options)
        pools: dict[str, Any] = {
            "http": partial(GuardedPool, gate=self.gate),
            "https": partial(GuardedTLSPool, gate=self.gate),
        }
        self.pool_classes_by_scheme = pools
        keys: dict[str, Any] = {
            scheme: _key_with_policy(make, self.gate.policy) for scheme, make in self.key_fn_by_scheme.items()
        }
        self.key_fn_by_scheme = keys

    def connection_from_host(
        self,
        host: str | None,
        port: int | None = None,
        scheme: str | None = "http",
        pool_kwargs: dict[str, Any] | None = None,
    ) -> urllib3.HTTPConnectionPool:
        """The pool of a host. Raises Urllib3RefusedError for one behind a proxy."""
        if self.proxy is not None:
            raise self.gate.refuse_proxy(Urllib3RefusedError)
        if REFERRAL.get().elsewhere:
            pool_kwargs = self._without_certificate(pool_kwargs or {})
        return super().connection_from_host(host, port, scheme, pool_kwargs)

    def _without_certificate(self, given: dict[str, Any]) -> dict[str, Any]:
        """The options of a pool for another origin: with None urllib3 takes an option away."""
        context = given.get("ssl_context") or self.connection_pool_kw.get("ssl_context")
        bare = None if context is None else without_certificate(context)
        return given | {"ssl_context": bare, "cert_file": None, "key_file": None, "key_password": None}

    def request(self, method: str, url: URL | str, *given: Any, **options: Any) -> urllib3.BaseHTTPResponse:
        """Request a URL. Raises Urllib3RefusedError; else as urllib3 does."""
        return super().request(method, written(url), *given, **options)

    def urlopen(  # type: ignore[override]
        self, method: str, url: URL | str, redirect: bool = True, **options: Any
    ) -> urllib3.BaseHTTPResponse:
        """Open a URL, or the target of a redirection. Raises Urllib3RefusedError; else as urllib3 does."""
        url = str(url)
        referral = self._referral(options.get("retries"))
        if referral is OWN:
            self.check(url)
        else:
            carries = method.upper() not in SAFE_METHODS or options.get("body") is not None
            self.check(url, referral, carries=carries)
            if referral.elsewhere:  # whatever `Retry.remove_headers_on_redirect` says
                options["headers"] = _without_credentials(options.get("headers") or self.headers)
        if referral is OWN and REFERRAL.get() is OWN:
            return super().urlopen(method, url, redirect=redirect, **options)
        with in_referral(referral):
            return super().urlopen(method, url, redirect=redirect, **options)

    def check(self, url: str, referral: Referral = OWN, *, carries: bool = False) -> None:
        """Judge a URL as urllib3 reads it. Raises Urllib3RefusedError."""
        if self.gate.knows(url, referral):
            return
        read: Url = parse_url(url)
        try:
            port = read.port or default_port(read.scheme or "http")
            self.gate.check(url, read.host or "", port, referral, carries=carries)
        except RefusedError as error:
            raise Urllib3RefusedError(str(error), verdict=error.verdict) from error

    def _referral(self, retries: object) -> Referral:
        """The origin of the URL: urllib3 follows a redirection by opening it, with the history of its retries."""
        past = retries.history if isinstance(retries, Retry) else ()
        if not past or not past[-1].redirect_location:
            return OWN
        return self.gate.redirected(past[-1].url or "", past[-1].redirect_location, PEER.get(), REFERRAL.get())


def _without_credentials(fields: Mapping[str, str]) -> Mapping[str, str]:
    """The fields of a request to another origin; urllib3 keeps no jar, so that every cookie is the caller's."""
    left = urllib3.HTTPHeaderDict(fields)
    for name in (*credentials(fields), "Cookie"):
        left.discard(name)
    return left


def _key_with_policy(make: Callable[..., Any], policy: Policy) -> Callable[..., Any]:
    """The function for the key of a pool, with the policy in it."""

    def key(context: Mapping[str, Any]) -> tuple[object, ...]:
        return make(context), policy

    return key
