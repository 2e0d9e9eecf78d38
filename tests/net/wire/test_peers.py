"""In which order addresses are tried, which are the same, and that nobody talks to themselves."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import Any

import pytest

from anyurl import Client, ConnectError, Policy
from anyurl.net.wire.connector import Network, Transport
from anyurl.net.wire.peers import interleave, peer_of, same_address
from anyurl.net.wire.zones import Target
from tests.rows import each_row
from tests.servers import free_port


@pytest.mark.parametrize(
    ("addresses", "order"),
    [
        (["6::1", "6::2", "6::3", "4.0.0.1"], ["6::1", "4.0.0.1", "6::2", "6::3"]),  # RFC 8305 4: by turns
        (["4.0.0.1", "4.0.0.2", "6::1"], ["4.0.0.1", "6::1", "4.0.0.2"]),
        (["4.0.0.1"], ["4.0.0.1"]),
        ([], []),
    ],
)
def test_the_families_come_by_turns(addresses: list[str], order: list[str]) -> None:
    assert interleave(addresses) == order


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("::1", "0:0:0:0:0:0:0:1", True),
        ("fe80::1%lo", "fe80::1", True),
        ("::ffff:127.0.0.1", "127.0.0.1", False),
    ],
)
def test_addresses_that_are_the_same(one: str, other: str, same: bool) -> None:
    assert same_address(one, other) is same


# --- a socket that reaches itself ------------------------------------------------------------------------------------


class Alone(Network):
    """Nobody listens, and each socket gets the port that it is to connect to, as once in 28,000 times it does."""

    def socket_to(self, endpoint: tuple[str, int], transport: Transport) -> tuple[socket.socket, Target]:
        sock, to = super().socket_to(endpoint, transport)
        if transport == "tcp":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(to)
        return sock, to


def translated(endpoint: tuple[str, int]) -> tuple[str, int]:
    return endpoint


@each_row("network", [Alone(), Alone(translate=translated)], ids=["as it is", "translated"])
@each_row("scheme", ["http", "https", "gopher", "gophers", "ftp", "nntp", "telnet", "wais", "dict"])
def test_who_reaches_nobody_is_refused(scheme: str, network: Network) -> None:
    """Else a selector would come back as the document, and an HTTP request as a reply that makes no sense."""
    path = {"nntp": "a.group/1", "wais": "base?words", "dict": "d:word"}.get(scheme, "")
    port = free_port()
    with Client(Policy.open(), network=network) as client, pytest.raises(ConnectError) as caught:
        client.get(f"{scheme}://127.0.0.1:{port}/{path}").read()
    assert str(caught.value) == f"Connecting to 127.0.0.1 port {port}: connection refused."
    assert caught.value.stage == "connect"


def test_the_peer_of_a_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as sock:
        with pytest.raises(OSError):  # it is not connected, in the words of the system
            peer_of(sock)
        sock.connect(server.getsockname())
        assert peer_of(sock) == server.getsockname()
    with socket.socket() as itself:
        itself.bind(("127.0.0.1", 0))
        itself.connect(itself.getsockname())
        with pytest.raises(ConnectionRefusedError):
            peer_of(itself)


def test_a_datagram_socket_never_has_the_port_that_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is bound and not connected: what nobody else takes would come back to it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        asked = free.getsockname()[1]
    bound: list[socket.socket] = []

    class Unlucky(socket.socket):
        def bind(self, address: Any) -> None:
            super().bind((address[0], 0 if bound else asked))
            bound.append(self)

    monkeypatch.setattr(socket, "socket", Unlucky)
    sock, to = Network().datagram_socket(("127.0.0.1", asked))
    with closing(sock):
        assert (to[1], len(bound), bound[1]) == (asked, 2, sock)
        assert sock.getsockname()[1] != asked
        assert bound[0].fileno() == -1
