"""Whether who answers is who was approved, in this world and in a smaller one."""

from __future__ import annotations

import os
import socket
from types import SimpleNamespace

import pytest

from anyurl.net.http.libcurl import pycurl
from anyurl.net.http.route import OwnedSocket, answering, approved_octets, new_socket, original, speak
from anyurl.net.wire.connector import Network
from anyurl.net.wire.proxies.table import read_proxies
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


class Told:
    """A handle that keeps what it is told last."""

    def setopt(self, option: int, value: object) -> None:
        self.last = option, value


@pytest.mark.parametrize(
    ("http3", "scheme", "proxy", "network", "may"),
    [
        (True, "https", None, Network(), True),
        (False, "https", None, Network(), False),
        (True, "http", None, Network(), False),
        (True, "https", "http://127.0.0.1:3128", Network(), False),  # it has no datagrams
        (True, "https", None, SMALL, False),  # whose sockets are connected already
    ],
)
def test_where_http3_may_be_spoken(http3: bool, scheme: str, proxy: str | None, network: Network, may: bool) -> None:
    told = Told()
    proxies = read_proxies(proxy, (), {})
    through = None if proxies is None else proxies.proxy_for(scheme, "h.example", 443)
    speak(told, http3, scheme, through, network)
    version = pycurl.CURL_HTTP_VERSION_3 if may else pycurl.CURL_HTTP_VERSION_2TLS
    assert told.last == (pycurl.HTTP_VERSION, version)


@pytest.mark.parametrize(
    ("protocol", "kind"), [(socket.IPPROTO_TCP, socket.SOCK_STREAM), (socket.IPPROTO_UDP, socket.SOCK_DGRAM)]
)
def test_a_socket_is_what_libcurl_asks_for(protocol: int, kind: int) -> None:
    address = SimpleNamespace(protocol=protocol, addr=("127.0.0.1", 9))
    owned = new_socket(Network(), address, "127.0.0.1", 0)
    with socket.socket(fileno=os.dup(owned.fileno())) as made:
        assert (made.type, made.family) == (kind, socket.AF_INET)
