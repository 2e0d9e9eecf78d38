from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing

import pytest

from anyurl.world import gemini as gemini_world
from anyurl.world.listener import SchemeListener


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with closing(gemini_world.start()) as server:
        yield server


def said(server: SchemeListener, line: bytes) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", server.port)) as peer, context.wrap_socket(peer) as secured:
        secured.sendall(line)
        with secured.makefile("rb") as answer:
            return answer.readline()


def test_what_it_answers(server: SchemeListener) -> None:
    root = str(server.root).encode()
    for line, answer in (
        (root, b"20 text/gemini; lang=en"), (root + b"pub", b"31 /pub/"),
        (root + b"pub/names/100%25.txt", b"20 text/plain"),
        (root + b"nothing", b"51 "), (root + b"members", b"60 "), (root + b"busy", b"44 5"), (root + b"door?x", b"11 "),
        (b"http://h/", b"53 "), (b"x", b"59 "), (b"g" * 1030, b"59 "),
    ):  # fmt: skip
        assert said(server, line + b"\r\n").startswith(answer)
    assert str(server.urls["gemini"]) == f"{server.root}pub/notes.txt"


def test_a_client_that_does_not_believe_it_is_no_fault(server: SchemeListener) -> None:
    with pytest.raises(ssl.SSLError), socket.create_connection(("127.0.0.1", server.port)) as peer:
        ssl.create_default_context().wrap_socket(peer, server_hostname="localhost")
    assert said(server, str(server.root).encode() + b"\r\n").startswith(b"20 ")
