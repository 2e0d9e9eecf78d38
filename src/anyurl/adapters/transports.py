"""The common base of the guards for httpx and httpx2: it judges texts and requests, and keeps a pool for each kind of
origin.

Rule: the library is a parameter (`Library`), for httpx2 is httpx under another name, with its own classes and errors.
The transport judges each request, the network backend of `anyurl.adapters.backends` each address; the target of a
redirection is judged with the place that led there, and uses a pool for that kind of origin. A request of another
library is not sent at all.
"""

from __future__ import annotations

import ssl
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar

from anyurl.adapters.gate import OWN, Gate, Referral, carries, default_port, refuse_options, written
from anyurl.adapters.hop import cookies_kept, credentials, without_certificate
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.guard.verdict import Decision
from anyurl.values import Scope, shown

ORIGIN = "anyurl.origin"
"""A key of a request's extensions, which a redirected request inherits: the redirecting request, and the origin of the
next."""

CLOSED_OPTIONS = ("transport", "mounts", "proxy", "proxies", "app", "trust_env")
"""Options of a client that would bypass the guard."""

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
    """httpx or httpx2.

    Attributes:
        client: The module of the clients.
        refused: The error of a refusal, which is one of the client's as well.
    """

    def __init__(self, client: ModuleType, refused: type[RefusedError]) -> None:
        self.client: Any = client
        self.refused: type[RefusedError] = refused

    def take(self, options: dict[str, Any]) -> dict[str, Any]:
        """Take the transport's options out of a client's. Raises ValueError for one that leads round the guard."""
        refuse_options(options, CLOSED_OPTIONS, "client")
        if "base_url" in options:
            options["base_url"] = written(options["base_url"])
        return {name: options.pop(name) for name in TRANSPORT_OPTIONS if name in options}

    def judged(self, gate: Gate, url: object, request: Any) -> Any:
        """The request that a client has made of a text, unless programs read the text differently."""
        read = request.url
        # httpx takes "a:b" for the path "b", and would be refused for want of a scheme.
        if (
            isinstance(url, str)
            and ("//" in url or not read.raw_host)
            and not (gate.knows(url) or gate.is_relative(url))
        ):
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
    def refusals_of(self, request: Any) -> Iterator[None]:
        """Translates refusals in this block into the client's errors."""
        try:
            yield
        except RefusedError as error:
            raise self.of_request(error, request) from error


class Guarded:
    """The base of all transports: the options of their pools, and one pool for each scope that names hosts.

    Attributes:
        gate: The policy.
    """

    _library: ClassVar[Library]
    _pool: ClassVar[Any]
    _backend: ClassVar[Any]
    _sender: ClassVar[Any]

    # The client of a factory, whose jar says which cookies are for a host; that of a program's own client is unknown.
    _client: weakref.ref[Any] | None = None

    def __repr__(self) -> str:
        return shown(self, "gate.policy.name")

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
        # A connection that its user's own URL has opened is not reused for the target of a redirection.
        self._senders: dict[tuple[Scope | None, bool] | None, Any] = {}

    def _new_sender(self, referral: Referral) -> Any:
        """The sender for hosts named by this origin: another origin is not shown the client certificate."""
        options = self._options
        if referral.elsewhere and self._has_own_tls:
            options = options | {"ssl_context": without_certificate(options["ssl_context"])}
        return self._sender(self._pool(network_backend=self._backend(self.gate, referral.origin), **options))

    def _prepare(self, request: Any) -> Any:
        """The sender for a request, after judging it. Raises RefusedError, TypeError."""
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
        sender = self._senders.get(key)
        if sender is None:
            sender = self._senders[key] = self._new_sender(referral)
        if referral.elsewhere:
            self._leave_behind(request)
        return sender

    def _leave_behind(self, request: Any) -> None:
        """Take the caller's credentials from a request to another origin. The client strips only some."""
        for name in credentials(request.headers):
            del request.headers[name]
        if self._client is not None:
            opened = self._client()
            jar = () if opened is None else opened.cookies.jar
            if kept := cookies_kept(request.headers.pop("Cookie", None), str(request.url), jar):
                request.headers["Cookie"] = kept

    def _answered(self, request: Any, response: Any) -> Any:
        """The same response; the origin of the next request is recorded in it."""
        if 300 <= response.status_code < 400:
            self._note(request, response)
        return response

    def _note(self, request: Any, response: Any) -> None:
        for name, value in response.headers.raw:
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

    def handle_request(self, request: Any) -> Any:
        """Called by the client. Raises a RefusedError that is one of the client's errors; else as the client does."""
        with self._library.refusals_of(request):
            response = self._prepare(request).handle_request(request)
        return self._answered(request, response)

    def close(self) -> None:
        """Close all connections."""
        for sender in self._senders.values():
            sender.close()


class AsyncSending(Guarded):
    """The same, asynchronous."""

    async def handle_async_request(self, request: Any) -> Any:
        """Called by the client. Raises a RefusedError that is one of the client's errors; else as the client does."""
        with self._library.refusals_of(request):
            response = await self._prepare(request).handle_async_request(request)
        return self._answered(request, response)

    async def aclose(self) -> None:
        """Close all connections."""
        for sender in self._senders.values():
            await sender.aclose()
