"""The network backend for the pools of httpcore and httpcore2.

Rule: a name is looked up here, every address judged, and the library's own backend connects to one of them, as an
address; the peer's address is compared. The library is a parameter, for one is a copy of the other by name only: each
has its own errors and streams.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from socket import SOCK_STREAM
from typing import Any, ClassVar

import anyio

from anyurl.adapters.gate import Gate
from anyurl.errors import AnyURLError, RefusedError, TransferTimeout
from anyurl.net.wire.connect import resolve
from anyurl.net.wire.peers import same_address
from anyurl.values import USER, Provenance, shown


class Backend:
    """A network backend that connects to approved addresses only.

    Args:
        gate: The policy.
        came_from: Who names the hosts of this pool.
    """

    _core: ClassVar[Any]
    """httpcore or httpcore2."""

    def __repr__(self) -> str:
        return shown(self, "_gate.policy.name")

    def __init__(self, gate: Gate, came_from: Provenance = USER) -> None:
        self._gate = gate
        self._came_from = came_from
        self._inner: Any = self._core.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        """Called by the pool. Raises RefusedError; else as the library does."""
        with self._errors_of_the_library(), self._gate.hearing(host, port, self._came_from):
            addresses = resolve(
                host, port, scheme="http", policy=self._gate.policy, came_from=self._came_from, timeout=timeout
            )

        async def connect(address: str, seconds: float) -> Any:
            return self._inner.connect_tcp(address, port, seconds, local_address, socket_options)

        async def close(stream: Any) -> None:
            stream.close()

        attempt = _connect_to_one(self._core, self._gate, addresses, timeout, connect, close)
        try:
            attempt.send(None)  # it waits for nothing
        except StopIteration as done:
            return done.value
        raise AssertionError("nothing is waited for")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> Any:
        """Raises RefusedError: such a socket is always this machine\'s."""
        raise RefusedError("Refused: a local socket is not a public address.", code="peer")

    @contextmanager
    def _errors_of_the_library(self) -> Iterator[None]:
        """Translates the errors of anyurl's look-up into the library's."""
        try:
            yield
        except RefusedError:
            raise
        except TransferTimeout as error:
            raise self._core.ConnectTimeout(str(error)) from error
        except AnyURLError as error:
            raise self._core.ConnectError(str(error)) from error


class AsyncBackend:
    """The same for asynchronous pools."""

    _core: ClassVar[Any]
    """httpcore or httpcore2."""

    def __repr__(self) -> str:
        return shown(self, "_gate.policy.name")

    def __init__(self, gate: Gate, came_from: Provenance = USER) -> None:
        self._gate = gate
        self._came_from = came_from
        self._inner: Any = self._core.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        """Called by the pool. Raises RefusedError; else as the library does."""
        addresses = await self._resolve(host, port, timeout)

        async def connect(address: str, seconds: float) -> Any:
            return await self._inner.connect_tcp(address, port, seconds, local_address, socket_options)

        return await _connect_to_one(
            self._core, self._gate, addresses, timeout, connect, lambda stream: stream.aclose()
        )

    async def _resolve(self, host: str, port: int, timeout: float | None) -> list[str]:
        """The addresses of a host, each judged."""
        limit = self._gate.policy.limits.connect
        verdict = self._gate.policy.judge_endpoint("http", host, port, self._came_from)
        self._gate.decisions.keep(verdict, f"{host} port {port}", origin=self._came_from)
        try:
            with anyio.fail_after(limit if timeout is None else min(limit, timeout)):
                found = await anyio.getaddrinfo(host, port, type=SOCK_STREAM)
        except TimeoutError as error:
            raise self._core.ConnectTimeout(f"The look-up of {host!r} took too long.") from error
        except OSError as error:
            raise self._core.ConnectError(str(error)) from error
        addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
        self._gate.judge(addresses, port, "http", self._came_from, host)
        return addresses

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> Any:
        """Raises RefusedError: such a socket is always this machine\'s."""
        raise RefusedError("Refused: a local socket is not a public address.", code="peer")

    async def sleep(self, seconds: float) -> None:
        """Called by the pool between two attempts."""
        await anyio.sleep(seconds)


async def _connect_to_one(
    core: Any,
    gate: Gate,
    addresses: Sequence[str],
    timeout: float | None,
    connect: Callable[[str, float], Awaitable[Any]],
    close: Callable[[Any], Awaitable[None]],
) -> Any:
    """The first connection that succeeds, with a verified peer. Raises RefusedError; else as the library does."""
    failure: Exception = core.ConnectTimeout()
    for address, seconds in gate.attempts(addresses, timeout):
        try:
            stream = await connect(address, seconds)
        except (core.ConnectError, core.ConnectTimeout) as error:
            failure = error
            continue
        if not same_address(str(stream.get_extra_info("server_addr")[0]), address):
            await close(stream)
            raise gate.refuse_answerer(address)
        return stream
    raise failure
