"""A CONNECT proxy of the tests, and servers behind it."""

from __future__ import annotations

import contextlib
import select
import socket

from tests.servers import Connection, reply

PROXY, ORIGIN, OTHER = "198.51.100.7", "93.184.216.34", "151.101.1.69"
OK = b"HTTP/1.1 200 OK\r\n\r\n"


def pump(one: socket.socket, other: socket.socket) -> None:
    """Carry octets both ways until one side ends."""
    ways = {one: other, other: one}
    with contextlib.suppress(OSError):
        while True:
            for sock in select.select([one, other], [], [])[0]:
                data = sock.recv(65536)
                if not data:
                    return
                ways[sock].sendall(data)


class Told:
    """A CONNECT proxy that knows where the places of the small world are, and what it was told."""

    def __init__(self, places: dict[str, tuple[str, int]], *, refuses: tuple[str, ...] = ()) -> None:
        self.heads: list[str] = []
        self._places, self._refuses = places, refuses
        self.challenge = ""  # what Proxy-Authenticate offers to who logs in nowhere

    @property
    def asked(self) -> list[str]:
        return [head.split()[1] for head in self.heads]

    def __call__(self, connection: Connection) -> None:
        head = connection.head().decode()
        if not head:
            return
        self.heads.append(head)
        if self.challenge and "\r\nProxy-Authorization: " not in head:
            field = f"Proxy-Authenticate: {self.challenge}"
            connection.send(reply(b"no", field, status="407 Who"))
            return
        place = head.split()[1]
        if place in self._refuses:
            connection.send(reply(b"", status="503 No"))
            return
        with socket.create_connection(self._places[place]) as there:
            connection.send(OK)
            pump(connection.sock, there)


def page(connection: Connection) -> None:
    while connection.head():
        connection.send(reply(b"inner"))


def menu(connection: Connection) -> None:
    connection.until(b"\n")
    connection.send(b"inner\r\n")
