"""The guard under aiohttp: `session`, or `GuardedConnector` in a session of your own.

Rule: the connector judges each request, every address of its name (aiohttp shares a look-up between requests of
different origins: its result is judged for each), and the connected peer, before anything is sent; its socket factory
judges each address that is connected to. The target of a redirection is judged with the place that led there. For
aiohttp 3.13.4 or later: before it a ``Cookie`` of the caller's goes along.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import weakref
from collections.abc import Callable
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from anyurl.adapters.gate import HOST, OWN, REFERRAL, Gate, Referral, carries, in_referral, refuse_options, written
from anyurl.adapters.hop import credentials, without_certificate
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.values import shown

__all__ = ["GuardedConnector", "AiohttpRefusedError", "session"]

CLOSED_OPTIONS = ("connector", "connector_owner", "proxy", "proxy_auth", "trust_env")
"""Options of a session that would bypass the guard."""

REDIRECTIONS = frozenset((301, 302, 303, 307, 308))
"""Statuses that aiohttp follows."""


class AiohttpRefusedError(RefusedError, aiohttp.ClientError):
    """The policy refuses a request of aiohttp; nothing was sent."""


class GuardedClientSession:
    """A session of aiohttp, with all that it has; the texts that it is given are judged before aiohttp reads them.

    Made by `session`. (aiohttp discourages inheriting from its own.)
    """

    def __repr__(self) -> str:
        return shown(self, "_gate.policy.name")

    def __init__(self, inner: aiohttp.ClientSession, gate: Gate) -> None:
        self._inner = inner
        self._gate = gate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def request(self, method: str, url: Any, **options: Any) -> Any:
        """As aiohttp's, and so are the methods that are called as those of HTTP. Raises AiohttpRefusedError."""
        return self._inner.request(method, self._admit(url), **options)

    def get(self, url: Any, **options: Any) -> Any:
        """See `request`."""
        return self._inner.get(self._admit(url), **options)

    def options(self, url: Any, **options: Any) -> Any:
        """See `request`."""
        return self._inner.options(self._admit(url), **options)

    def head(self, url: Any, **options: Any) -> Any:
        """See `request`; a redirection is not followed unless ``allow_redirects`` says so."""
        return self._inner.head(self._admit(url), **options)

    def post(self, url: Any, **options: Any) -> Any:
        """See `request`."""
        return self._inner.post(self._admit(url), **options)

    def put(self, url: Any, **options: Any) -> Any:
        """See `request`."""
        return self._inner.put(self._admit(url), **options)

    def patch(self, url: Any, **options: Any) -> Any:
        """See `request`."""
        return self._inner.patch(self._admit(url), **options)

    def delete(self, url: Any, **options: Any) -> Any:
        """See `request`."""
        return self._inner.delete(self._admit(url), **options)

    def ws_connect(self, url: Any, **options: Any) -> Any:
        """A WebSocket. Raises AiohttpRefusedError."""
        return self._inner.ws_connect(self._admit(url), **options)

    def _admit(self, url: Any) -> Any:
        """The URL as aiohttp takes it. Raises AiohttpRefusedError."""
        text = str(url)
        if not self._gate.knows(text) and "//" in text and not self._gate.is_relative(text):
            try:
                self._gate.admit(text)
            except RefusedError as error:
                raise _of_aiohttp(error) from error
        return written(url)

    async def __aenter__(self) -> GuardedClientSession:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._inner.close()


def session(policy: Policy | None = None, **options: Any) -> GuardedClientSession:
    """An aiohttp session under the policy; call it in a coroutine, like aiohttp's own.

    Args:
        policy: None is `Policy.untrusted`.
        options: As `aiohttp.ClientSession` takes them, without those that would bypass the guard; and ``on_verdict``, a
            function that gets each `anyurl.guard.Decision`.

    Raises:
        ValueError: One of those.
    """
    refuse_options(options, CLOSED_OPTIONS, "session")
    connector = GuardedConnector(policy, on_verdict=options.pop("on_verdict", None))
    inner = aiohttp.ClientSession(
        connector=connector, response_class=_watched_by(connector.calls), trust_env=False, **options
    )
    return GuardedClientSession(inner, connector.gate)


