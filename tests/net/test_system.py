"""The system's sockets: whom they are asked of."""

from __future__ import annotations

import _socket
import socket
import subprocess
import sys

import pytest

from anyurl import Client, ConnectError, Policy
from anyurl.net.connector import Network
from anyurl.net.resolver import look_up
from anyurl.net.system import socket_pair, sockets

WHAT_A_PROGRAM_LOADS = """
import sys
from anyurl.net.connector import Network
from anyurl.net.system import sockets
print(sockets().__name__, "socket" in sys.modules, type(Network().socket_to(("127.0.0.1", 1), "tcp")[0]).__module__)
import socket
print(sockets().__name__, isinstance(Network().socket_to(("127.0.0.1", 1), "tcp")[0], socket.socket))
"""


def test_nobody_needs_the_module_above_it() -> None:
    done = subprocess.run([sys.executable, "-c", WHAT_A_PROGRAM_LOADS], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["_socket False _socket", "socket True", ""]


def test_whoever_replaces_a_socket_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pytest-socket does, which forbids them."""

    class Forbidden(socket.socket):
        def __init__(self, *_how: object) -> None:
            raise OSError("no sockets here")

    monkeypatch.setattr(socket, "socket", Forbidden)
    with pytest.raises(OSError, match="no sockets here"):
        Network().socket_to(("127.0.0.1", 1), "tcp")
    for url in ("http://127.0.0.1:40001/", "ftp://127.0.0.1:40001/", "prospero://127.0.0.1:40001/a"):
        with Client(Policy.open()) as client, pytest.raises(ConnectError):
            client.get(url)


def test_whoever_replaces_a_look_up_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def getaddrinfo(*what: object, **how: object) -> list[object]:
        asked.extend([*what, *how.values()])
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    assert list(look_up("host.test")) == ["192.0.2.1"]
    assert asked == ["host.test", None, socket.SOCK_STREAM]


def test_it_is_asked_for_each_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "socket")
    assert sockets() is _socket
    monkeypatch.setitem(sys.modules, "socket", socket)
    assert sockets() is socket
    monkeypatch.setitem(sys.modules, "socket", None)
    assert sockets() is _socket


@pytest.mark.parametrize("system", ["this one", "one that has none"])
def test_two_sockets_are_connected_with_each_other(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if system != "this one":  # Windows, where `socket` has its own
        monkeypatch.setattr(socket, "socketpair", lambda make=_socket.socketpair: make())
        monkeypatch.delattr(_socket, "socketpair")
    one, other = socket_pair()
    try:
        one.send(b"a")
        assert other.recv(2) == b"a"
    finally:
        one.close()
        other.close()
