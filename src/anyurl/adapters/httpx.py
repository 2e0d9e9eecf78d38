"""The guard under httpx and httpcore: `client` and `async_client`, or one of the transports in a client of your own.

Rule: the transport judges each request, the network backend of `anyurl.adapters.httpcore` each address; what a
redirection leads to is judged with the place that led there, and has a pool of its own kind. For httpx 0.27 or later.
"""

from __future__ import annotations

import ssl
import weakref
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import httpcore
import httpx

from anyurl.adapters.gate import OWN, Gate, Referral, carries, default_port, refuse_options
from anyurl.adapters.hop import cookies_kept, credentials, without_certificate
from anyurl.adapters.httpcore import AsyncGuardedBackend, GuardedBackend
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.values import Scope

__all__ = ["AsyncGuardedTransport", "GuardedTransport", "HttpxRefusedError", "async_client", "client"]

ORIGIN = "anyurl.origin"
"""Of a request's extensions, which a redirected request inherits: the request that led on, and what it is named by."""

CLOSED_OPTIONS = ("transport", "mounts", "proxy", "proxies", "app", "trust_env")
"""Options of a client by which requests would go another way."""

TRANSPORT_OPTIONS = ("verify", "cert", "http1", "http2", "limits", "retries", "local_address", "socket_options")

P = TypeVar("P", httpcore.ConnectionPool, httpcore.AsyncConnectionPool)


class HttpxRefusedError(RefusedError, httpx.RequestError):
    """The policy refuses a request of httpx; nothing was sent."""


class GuardedClient(httpx.Client):
    """A client that also judges the texts that it is given, before httpx reads them. Made by `client`."""

    gate: Gate

    def build_request(self, method: str, url: httpx.URL | str, **options: Any) -> httpx.Request:
        """A request. Raises HttpxRefusedError for a text that programs read differently."""
        return _judged(self.gate, url, super().build_request(method, url, **options))


class AsyncGuardedClient(httpx.AsyncClient):
    """The same, asynchronous. Made by `async_client`."""

    gate: Gate

    def build_request(self, method: str, url: httpx.URL | str, **options: Any) -> httpx.Request:
        """A request. Raises HttpxRefusedError for a text that programs read differently."""
        return _judged(self.gate, url, super().build_request(method, url, **options))


def _judged(gate: Gate, url: httpx.URL | str, request: httpx.Request) -> httpx.Request:
    if isinstance(url, str) and "//" in url and not (gate.knows(url) or gate.is_relative(url)):
        read = request.url
        try:
            gate.check(url, read.raw_host.decode("ascii"), read.port or default_port(read.scheme))
        except RefusedError as error:
            raise _of_request(error, request) from error
    return request


def client(policy: Policy | None = None, **options: Any) -> GuardedClient:
    """An httpx client under the policy.

    Args:
        policy: None is `Policy.untrusted`.
        options: As `httpx.Client` takes them, without those by which requests would go another way.

    Raises:
        ValueError: One of those.
    """
    transport = GuardedTransport(policy, **_take(options))
    redirects = options.pop("max_redirects", transport.gate.policy.limits.redirects)
    opened = GuardedClient(transport=transport, trust_env=False, max_redirects=redirects, **options)
    opened.gate, transport._client = transport.gate, weakref.ref(opened)
    return opened


def async_client(policy: Policy | None = None, **options: Any) -> AsyncGuardedClient:
    """The same as `client`, for asyncio and trio."""
    transport = AsyncGuardedTransport(policy, **_take(options))
    redirects = options.pop("max_redirects", transport.gate.policy.limits.redirects)
    opened = AsyncGuardedClient(transport=transport, trust_env=False, max_redirects=redirects, **options)
    opened.gate, transport._client = transport.gate, weakref.ref(opened)
    return opened


def _take(options: dict[str, Any]) -> dict[str, Any]:
    """Take the transport's options out of a client's."""
    refuse_options(options, CLOSED_OPTIONS, "client")
    return {name: options.pop(name) for name in TRANSPORT_OPTIONS if name in options}


