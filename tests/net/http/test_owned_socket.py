"""A socket that libcurl duplicates: its peer is what the system says, and it is closed with its object."""

from __future__ import annotations

import errno
import os
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyurl.net.http.route import OwnedSocket, packed
from tests.rows import each_row


def test_its_peer_is_the_one_that_it_has_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        owned = OwnedSocket(socket.create_connection(server.getsockname()))
        assert owned.peer() == "127.0.0.1"
        assert owned.has_reached_itself() is False
    with socket.socket() as alone:
        unconnected = OwnedSocket(alone)
        assert unconnected.peer() is None
        assert unconnected.has_reached_itself() is False
        assert unconnected.fileno() == alone.fileno() >= 0


def test_a_socket_that_has_reached_itself_is_told() -> None:
    """RFC 9293 3.5: by a simultaneous open, where nobody listens at the port that the system chose for it."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.connect(sock.getsockname())
    owned = OwnedSocket(sock)
    assert (owned.peer(), owned.has_reached_itself()) == ("127.0.0.1", True)


def test_it_is_closed_with_its_object_and_a_duplicate_is_not() -> None:
    one, other = socket.socketpair()
    owned = OwnedSocket(one)
    number = owned.fileno()
    duplicate = os.dup(number)
    del owned
    with pytest.raises(OSError) as caught:
        os.fstat(number)
    assert caught.value.errno == errno.EBADF
    os.write(duplicate, b"x")
    assert other.recv(9) == b"x"
    os.close(duplicate)
    assert other.recv(9) == b""
    other.close()


@each_row(
    ("address", "octets"),
    [
        ("127.0.0.1", b"\x7f\0\0\1"), ("0.0.0.0", bytes(4)), ("255.255.255.255", b"\xff" * 4),
        ("::", bytes(16)), ("::1", bytes(15) + b"\1"), ("0:0::0:1", bytes(15) + b"\1"),
        ("fe80::1%eth0", b"\xfe\x80" + bytes(13) + b"\1"), ("::ffff:127.0.0.1", bytes(10) + b"\xff\xff\x7f\0\0\1"),
    ],
)  # fmt: skip
def test_addresses_as_octets(address: str, octets: bytes) -> None:
    assert packed(address) == octets


@given(st.ip_addresses())
def test_an_address_and_its_longest_spelling_are_the_same(address: object) -> None:
    exploded: str = address.exploded  # type: ignore[attr-defined]
    assert packed(str(address)) == packed(exploded) == packed(exploded.upper()) == address.packed  # type: ignore[attr-defined]


@pytest.mark.parametrize("address", ["", "h", "1.2.3", "::g", "127.0.0.1:80"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(OSError):
        packed(address)
