"""A request and its reply over real UDP sockets: addresses, redirections, refusals, and who is not listened to."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from anyurl import URL, Policy
from anyurl.dialogue import Connect, Dialogue, Emit, Monotonic, Random, Receive, Send
from anyurl.errors import (
    AnyURLError,
    ConnectError,
    ConnectionLost,
    LimitError,
    RefusedError,
    ReplyError,
    TransferTimeout,
    Truncated,
)  # fmt: skip
from anyurl.net.loop.handlers import handlers
from anyurl.net.loop.provenance import Parties
from anyurl.net.loop.scheduler import Scheduler
from anyurl.schemes.prospero.exchange import MAX_REDIRECTS, Courier, exchange
from anyurl.schemes.prospero.wire.ardp_packet import Packet, decode, encode
from anyurl.testing import SmallNetwork, rehearse
from tests.clocks import takes_less
from tests.evil.datagrams import Datagrams, Exchange

PUBLIC, OTHER, PRIVATE = "93.184.216.34", "151.101.1.69", "10.0.0.7"
REQUEST = b"VERSION 5\nSTATUS\n"
PATIENCE = 5.0
"""Seconds: none of these servers is as slow as that."""


def cid_of(exchange: Exchange) -> int:
    return decode(exchange.data).cid or 0


def says(text: bytes) -> Callable[[Exchange], None]:
    """Answer in one packet."""
    return lambda asked: asked.send(encode(Packet(cid_of(asked), payload=text)))


def sends_to(host: str, port: int) -> Callable[[Exchange], None]:
    """Redirect."""
    return lambda asked: asked.send(encode(Packet(cid_of(asked), 0, 0, 0, 0, 0, 4, endpoint=(host, port))))


def nothing(_asked: Exchange) -> None:
    pass


class Town:
    """A scheduler under the policy of strangers, whose public addresses lead to servers on loopback."""

    def __init__(self, addresses: list[str] | None = None) -> None:
        self.network = SmallNetwork({"h.test": addresses or [PUBLIC]})
        self.scheduler = Scheduler(Policy.untrusted(), handlers, network=self.network)
        self.notes: list[str] = []

    def place(self, server: Datagrams, address: str = PUBLIC, port: int = 1525) -> None:
        self.network._servers[address, port] = (server.host, server.port)

    def ask(self, *requests: bytes, patience: float = PATIENCE) -> list[bytes]:
        """The replies to requests that one dialogue sends, one after the other."""

        def dialogue() -> Dialogue:
            courier = Courier(patience)
            for request in requests or (REQUEST,):
                yield from Emit((yield from courier.exchange("h.test", 1525, request)) or b"(nothing)")
            return None

        task = self.scheduler.start(Parties(URL("prospero://h.test/x")), dialogue)
        got: list[Any] = []
        try:
            while (piece := task.pull()) is not None:
                got.append(piece)
        finally:
            self.notes = task.notes
        return got


@pytest.fixture
def town() -> Iterator[Town]:
    made = Town()
    yield made
    made.scheduler.close()


def test_a_request_and_its_reply(town: Town) -> None:
    with Datagrams(says(b"VERSION 5\n")) as server:
        town.place(server)
        assert town.ask() == [b"VERSION 5\n"]
    (request,) = map(decode, server.received)
    assert (request.number, request.total, request.received_through, request.payload) == (1, 1, 0, REQUEST)
    assert request.cid


def test_several_requests_go_the_same_way_under_numbers_of_their_own(town: Town) -> None:
    def echo(asked: Exchange) -> None:
        asked.send(encode(Packet(cid_of(asked) - asked.number, payload=b"late")))  # the reply to the first, again
        says(decode(asked.data).payload)(asked)

    with Datagrams(echo) as server:
        town.place(server)
        assert town.ask(b"a", b"b", b"c")[1:] == [b"b", b"c"]
    assert len(set(server.clients)) == 1
    first, second, third = (decode(data).cid or 0 for data in server.received)
    assert (second, third) == (first % 0xFFFF + 1, second % 0xFFFF + 1)


def test_a_reply_from_another_port_counts_and_one_from_another_host_does_not(town: Town) -> None:
    def answer(asked: Exchange) -> None:
        asked.send_from_another_host(encode(Packet(cid_of(asked), payload=b"spoofed")))
        asked.send_from_another_port(encode(Packet(cid_of(asked), payload=b"true")))

    with Datagrams(answer) as server:
        town.place(server)
        assert town.ask() == [b"true"]


def test_what_nobody_asked_for_is_answered_by_nothing(town: Town) -> None:
    def flood(asked: Exchange) -> None:
        for number in range(200):
            forged = encode(Packet(cid_of(asked) ^ (number + 1), 1, 1, 1, 0, 0x80, payload=b"x" * 1000))
            asked.send(forged)
            asked.send_from_another_host(encode(Packet(cid_of(asked), 1, 1, 1, 0, 0x80, payload=b"x" * 1000)))
        asked.send(b"\x03" + asked.data[1:3] + b"x" * 60_000)
        says(b"true")(asked)

    with Datagrams(flood) as server:
        town.place(server)
        assert town.ask() == [b"true"]
    assert len(server.received) == 1


def test_a_closed_port_is_known_at_once(town: Town) -> None:
    def ask() -> None:
        with pytest.raises(ConnectionLost, match=r"h\.test:1525 accepts no requests: its port is closed"):
            town.ask()

    assert takes_less(1.0, ask, time.monotonic)


def test_a_port_that_is_closed_in_the_middle_of_a_reply_leaves_it_cut(town: Town) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        town.network._servers[PUBLIC, 1525] = server.getsockname()

        def answer() -> None:
            data, client = server.recvfrom(2000)
            server.sendto(encode(Packet(decode(data).cid, 1, 0, 1, 0, 0x80, payload=b"half")), client)
            server.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Truncated):
            town.ask()
        thread.join()


def test_the_next_address_is_asked_when_the_first_is_dead() -> None:
    town = Town([PUBLIC, OTHER])
    with Datagrams(says(b"alive")) as server:
        town.place(server, OTHER)  # at the first one the port is closed
        assert town.ask() == [b"alive"]
    assert town.network.connected == [(PUBLIC, 1525), (OTHER, 1525)]
    town.scheduler.close()


def test_the_next_address_is_asked_when_the_first_is_silent() -> None:
    town = Town([PUBLIC, OTHER])
    with Datagrams(nothing) as silent, Datagrams(says(b"alive")) as server:
        town.place(silent)
        town.place(server, OTHER)
        assert town.ask(b"a", b"b") == [b"alive", b"alive"]
    assert (silent.hits, server.hits) == (1, 2)  # and what was learnt holds for the next request
    town.scheduler.close()


def test_a_redirection_to_a_public_server_is_followed(town: Town) -> None:
    with Datagrams(sends_to(OTHER, 1999)) as first, Datagrams(says(b"here")) as second:
        town.place(first)
        town.place(second, OTHER, 1999)
        assert town.ask() == [b"here"]
    assert decode(second.received[0]) == decode(first.received[0])  # the whole request, the same number


@pytest.mark.parametrize(
    ("host", "port"),
    [
        (PRIVATE, 1525),  # the network behind the client
        ("127.0.0.1", 1525),
        ("169.254.169.254", 80),
        (OTHER, 53),  # another service's port
        ("0.0.0.0", 1525),
    ],
)
def test_a_redirection_is_judged_as_named_by_a_peer(town: Town, host: str, port: int) -> None:
    with Datagrams(sends_to(host, port)) as server:
        town.place(server)
        with pytest.raises(RefusedError):
            town.ask()
    assert town.network.connected == [(PUBLIC, 1525)]


def test_redirections_without_end(town: Town) -> None:
    with Datagrams(sends_to(OTHER, 1525)) as first, Datagrams(sends_to(PUBLIC, 1525)) as second:
        town.place(first)
        town.place(second, OTHER)
        with pytest.raises(LimitError, match=f"More than {MAX_REDIRECTS} servers redirected") as caught:
            town.ask()
    assert caught.value.limit == "MAX_REDIRECTS"
    assert first.hits + second.hits == MAX_REDIRECTS + 1


def test_a_refusal(town: Town) -> None:
    with Datagrams(lambda asked: asked.send(encode(Packet(cid_of(asked), 0, 0, 0, 0, 0, 1)))) as server:
        town.place(server)
        with pytest.raises(ReplyError, match=r"h\.test:1525 refuses the connection"):
            town.ask()


def test_silence_is_repeated_to_and_then_cancelled(town: Town) -> None:
    with Datagrams(nothing) as server:
        town.place(server)
        with pytest.raises(TransferTimeout, match=r"did not answer within 1\.2 seconds, asked (once|\d times)\.$"):
            town.ask(patience=1.2)
        while decode(server.received[-1]).option != 1:
            time.sleep(0.001)
    packets = [decode(data) for data in server.received]
    # How often it is asked in that time is the machine's affair, and that of wire/test_ardp_loss.py.
    assert [(packet.number, packet.option) for packet in packets] == [(1, None)] * (len(packets) - 1) + [(0, 1)]


def test_a_wait_is_told_once(town: Town) -> None:
    def answer(asked: Exchange) -> None:
        for place in (3, 2, 1):
            told = Packet(cid_of(asked), 0, 0, 0, 900, 0, 254, queue=(place, 60))
            asked.send(encode(told))
        asked.send(encode(Packet(cid_of(asked), 1, 1, 1, 0, 0x80, payload=b"all")))

    with Datagrams(answer) as server:
        town.place(server)
        assert town.ask() == [b"all"]
        while server.hits < 2:
            time.sleep(0.001)
    assert town.notes == ["h.test:1525 asks to wait: place 3 in its queue, 60 seconds to go"]
    assert decode(server.received[1]) == Packet(cid_of_data(server.received[0]), 0, 0, 1)


def cid_of_data(data: bytes) -> int:
    return decode(data).cid or 0


def test_a_reply_that_is_too_large_is_cancelled(town: Town) -> None:
    def dialogue() -> Dialogue:
        yield from Emit((yield from exchange("h.test", 1525, REQUEST, max_bytes=10)))
        return None

    with Datagrams(says(b"x" * 11)) as server:
        town.place(server)
        task = town.scheduler.start(Parties(URL("prospero://h.test/x")), dialogue)
        with pytest.raises(LimitError, match="more than 10 octets in one reply"):
            task.pull()


# --- asks, without a network ------------------------------------------------------------------------------------------


def test_the_asks_of_an_exchange() -> None:
    """A connection is never number 0: none is what that means."""

    def dialogue() -> Dialogue:
        yield from exchange("h", 1525, REQUEST)
        return None

    channel = object()
    packet = encode(Packet(1, payload=b"all"))
    script = rehearse(dialogue(), [channel, bytes(2), 5.0, 5.0, None, packet, 5.1])
    kinds = [Connect, Random, Monotonic, Monotonic, Send, Receive, Monotonic]
    assert [type(each) for each in script.asks] == kinds
    connect, send, receive = script.asks[0], script.asks[4], script.asks[5]
    assert isinstance(connect, Connect)
    assert isinstance(send, Send)
    assert isinstance(receive, Receive)
    assert (connect.transport, connect.skip, receive.within) == ("udp", 0, 1.0)
    assert send.data == b"\x09\0\x01\0\x01\0\x01\0\0" + REQUEST


@pytest.mark.parametrize("failure", [ConnectError("no"), RefusedError("no"), ConnectionLost("no")])
def test_whatever_fails_at_first_is_the_error(failure: AnyURLError) -> None:
    def dialogue() -> Dialogue:
        yield from exchange("h", 1525, REQUEST)
        return None

    with pytest.raises(type(failure), match="no"):
        rehearse(dialogue(), [failure])
