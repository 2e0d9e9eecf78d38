"""The ideal mail server: what it answers, however the commands come."""

from __future__ import annotations

import base64

import pytest

from anyurl.errors import LimitError
from anyurl.schemes.mailto.wire.fake_server import FEATURES, FakeMailServer
from anyurl.testing import three_ways


def test_it_answers_every_command_however_it_comes() -> None:
    asked = (
        b"EHLO x\r\nSTARTTLS\r\nAUTH PLAIN AGEAYg==\r\nMAIL FROM:<a>\r\nRCPT TO:<b>\r\nDATA\r\nQUIT\r\n..\r\n.\r\n"
        b"RSET\r\nFROBNICATE\r\nQUIT\r\n"
    )
    answers = set()
    for pieces in three_ways(asked, b"NO"):
        server = FakeMailServer()
        assert server.connected(1) == b"220 ideal.example ESMTP\r\n"
        answers.add(b"".join(server.received(1, piece) for piece in pieces))
    (answer,) = answers
    lines = answer.split(b"\r\n")
    assert lines[0] == b"250-ideal.example"
    assert lines[1 : 1 + len(FEATURES)] == [
        f"250{'-' if feature != FEATURES[-1] else ' '}{feature}".encode() for feature in FEATURES
    ]
    codes = [line[:3] for line in lines[1 + len(FEATURES) :]]
    assert codes == [b"220", b"235", b"250", b"250", b"354", b"250", b"250", b"502", b"221", b""]


def test_a_login_in_two_answers() -> None:
    server = FakeMailServer()
    said = [server.received(1, line) for line in (b"AUTH LOGIN\r\n", b"QUIT\r\n", b"QUIT\r\n", b"QUIT\r\n")]
    assert [base64.b64decode(line[4:]) for line in said[:2]] == [b"Username:", b"Password:"]
    assert [line[:3] for line in said] == [b"334", b"334", b"235", b"221"]


def test_a_message_ends_with_a_lone_dot() -> None:
    server = FakeMailServer()
    said = [server.received(1, line) for line in (b"DATA\r\n", b".x\r\n", b"QUIT\r\n", b".\r\n", b".\r\n")]
    assert [line[:3] for line in said] == [b"354", b"", b"", b"250", b"502"]


def test_its_extensions_are_those_that_it_was_given() -> None:
    assert FakeMailServer(features=()).received(1, b"EHLO x\r\n") == b"250 ideal.example\r\n"
    assert FakeMailServer(features=("A",)).received(1, b"EHLO x\r\n") == b"250-ideal.example\r\n250 A\r\n"
    assert FakeMailServer().connected(2) == b""


def test_a_command_without_end_is_too_long() -> None:
    server = FakeMailServer()
    assert server.received(1, b"x" * 65_536) == b""
    with pytest.raises(LimitError) as caught:
        server.received(1, b"x")
    assert caught.value.limit == "MAX_COMMAND_BYTES"
