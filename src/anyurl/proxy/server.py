"""The listeners of a proxy: they accept, show figures, take other roles, and stop with grace.

Rule: what is under way goes on as it was allowed; stopping ends it only when its time is over.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress

from anyurl.proxy import head
from anyurl.proxy.gateway import HttpGateway
from anyurl.proxy.journal import Journal
from anyurl.proxy.roles import Roles
from anyurl.proxy.state import ProxyState
from anyurl.proxy.streams import close
from anyurl.proxy.visit import HEAD_SECONDS, Visit

BACKLOG = 1_024
"""Connections that wait to be accepted."""


class EgressProxy:
    """An egress proxy: HTTP CONNECT, http and every other scheme in absolute form, SOCKS 5 on the same port.

    Args:
        roles: Who may do what; `reload` changes it for connections that begin after that.
        journal: Takes the log and the figures.
    """

    def __init__(self, roles: Roles, journal: Journal) -> None:
        self.state = ProxyState(roles, journal)
        self._servers: list[asyncio.Server] = []
        self._busy: set[asyncio.Task[None]] = set()
        self._gateway = HttpGateway()

    async def listen(self, host: str, port: int) -> tuple[str, int]:
        """Begin to serve on an address; where that is. Raises OSError."""
        server = await asyncio.start_server(
            self._accept, host, port, backlog=BACKLOG, limit=head.HEAD_OCTETS_AT_MOST
        )  # fmt: skip
        self._servers.append(server)
        at = server.sockets[0].getsockname()
        self.state.ports.add(at[1])
        return at[0], at[1]

    async def listen_for_figures(self, host: str, port: int) -> tuple[str, int]:
        """Begin to serve ``/metrics`` and ``/healthz`` on another address. Raises OSError."""
        server = await asyncio.start_server(self._show, host, port, limit=head.HEAD_OCTETS_AT_MOST)
        self._servers.append(server)
        at = server.sockets[0].getsockname()
        self.state.ports.add(at[1])
        return at[0], at[1]

    def reload(self, roles: Roles) -> None:
        """Judge by other roles from now on; what is under way goes on as it was allowed."""
        self.state.roles = roles

    async def stop(self, grace: float) -> None:
        """Accept nothing more, give what is under way so many seconds, and end."""
        for server in self._servers:
            server.close()
        await asyncio.sleep(0)  # what was accepted a moment ago begins, and is then among the busy
        if self._busy:
            await asyncio.wait(self._busy, timeout=grace)
        for task in self._busy:
            task.cancel()
        if self._busy:
            await asyncio.wait(self._busy)
        await self._gateway.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        self.state.journal.connections += 1
        try:
            await Visit(self.state, self._gateway, reader, writer).serve()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            await close(writer)
            self.state.journal.connections -= 1
            self._busy.discard(task)

    async def _show(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Figures and health; to nobody else's pages: only GET without a question."""
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(HEAD_SECONDS):
                first = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0]
            pages = {b"GET /metrics HTTP/1": self.state.journal.figures(), b"GET /healthz HTTP/1": "ok\n"}
            text = pages.get(first.rpartition(b".")[0])
            body = ("not here\n" if text is None else text).encode("utf-8")
            status = b"404 Not Found" if text is None else b"200 OK"
            writer.write(
                b"HTTP/1.1 " + status + b"\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body
            )  # fmt: skip
            await writer.drain()
        await close(writer)


async def _serve(
    proxy: EgressProxy,
    places: list[tuple[str, int]],
    ready: Callable[[list[tuple[str, int]]], object],
    reload: Callable[[], object] | None,
    grace: float,
) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    if reload is not None:
        loop.add_signal_handler(signal.SIGHUP, reload)
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
        places: Where to listen, and if there are two, where to show figures.
        ready: Is told where that is.
        grace: Seconds for what is under way then.

    Raises:
        OSError: It can't listen there.
    """
    asyncio.run(_serve(proxy, places, ready, reload, grace))
