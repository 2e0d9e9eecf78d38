"""One world for all tests of the command, and servers that say what they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import pytest

from anyurl.world import World
from anyurl.world.listener import HOST, Listener
from anyurl.world.tree import PASSWORD, USER


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    pytest.importorskip("pyftpdlib", reason="the world's FTP server needs pyftpdlib")
    with World(["file", "http", "ftp"]) as world:
        yield world


@pytest.fixture
def ftp_user(world: World) -> str:
    """The FTP server's root for a user who may change things."""
    return str(world.roots["ftp"]).replace("ftp://", f"ftp://{USER}:{PASSWORD}@")


class Says(Protocol):
    """Starts an HTTP server with one answer for everybody; gives its URL."""

    def __call__(self, body: bytes, *headers: str, length: int | None = None, then: Callable[[], None] = ...) -> str:
        """
        Args:
            headers: Whole lines.
            length: What Content-Length claims; the body's own when None.
            then: Called when the body is sent, before the connection is closed.
        """
        ...


@pytest.fixture
def says() -> Iterator[Says]:
    servers: list[Listener] = []

    def start(body: bytes, *headers: str, length: int | None = None, then: Callable[[], None] = lambda: None) -> str:
        claimed = len(body) if length is None else length
        head = "\r\n".join(["HTTP/1.1 200 OK", f"Content-Length: {claimed}", *headers, "Connection: close", "", ""])

        def serve(connection: object) -> None:
            connection.recv(65536)  # type: ignore[attr-defined]
            connection.sendall(head.encode("latin-1") + body)  # type: ignore[attr-defined]
            then()

        servers.append(Listener(serve, "says"))
        return f"http://{HOST}:{servers[-1].port}/x"

    yield start
    for server in servers:
        server.close()
