"""A server that says what it is told to, over TLS, with a certificate of its own."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable

from anyurl.world.certificate import self_signed, server_context
from tests.servers import Connection, Server

CERTIFICATE = self_signed("a test")


def saying(
    said: bytes | Callable[[bytes], bytes], context: ssl.SSLContext | None = None, *, cut: bool = False
) -> Server:
    """Answers each request with the same, or with what is made of it.

    Args:
        cut: The connection ends without TLS's own end mark.
    """

    def part(connection: Connection) -> None:
        request = connection.line()
        connection.send(said if isinstance(said, bytes) else said(request))
        if not cut:
            end(connection)

    return Server(part, context=context or server_context(*CERTIFICATE))


def end(connection: Connection) -> None:
    """Send TLS's own end mark."""
    assert isinstance(connection.sock, ssl.SSLSocket)
    with contextlib.suppress(OSError):  # the client has gone already
        connection.sock.unwrap()
