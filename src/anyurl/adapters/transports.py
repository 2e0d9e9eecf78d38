"""What the guards under httpx and httpx2 share: how texts and requests are judged, and a pool for each kind of origin.

Rule: the library is a parameter (`Library`), for httpx2 is httpx under another name, with its own classes and errors.
The transport judges each request, the network backend of `anyurl.adapters.backends` each address; what a redirection
leads to is judged with the place that led there, and has a pool of its own kind. A request of another library is not
sent at all.
"""

from __future__ import annotations

import ssl
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar

from anyurl.adapters.gate import OWN, Gate, Referral, carries, default_port, refuse_options, written
from anyurl.adapters.hop import cookies_kept, credentials, without_certificate
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.values import Scope

ORIGIN = "anyurl.origin"
"""Of a request's extensions, which a redirected request inherits: the request that led on, and what it is named by."""

CLOSED_OPTIONS = ("transport", "mounts", "proxy", "proxies", "app", "trust_env")
"""Options of a client by which requests would go another way."""

TRANSPORT_OPTIONS = (
    "on_verdict",
    "verify",
    "cert",
    "http1",
    "http2",
    "limits",
    "retries",
    "local_address",
    "socket_options",
)


class Library:
    """httpx or httpx2, with the httpcore below it.

    Attributes:
        client: The module of the clients.
        core: The module of their pools.
        refused: The error of a refusal, which is one of the client's as well.
        errors: What the client calls each error of the pools: they have the same names.
    """

    def __init__(self, client: ModuleType, core: ModuleType, refused: type[RefusedError]) -> None:
        self.client: Any = client
        self.core: Any = core
        self.refused: type[RefusedError] = refused
        self.errors: Mapping[type[Exception], type[Exception]] = {
            kind: getattr(client, name)
            for name in dir(core)
            if isinstance(kind := getattr(core, name), type) and issubclass(kind, Exception) and hasattr(client, name)
        }

    def take(self, options: dict[str, Any]) -> dict[str, Any]:
        """Take the transport's options out of a client's. Raises ValueError for one that leads round the guard."""
        refuse_options(options, CLOSED_OPTIONS, "client")
        if "base_url" in options:
            options["base_url"] = written(options["base_url"])
        return {name: options.pop(name) for name in TRANSPORT_OPTIONS if name in options}

    def judged(self, gate: Gate, url: object, request: Any) -> Any:
        """The request that a client has made of a text, unless programs read the text differently."""
        if isinstance(url, str) and "//" in url and not (gate.knows(url) or gate.is_relative(url)):
            read = request.url
            try:
                gate.check(url, read.raw_host.decode("ascii"), read.port or default_port(read.scheme))
            except RefusedError as error:
                raise self.of_request(error, request) from error
        return request

    def of_request(self, error: RefusedError, request: Any) -> RefusedError:
        """A refusal as the client has errors."""
        refused: Any = self.refused(str(error), verdict=error.verdict)
        if request is not None:
            refused.request = request
        found: RefusedError = refused
        return found

    @contextmanager
    def errors_of_the_client(self, request: Any = None) -> Iterator[None]:
        """What the pools and the guard raise, as the client calls it."""
        try:
            yield
        except RefusedError as error:
            raise self.of_request(error, request) from error
        except Exception as error:
            for kind in type(error).__mro__:
                if kind in self.errors:
                    raise self.errors[kind](str(error)) from error
            raise


