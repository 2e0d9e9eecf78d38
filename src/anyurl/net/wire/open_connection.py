"""Connections for asyncio programs with other protocols, with the same look-up and checks as anyurl's own connections.

Rule: as `anyurl.net.wire.connect`, with the two streams of asyncio as the result; only this module needs asyncio.
"""

from __future__ import annotations

import asyncio
import socket
import ssl

from anyurl.errors import AnyURLError
from anyurl.guard.policy import Policy
from anyurl.net.loop.asyncio_driver import AsyncioDriver, Waker
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.connect import Dialler
from anyurl.url.arguments import check_value, named
from anyurl.values import USER, Provenance


async def open_connection(
    host: str,
    port: int,
    *,
    scheme: str,
    policy: Policy,
    came_from: Provenance = USER,
    timeout: float | None = None,
    local_address: tuple[str, int] | None = None,
    tls: ssl.SSLContext | None = None,
    server_hostname: str | None = None,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """As `connect`, for asyncio; returns a reader and a writer.

    Args:
        tls: If given, TLS begins at once.
        server_hostname: The name that the server's certificate must have, if it is not the host.

    Raises:
        AnyURLError: As `connect` does.
        ssl.SSLError: The TLS handshake failed.
    """
    if not (tls is None or isinstance(tls, ssl.SSLContext)):
        raise TypeError(f"tls is an ssl.SSLContext, not {named(tls)}")
    check_value("server_hostname", server_hostname, "str | None")
    dialler = Dialler(policy, local_address)
    driver = AsyncioDriver(dialler)
    try:
        waker = dialler.tell = Waker()
        dialler.start(host, port, scheme, came_from, timeout)
        while not dialler.done:
            await driver.change(waker)
        sock = dialler.take()
    finally:
        driver.close()
    sock.setblocking(False)
    try:
        name = None if tls is None else server_hostname or host
        return await asyncio.open_connection(sock=sock, ssl=tls, server_hostname=name)
    except BaseException:
        sock.close()
        raise


class AsyncDialler:
    """Makes connections under one policy, for a program that needs many of them in one asyncio event loop.

    Look-ups are cached briefly (`resolver.CACHE_SECONDS`). Each connection goes to an address that was judged, and the
    address that answered is compared each time.
    """

    def __init__(self, policy: Policy) -> None:
        self._dialler = Dialler(policy)
        self._driver = AsyncioDriver(self._dialler)
        self._under_way = 0
        self._retired = False

    async def dial(self, host: str, port: int, *, scheme: str) -> socket.socket:
        """A non-blocking connection, owned by the caller. Raises as `connect`."""
        future: asyncio.Future[Connection | AnyURLError] = self._driver.loop.create_future()

        def end(result: Connection | AnyURLError) -> None:
            if not future.done():
                future.set_result(result)
            elif isinstance(result, Connection):
                result.close()

        attempt = self._dialler.attempt((host, port), scheme, USER, end)
        self._under_way += 1
        try:
            attempt.start()
            if not future.done():  # a server near by answers at once
                self._driver.rearm()
            result = await future
        except BaseException:
            if future.done() and not future.cancelled() and isinstance(connection := future.result(), Connection):
                connection.close()
            raise
        finally:
            attempt.close()
            self._under_way -= 1
            if self._retired and not self._under_way:
                self._driver.close()
        if isinstance(result, AnyURLError):
            raise result
        assert isinstance(result.sock, socket.socket)
        return result.sock

    def retire(self) -> None:
        """Close as soon as nothing is under way; no new `dial` may follow."""
        self._retired = True
        if not self._under_way:
            self._driver.close()
