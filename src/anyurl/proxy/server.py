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

from anyurl.net.accepting import Acceptor
from anyurl.net.loop.signals import act_on
from anyurl.proxy import head
from anyurl.proxy.child import Child, forget, watch
from anyurl.proxy.gateway import HttpGateway
from anyurl.proxy.journal import Journal
from anyurl.proxy.roles import Roles
from anyurl.proxy.sockets import StreamSocket, listener_at
from anyurl.proxy.state import ProxyState
from anyurl.proxy.visit import HEAD_SECONDS, Visit

KEPT_SECONDS = 5.0
"""The time for which a client's connection waits for its next request: Apache keeps them for 5, nginx for 75."""

Service = Callable[[StreamSocket, str], Coroutine[Any, Any, None]]
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
        self._waiting: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._gateway = HttpGateway()

    async def listen(self, host: str, port: int) -> tuple[str, int]:
        """Start serving on an address; returns the actual address. Raises OSError."""
        return self._serve_at(listener_at(host, port), self._visit)

    async def listen_for_figures(self, host: str, port: int) -> tuple[str, int]:
        """Start serving ``/metrics`` and ``/healthz`` on another address. Raises OSError."""
        return self._serve_at(listener_at(host, port), self._show)

    def adopt(self, listener: socket.socket, *, is_near: bool) -> None:
        """Start serving on a listener.

        Args:
            is_near: It is in the network of this process, where a request could lead to it.
        """
        self._serve_at(listener, self._visit, is_near=is_near)

    def _serve_at(self, listener: socket.socket, service: Service, *, is_near: bool = True) -> tuple[str, int]:
        self._acceptors.append(Acceptor(listener, partial(self._begin, service)))
        host, port = listener.getsockname()[:2]
        if is_near:
            self.state.ports.add(port)
        return host, port

    def reload(self, roles: Roles) -> None:
        """Use other roles from now on; existing connections keep their permissions."""
        self.state.take(roles)
        self._gateway.forget()

    def end(self) -> None:
        """Let `serve` return, and cut existing connections off."""
        self._ended.set()

    async def wait(self) -> None:
        """Wait for `end`."""
        await self._ended.wait()

    async def stop(self, grace: float) -> None:
        """Stop accepting, give existing requests `grace` seconds, and end."""
        self.state.stopping = True
        for acceptor in self._acceptors:
            acceptor.accept()  # a waiting connection may have sent its request already
            acceptor.close()
        self._acceptors.clear()
        for task in self._waiting:
            task.cancel()  # for a next request, which may never come
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
        client = StreamSocket(sock)
        task = asyncio.get_running_loop().create_task(service(client, str(address[0])))
        self._busy.add(task)
        task.add_done_callback(partial(self._close, client))

    def _close(self, client: StreamSocket, task: asyncio.Task[None]) -> None:
        self._busy.discard(task)
        client.close()  # the task may have been cancelled before it started

    async def _visit(self, client: StreamSocket, address: str) -> None:
        self.state.journal.connections += 1
        try:
            while await Visit(self.state, self._gateway, client, address).serve():
                if not await self._has_next(client):
                    break
        except OSError:
            client.abort()
        else:
            await client.finish()
        finally:
            self.state.journal.connections -= 1

    async def _has_next(self, client: StreamSocket) -> bool:
        """Wait for another request of a client. Raises OSError."""
        task = asyncio.current_task()
        assert task is not None
        self._waiting.add(task)
        try:
            async with asyncio.timeout(KEPT_SECONDS):
                return not self.state.stopping and bool(await client.first())
        except (TimeoutError, asyncio.CancelledError):
            return False
        finally:
            self._waiting.discard(task)

    async def _show(self, client: StreamSocket, address: str) -> None:
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
                )
            await client.finish()


async def _serve(
    proxy: EgressProxy,
    places: list[tuple[str, int]],
    ready: Callable[[list[tuple[str, int]]], object],
    reload: Callable[[], object],
    grace: float,
) -> None:
    told = False

    def stop(_: int) -> None:
        nonlocal told
        told = True
        proxy.end()

    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        act_on(loop, name, stop)
    act_on(loop, "SIGHUP", lambda _: reload())
    listeners = (proxy.listen, proxy.listen_for_figures)
    try:
        ready([await listen(*place) for listen, place in zip(listeners, places, strict=False)])
        await proxy.wait()
    finally:
        await proxy.stop(grace if told else 0)


def _nothing() -> None:
    """The handler of SIGHUP without a file to reread: by default it would end the process."""


def serve(
    proxy: EgressProxy,
    places: list[tuple[str, int]],
    ready: Callable[[list[tuple[str, int]]], object],
    reload: Callable[[], object] = _nothing,
    grace: float = 10.0,
) -> None:
    """Serve until SIGTERM or SIGINT, or until the proxy ends by itself; SIGHUP calls `reload`.

    Args:
        places: The address to listen on, and optionally a second one for the figures.
        ready: Called with the actual addresses, before anything is accepted there; its exceptions end the service.
        grace: Seconds that existing connections get at the end.

    Raises:
        OSError: It can't listen there.
    """
    asyncio.run(_serve(proxy, places, ready, reload, grace))


LAST_SECONDS = 1.0
"""Seconds that a program's connections get after its end, so that those it has closed are logged."""


async def _serve_child(proxy: EgressProxy, child: Child, confined: bool) -> int:
    proxy.adopt(child.listener, is_near=not confined)
    code = await asyncio.to_thread(watch, child)
    await proxy.stop(LAST_SECONDS)
    return code


def serve_child(proxy: EgressProxy, child: Child, *, confined: bool) -> int:
    """Serve a program until it ends; returns its exit code.

    Args:
        confined: It was started so.
    """
    try:
        return asyncio.run(_serve_child(proxy, child, confined))
    finally:
        forget(child)
