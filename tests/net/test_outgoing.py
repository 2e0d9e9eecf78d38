"""What has arrived of what was sent: a peer that takes it slowly is not silent, and one that takes nothing is."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from anyurl import Client, Policy
from anyurl.errors import TransferTimeout
from anyurl.net.outgoing import Outgoing, unsent
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


def test_what_lies_in_the_buffers_has_not_moved() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as ours:
            theirs, _ = listener.accept()
            with theirs:
                ours.setblocking(False)
                sent = ours.send(bytes(8_000_000))
                channel = Outgoing(lambda: sent, ours.fileno)
                assert 0 < channel.moved < sent
                before = channel.moved
                while unsent(ours.fileno()):
                    theirs.recv(1_000_000)
                assert before < channel.moved == sent


def test_of_what_is_no_socket_nothing_is_known() -> None:
    found: Any = unsent(-1)
    assert found == 0
