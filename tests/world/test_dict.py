from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from anyurl.world import dict as dict_world
from anyurl.world.listener import SchemeListener


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with closing(dict_world.start()) as server:
        yield server


def said(server: SchemeListener, *lines: bytes) -> list[str]:
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(b"".join(line + b"\r\n" for line in lines))
        peer.shutdown(socket.SHUT_WR)
        with peer.makefile("rb") as answer:
            return answer.read().decode().split("\r\n")


def test_it_is_the_server_of_the_demo(server: SchemeListener) -> None:
    assert str(server.urls["dict"]) == f"{server.root}d:locator:*"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"define ! nothing", "552 No match"), (b"DEFINE nowhere note", "550 There is no such database"),
        (b"DEFINE", "501 DEFINE database word"), (b"MATCH", "501 MATCH database strategy word"),
        (b"MATCH * soundex x", "551 There is no such strategy"),
        (b"MATCH nowhere . x", "550 There is no such database"),
        (b"MATCH * . nothing", "552 No match"), (b"SHOW", "500 There is no such command"),
        (b"SHOW WHAT", "501 SHOW DB, STRAT, INFO database or SERVER"), (b"", "500 There is no such command"),
        (b"SHOW INFO nowhere", "550 There is no such database"), (b"STATUS", "210 It is well"),
        (b"AUTH guest 00", "531 Access denied"), (b"SHOW SERVER", "114 Information follows"),
        (b"HELP", "113 Help follows"), (b"QUIT", "221 Good-bye"), (b"x" * 2000, "500 The command is too long"),
    ],
)  # fmt: skip
def test_what_it_answers(server: SchemeListener, line: bytes, answer: str) -> None:
    banner, first, *_ = said(server, line)
    assert banner.startswith("220 world.example <auth> <")
    assert first == answer


def test_a_dot_at_the_beginning_of_a_line_has_another(server: SchemeListener) -> None:
    assert said(server, b"DEFINE world note")[3:7] == ["note", "  A short text. The smallest is a lone dot:", "..", "."]
