"""The mail drop, as clients that nobody here wrote use it, and as the octets of hostile ones find it."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyurl.client.client import Client, consent_to_all
from anyurl.errors import DeniedError, NotFoundError
from anyurl.schemes.mailto.wire.server import MAX_KEPT
from anyurl.world.mail import MAX_MESSAGE, MailDrop


@pytest.fixture
def drop() -> Iterator[MailDrop]:
    with contextlib.closing(MailDrop()) as drop:
        yield drop


@pytest.mark.needs("curl")
def test_curl_drops_a_message(drop: MailDrop, tmp_path: Path) -> None:
    file = tmp_path / "message"
    file.write_bytes(b"Subject: x\r\n\r\n.one\r\n..\r\ntwo\r\n")
    url = f"smtp://127.0.0.1:{drop.port}/here.example"
    options = ["--mail-from", "me@here.example", "--mail-rcpt", "guest@world.example", "--upload-file", str(file)]
    subprocess.run(["curl", "--silent", "--show-error", *options, url], check=True, timeout=30)
    (kept,) = drop.kept
    assert (kept.sender, kept.recipients) == ("me@here.example", ("guest@world.example",))
    assert kept.data == file.read_bytes()


def test_smtplib_drops_messages(drop: MailDrop) -> None:
    with smtplib.SMTP("127.0.0.1", drop.port, local_hostname="here.example") as client:
        refused = client.sendmail("me@here.example", ["guest@world.example", "x@world.example"], "Subject: x\n\n.y\n")
        assert refused == {"x@world.example": (550, b"5.1.1 There is guest and postmaster here, and nobody else")}
        client.sendmail("me@here.example", "Postmaster@WORLD.example", "z")
        assert client.helo() == (250, b"world.example")
        assert client.noop()[0] == 250
        assert client.docmd("TURN")[0] == 502
    assert [kept.data for kept in drop.kept] == [b"Subject: x\r\n\r\n.y\r\n", b"z\r\n"]


def test_anyurl_drops_the_demos_message(drop: MailDrop) -> None:
    with Client(ask_consent=consent_to_all, **drop.settings) as client:
        client.append(drop.urls["mailto"], b"")
        with pytest.raises(NotFoundError, match="There is guest and postmaster here"):
            client.append("mailto:nobody@world.example", b"x")
        with pytest.raises(DeniedError, match="Mail to elsewhere is not taken"):
            client.append("mailto:guest@elsewhere.example", b"x")
    (kept,) = drop.kept
    assert kept.sender == "visitor@world.example"
    assert kept.data.endswith(b"\r\nSubject: A visit\r\n" + kept.data.partition(b"A visit\r\n")[2])
    assert kept.data.endswith(b"\r\n\r\nI was here.\r\n")


def talk(drop: MailDrop, said: bytes) -> list[bytes]:
    """The codes of the answers to all of this, said at once, after EHLO."""
    with socket.create_connection(("127.0.0.1", drop.port), 10) as connection:
        connection.sendall(b"EHLO [127.0.0.1]\r\n" + said + b"QUIT\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while data := connection.recv(65536):
            answer += data
    return [line[:3] for line in answer.split(b"\r\n") if line[3:4] == b" "]


BEGIN = b"MAIL FROM:<a@b>\r\nRCPT TO:<guest@world.example>\r\nDATA\r\n"


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        pytest.param(BEGIN + b"x\r\n.\r\n", b"220 250 250 250 354 250 221", id="all at once"),
        pytest.param(BEGIN + b".\r\n", b"220 250 250 250 354 250 221", id="an empty message"),
        pytest.param(b"DATA\r\n", b"220 250 503 221", id="nobody to write to"),
        pytest.param(b"RCPT TO:<guest@world.example>\r\n", b"220 250 503 221", id="no sender"),
        pytest.param(b"MAIL FROM:<a>\r\nMAIL FROM:<a>\r\n", b"220 250 250 501 221", id="two senders"),
        pytest.param(b"MAIL FROM:a\r\n", b"220 250 501 221", id="no brackets"),
        pytest.param(b"MAIL FROM:<a>\r\nRSET\r\nMAIL FROM:<a>\r\n", b"220 250 250 250 250 221", id="begun again"),
        pytest.param(b"MAIL FROM:<a> SIZE=2000000\r\n", b"220 250 552 221", id="too large, as announced"),
        pytest.param(b"\xff\r\n", b"220 250 502 221", id="no command"),
        pytest.param(BEGIN + b"x\n.\nRSET\n.\r\n.\r\n", b"220 250 250 250 354 250 221", id="only CR LF ends a line"),
        pytest.param(BEGIN + b"x" * (MAX_MESSAGE + 3000), b"220 250 250 250 354 421", id="too large"),
        pytest.param(b"x" * 3000, b"220 250", id="a line without end"),
    ],
)
def test_what_it_answers(drop: MailDrop, said: bytes, codes: bytes) -> None:
    assert b" ".join(talk(drop, said)) == codes


def test_the_oldest_message_makes_room(drop: MailDrop) -> None:
    for number in range(MAX_KEPT + 1):
        assert talk(drop, BEGIN + b"%d\r\n.\r\n" % number)[-1] == b"221"
    assert [kept.data for kept in (drop.kept[0], drop.kept[-1])] == [b"1\r\n", b"100\r\n"]
