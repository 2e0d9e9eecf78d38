"""Attempts: several addresses one beside the other, clocks, and TLS that is verified."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.dialogue import Connect, Dialogue, Emit, Receive, Secure, Send
from anyurl.errors import ConnectError, TransferTimeout
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.attempt import ATTEMPT_DELAY, ConnectAttempt
from anyurl.net.wire.connector import Network
from anyurl.testing import SmallNetwork
from anyurl.values import USER
from tests.net.connecting import echo, once, run, talk, unanswered
from tests.servers import Connection, Server, answers, certificate, reply, unheard


@pytest.fixture
def scheduler() -> Any:
    scheduler = Scheduler(Policy.open(), handlers)
    yield scheduler
    scheduler.close()


def test_a_dead_first_address_does_not_matter(scheduler: Scheduler) -> None:
    with Server(echo) as server:
        network = Network(lambda host: ["127.0.0.2", "127.0.0.1"])
        other = Scheduler(Policy.open(), handlers, network=network)
        assert run(other, talk("two.test", server.port)) == b"ping"
        other.close()


@pytest.mark.parametrize("addresses", [["::1", "127.0.0.1"], ["::1", "::1", "127.0.0.1"]], ids=["two", "three"])
@pytest.mark.parametrize("transport", ["http", "gopher"])
def test_the_other_family_is_tried(addresses: list[str], transport: str) -> None:
    """By libcurl and by the connector: a machine whose IPv6 leads nowhere gets there by IPv4."""
    with Server(once(b"HTTP/1.0 200 OK\r\n\r\ngood" if transport == "http" else b"good")) as server:
        network = Network(lambda host: addresses)
        with Client(Policy.open(), network=network) as client:
            assert client.get(f"{transport}://two.test:{server.port}/0x").read() == b"good"


class Timed(SmallNetwork):
    """A small network that knows when each address was tried."""

    times: list[float]

    def socket_to(self, endpoint: tuple[str, int], transport: Any) -> Any:
        self.times.append(time.monotonic())
        return super().socket_to(endpoint, transport)


class Instant(socket.socket):
    """A socket whose connection is made while it says that it is under way: so it is on loopback, mostly."""

    def connect_ex(self, address: Any) -> int:
        self.setblocking(True)
        super().connect_ex(address)
        self.setblocking(False)
        return errno.EINPROGRESS


def test_a_connection_that_is_made_at_once_is_not_waited_for() -> None:
    class Near(Network):
        def socket_to(self, endpoint: tuple[str, int], transport: Any) -> Any:
            sock, target = super().socket_to(endpoint, transport)
            near = Instant(fileno=sock.detach())
            return near, target

    scheduler = Scheduler(Policy.open(), handlers, network=Near(lambda host: ["127.0.0.1"]))
    with Server(echo) as server, contextlib.closing(scheduler):
        assert run(scheduler, talk(server.host, server.port)) == b"ping"
        made: list[Any] = []
        attempt = ConnectAttempt(
            scheduler.connector, (server.host, server.port), scheme="x-test", transport="tcp", tls=None,
            came_from=USER, then=made.append,
        )  # fmt: skip
        attempt.start()
        (connection,) = made  # no turn of the loop was needed
        connection.close()


@pytest.mark.parametrize(
    ("error", "reason"),
    [(OSError(errno.EHOSTUNREACH, "far"), "no route to host"), (OSError("?"), "input/output error")],
)
def test_what_can_not_be_asked_how_its_connecting_ended_has_failed(error: OSError, reason: str) -> None:
    class Mute(socket.socket):
        def getsockopt(self, *given: Any) -> Any:
            raise error

    class Odd(Network):
        def begin(self, endpoint: tuple[str, int]) -> Any:
            sock, _ = super().begin(endpoint)
            return Mute(fileno=sock.detach()), None

    scheduler = Scheduler(Policy.open(), handlers, network=Odd())
    with Server(echo) as server, contextlib.closing(scheduler):
        with pytest.raises(ConnectError, match=f"Connecting to 127.0.0.1 port {server.port}: {reason}"):
            run(scheduler, talk(server.host, server.port))


def test_addresses_are_tried_one_after_the_other() -> None:
    """RFC 8305 5: the next one 250 ms later, beside the first, which may still answer."""
    addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
    with unanswered() as nobody, Server(echo) as server:
        where = {(address, 4000): nobody for address in addresses}
        where[addresses[2], 4000] = (server.host, server.port)
        network = Timed({"three.test": addresses}, where)
        network.times = []
        scheduler = Scheduler(Policy.open(), handlers, network=network)
        assert run(scheduler, talk("three.test", 4000)) == b"ping"
        scheduler.close()
    assert network.connected == [(address, 4000) for address in addresses]
    first, second, third = network.times
    assert second - first >= ATTEMPT_DELAY
    assert third - second >= ATTEMPT_DELAY


def test_the_last_address_that_refuses_does_not_end_an_attempt_at_another() -> None:
    policy = Policy.open()
    policy = policy.replace(limits=policy.limits.replace(connect=ATTEMPT_DELAY + 0.15))
    with unanswered() as slow, unheard() as closed:
        addresses = ["192.0.2.1", "192.0.2.2"]
        network = SmallNetwork(
            {"two.test": addresses}, {("192.0.2.1", 4000): slow, ("192.0.2.2", 4000): ("127.0.0.1", closed)}
        )
        scheduler = Scheduler(policy, handlers, network=network)
        with pytest.raises(TransferTimeout):
            run(scheduler, talk("two.test", 4000))
        assert network.connected == [(address, 4000) for address in addresses]
        scheduler.close()


@pytest.mark.parametrize("missing", [errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT])
@pytest.mark.parametrize("addresses", [["192.0.2.1", "2001:db8::1"], ["2001:db8::1", "192.0.2.1"]])
def test_a_machine_without_ipv6_says_what_the_peer_has_answered_by_ipv4(addresses: list[str], missing: int) -> None:
    class Old(SmallNetwork):
        def socket_to(self, endpoint: tuple[str, int], transport: Any) -> Any:
            if ":" in endpoint[0]:
                raise OSError(missing, os.strerror(missing))
            return super().socket_to(endpoint, transport)

    with unheard() as closed:
        network = Old(
            {"two.test": addresses, "six.test": ["2001:db8::1"]}, {("192.0.2.1", 4000): ("127.0.0.1", closed)}
        )
        scheduler = Scheduler(Policy.open(), handlers, network=network)
        with contextlib.closing(scheduler):
            for name, number in (("two.test", errno.ECONNREFUSED), ("six.test", missing)):
                with pytest.raises(ConnectError) as raised:
                    run(scheduler, talk(name, 4000))
                assert raised.value.errno == number


def test_a_look_up_that_hangs_is_abandoned() -> None:
    over = threading.Event()
    policy = Policy.open()
    policy = policy.replace(limits=policy.limits.replace(connect=0.2))
    scheduler = Scheduler(policy, handlers, network=Network(lambda host: ["127.0.0.1"] * over.wait(5)))
    with pytest.raises(TransferTimeout, match="look-up") as caught:
        run(scheduler, talk("slow.test", 4000))
    assert caught.value.clock == "connect"
    over.set()
    scheduler.close()


def test_a_connection_that_nobody_accepts() -> None:
    policy = Policy.open()
    scheduler = Scheduler(policy.replace(limits=policy.limits.replace(connect=0.2)), handlers)
    with unanswered() as (host, port), pytest.raises(TransferTimeout, match="Connecting"):
        run(scheduler, talk(host, port))
    scheduler.close()


# --- TLS -----------------------------------------------------------------------------------------------------------


def trusting(path: Path) -> Scheduler:
    from anyurl.net.wire.tls import TLSConfig

    return Scheduler(Policy.open(), handlers, network=Network(lambda host: ["127.0.0.1"]), tls_config=TLSConfig(path))


def test_tls_from_the_start_and_later(tmp_path: Path) -> None:
    def upgrade(connection: Connection) -> None:
        connection.line()
        connection.send(b"go\r\n")
        connection.sock = context.wrap_socket(connection.sock, server_side=True)
        echo(connection)

    def dialogue() -> Dialogue:
        channel = yield from Connect("good.test", plain.port)
        yield from Send(channel, b"STARTTLS\r\n")
        yield from Receive(channel)
        yield from Secure(channel, "good.test")
        yield from Send(channel, b"ping")
        yield from Emit((yield from Receive(channel)))
        return None

    with certificate(tmp_path, "good.test") as (context, path):
        scheduler = trusting(path)
        with Server(echo, context=context) as server, Server(upgrade) as plain:
            assert run(scheduler, talk("good.test", server.port, tls=True)) == b"ping"
            assert run(scheduler, dialogue) == b"ping"
        scheduler.close()


@pytest.mark.promise("passwords")
@pytest.mark.parametrize("scheme", ["x-test", "https"])
@pytest.mark.parametrize("fault", ["wrong name", "unknown authority", "no TLS"])
def test_a_certificate_that_is_not_right_is_refused(tmp_path: Path, fault: str, scheme: str) -> None:
    (tmp_path / "other").mkdir()
    with (
        certificate(tmp_path, "good.test") as (context, path),
        certificate(tmp_path / "other", "good.test") as (_, other),
    ):
        host = "bad.test" if fault == "wrong name" else "good.test"
        trusted = other if fault == "unknown authority" else path
        with Server(echo, context=None if fault == "no TLS" else context) as server:
            if scheme == "x-test":
                scheduler = trusting(trusted)
                with pytest.raises(ConnectError) as caught:
                    run(scheduler, talk(host, server.port, tls=True))
                scheduler.close()
            else:
                with (
                    Client(network=Network(lambda host: ["127.0.0.1"]), ca_file=trusted) as client,
                    pytest.raises(ConnectError) as caught,
                ):
                    client.open(f"https://{host}:{server.port}/")
        assert caught.value.stage == "tls"
        assert all(b"ping" not in bytes(received) for received in server.received)


def test_https_is_verified_and_works(tmp_path: Path) -> None:
    with (
        certificate(tmp_path, "good.test") as (context, path),
        Server(answers(reply(b"secret")), context=context) as server,
        Client(network=Network(lambda host: ["127.0.0.1"]), ca_file=path) as client,
    ):
        assert client.open(f"https://good.test:{server.port}/").read() == b"secret"


# --- what a dialogue may and may not do ----------------------------------------------------------------------------
