"""Connections that are kept: for whom, for how long, and how they end."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from anyurl import Client, Policy
from anyurl.dialogue import Secret
from anyurl.net.wire.channel import Connection
from anyurl.net.wire.pool import MAX_IDLE, Pool
from tests.servers import Connection as Peer
from tests.servers import Server

KEY = ("h", 21, None, "ftp", True, None)


@pytest.fixture
def pair() -> Iterator[tuple[Connection, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.settimeout(5)
    with ours, theirs:
        yield Connection(ours, ("h", 21), ("192.0.2.1", 21)), theirs


def heard(theirs: socket.socket) -> bytes:
    """Everything that comes until the end."""
    pieces = []
    while piece := theirs.recv(1024):
        pieces.append(piece)
    return b"".join(pieces)


def test_a_kept_connection_is_for_the_same_key_and_once(pair: tuple[Connection, socket.socket]) -> None:
    connection, _ = pair
    pool = Pool()
    pool.put(connection, KEY)
    assert pool.take((*KEY[:5], b"digest")) is None
    assert pool.take(KEY) is connection
    assert pool.take(KEY) is None


def test_of_a_password_only_a_salted_digest_is_in_a_key() -> None:
    first, second = Pool(), Pool()
    one, other = (first.key("h", 21, None, "ftp", Secret(word), True, None) for word in ("a", "b"))
    assert one != other
    assert (
        one
        == first.key("h", 21, None, "ftp", Secret("a"), True, None)
        != second.key("h", 21, None, "ftp", Secret("a"), True, None)
    )
    assert one != first.key("h", 21, None, "ftp", Secret("a"), False, None)  # a stranger
    assert "a" not in map(str, one[5:])
    assert first.key("h", 21, None, "ftp", Secret("\udc80"), True, None) != one  # octets that are no text


def test_way_is_made_by_other_sessions_of_the_host_alone(pair: tuple[Connection, socket.socket]) -> None:
    connection, theirs = pair
    connection.goodbye = b"QUIT\r\n"
    pool = Pool()
    pool.put(connection, KEY)
    assert not pool.make_way("other", KEY)
    assert not pool.make_way("h", KEY)
    ours, others = socket.socketpair()
    with ours, others:
        ours.setblocking(False)
        elsewhere = Connection(ours, ("other", 21), ("192.0.2.2", 21))
        pool.put(elsewhere, ("other", *KEY[1:]))
        assert pool.make_way("h", (*KEY[:5], b"digest"))
        assert heard(theirs) == b"QUIT\r\n"
        assert pool.take(KEY) is None
        assert pool.take(("other", *KEY[1:])) is elsewhere


def test_what_is_not_used_again_ends_with_its_last_word(pair: tuple[Connection, socket.socket]) -> None:
    connection, theirs = pair
    connection.goodbye = b"QUIT\r\n"
    pool = Pool()
    pool.put(connection, KEY)
    pool.close()
    assert heard(theirs) == b"QUIT\r\n"


def test_nobody_says_good_bye_to_a_peer_that_talks_or_is_gone(pair: tuple[Connection, socket.socket]) -> None:
    connection, theirs = pair
    connection.goodbye = b"QUIT\r\n"
    theirs.send(b"421 too long\r\n")
    theirs.shutdown(socket.SHUT_WR)
    pool = Pool()
    pool.put(connection, KEY)
    assert pool.take(KEY) is None
    pool.put(connection, KEY)
    pool.close()


def test_the_one_that_waited_longest_makes_room() -> None:
    pool = Pool()
    theirs = []
    for _ in range(MAX_IDLE + 1):
        ours, other = socket.socketpair()
        ours.setblocking(False)
        other.settimeout(5)
        connection = Connection(ours, ("h", 21), ("192.0.2.1", 21))
        connection.goodbye = b"QUIT\r\n"
        pool.put(connection, KEY)
        theirs.append(other)
    assert heard(theirs[0]) == b"QUIT\r\n"
    pool.close()
    assert [heard(other) for other in theirs[1:]] == [b"QUIT\r\n"] * MAX_IDLE
    for other in theirs:
        other.close()


def news(connection: Peer) -> None:
    connection.send(b"200 ready\r\n")
    said = {b"CAPABILITIES": b"101\r\nREADER\r\n.\r\n", b"ARTICLE": b"220 1 <a@b>\r\n\r\nx\r\n.\r\n"}
    while line := connection.line():
        connection.send(said.get(line.split()[0], b"205 bye\r\n"))


def test_a_client_that_is_closed_ends_its_sessions() -> None:
    """RFC 3977 5.4, RFC 959 4.1.1: the server is told, and doesn't have to wait for a time-out."""
    with Server(news) as server:
        with Client(Policy.open()) as client:
            for _ in range(2):
                client.get(f"news://{server.authority}/a@b").read()
    assert bytes(server.received[0]) == b"CAPABILITIES\r\nARTICLE <a@b>\r\nARTICLE <a@b>\r\nQUIT\r\n"
