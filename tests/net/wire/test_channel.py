"""A connection, without and with TLS: what it waits for, what has moved, how it breaks and how it ends."""

from __future__ import annotations

import errno
import select
import socket
import ssl
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anyurl.errors import ConnectError, ConnectionLost, LocalFileError, Truncated
from anyurl.net.wire import channel
from anyurl.net.wire.channel import IN_FLIGHT, WANT_READ, WANT_TIME, WANT_WRITE, Connection, translate
from anyurl.net.wire.tls import AUTHORITY, TLSConfig
from tests.servers import certificate

Pair = tuple[Connection, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A connection and its peer's socket; over TCP, for a pair of Unix sockets knows no reset."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    near.setblocking(False)
    made = Connection(near, ("h.test", 21), ("127.0.0.1", 21))
    far.settimeout(10)
    with near, far:
        yield made, far
        made.close()


def arrived(made: Connection) -> None:
    """Wait until something has."""
    assert select.select([made.fd], [], [], 10)[0]


@pytest.mark.parametrize(
    ("number", "stage", "received", "kind", "text"),
    [
        (errno.EMFILE, "transfer", 5, LocalFileError, "X: this process can't open any more connections (too many open"),
        (errno.ECONNREFUSED, "connect", 0, ConnectError, "X: connection refused."),
        (errno.ECONNRESET, "tls", 7, ConnectError, "X: connection reset by peer."),
        (errno.ECONNRESET, "transfer", 0, ConnectionLost, "X: the connection broke (connection reset by peer)."),
        (errno.ECONNRESET, "transfer", 1234, Truncated, "X: the connection broke after 1,234 octets (connection reset"),
    ],
)
def test_what_the_system_says_is_one_of_our_errors(
    number: int, stage: str, received: int, kind: type[Exception], text: str
) -> None:
    found = translate(OSError(number, ""), "X", stage=stage, received=received)
    assert type(found) is kind
    assert str(found).startswith(text)
    if isinstance(found, Truncated):
        assert found.received == received
    elif not isinstance(found, LocalFileError):
        assert found.stage == stage
    if isinstance(found, ConnectError):
        assert found.errno == number


def test_a_reply_is_not_tried_for_before_it_can_be_there(pair: Pair) -> None:
    made, far = pair
    far.sendall(b"abc")
    arrived(made)
    assert made.send(b"x") is None
    assert made.receive(2) is WANT_READ
    assert made.receive(2) == b"ab"
    assert made.receive(9) == b"c"
    assert made.receive(9) is WANT_READ
    assert (made.received, made.sent, made.moved) == (3, 1, 4)
    far.shutdown(socket.SHUT_WR)
    arrived(made)
    assert made.receive(9) == b""


def test_what_has_no_room_is_sent_later_and_whole(pair: Pair) -> None:
    made, far = pair
    content = bytes(range(256)) * 40_000
    assert made.send(content) is WANT_WRITE
    assert 0 < made.sent < len(content)
    assert made.moved <= made.sent
    got = b""
    while made.send_rest() is not None:
        got += far.recv(1 << 20)
    while len(got) < len(content):
        got += far.recv(1 << 20)
    assert got == content
    assert made.moved == made.sent == len(content)


def test_of_much_that_was_sent_only_what_arrived_has_moved(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    made, far = pair
    left = [0]
    asked: list[int] = []
    monkeypatch.setattr(channel, "unsent", lambda descriptor: (asked.append(descriptor), left[0])[1])
    made.sent = IN_FLIGHT
    assert (made.moved, asked) == (IN_FLIGHT, [])  # of so few nobody is asked
    made.sent, left[0] = 3 * IN_FLIGHT, IN_FLIGHT
    assert (made.moved, asked) == (2 * IN_FLIGHT, [made.fd])
    left[0] = 2 * IN_FLIGHT
    assert made.moved == 2 * IN_FLIGHT  # what has arrived stays so
    left[0] = 0
    assert made.moved == 3 * IN_FLIGHT
    del asked[:]
    made.sent = 4 * IN_FLIGHT  # the next few are not asked about
    assert (made.moved, asked) == (4 * IN_FLIGHT, [])
    made.sent += 1
    assert (made.moved, len(asked)) == (4 * IN_FLIGHT + 1, 1)
    assert far.fileno() >= 0


@pytest.mark.parametrize("came", [b"", b"abc"])
def test_a_connection_that_breaks_is_told_by_what_came(pair: Pair, came: bytes) -> None:
    made, far = pair
    far.sendall(came)
    if came:
        arrived(made)
        assert made.receive(9) == came
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    far.close()
    arrived(made)
    with pytest.raises(Truncated if came else ConnectionLost, match=r"Reading from h\.test:21: the connection broke"):
        made.receive(9)
    with pytest.raises(ConnectionLost, match=r"Sending to h\.test:21: the connection broke"):
        made.send(b"x")


def test_where_it_leads_is_written_as_in_a_url(pair: Pair) -> None:
    made, _ = pair
    assert made.where == "h.test:21"
    made.endpoint = "::1", 21
    assert made.where == "[::1]:21"


def test_who_has_sent_or_closed_is_not_quiet(pair: Pair) -> None:
    made, far = pair
    assert made.is_quiet()
    far.sendall(b"x")
    arrived(made)
    assert not made.is_quiet()
    assert made.receive(9) == b"x"  # it was only looked at
    assert made.is_quiet()
    far.close()
    arrived(made)
    assert not made.is_quiet()
    made.close()
    assert not made.is_quiet()
    made.close()


def test_little_that_was_sent_needs_no_end(pair: Pair) -> None:
    made, far = pair
    made.send(bytes(IN_FLIGHT))
    assert made.end() is None
    assert len(far.recv(IN_FLIGHT, socket.MSG_WAITALL)) == IN_FLIGHT
    far.setblocking(False)
    with pytest.raises(BlockingIOError):  # nor has it ended
        far.recv(1)


def test_much_that_was_sent_is_waited_for_and_then_ends(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    made, far = pair
    left = [5]
    monkeypatch.setattr(channel, "unsent", lambda _descriptor: left[0])
    made.send(bytes(IN_FLIGHT + 1))
    assert made.end() is WANT_TIME
    assert len(far.recv(IN_FLIGHT + 1, socket.MSG_WAITALL)) == IN_FLIGHT + 1
    assert far.recv(1) == b""  # that no more follows is said at once
    far.sendall(b"late")
    arrived(made)
    assert made.end() is WANT_TIME  # what comes meanwhile is read, and ends nothing
    assert made.end() is WANT_TIME
    left[0] = 0
    assert made.end() is None
    left[0] = 5
    far.close()
    arrived(made)
    assert made.end() is None  # nobody is there to wait for


# --- TLS -----------------------------------------------------------------------------------------------------------


Secured = tuple[Connection, ssl.SSLSocket]


@pytest.fixture
def secured(pair: Pair, tmp_path: Path) -> Iterator[Secured]:
    """The same, behind a handshake; TLS 1.2 sends nothing of its own after it."""
    made, far = pair
    with certificate(tmp_path, "h.test") as (context, authority), ThreadPoolExecutor(1) as pool:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        hand = pool.submit(context.wrap_socket, far, server_side=True)
        made.begin_tls(TLSConfig(authority), "h.test", AUTHORITY)
        while made.handshake() is not None:
            arrived(made)
        with hand.result(10) as peer:
            yield made, peer


def test_tls_has_no_reply_to_wait_for_first(secured: Secured) -> None:
    """It may hold octets already that no descriptor tells of."""
    made, peer = secured
    peer.sendall(b"abc")
    arrived(made)
    assert made.send(b"x") is None
    assert made.receive(1) == b"a"
    assert not made.is_quiet()
    assert made.receive(9) == b"bc"
    assert made.is_quiet()
    assert made.receive(9) is WANT_READ
    assert (made.received, made.sent, peer.recv(9)) == (3, 1, b"x")


def test_what_tls_has_no_room_for_is_sent_later_and_whole(secured: Secured) -> None:
    made, peer = secured
    content = bytes(range(256)) * 40_000
    got = b""
    want = made.send(content)
    assert want is WANT_WRITE
    while want is not None or len(got) < len(content):
        got += peer.recv(1 << 20)
        want = made.send_rest()
    assert got == content
    assert made.sent == len(content)


@pytest.mark.promise("tls-end")
@pytest.mark.parametrize("came", [b"", b"abc"])
def test_tls_ends_with_its_own_word_and_is_broken_without_it(secured: Secured, came: bytes) -> None:
    made, peer = secured
    peer.sendall(came)
    if came:
        arrived(made)
        assert made.receive(9) == came
    socket.socket(fileno=peer.detach()).close()
    arrived(made)
    with pytest.raises(
        Truncated if came else ConnectionLost, match=r"Reading from h\.test:21: the TLS connection broke"
    ):
        made.receive(9)


@pytest.mark.promise("tls-end")
def test_where_content_ends_with_the_connection_a_close_without_the_word_is_an_unmarked_end(secured: Secured) -> None:
    made, peer = secured
    made.until_close = True
    peer.sendall(b"abc")
    arrived(made)
    assert made.receive(9) == b"abc"
    socket.socket(fileno=peer.detach()).close()
    arrived(made)
    assert not made.unmarked
    assert [made.receive(9), made.receive(9)] == [b"", b""]
    assert made.unmarked


@pytest.mark.promise("tls-end")
def test_a_reset_is_no_end_anywhere(secured: Secured) -> None:
    made, peer = secured
    made.until_close = True
    bare = socket.socket(fileno=peer.detach())
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    bare.close()
    arrived(made)
    with pytest.raises(ConnectionLost):
        made.receive(9)
    assert not made.unmarked


def test_tls_that_ends_as_it_should_has_ended(secured: Secured) -> None:
    made, peer = secured
    peer.settimeout(0)
    with pytest.raises(ssl.SSLWantReadError):  # ours is not there yet
        peer.unwrap()
    arrived(made)
    assert made.receive(9) == b""
    assert made.end() is None


def test_the_end_of_tls_waits_for_that_of_the_peer(secured: Secured) -> None:
    made, peer = secured
    assert made.end() is WANT_READ
    assert made.end() is WANT_READ
    assert peer.recv(9) == b""
    peer.unwrap().close()
    while made.end() is not None:
        arrived(made)


@pytest.mark.parametrize("name", ["a..b", "x" * 300])
def test_a_name_that_tls_can_not_ask_for_is_an_error(pair: Pair, name: str) -> None:
    made, _ = pair
    with pytest.raises(ConnectError, match=r"TLS with h\.test:21 could not be started") as caught:
        made.begin_tls(TLSConfig(), name, AUTHORITY)
    assert (caught.value.stage, made.tls_name) == ("tls", None)


def test_what_is_no_tls_is_told(pair: Pair, tmp_path: Path) -> None:
    made, far = pair
    with certificate(tmp_path, "h.test") as (_, authority):
        made.begin_tls(TLSConfig(authority), "h.test", AUTHORITY)
        assert made.handshake() is WANT_READ
        assert far.recv(1) == b"\x16"
        far.sendall(b"220 ready\r\n")
        arrived(made)
        with pytest.raises(ConnectError) as caught:
            made.handshake()
    assert caught.value.stage == "tls"
