"""What has arrived of what was sent: a peer that takes it slowly is not silent, and one that takes nothing is."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.errors import TransferTimeout
from anyurl.net.wire import channel
from anyurl.net.wire.outgoing import Outgoing, unsent
from tests.clocks import hasty
from tests.servers import Connection, Server, reply

SIZE = 4_000_000
"""More than the peer's buffer holds, and less than a piece of ours and the system's together."""

IDLE = 0.4


def slow(connection: Connection, left: int, over: threading.Event) -> int:
    """Take so many octets, a few in each moment; how many came."""
    taken = 0
    while taken < left and not over.wait(0.02):
        piece = connection.sock.recv(65_536)
        if not piece:
            break
        taken += len(piece)
    return taken


@pytest.mark.parametrize(("share", "arrives"), [(1.0, True), (0.2, False)], ids=["slow", "stops"])
@hasty
def test_an_upload_that_moves_does_not_time_out(share: float, arrives: bool) -> None:
    over = threading.Event()

    def take(connection: Connection) -> None:
        connection.head()
        connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        slow(connection, int(SIZE * share), over)
        if arrives:
            connection.send(reply(b""))
        over.wait(5)

    policy = Policy.open()
    policy = policy.replace(limits=policy.limits.replace(idle=IDLE))
    with Server(take) as server, Client(policy) as client:
        try:
            if arrives:
                client.put(f"http://{server.authority}/x", bytes(SIZE))
            else:
                with pytest.raises(TransferTimeout):
                    client.put(f"http://{server.authority}/x", bytes(SIZE))
        finally:
            over.set()


@pytest.mark.parametrize(("share", "arrives"), [(1.0, True), (0.2, False)], ids=["slow", "stops"])
@hasty
def test_the_last_of_an_ftp_upload_is_waited_for_as_long_as_it_moves(share: float, arrives: bool) -> None:
    """All of it was given to the system long before it has arrived, and the server answers when it has."""
    over = threading.Event()
    taken = 0

    def control(connection: Connection) -> None:
        nonlocal taken
        connection.send(b"220 hello\r\n")
        while line := connection.line():
            verb = line.split(b" ")[0].decode()
            port = listener.getsockname()[1]
            connection.send({"EPSV": b"229 (|||%d|)\r\n" % port, "STOR": b"150 go\r\n"}.get(verb, b"230 yes\r\n"))
            if verb == "STOR":
                sock, _ = listener.accept()
                with sock:
                    taken = slow(Connection(sock, bytearray()), int(SIZE * share), over)
                    if not arrives:
                        over.wait(5)
                connection.send(b"226 done\r\n")

    policy = Policy.open()
    policy = policy.replace(limits=policy.limits.replace(idle=2 * IDLE if arrives else IDLE / 2))
    with socket.create_server(("127.0.0.1", 0)) as listener, Server(control) as server, Client(policy) as client:
        try:
            if arrives:
                client.put(f"ftp://{server.authority}/x", bytes(SIZE))
                assert taken == SIZE
            else:
                with pytest.raises(TransferTimeout):
                    client.put(f"ftp://{server.authority}/x", bytes(SIZE))
        finally:
            over.set()


def test_a_connection_ends_when_the_last_octet_has_arrived() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as ours:
            theirs, _ = listener.accept()
            with theirs:
                ours.setblocking(False)
                place = listener.getsockname()[:2]
                connection = channel.Connection(ours, place, place)
                assert connection.send(bytes(8_000_000)) is channel.WANT_WRITE
                assert channel.IN_FLIGHT < connection.moved < connection.sent
                before = connection.moved
                assert connection.end() is channel.WANT_TIME
                theirs.settimeout(10)
                came = 0
                while piece := theirs.recv(1_000_000):  # to the end mark
                    came += len(piece)
                until = time.monotonic() + 10
                while connection.end() is not None and time.monotonic() < until:
                    time.sleep(0.001)  # the acknowledgement of the last octets is under way
                assert came == connection.sent == connection.moved > before


def test_the_small_requests_of_a_kept_connection_are_seldom_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(channel, "unsent", lambda descriptor: asked.append(descriptor) or 0)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as ours:
        theirs, _ = listener.accept()
        with theirs:
            connection = channel.Connection(ours, ("127.0.0.1", 119), ("127.0.0.1", 119))
            moved = []
            for _ in range(4 * channel.IN_FLIGHT // 64):
                connection.send(bytes(64))
                theirs.recv(64, socket.MSG_WAITALL)
                moved.append(connection.moved)
    assert moved == [64 * (count + 1) for count in range(len(moved))]
    assert len(asked) == 3


def test_a_connection_ends_when_its_peer_has_gone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as ours:
            theirs, _ = listener.accept()
            ours.setblocking(False)
            place = listener.getsockname()[:2]
            connection = channel.Connection(ours, place, place)
            connection.send(bytes(8_000_000))
            assert connection.end() is channel.WANT_TIME
            theirs.close()  # with octets that it has not read: a reset
            assert connection.end() is None


def test_what_lies_in_the_buffers_has_not_moved() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as ours:
            theirs, _ = listener.accept()
            with theirs:
                ours.setblocking(False)
                sent = ours.send(bytes(8_000_000))
                outgoing = Outgoing(lambda: sent, ours.fileno)
                assert 0 < outgoing.moved < sent
                before = outgoing.moved
                while unsent(ours.fileno()):
                    theirs.recv(1_000_000)
                assert before < outgoing.moved == sent


def test_of_what_is_no_socket_nothing_is_known() -> None:
    found: Any = unsent(-1)
    assert found == 0
