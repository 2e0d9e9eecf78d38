"""Whether who answers is who was approved, in this world and in a smaller one."""

from __future__ import annotations

import socket

from anyurl.net.connector import Network
from anyurl.net.http.aim import answering, approved_octets, original
from anyurl.net.http.owned_socket import OwnedSocket
from anyurl.testing import SmallNetwork
from tests.servers import Server

SMALL = SmallNetwork({}, {("93.184.216.34", 80): ("127.0.0.1", 8080)})


def test_addresses_are_compared_in_octets() -> None:
    assert approved_octets(Network(), ("127.0.0.1", "::1"), 80) == {b"\x7f\0\0\1", bytes(15) + b"\1"}
    assert approved_octets(SMALL, ("93.184.216.34",), 80) == {b"\x5d\xb8\xd8\x22", b"\x7f\0\0\1"}


def test_the_address_that_stands_behind_a_peer() -> None:
    assert original(SMALL, ("93.184.216.34",), 80, "127.0.0.1") == "93.184.216.34"
    assert original(SMALL, ("151.101.1.69",), 81, "127.0.0.9") == "127.0.0.9"
    assert original(Network(), ("127.0.0.1",), 80, "127.0.0.1") == "127.0.0.1"


def test_a_socket_that_leads_elsewhere_is_told() -> None:
    with Server(lambda connection: connection.wait_for_close()) as server:
        owned = OwnedSocket(socket.create_connection((server.host, server.port)))
        assert answering([owned], approved_octets(Network(), ("127.0.0.1",), 80), "192.0.2.1") == "192.0.2.1"
        assert answering([owned], approved_octets(Network(), ("192.0.2.1",), 80), "192.0.2.1") == "127.0.0.1"
        assert answering([], frozenset(), "192.0.2.1") == "192.0.2.1"