class _Guarded(ABC, Generic[P]):
    """What both transports share: the options of their pools, and one pool for each scope that names hosts.

    Attributes:
        gate: The policy.
    """

    # The client of a factory, whose jar says which cookies are for a host; that of a program's own client is unknown.
    _client: weakref.ref[GuardedClient | AsyncGuardedClient] | None = None

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        verify: ssl.SSLContext | bool = True,
        cert: Any = None,
        http1: bool = True,
        http2: bool = False,
        limits: httpx.Limits | None = None,
        retries: int = 0,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> None:
        self.gate: Gate = Gate(policy)
        limits = limits or httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=5.0)
        self._options: dict[str, Any] = {
            "ssl_context": httpx.create_ssl_context(verify=verify, cert=cert, trust_env=False),
            "max_connections": limits.max_connections,
            "max_keepalive_connections": limits.max_keepalive_connections,
            "keepalive_expiry": limits.keepalive_expiry,
            "http1": http1,
            "http2": http2,
            "retries": retries,
            "local_address": local_address,
            "socket_options": socket_options,
        }
        self._has_own_tls = cert is not None or isinstance(verify, ssl.SSLContext)
        # A connection that its user's own URL has opened is not reused for what a redirection leads to.
        self._pools: dict[tuple[Scope | None, bool] | None, P] = {}

    @abstractmethod
    def _new_pool(self, referral: Referral) -> P:
        """A pool for hosts that somebody names."""

    def _options_for(self, referral: Referral) -> dict[str, Any]:
        """The options of such a pool: another origin is not shown the client certificate."""
        if not (referral.elsewhere and self._has_own_tls):
            return self._options
        return self._options | {"ssl_context": without_certificate(self._options["ssl_context"])}

    def _prepare(self, request: httpx.Request) -> tuple[httpcore.Request, P]:
        """The request for httpcore, and its pool. Raises RefusedError."""
        url = request.url
        scheme, host, port = url.raw_scheme, url.raw_host, url.port
        referral = _referral(request)
        came_from = referral.origin
        place = (scheme, host, port)
        # To write a URL again costs as much as the rest: a place of the caller's own is judged once, a login each time.
        if referral is not OWN or place not in self.gate.places or url.userinfo:
            self.gate.check(
                str(url), host.decode("ascii"), port or default_port(url.scheme), referral, place=place,
                carries=referral is not OWN and carries(request.method, request.headers),
            )  # fmt: skip
        key = None if came_from.own else (came_from.scope, referral.elsewhere)
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = self._new_pool(referral)
        if referral.elsewhere:
            self._leave_behind(request)
        inner = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=scheme, host=host, port=port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        return inner, pool

    def _leave_behind(self, request: httpx.Request) -> None:
        """Take the caller's credentials from a request to another origin. httpx leaves only some of them behind."""
        for name in credentials(request.headers):
            del request.headers[name]
        if self._client is not None:
            opened = self._client()
            jar = () if opened is None else opened.cookies.jar
            if kept := cookies_kept(request.headers.pop("Cookie", None), str(request.url), jar):
                request.headers["Cookie"] = kept

    def _answer(
        self, request: httpx.Request, response: httpcore.Response, stream: httpx.SyncByteStream | httpx.AsyncByteStream
    ) -> httpx.Response:
        """The response for httpx; who led on is remembered for the request that will follow."""
        if 300 <= response.status < 400:
            self._note(request, response)
        return httpx.Response(
            status_code=response.status, headers=response.headers, stream=stream, extensions=response.extensions
        )

    def _note(self, request: httpx.Request, response: httpcore.Response) -> None:
        for name, value in response.headers:
            if name.lower() == b"location":
                stream = response.extensions.get("network_stream")
                peer = None if stream is None else stream.get_extra_info("server_addr")
                address = None if peer is None else str(peer[0])
                referral = _referral(request)
                leads_on = self.gate.redirected(str(request.url), value.decode("latin-1"), address, referral)
                request.extensions[ORIGIN] = (request, referral, leads_on)


def _referral(request: httpx.Request) -> Referral:
    """Who named the URL of a request."""
    noted = request.extensions.get(ORIGIN)
    if noted is None:
        return OWN
    by, its_own, leads_on = noted
    referral: Referral = its_own if by is request else leads_on
    return referral


class GuardedTransport(_Guarded[httpcore.ConnectionPool], httpx.BaseTransport):
    """An httpx transport under the policy. Takes the arguments of `httpx.HTTPTransport`."""

    def _new_pool(self, referral: Referral) -> httpcore.ConnectionPool:
        backend = GuardedBackend(self.gate, referral.origin)
        return httpcore.ConnectionPool(network_backend=backend, **self._options_for(referral))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Called by the client. Raises HttpxRefusedError; else as httpx does."""
        with _errors_of_httpx(request):
            inner, pool = self._prepare(request)
            response = pool.handle_request(inner)
        return self._answer(request, response, _HttpcoreStream(response))

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.close()


class AsyncGuardedTransport(_Guarded[httpcore.AsyncConnectionPool], httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, under asyncio and trio."""

    def _new_pool(self, referral: Referral) -> httpcore.AsyncConnectionPool:
        backend = AsyncGuardedBackend(self.gate, referral.origin)
        return httpcore.AsyncConnectionPool(network_backend=backend, **self._options_for(referral))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Called by the client. Raises HttpxRefusedError; else as httpx does."""
        with _errors_of_httpx(request):
            inner, pool = self._prepare(request)
            response = await pool.handle_async_request(inner)
        return self._answer(request, response, _AsyncHttpcoreStream(response))

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            await pool.aclose()


# --- errors and streams ----------------------------------------------------------------------------------------------


def _of_httpx() -> Mapping[type[Exception], Callable[[str], Exception]]:
    """httpx has an error of the same name for each of httpcore's."""
    return {
        kind: getattr(httpx, name)
        for name in dir(httpcore)
        if isinstance(kind := getattr(httpcore, name), type) and issubclass(kind, Exception) and hasattr(httpx, name)
    }


_ERRORS = _of_httpx()


@contextmanager
def _errors_of_httpx(request: httpx.Request | None = None) -> Iterator[None]:
    """What httpcore and the guard raise, as httpx calls it."""
    try:
        yield
    except RefusedError as error:
        raise _of_request(error, request) from error
    except Exception as error:
        for kind in type(error).__mro__:
            if kind in _ERRORS:
                raise _ERRORS[kind](str(error)) from error
        raise


def _of_request(error: RefusedError, request: httpx.Request | None) -> HttpxRefusedError:
    """A refusal as httpx has errors."""
    refused = HttpxRefusedError(str(error), verdict=error.verdict)
    if request is not None:
        refused.request = request
    return refused


class _HttpcoreStream(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _AsyncHttpcoreStream(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors_of_httpx():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        await self._response.aclose()
