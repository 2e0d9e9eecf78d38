"""The guard under aiohttp: `session`, or `GuardedConnector` in a session of your own.

Rule: the connector judges each request, its resolver every address of a name, its socket factory each address that is
connected to (an address in a URL asks no resolver), and whoever has answered once more before a request is sent on a
kept connection. What a redirection leads to is judged with the place that led there. For aiohttp 3.12 or later.
"""

from __future__ import annotations

import asyncio
import socket
from contextvars import ContextVar
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from anyurl.adapters.gate import OWN, PEER, REFERRAL, Gate
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy

if TYPE_CHECKING:
    from anyurl.errors import AnyVerdict

__all__ = ["GuardedConnector", "AiohttpRefusedError", "session"]

CLOSED_OPTIONS = ("connector", "connector_owner", "proxy", "proxy_auth", "trust_env")
"""Options of a session by which requests would go another way."""

LOGIN_IN_LOCATION: ContextVar[bool] = ContextVar("anyurl_login_in_location", default=False)
"""A server wrote a login into the URL that it led on to: only the user's own are sent."""


class AiohttpRefusedError(RefusedError, aiohttp.ClientError):
    """The policy refuses a request of aiohttp; nothing was sent."""

    def __init__(self, message: str, *, verdict: AnyVerdict | None = None) -> None:
        super().__init__(message, verdict=verdict)


class GuardedClientSession:
    """A session of aiohttp, with all that it has; the texts that it is given are judged before aiohttp reads them.

    Made by `session`. (aiohttp wants nobody to inherit from its own.)
    """

    def __init__(self, inner: aiohttp.ClientSession, gate: Gate) -> None:
        self._inner = inner
        self._gate = gate

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in ("request", *_METHODS):
            return found

        def ask(*given: Any, **options: Any) -> Any:
            position = 1 if name == "request" else 0
            url = given[position] if len(given) > position else options.get("url")
            if isinstance(url, str) and "//" in url:  # what is relative to a base leads to the base
                try:
                    self._gate.read(url)
                except RefusedError as error:
                    raise AiohttpRefusedError(str(error), verdict=error.verdict) from error
            return found(*given, **options)

        return ask

    async def __aenter__(self) -> GuardedClientSession:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._inner.close()


_METHODS = ("get", "options", "head", "post", "put", "patch", "delete", "ws_connect")


def session(policy: Policy | None = None, **options: Any) -> GuardedClientSession:
    """A session of aiohttp that reaches nothing that the policy refuses; to be called in a coroutine, as its own is.

    Args:
        policy: None is `Policy.untrusted`.
        options: As `aiohttp.ClientSession` takes them, without those by which requests would go another way.

    Raises:
        ValueError: One of those.
    """
    for name in CLOSED_OPTIONS:
        if name in options:
            raise ValueError(f"a guarded session has no {name}: its requests would go round the guard")
    connector = GuardedConnector(policy)
    traces = [_watch_redirections(connector), *options.pop("trace_configs", ())]
    inner = aiohttp.ClientSession(connector=connector, trace_configs=traces, trust_env=False, **options)
    return GuardedClientSession(inner, connector.gate)


class GuardedConnector(aiohttp.TCPConnector):
    """A connector of aiohttp that reaches nothing that the policy refuses.

    Args:
        policy: None is `Policy.untrusted`.
        resolver: Looks names up; None is aiohttp's own.
        options: As `aiohttp.TCPConnector` takes them.
    """

    def __init__(
        self, policy: Policy | None = None, *, resolver: AbstractResolver | None = None, **options: Any
    ) -> None:
        self.gate: Gate = Gate(policy)
        guarded = GuardedResolver(self.gate, resolver or aiohttp.DefaultResolver())
        super().__init__(resolver=guarded, socket_factory=self._judged_socket, **options)

    async def connect(self, req: aiohttp.ClientRequest, *given: Any, **options: Any) -> Any:
        """A connection for a request, new or kept. Raises AiohttpRefusedError."""
        referral = REFERRAL.get()
        try:
            if req.proxy is not None:
                raise self.gate.refuse_proxy()
            text = str(req.url)
            if not self.gate.knows(text, referral):
                self.gate.check(text, req.url.raw_host or "", req.url.port, referral)
            if LOGIN_IN_LOCATION.get():
                req.headers.pop("Authorization", None)
            connection = await super().connect(req, *given, **options)
            transport = connection.transport
            peer = None if transport is None else transport.get_extra_info("peername")
            if peer is not None:
                try:
                    self.gate.judge([str(peer[0])], int(peer[1]), "http", referral.origin)
                except RefusedError:
                    connection.close()
                    raise
            PEER.set(None if peer is None else str(peer[0]))
            return connection
        except AiohttpRefusedError:
            raise
        except RefusedError as error:
            raise AiohttpRefusedError(str(error), verdict=error.verdict) from error

    def _judged_socket(self, info: Any) -> socket.socket:
        """A socket for an address, which is judged once more: an address in a URL has asked no resolver."""
        family, kind, protocol, _, address = info
        try:
            self.gate.judge([str(address[0])], int(address[1]), "http", REFERRAL.get().origin)
        except RefusedError as error:
            raise AiohttpRefusedError(str(error), verdict=error.verdict) from error
        return socket.socket(family, kind, protocol)


class GuardedResolver(AbstractResolver):
    """Gives the addresses of a name if the policy allows every one of them."""

    def __init__(self, gate: Gate, inner: AbstractResolver) -> None:
        self._gate = gate
        self._inner = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Called by the connector. Raises RefusedError; OSError where it takes too long."""
        limit = self._gate.policy.limits.connect
        try:
            async with asyncio.timeout(limit):
                found = await self._inner.resolve(host, port, family)
        except TimeoutError as error:
            raise OSError(None, f"The look-up of {host!r} took longer than {limit:g} seconds.") from error
        self._gate.judge([str(row["host"]) for row in found], port, "http", REFERRAL.get().origin)
        return found

    async def close(self) -> None:
        """Close what looks names up."""
        await self._inner.close()


def _watch_redirections(connector: GuardedConnector) -> aiohttp.TraceConfig:
    """Says of each redirection who named it: what is set here is seen by all that the same request does below."""
    gate = connector.gate

    def forget() -> None:
        REFERRAL.set(OWN)
        LOGIN_IN_LOCATION.set(False)

    async def start(_session: Any, _context: SimpleNamespace, params: aiohttp.TraceRequestStartParams) -> None:
        forget()
        text = str(params.url)
        if gate.knows(text):
            return
        try:
            gate.check(text, params.url.raw_host or "", params.url.port)
        except RefusedError as error:
            raise AiohttpRefusedError(str(error), verdict=error.verdict) from error

    async def redirect(_session: Any, _context: SimpleNamespace, params: aiohttp.TraceRequestRedirectParams) -> None:
        response = params.response
        place = response.headers.get("Location") or response.headers.get("URI") or ""
        REFERRAL.set(gate.redirected(str(response.url), place, PEER.get(), REFERRAL.get()))
        LOGIN_IN_LOCATION.set("@" in place.partition("//")[2].partition("/")[0])

    async def end(_session: Any, _context: SimpleNamespace, _params: Any) -> None:
        forget()

    config = aiohttp.TraceConfig()
    config.on_request_start.append(start)
    config.on_request_redirect.append(redirect)
    config.on_request_end.append(end)
    config.on_request_exception.append(end)
    return config
