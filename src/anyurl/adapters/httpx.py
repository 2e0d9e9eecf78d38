"""The guard under httpx: `client` and `async_client`, or one of the transports in a client of your own.

Rule: the judging is in `anyurl.adapters.transports`; these are the classes. For httpx 0.27 or later.
"""

from __future__ import annotations

import weakref
from typing import Any, ClassVar

import httpcore
import httpx

from anyurl.adapters.gate import Gate, written
from anyurl.adapters.httpcore import AsyncGuardedBackend, GuardedBackend
from anyurl.adapters.transports import AsyncSending, Library, Sending
from anyurl.errors import RefusedError
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.values import shown

__all__ = ["AsyncGuardedTransport", "GuardedTransport", "HttpxRefusedError", "async_client", "client"]


class HttpxRefusedError(RefusedError, httpx.RequestError):
    """The policy refuses a request of httpx; nothing was sent."""


LIBRARY = Library(httpx, HttpxRefusedError)


class GuardedClient(httpx.Client):
    """A client that also judges the texts that it is given, before httpx reads them. Made by `client`."""

    gate: Gate

    def __repr__(self) -> str:
        return shown(self, "gate.policy.name")

    def build_request(self, method: str, url: httpx.URL | URL | str, **options: Any) -> httpx.Request:
        """A request. Raises HttpxRefusedError for a text that programs read differently."""
        text = written(url)
        request: httpx.Request = LIBRARY.judged(self.gate, text, super().build_request(method, text, **options))
        return request


class AsyncGuardedClient(httpx.AsyncClient):
    """The same, asynchronous. Made by `async_client`."""

    gate: Gate

    def __repr__(self) -> str:
        return shown(self, "gate.policy.name")

    def build_request(self, method: str, url: httpx.URL | URL | str, **options: Any) -> httpx.Request:
        """A request. Raises HttpxRefusedError for a text that programs read differently."""
        text = written(url)
        request: httpx.Request = LIBRARY.judged(self.gate, text, super().build_request(method, text, **options))
        return request


def client(policy: Policy | None = None, **options: Any) -> GuardedClient:
    """A client of httpx under the policy.

    Args:
        policy: None is `Policy.untrusted`.
        options: As `httpx.Client` takes them, without those that would bypass the guard. ``on_verdict`` is called with
            each `anyurl.guard.Decision`.

    Raises:
        ValueError: One of those.
    """
    transport = GuardedTransport(policy, **LIBRARY.take(options))
    redirects = options.pop("max_redirects", transport.gate.policy.limits.redirects)
    opened = GuardedClient(transport=transport, trust_env=False, max_redirects=redirects, **options)
    opened.gate, transport._client = transport.gate, weakref.ref(opened)
    return opened


def async_client(policy: Policy | None = None, **options: Any) -> AsyncGuardedClient:
    """The same as `client`, for asyncio and trio."""
    transport = AsyncGuardedTransport(policy, **LIBRARY.take(options))
    redirects = options.pop("max_redirects", transport.gate.policy.limits.redirects)
    opened = AsyncGuardedClient(transport=transport, trust_env=False, max_redirects=redirects, **options)
    opened.gate, transport._client = transport.gate, weakref.ref(opened)
    return opened


class _Sender(httpx.HTTPTransport):
    """Sends a judged request by a guarded pool, as httpx does, so that a mock in its place is reached.

    Its own constructor would make another pool: without it there is nothing to send by but this one.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool


class _AsyncSender(httpx.AsyncHTTPTransport):
    """The same, asynchronous."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool


class GuardedTransport(Sending, httpx.BaseTransport):
    """A transport of httpx under the policy. Takes the arguments of `httpx.HTTPTransport`."""

    _library = LIBRARY
    _pool: ClassVar[Any] = httpcore.ConnectionPool
    _backend: ClassVar[Any] = GuardedBackend
    _sender: ClassVar[Any] = _Sender


class AsyncGuardedTransport(AsyncSending, httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, under asyncio and trio."""

    _library = LIBRARY
    _pool: ClassVar[Any] = httpcore.AsyncConnectionPool
    _backend: ClassVar[Any] = AsyncGuardedBackend
    _sender: ClassVar[Any] = _AsyncSender
