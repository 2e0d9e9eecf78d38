"""The world's catalogue: it answers, asks for what a service asks for, and lets nobody stay."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from anyurl import Client
from anyurl.dialogue import Terminal
from anyurl.world import telnet
from anyurl.world.listener import SchemeListener
from tests.servers import WAIT_SECONDS


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(telnet.start()) as server:
        yield server


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("list", r"motd\.txt +\d+ characters\r\n"),
        ("find LOCATOR names", r"pub/notes\.txt: Four things can be done with what a locator names"),
        ("find nothing-like-it", r"Nothing holds all these words\.\r\n"),
        ("find", r"Nothing holds all these words\.\r\n"),
        ("show motd.txt", r"Welcome to the world\.\r\n"),
        ("show nothing", r"There is no 'nothing' here\.\r\n"),
        ("help", r"find WORDS +the lines that hold all words\r\n"),
        ("what", r"Type help for help\.\r\n"),
        ("terminal", r"VT220, 132 columns, 255 rows\r\n"),
        ("bye", r"Come back soon\.\r\n"),
        ("", r"\r\ncommand: "),
    ],
)
def test_commands(server: SchemeListener, typed: str, answer: str) -> None:
    with Client() as client, client.session(server.root, Terminal("vt220", 132, 255)) as session:
        session.expect("command: ", timeout=WAIT_SECONDS)
        session.write("\n")
        session.expect("command: ", timeout=WAIT_SECONDS)  # by now it knows the terminal
        session.write(f"{typed}\n")
        assert session.expect(answer, timeout=WAIT_SECONDS)


def test_the_line_is_edited_and_echoed(server: SchemeListener) -> None:
    with Client() as client, client.session(server.urls["telnet"]) as session:
        session.expect("command: ", timeout=WAIT_SECONDS)
        session.write(b"\x7fbyz\x7fe\x01\n")
        assert session.expect("(?s)(.*)Come back soon", timeout=WAIT_SECONDS)[1] == b"byz\b \be\a\r\n"


def test_somebody_who_speaks_no_telnet_is_served_too(server: SchemeListener) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 5) as plain:
        plain.sendall(b"terminal\nbye\n")
        said = b""
        while piece := plain.recv(4096):
            said += piece
    assert b"unknown, 0 columns, 0 rows\r\n" in said


def test_hostile_commands_do_no_harm(server: SchemeListener) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 5) as plain:
        plain.sendall(
            b"\xff\xfa\x18" + b"x" * 1000 + b"\xff\xf0\r\0\xff\xfa\x1f\x01\xff\xf0\xff\xfb\x18\xff\xff\r\nbye\r\n"
        )
        said = b""
        while piece := plain.recv(4096):
            said += piece
    assert said.endswith(b"Come back soon.\r\n")
