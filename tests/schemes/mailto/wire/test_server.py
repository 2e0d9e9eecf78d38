"""The mail server: its answers do not depend on how the commands come."""

from __future__ import annotations

import base64

from anyurl.schemes.mailto.wire.server import SECURE, MailServer
from anyurl.testing import three_ways


def test_it_answers_every_command_however_it_comes() -> None:
    asked = (
        b"EHLO x\r\nSTARTTLS\r\nAUTH PLAIN AGEAYg==\r\nMAIL FROM:<a>\r\nRCPT TO:<b>\r\nDATA\r\nQUIT\r\n..\r\n.\r\n"
        b"RSET\r\nFROBNICATE\r\nQUIT\r\n"
    )
    server = MailServer(extensions=SECURE)
    answers = set()
    for link, pieces in enumerate(three_ways(asked, b"NO")):
        assert server.connected(link) == b"220 ideal.example ESMTP\r\n"
        answers.add(b"".join(server.received(link, piece) for piece in pieces))
        assert not server.is_open(link)
    (answer,) = answers
    lines = answer.split(b"\r\n")
    assert lines[0] == b"250-ideal.example"
    assert lines[5:8] == [b"250-ENHANCEDSTATUSCODES", b"250-STARTTLS", b"250 AUTH PLAIN LOGIN"]
    assert [line[:3] for line in lines[8:]] == [
        b"220", b"235", b"250", b"250", b"354", b"250", b"250", b"502", b"221", b"",
    ]  # fmt: skip
    assert [(kept.sender, kept.recipients, kept.data) for kept in server.kept] == [("a", ("b",), b"QUIT\r\n.\r\n")] * 3


def test_a_login_in_two_answers() -> None:
    server = MailServer(extensions=SECURE)
    server.connected(1)
    said = [server.received(1, line) for line in (b"AUTH LOGIN\r\n", b"QUIT\r\n", b"QUIT\r\n", b"QUIT\r\n")]
    assert [base64.b64decode(line[4:]) for line in said[:2]] == [b"Username:", b"Password:"]
    assert [line[:3] for line in said] == [b"334", b"334", b"235", b"221"]


def test_without_the_extensions_it_has_neither_tls_nor_a_login() -> None:
    server = MailServer()
    server.connected(1)
    assert b"STARTTLS" not in server.received(1, b"EHLO x\r\n")
    assert server.received(1, b"STARTTLS\r\nAUTH LOGIN\r\n").count(b"502 ") == 2


def test_a_command_without_end_is_too_long() -> None:
    server = MailServer()
    server.connected(1)
    assert (server.received(1, b"x" * 2049), server.is_open(1)) == (b"", True)
    assert (server.received(1, b"x"), server.is_open(1)) == (b"", False)
