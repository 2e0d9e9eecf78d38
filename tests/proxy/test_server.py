"""The listeners: figures, many connections, and how it stops."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from anyurl.proxy import EgressProxy, Roles, serve
from anyurl.proxy.journal import Journal
from tests.proxy.running import Running, role, running
from tests.servers import WAIT_SECONDS, Connection, Server


def echo(connection: Connection) -> None:
    """Say what comes, until it ends."""
    while data := connection.sock.recv(65536):
        connection.sock.sendall(data)


def test_figures_and_health() -> None:
    with running() as proxy:
        proxy.say(b"nonsense\r\n\r\n")
        proxy.wait(1)
        answer = proxy.say(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", port=proxy.figures)
        assert b'anyurl_proxy_decisions_total{role="",decision="failed",code="request"} 1\n' in answer
        assert proxy.say(b"GET /healthz HTTP/1.1\r\n\r\n", port=proxy.figures).endswith(b"\r\n\r\nok\n")
        assert proxy.say(b"POST /metrics HTTP/1.1\r\n\r\n", port=proxy.figures).startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize(
    ("place", "asked", "end"),
    [("figures", b"GET /healthz HTTP/1.1\r\n\r\n", b"\r\n\r\nok\n"), ("port", b"no\r\n\r\n", b"}\n")],
)
def test_an_answer_ends_in_order_whatever_else_was_sent(place: str, asked: bytes, end: bytes) -> None:
    """Closed with octets unread, the system resets the connection, which may overtake the answer."""
    with running() as proxy, socket.create_connection(("127.0.0.1", getattr(proxy, place)), timeout=10) as sock:
        sock.sendall(asked + bytes(1_000_000))
        answer = b""
        while data := sock.recv(65_536):
            answer += data
        assert answer.endswith(end)


def test_what_is_under_way_is_finished_when_it_stops() -> None:
    with Server(echo) as server, running(role(connect_ports=(server.port,))) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
            sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
            assert sock.recv(65536).startswith(b"HTTP/1.1 200")
            proxy.loop.call_soon_threadsafe(proxy.stop.set)  # type: ignore[attr-defined]
            proxy.do(_closed(proxy.proxy))
            with socket.socket() as other:
                assert other.connect_ex(("127.0.0.1", proxy.port)) != 0
            sock.sendall(b"still here")
            assert sock.recv(65536) == b"still here"


async def _closed(proxy: EgressProxy) -> None:
    while proxy._acceptors:
        await asyncio.sleep(0)


def test_many_tunnels_at_once() -> None:
    with Server(echo) as server, running(role(connect_ports=(server.port,))) as proxy:
        socks = []
        for _ in range(100):
            sock = socket.create_connection(("127.0.0.1", proxy.port), timeout=10)
            sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
            socks.append(sock)
        for sock in socks:
            assert sock.recv(19) == b"HTTP/1.1 200 OK\r\n\r\n"
        for number, sock in enumerate(socks):
            sock.sendall(b"%d" % number)
        for number, sock in enumerate(socks):
            assert sock.recv(9) == b"%d" % number
            sock.close()
        assert {line["decision"] for line in proxy.wait(100)} == {"allowed"}


@contextmanager
def half_through(proxy: Running, server: Server) -> Iterator[socket.socket]:
    """A client with a tunnel to this server, which has got the word half of what it says."""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
        sock.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode())
        got = b""
        while b"half" not in got:
            got += sock.recv(65536)
        yield sock


def test_what_is_cut_off_when_it_stops_is_seen_as_cut_off() -> None:
    """Neither side of a tunnel may take what it has for all there was; and the log says so."""

    def part(connection: Connection) -> None:
        connection.send(b"half")
        with pytest.raises(ConnectionResetError):
            connection.sock.recv(1)
        cut.set()

    cut = threading.Event()
    with Server(part) as server, running(role(connect_ports=(server.port,))) as proxy:
        with half_through(proxy, server) as sock:
            proxy.do(proxy.proxy.stop(0))
            with pytest.raises(ConnectionResetError):
                sock.recv(1)
        assert cut.wait(WAIT_SECONDS)
        (line,) = proxy.wait(1)
    assert (line["decision"], line["code"]) == ("failed", "stopped")


def test_a_tunnel_that_breaks_on_one_side_breaks_on_the_other() -> None:
    def part(connection: Connection) -> None:
        connection.send(b"half")
        assert seen.wait(WAIT_SECONDS)
        connection.reset()

    seen = threading.Event()
    with Server(part) as server, running(role(connect_ports=(server.port,))) as proxy:
        with half_through(proxy, server) as sock:
            seen.set()
            with pytest.raises(ConnectionResetError):
                sock.recv(1)
        (line,) = proxy.wait(1)
    assert (line["decision"], line["code"]) == ("failed", "broken")


def test_a_client_that_leaves_leaves_nothing() -> None:
    """A hundred at different points: with no request, half a head, a tunnel that is open, one that is half closed."""
    with Server(echo) as server, running(role(connect_ports=(server.port,))) as proxy:
        tunnel = f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n\r\n".encode()
        for number in range(100):
            with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as sock:
                sock.sendall((b"", b"GET http://h/ HT", tunnel, tunnel)[number % 4])
                if number % 4 == 3:
                    assert sock.recv(19) == b"HTTP/1.1 200 OK\r\n\r\n"
                    sock.shutdown(socket.SHUT_WR)
        proxy.wait(75)
        proxy.do(_ended(proxy.proxy))
        assert proxy.proxy.state.open.total() == 0
        assert proxy.proxy.state.journal.connections == 0


async def _ended(proxy: EgressProxy) -> None:
    await asyncio.wait_for(asyncio.gather(*proxy._busy), 10)


def test_who_asks_for_figures_and_says_nothing_is_not_left_behind() -> None:
    with running() as proxy, socket.create_connection(("127.0.0.1", proxy.figures), timeout=10) as sock:
        sock.sendall(b"GET ")
        proxy.do(proxy.proxy.stop(0))
        assert _end_of(sock) == b""


def _end_of(sock: socket.socket) -> bytes:
    with suppress(ConnectionResetError):
        return sock.recv(1)
    return b""


def test_an_address_that_is_taken_is_an_error_and_leaves_nothing() -> None:
    with running() as proxy:
        ports = set(proxy.proxy.state.ports)
        with pytest.raises(OSError, match="Address already in use"):
            proxy.do(proxy.proxy.listen("127.0.0.1", proxy.port))
        assert proxy.proxy.state.ports == ports
        assert len(proxy.proxy._acceptors) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::"])
def test_when_it_has_stopped_it_listens_to_nothing(host: str) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        proxy = EgressProxy(Roles((role(),)), Journal(print))
        assert (await proxy.listen(host, 0))[0] == host
        listeners = [acceptor.listener for acceptor in proxy._acceptors]
        for listener in listeners if ":" in host else ():  # IPv4 has a listener of its own
            assert listener.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
        numbers = [listener.fileno() for listener in listeners]
        await proxy.stop(0)
        assert [loop.remove_reader(number) for number in numbers] == [False]

    asyncio.run(main())


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_it_serves_until_it_is_told_to_end(name: str) -> None:
    heard: list[str] = []

    def ready(places: list[tuple[str, int]]) -> None:
        assert len(places) == 2
        assert all(host == "127.0.0.1" and port for host, port in places)
        os.kill(os.getpid(), signal.SIGHUP)

    def reload() -> None:
        heard.append("SIGHUP")
        os.kill(os.getpid(), getattr(signal, name))

    before = signal.getsignal(signal.SIGINT)
    try:
        serve(EgressProxy(Roles((role(),)), Journal(print)), [("127.0.0.1", 0)] * 2, ready, reload)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["SIGHUP"]


def test_who_has_connected_when_it_stops_is_served() -> None:
    """What waits to be accepted may have sent its request: it would be reset."""

    async def main() -> bytes:
        proxy = EgressProxy(Roles((role(),)), Journal(print))
        place = await proxy.listen("127.0.0.1", 0)
        with socket.create_connection(place, timeout=10) as sock:
            sock.sendall(b"nonsense\r\n\r\n")
            sock.shutdown(socket.SHUT_WR)
            await proxy.stop(5)
            return sock.recv(65_536)

    assert asyncio.run(main()).startswith(b"HTTP/1.1 400 ")