class GuardedConnector(aiohttp.TCPConnector):
    """An aiohttp connector under the policy.

    Args:
        policy: None is `Policy.untrusted`.
        resolver: Looks names up; None is aiohttp's own.
        on_verdict: Called with each `anyurl.guard.Decision`.
        options: As `aiohttp.TCPConnector` takes them.
    """

    def __repr__(self) -> str:
        return shown(self, "gate.policy.name")

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        resolver: AbstractResolver | None = None,
        on_verdict: Callable[[Decision], object] | None = None,
        **options: Any,
    ) -> None:
        self.gate: Gate = Gate(policy, on_verdict)
        self.calls: LedCalls = LedCalls(self.gate)
        timed = TimedResolver(resolver or aiohttp.DefaultResolver(), self.gate.policy.limits.connect)
        super().__init__(resolver=timed, socket_factory=self._judged_socket, **options)

    def connect(self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        """A connection for a request, new or kept. Raises AiohttpRefusedError."""
        # A kept connection was judged when it was made, by its key: scheme, host, port and proxy.
        if id(traces) not in self.calls:
            return aiohttp.TCPConnector.connect(self, req, traces, timeout)  # super() would take twice as long
        return self._follow(req, traces, timeout)

    async def _follow(
        self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout
    ) -> aiohttp.connector.Connection:
        """A connection for the target of a redirection: it is judged even if a connection is kept."""
        referral = self.calls.referral(traces)
        self._judge(req, referral)
        if referral.elsewhere:
            _leave_behind(req)
        connection = await super().connect(req, traces, timeout)
        try:
            self._judge_peer(req, connection.transport, referral)
        except RefusedError:
            connection.close()
            raise
        return connection

    async def _create_connection(self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        """A new connection; who has answered is judged before anything is sent."""
        referral = self.calls.referral(traces)
        self._judge(req, referral)
        with in_referral(referral, req.url.raw_host or ""):
            protocol = await super()._create_connection(req, traces, timeout)
        try:
            self._judge_peer(req, protocol.transport, referral)
        except RefusedError:
            protocol.close()
            raise
        # The redirecting peer may have closed by then. Through vars() CPython would find its attributes slowly ever
        # after.
        protocol.peer = _peer(protocol.transport)  # type: ignore[attr-defined]
        return protocol

    async def _resolve_host(self, host: str, port: int, traces: Any = None) -> list[ResolveResult]:
        """The addresses of a host; all of them are judged, even if another request looked them up."""
        found = await super()._resolve_host(host, port, traces=traces)
        try:
            self.gate.judge([str(row["host"]) for row in found], port, "http", REFERRAL.get().origin, host)
        except RefusedError as error:
            raise _of_aiohttp(error) from error
        return found

    def _judge(self, req: aiohttp.ClientRequest, referral: Referral) -> None:
        try:
            if req.proxy is not None:
                raise self.gate.refuse_proxy(AiohttpRefusedError)
            is_led = referral is not OWN and carries(req.method, req.headers)
            self.gate.check(str(req.url), req.url.raw_host or "", req.url.port, referral, carries=is_led)
        except RefusedError as error:
            raise _of_aiohttp(error) from error

    def _judge_peer(
        self, req: aiohttp.ClientRequest, transport: asyncio.BaseTransport | None, referral: Referral
    ) -> None:
        peer = _peer(transport)
        try:
            peers, host = [] if peer is None else [peer], req.url.raw_host or ""
            self.gate.judge(peers, req.url.port or 0, "http", referral.origin, host)
        except RefusedError as error:
            raise _of_aiohttp(error) from error

    def _judged_socket(self, info: Any) -> socket.socket:
        """A socket for an address, which is judged once more: an address in a URL has asked no resolver."""
        family, kind, protocol, _, address = info
        try:
            self.gate.judge([str(address[0])], int(address[1]), "http", REFERRAL.get().origin, HOST.get())
        except RefusedError as error:
            raise _of_aiohttp(error) from error
        return socket.socket(family, kind, protocol)


class LedCalls(dict[int, tuple[object, Referral, object]]):
    """The calls of sessions that follow a redirection.

    A call is identified by its list of traces: all of its hops, and nothing else, share this very object. It is held
    here as long as the redirecting response, which the call itself keeps.
    """

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    def referral(self, call: object) -> Referral:
        """The origin of the current request of a call."""
        led = self.get(id(call))
        return OWN if led is None else led[1]

    def lead_on(self, call: object, response: aiohttp.ClientResponse, place: str, peer: str | None) -> None:
        """Record that this response names the next request of a call."""
        octets = place.encode("utf-8", "surrogateescape")  # unchanged, for anyurl's own reading
        origin = self.referral(call)
        referral = self._gate.redirected(str(response.url), octets.decode("latin-1"), peer, origin)
        self[id(call)] = call, referral, weakref.ref(response, lambda _: self.pop(id(call), None))


class TimedResolver(AbstractResolver):
    """Looks names up, within the time that a connection may take."""

    def __init__(self, inner: AbstractResolver, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Called by the connector. Raises OSError where it takes too long."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._inner.resolve(host, port, family)
        except TimeoutError as error:
            raise OSError(None, f"The look-up of {host!r} took longer than {self._seconds:g} seconds.") from error

    async def close(self) -> None:
        """Close the resolver."""
        await self._inner.close()


def _peer(transport: asyncio.BaseTransport | None) -> str | None:
    """The address of who is at the other end."""
    name = None if transport is None else transport.get_extra_info("peername")
    return None if name is None else str(name[0])


def _watched_by(calls: LedCalls) -> type[aiohttp.ClientResponse]:
    """Responses that say where they lead."""

    class WatchedResponse(aiohttp.ClientResponse):
        has_led = False

        def release(self) -> Any:
            # Called before a redirection is followed. To wrap `start` would cost each request a coroutine.
            if self.status in REDIRECTIONS and not self.has_led:
                self.has_led = True
                place = self.headers.get("Location") or self.headers.get("URI")  # as aiohttp has it
                if place is not None:
                    calls.lead_on(self._traces, self, place, getattr(self._protocol, "peer", None))
            return aiohttp.ClientResponse.release(self)

    return WatchedResponse


def _leave_behind(req: aiohttp.ClientRequest) -> None:
    """Take the caller's credentials from a request to another origin.

    aiohttp sends the login that a server wrote into its redirection, and that of its session, to whomever; a middleware
    may answer a challenge; and a cookie without a domain is for every host to its jar.
    """
    for name in credentials(req.headers):
        req.headers.popall(name, None)
    if req.headers.popall("Cookie", None):
        jar = req.session.cookie_jar
        own = {(cookie.key, cookie.value) for cookie in jar if not cookie["domain"]}
        kept = [cookie for cookie in jar.filter_cookies(req.url).values() if (cookie.key, cookie.value) not in own]
        if kept:
            req.headers["Cookie"] = "; ".join(f"{cookie.key}={cookie.coded_value}" for cookie in kept)
    if isinstance(req.ssl, ssl.SSLContext):
        vars(req)["_ssl"] = without_certificate(req.ssl)


def _of_aiohttp(error: RefusedError) -> AiohttpRefusedError:
    """A refusal as aiohttp has errors."""
    return AiohttpRefusedError(str(error), verdict=error.verdict)
