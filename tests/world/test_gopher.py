"""The world's gopher server, asked by sockets alone: what other clients see of it."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from anyurl.world import gopher, tree
from anyurl.world.listener import HOST, SchemeListener


@pytest.fixture
def server() -> Iterator[SchemeListener]:
    with contextlib.closing(gopher.start()) as server:
        yield server


def ask(server: SchemeListener, *pieces: bytes) -> bytes:
    with socket.create_connection((HOST, server.port), 10) as sock:
        for piece in pieces:
            sock.sendall(piece)
        reply = b""
        while data := sock.recv(65536):
            reply += data
    return reply


NOTES = b"".join(line.encode() + b"\r\n" for line in tree.NOTES.splitlines())

RFC_1436 = [
    ("a text ends with a lone dot", b"0/pub/notes.txt\r\n", NOTES + b".\r\n"),
    ("a bare LF asks too", b"0/pub/notes.txt\n", NOTES + b".\r\n"),
    ("a file is octets", b"9/pub/picture.png\r\n", tree.picture()),
    ("nothing", b"0/nope\r\n", b"3There is no '0/nope' here\t\terror.host\t1\r\n.\r\n"),
    ("a search that finds nothing", b"7/search\tzebra\r\n", b".\r\n"),
    ("a search without words", b"7/search\t\r\n", b".\r\n"),
    ("no folder above the world", b"1/../\r\n", b"3There is no '1/../' here\t\terror.host\t1\r\n.\r\n"),
]


@pytest.mark.parametrize(("request_line", "reply"), [row[1:] for row in RFC_1436], ids=[row[0] for row in RFC_1436])
def test_rfc_1436(server: SchemeListener, request_line: bytes, reply: bytes) -> None:
    assert ask(server, request_line) == reply


def test_menus(server: SchemeListener) -> None:
    top = ask(server, b"\r\n").decode().splitlines()
    assert top[2] == f"0index.html\t0/index.html\t{HOST}\t{server.port}\t+"
    assert [line[0] for line in top] == ["i", "i", "0", "0", "1", "7", "0", "h", "."]
    assert top[6].endswith("\t?")
    assert b"0/pub/notes.txt" in ask(server, b"1/pub/\r\n")
    assert ask(server, b"7/search\tpercent sign\r\n").count(b"\r\n") == 2


@pytest.mark.parametrize("middle", [b"\t\t", b"\t"])
def test_gopher_plus_both_ways(server: SchemeListener, middle: bytes) -> None:
    assert ask(server, b"0/motd.txt" + middle + b"+\r\n") == b"+%d\r\n" % len(tree.MOTD) + tree.MOTD.encode()
    assert ask(server, b"0/motd.txt" + middle + b"!\r\n").startswith(b"+-1\r\n+INFO: 0motd.txt\t0/motd.txt\t")
    assert ask(server, b"" + middle + b"$\r\n").count(b"+INFO:") == 5
    assert ask(server, b"0/nope" + middle + b"+\r\n").startswith(b"--1\r\n1 ")
    assert ask(server, b"0/motd.txt" + middle + b"+image/gif\r\n").startswith(b"--1\r\n1 ")


def test_attributes_that_are_named(server: SchemeListener) -> None:
    assert ask(server, b"0/motd.txt\t\t!+VIEWS\r\n") == b"+-1\r\n+VIEWS:\r\n text/plain: <1k>\r\n.\r\n"
    assert ask(server, b"0/guest-book\t\t!+ASK\r\n").count(b"\r\n ") == len(gopher.QUESTIONS)


def test_views(server: SchemeListener) -> None:
    selector = f"0/{gopher.GREETINGS}".encode()
    assert ask(server, selector + b"\t\t+text/plain Fr_FR\r\n").endswith("\r\nBonjour, ça va ?\n".encode())
    assert ask(server, selector + b"\t\t!+VIEWS\r\n").count(b"text/plain") == 3


def test_the_guest_book_is_signed_with_the_octets_of_rfc_1738(server: SchemeListener) -> None:
    form = b"0/guest-book\t+\t1\r\n+-1\r\nAda\r\nsecret\r\n1\r\nhello\r\ngood\r\n.\r\n"
    whole = ask(server, form)
    assert whole == b"+-1\r\nAda was here, and found it good.\r\n1 line was written:\r\nhello\r\n.\r\n"
    assert ask(server, *(form[i : i + 1] for i in range(len(form)))) == whole
    assert ask(server, b"0/motd.txt\t+\t1\r\n+-1\r\na\r\n.\r\n").startswith(b"--1\r\n")


def test_what_is_no_request(server: SchemeListener) -> None:
    assert ask(server, b"a" * 5000 + b"\r\n").startswith(b"3There is no ")
    assert ask(server, b"\xff\xfe\r\n").startswith(b"3There is no ")
