"""The listeners of a proxy: accepting, figures, reloading of roles, and graceful stop.

Rule: existing connections continue as they were allowed; a stop ends them only after the grace period.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from anyurl.net.accepting import BACKLOG, Acceptor
from anyurl.net.loop.signals import act_on
from anyurl.proxy import head
from anyurl.proxy.gateway import HttpGateway
from anyurl.proxy.journal import Journal
from anyurl.proxy.roles import Roles
from anyurl.proxy.sockets import Stream
from anyurl.proxy.state import ProxyState
from anyurl.proxy.visit import HEAD_SECONDS, Visit

Service = Callable[[Stream, str], Coroutine[Any, Any, None]]
"""Serves a connection, given the address of the client."""


class EgressProxy:
    """An egress proxy: HTTP CONNECT, http and every other scheme in absolute form, SOCKS 5 on the same port.

    Args:
        roles: The roles; `reload` changes them for later connections.
        journal: Gets the log and the figures.
    """

    def __init__(self, roles: Roles, journal: Journal) -> None:
        self.state = ProxyState(roles, journal)
        self._acceptors: list[Acceptor] = []
        self._busy: set[asyncio.Task[None]] = set()
        self._gateway = HttpGateway()

    async def listen(self, host: str, port: int) -> tuple[str, int]:
        """Start serving on an address; returns the actual address. Raises OSError."""
        return await self._listen(host, port, self._visit)

    async def listen_for_figures(self, host: str, port: int) -> tuple[str, int]:
        """Start serving ``/metrics`` and ``/healthz`` on another address. Raises OSError."""
        return await self._listen(host, port, self._show)

    async def _listen(self, host: str, port: int, service: Service) -> tuple[str, int]:
        loop = asyncio.get_running_loop()
        family, kind, protocol, _, place = (
            await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind(place)
            listener.listen(BACKLOG)
        except BaseException:
            listener.close()
            raise
        self._acceptors.append(Acceptor(listener, partial(self._begin, service)))
        at = listener.getsockname()
        self.state.ports.add(at[1])
        return at[0], at[1]

    def reload(self, roles: Roles) -> None:
        """Use other roles from now on; existing connections keep what they were allowed."""
        self.state.take(roles)
        self._gateway.forget()

    async def stop(self, grace: float) -> None:
        """Stop accepting, give existing connections `grace` seconds, and end."""
        for acceptor in self._acceptors:
            acceptor.accept()  # what waits may have sent its request already
            acceptor.close()
        self._acceptors.clear()
        if self._busy:
            await asyncio.wait(self._busy, timeout=grace)
        for task in self._busy:
            task.cancel()
        if self._busy:
            await asyncio.wait(self._busy)
        self.state.close()
        await self._gateway.close()

    def _begin(self, service: Service, sock: socket.socket, address: tuple[str, int]) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = Stream(sock)
        task = asyncio.get_running_loop().create_task(service(client, str(address[0])))
        self._busy.add(task)
        task.add_done_callback(partial(self._ended, client))

    def _ended(self, client: Stream, task: asyncio.Task[None]) -> None:
        self._busy.discard(task)
        client.close()  # the task may have been cancelled before it started

    async def _visit(self, client: Stream, address: str) -> None:
        self.state.journal.connections += 1
        try:
            await Visit(self.state, self._gateway, client, address).serve()
        except OSError:
            client.abort()
        else:
            await client.finish()
        finally:
            self.state.journal.connections -= 1

    async def _show(self, client: Stream, address: str) -> None:
        """Serve figures and health; only plain GET requests."""
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(HEAD_SECONDS):
                first = (await client.read_head(head.HEAD_OCTETS_AT_MOST)).split(b"\r\n")[0]
            pages = {b"GET /metrics HTTP/1": self.state.journal.figures(), b"GET /healthz HTTP/1": "ok\n"}
            text = pages.get(first.rpartition(b".")[0])
            body = ("not here\n" if text is None else text).encode("utf-8")
            status = b"404 Not Found" if text is None else b"200 OK"
            async with asyncio.timeout(HEAD_SECONDS):
                await client.write(
                    b"HTTP/1.1 " + status + b"\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                    b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body
                )  # fmt: skip
            await client.finish()


async def _serve(
    proxy: EgressProxy,
    places: list[tuple[str, int]],
    ready: Callable[[list[tuple[str, int]]], object],
    reload: Callable[[], object] | None,
    grace: float,
) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        act_on(loop, name, lambda _: stopped.set())
    if reload is not None:
        act_on(loop, "SIGHUP", lambda _: reload())
    listeners = (proxy.listen, proxy.listen_for_figures)
    ready([await listen(*place) for listen, place in zip(listeners, places, strict=False)])
    await stopped.wait()
    await proxy.stop(grace)


def serve(
    proxy: EgressProxy,
    places: list[tuple[str, int]],
    ready: Callable[[list[tuple[str, int]]], object],
    reload: Callable[[], object] | None = None,
    grace: float = 10.0,
) -> None:
    """Serve until SIGTERM or SIGINT; SIGHUP calls `reload`.

    Args:
        places: The address to listen on, and optionally a second one for the figures.
        ready: Called with the actual addresses.
        grace: Seconds that existing connections get at the end.

    Raises:
        OSError: It can't listen there.
    """
    asyncio.run(_serve(proxy, places, ready, reload, grace))
