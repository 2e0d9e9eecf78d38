"""UDP sockets: one host is listened to, and what the system hears by ICMP is not lost."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from anyurl.dialogue import Connect, Dialogue, Emit, Receive, Send
from anyurl.errors import ConnectError, ConnectionLost, TransferTimeout
from anyurl.guard.policy import Policy
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.net.wire.channel import WANT_READ
from anyurl.net.wire.datagram import STRANGERS_AT_ONCE, DatagramSocket
from anyurl.testing import SmallNetwork
from anyurl.url import URL

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells an unconnected socket what ICMP says")


def udp(host: str = "127.0.0.1") -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((host, 0))
    return sock


@pytest.fixture
def peer() -> Iterator[socket.socket]:
    with udp() as sock:
        sock.settimeout(5)
        yield sock


@pytest.fixture
def datagrams(peer: socket.socket) -> Iterator[DatagramSocket]:
    sock = udp("127.0.0.1")
    sock.setblocking(False)
    made = DatagramSocket(sock, ("h.test", 1525), ("93.184.216.34", 1525), peer.getsockname())
    yield made
    made.close()


def received(datagrams: DatagramSocket) -> Any:
    """What comes within five seconds."""
    end = time.monotonic() + 5
    while (got := datagrams.receive(65536)) is WANT_READ:
        assert time.monotonic() < end
    return got


def test_a_datagram_each_way(datagrams: DatagramSocket, peer: socket.socket) -> None:
    assert datagrams.receive(100) is WANT_READ
    assert datagrams.send(b"ping") is None
    data, client = peer.recvfrom(100)
    assert data == b"ping"
    for answer in (b"one", b"", b"two", bytes(60_000)):
        peer.sendto(answer, client)
        assert received(datagrams) == answer
    assert datagrams.received == 60_006


def test_other_hosts_do_not_exist(datagrams: DatagramSocket, peer: socket.socket) -> None:
    with udp("127.0.0.2") as stranger, udp() as other_port:
        stranger.sendto(b"spoofed", datagrams.sock.getsockname())
        other_port.sendto(b"from another port", datagrams.sock.getsockname())
        assert received(datagrams) == b"from another port"
        for _ in range(STRANGERS_AT_ONCE + 5):
            stranger.sendto(b"flood", datagrams.sock.getsockname())
        peer.sendto(b"behind it", datagrams.sock.getsockname())
        assert datagrams.receive(100) is WANT_READ  # and not before the loop has looked at its timers
        assert datagrams.receive(100) == b"behind it"


@linux
def test_a_closed_port_is_known_at_once(datagrams: DatagramSocket, peer: socket.socket) -> None:
    peer.close()
    datagrams.send(b"ping")
    with pytest.raises(ConnectionLost, match=r"Reading from h\.test:1525: .*connection refused"):
        received(datagrams)
    assert datagrams.receive(100) is WANT_READ  # it is told once


@linux
def test_a_closed_port_is_known_when_sending_again(datagrams: DatagramSocket, peer: socket.socket) -> None:
    peer.close()
    with pytest.raises(ConnectionLost):
        send_for_ever(datagrams)


def send_for_ever(datagrams: DatagramSocket) -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        datagrams.send(b"ping")


@linux
def test_ipv6() -> None:
    try:
        peer, sock = udp("::1"), udp("::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    sock.setblocking(False)
    datagrams = DatagramSocket(sock, ("::1", 1525), ("::1", 1525), ("0:0:0:0:0:0:0:1", peer.getsockname()[1]))
    datagrams.send(b"ping")
    data, client = peer.recvfrom(100)
    peer.sendto(data, client)
    assert received(datagrams) == b"ping"
    peer.close()
    datagrams.send(b"ping")
    with pytest.raises(ConnectionLost):
        received(datagrams)
    datagrams.close()


# --- through the scheduler -------------------------------------------------------------------------------------------


def run(network: SmallNetwork, dialogue: Dialogue) -> list[Any]:
    scheduler = Scheduler(Policy.untrusted(), handlers, network=network)
    task = scheduler.start(Parties(URL("prospero://h.test/x")), lambda: dialogue)
    got: list[Any] = []
    try:
        while (piece := task.pull()) is not None:
            got.append(piece)
    finally:
        scheduler.close()
    return got


def test_a_datagram_that_does_not_come_in_time(peer: socket.socket) -> None:
    def dialogue() -> Dialogue:
        channel = yield from Connect("h.test", 1525, transport="udp")
        yield from Send(channel, b"ping")
        try:
            yield from Receive(channel, within=0.05)
        except TransferTimeout:
            yield from Emit(b"silence")
        return None

    network = SmallNetwork({"h.test": ["93.184.216.34"]}, {("93.184.216.34", 1525): peer.getsockname()})
    assert run(network, dialogue()) == [b"silence"]
    assert peer.recv(100) == b"ping"


def test_addresses_that_were_tried_are_skipped() -> None:
    def dialogue() -> Dialogue:
        for skip in range(3):
            try:
                channel = yield from Connect("h.test", 1525, transport="udp", skip=skip)
            except ConnectError:
                yield from Emit(b"no more")
            else:
                yield from Emit(str(channel.peer).encode())
        return None

    network = SmallNetwork({"h.test": ["93.184.216.34", "151.101.1.69"]})
    assert run(network, dialogue()) == [b"('93.184.216.34', 1525)", b"('151.101.1.69', 1525)", b"no more"]


def test_a_flood_does_not_keep_the_loop_from_its_clocks(peer: socket.socket) -> None:
    """What comes is always there, and nothing of it is handed on: the dialogue never has to wait for anything."""

    def dialogue() -> Dialogue:
        channel = yield from Connect("h.test", 1525, transport="udp")
        yield from Send(channel, b"ping")
        _, client = peer.recvfrom(100)
        while True:
            peer.sendto(b"more", client)
            yield from Receive(channel)

    network = SmallNetwork({"h.test": ["93.184.216.34"]}, {("93.184.216.34", 1525): peer.getsockname()})
    limits = Policy.untrusted().limits.replace(total=0.2)
    scheduler = Scheduler(Policy.untrusted().replace(limits=limits), handlers, network=network)
    task = scheduler.start(Parties(URL("prospero://h.test/x")), dialogue)
    with pytest.raises(TransferTimeout, match=r"took longer than 0\.2 seconds"):
        task.pull()
    scheduler.close()