class Guarded:
    """What all transports share: the options of their pools, and one pool for each scope that names hosts.

    Attributes:
        gate: The policy.
    """

    _library: ClassVar[Library]
    _pool: ClassVar[Any]
    _backend: ClassVar[Any]

    # The client of a factory, whose jar says which cookies are for a host; that of a program's own client is unknown.
    _client: weakref.ref[Any] | None = None

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        on_verdict: Callable[[Decision], object] | None = None,
        verify: ssl.SSLContext | bool = True,
        cert: Any = None,
        http1: bool = True,
        http2: bool = False,
        limits: Any = None,
        retries: int = 0,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> None:
        http = self._library.client
        self.gate: Gate = Gate(policy, on_verdict)
        limits = limits or http.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=5.0)
        self._options: dict[str, Any] = {
            "ssl_context": http.create_ssl_context(verify=verify, cert=cert, trust_env=False),
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
        self._pools: dict[tuple[Scope | None, bool] | None, Any] = {}

    def _new_pool(self, referral: Referral) -> Any:
        """A pool for hosts that somebody names: another origin is not shown the client certificate."""
        options = self._options
        if referral.elsewhere and self._has_own_tls:
            options = options | {"ssl_context": without_certificate(options["ssl_context"])}
        return self._pool(network_backend=self._backend(self.gate, referral.origin), **options)

    def _prepare(self, request: Any) -> tuple[Any, Any]:
        """The request for the pools, and its pool. Raises RefusedError, TypeError."""
        library = self._library
        if not isinstance(request, library.client.Request):
            name, given = library.client.__name__, type(request).__module__.partition(".")[0]
            raise TypeError(
                f"this transport is for {name}, and the request is one of {given}; the transport of "
                f"anyurl.adapters.{given} would be allowed"
            )
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
        inner = library.core.Request(
            method=request.method,
            url=library.core.URL(scheme=scheme, host=host, port=port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        return inner, pool

    def _leave_behind(self, request: Any) -> None:
        """Take the caller's credentials from a request to another origin. The client leaves only some behind."""
        for name in credentials(request.headers):
            del request.headers[name]
        if self._client is not None:
            opened = self._client()
            jar = () if opened is None else opened.cookies.jar
            if kept := cookies_kept(request.headers.pop("Cookie", None), str(request.url), jar):
                request.headers["Cookie"] = kept

    def _answer(self, request: Any, response: Any, stream: Any) -> Any:
        """The response for the client; who led on is remembered for the request that will follow."""
        if 300 <= response.status < 400:
            self._note(request, response)
        return self._library.client.Response(
            status_code=response.status, headers=response.headers, stream=stream, extensions=response.extensions
        )

    def _note(self, request: Any, response: Any) -> None:
        for name, value in response.headers:
            if name.lower() == b"location":
                stream = response.extensions.get("network_stream")
                peer = None if stream is None else stream.get_extra_info("server_addr")
                address = None if peer is None else str(peer[0])
                referral = _referral(request)
                leads_on = self.gate.redirected(str(request.url), value.decode("latin-1"), address, referral)
                request.extensions[ORIGIN] = (request, referral, leads_on)


def _referral(request: Any) -> Referral:
    """Who named the URL of a request."""
    noted = request.extensions.get(ORIGIN)
    if noted is None:
        return OWN
    by, its_own, leads_on = noted
    referral: Referral = its_own if by is request else leads_on
    return referral


class Sending(Guarded):
    """A transport that blocks."""

    _stream: ClassVar[type[PoolStream]]

    def handle_request(self, request: Any) -> Any:
        """Called by the client. Raises a RefusedError that is one of the client's errors; else as the client does."""
        with self._library.errors_of_the_client(request):
            inner, pool = self._prepare(request)
            response = pool.handle_request(inner)
        return self._answer(request, response, self._stream(self._library, response))

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.close()


class AsyncSending(Guarded):
    """The same, asynchronous."""

    _stream: ClassVar[type[AsyncPoolStream]]

    async def handle_async_request(self, request: Any) -> Any:
        """Called by the client. Raises a RefusedError that is one of the client's errors; else as the client does."""
        with self._library.errors_of_the_client(request):
            inner, pool = self._prepare(request)
            response = await pool.handle_async_request(inner)
        return self._answer(request, response, self._stream(self._library, response))

    async def aclose(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            await pool.aclose()


class PoolStream:
    """The content of a response, with the errors of the client."""

    def __init__(self, library: Library, response: Any) -> None:
        self._library = library
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with self._library.errors_of_the_client():
            yield from self._response.iter_stream()

    def close(self) -> None:
        """Give the connection back."""
        self._response.close()


class AsyncPoolStream:
    """The same, asynchronous."""

    def __init__(self, library: Library, response: Any) -> None:
        self._library = library
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._library.errors_of_the_client():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._response.aclose()
