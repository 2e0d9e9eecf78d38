"""Data connections beside a control connection: made at once, waited for, refused, and answered by another address."""

from __future__ import annotations

import contextlib
import logging
import socket
import tempfile
import time
from typing import Any

import pytest

from anyurl import Policy
from anyurl.dialogue import Connect, ConnectData, Dialogue
from anyurl.errors import AnyURLError, ConnectError, LocalFileError, RefusedError, TransferTimeout
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.attempt import ConnectAttempt, connect_data
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.connector import Network
from anyurl.net.wire.proxies.table import read_proxy
from anyurl.values import USER
from tests.net.connecting import echo, run, talk, unanswered
from tests.servers import Server


@pytest.fixture
def scheduler() -> Any:
    limits = Policy.open().limits.replace(connect=0.2)
    scheduler = Scheduler(Policy.open().replace(limits=limits), handlers, network=Wrong())
    yield scheduler
    scheduler.close()


class Wrong(Network):
    """Addresses whose answers come from another one, if `other` says so."""

    other: tuple[str, int] | None = None
    begun: socket.socket

    def begin(self, endpoint: tuple[str, int]) -> tuple[socket.socket, tuple[str, int] | None]:
        self.begun, actual = super().begin(endpoint)
        return self.begun, self.other or actual


def beside(scheduler: Scheduler, port: int, proxy: Any = None) -> Connection | ConnectAttempt:
    control = Connection(socket.socket(), ("h", 21), ("127.0.0.1", 21))
    control.proxy = proxy
    try:
        return connect_data(scheduler.connector, control, port, "ftp", USER, lambda *_result: None)
    finally:
        control.close()


def test_on_this_machine_it_is_there_at_once(scheduler: Scheduler, caplog: pytest.LogCaptureFixture) -> None:
    with Server(echo) as server, caplog.at_level(logging.DEBUG, "anyurl"):
        made = beside(scheduler, server.port)
        told = [record.getMessage() for record in caplog.records if record.name == "anyurl.net"]
        assert told == [f"Connected to 127.0.0.1 port {server.port} at 127.0.0.1."]
        assert isinstance(made, Connection)
        assert made.endpoint == made.peer == ("127.0.0.1", server.port)
        made.close()


@pytest.mark.promise("refused-means-unsent")
@pytest.mark.parametrize("other", [("127.0.0.9", 0), ("127.0.0.1", 1)], ids=["address", "port"])
def test_what_another_one_answers_is_not_spoken_to(scheduler: Scheduler, other: tuple[str, int]) -> None:
    network: Any = scheduler.connector.network
    with Server(echo) as server:
        network.other = other[0], other[1] or server.port
        with pytest.raises(RefusedError, match=r"to 127\.0\.0\.1 was answered by another address"):
            beside(scheduler, server.port)
    assert network.begun.fileno() == -1


class Led(Network):
    """Reaches one server, whichever is meant; at once, or as if it took a while."""

    to: tuple[str, int]
    at_once: bool

    def begin(self, endpoint: tuple[str, int]) -> tuple[socket.socket, tuple[str, int] | None]:
        sock, actual = super().begin(self.to)
        return sock, actual if self.at_once else None


@pytest.mark.promise("refused-means-unsent")
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("meant", [("127.0.0.9", 0), ("127.0.0.1", 4000)], ids=["address", "port"])
def test_a_server_that_was_not_meant_is_told_nothing(meant: tuple[str, int], at_once: bool) -> None:
    network = Led()
    with Server(echo) as server, contextlib.closing(Scheduler(Policy.open(), handlers, network=network)) as scheduler:
        network.to, network.at_once = (server.host, server.port), at_once
        with pytest.raises(RefusedError, match="was answered by another address: nothing was sent"):
            run(scheduler, talk(meant[0], meant[1] or server.port))
    assert b"".join(server.received) == b""


def test_what_is_not_there_at_once_is_waited_for(scheduler: Scheduler) -> None:
    with unanswered() as (_host, port), Server(echo) as server:

        def dialogue() -> Dialogue:
            yield from ConnectData((yield from Connect("127.0.0.1", server.port)), port)
            return None

        with pytest.raises(TransferTimeout, match=f"Connecting to 127.0.0.1 port {port} took longer than 0.2 seconds"):
            run(scheduler, dialogue)


class Unwatchable(socket.socket):
    """As where a user may watch no more: epoll takes no file."""

    def fileno(self) -> int:
        return nothing.fileno() if super().fileno() >= 0 else -1


nothing = tempfile.TemporaryFile()  # noqa: SIM115


def test_what_the_system_can_not_watch_is_an_error_and_is_closed(scheduler: Scheduler) -> None:
    network: Any = scheduler.connector.network
    begin = network.begin

    def unwatched(endpoint: tuple[str, int]) -> tuple[socket.socket, None]:
        network.begun = Unwatchable()
        return network.begun, None

    with Server(echo) as server:

        def dialogue() -> Dialogue:
            channel = yield from Connect("127.0.0.1", server.port)
            network.begin = unwatched
            yield from ConnectData(channel, 5000)
            return None

        with pytest.raises(LocalFileError, match="can't watch any more connections: operation not permitted"):
            run(scheduler, dialogue)
        assert network.begun.fileno() == -1
        network.begin = unwatched
        with pytest.raises(LocalFileError, match="can't watch any more connections: operation not permitted"):
            run(scheduler, talk("127.0.0.1", server.port))
        assert network.begun.fileno() == -1
        network.begin = begin
        assert run(scheduler, talk("127.0.0.1", server.port)) == b"ping"


def test_what_refuses_is_an_error_that_names_it(scheduler: Scheduler) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with Server(echo) as server:

        def dialogue() -> Dialogue:
            yield from ConnectData((yield from Connect("127.0.0.1", server.port)), port)
            return None

        with pytest.raises(ConnectError, match=f"Connecting to 127.0.0.1 port {port}"):
            run(scheduler, dialogue)


def test_behind_a_proxy_nothing_is_connected_to_directly(scheduler: Scheduler) -> None:
    network: Any = scheduler.connector.network
    network.begun = None
    with Server(echo) as server, unanswered() as (host, port):
        made = beside(scheduler, server.port, read_proxy(f"http://{host}:{port}"))
        assert isinstance(made, ConnectAttempt)
        made.close()
        assert network.begun.fileno() == -1
        assert server.received == []


def test_a_port_that_is_dropped_is_given_up_soon_and_not_tried_again(scheduler: Scheduler) -> None:
    seen: list[tuple[type[AnyURLError], float]] = []
    with Server(echo) as server, unanswered() as full:

        def dialogue() -> Dialogue:
            channel = yield from Connect("127.0.0.1", server.port)
            for _ in range(2):
                begun = time.monotonic()
                try:
                    yield from ConnectData(channel, full[1], 0.3)
                except AnyURLError as error:
                    seen.append((type(error), time.monotonic() - begun))
            return None

        run(scheduler, dialogue)
    assert [kind for kind, _ in seen] == [TransferTimeout, ConnectError]
    assert 0.2 < seen[0][1] < 3
    assert seen[1][1] < 0.2
