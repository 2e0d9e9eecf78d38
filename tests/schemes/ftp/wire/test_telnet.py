"""Telnet's commands on an FTP control connection: refused once each, and never a part of a reply."""

from __future__ import annotations

import pytest

from anyurl.errors import LimitError
from anyurl.schemes.ftp.wire.telnet import MAX_NEGOTIATIONS, Negotiation
from anyurl.testing import three_ways
from tests.rows import each_row

DO_ECHO, WILL_ECHO, WONT_ECHO, DONT_ECHO = b"\xff\xfd\x01", b"\xff\xfb\x01", b"\xff\xfc\x01", b"\xff\xfe\x01"


@each_row(
    ("data", "text", "answers"),
    [
        (b"220 hello\r\n", b"220 hello\r\n", b""),
        (DO_ECHO + b"220 hello\r\n", b"220 hello\r\n", WONT_ECHO),
        (b"220 " + WILL_ECHO + b"hello\r\n", b"220 hello\r\n", DONT_ECHO),
        (DO_ECHO * 3 + b"220\r\n", b"220\r\n", WONT_ECHO),  # an answer for each repetition is how loops begin
        (WONT_ECHO + DONT_ECHO + b"220\r\n", b"220\r\n", b""),  # what is off stays off
        (b"\xff\xf1220\r\n", b"220\r\n", b""),  # NOP
        (b"550 caf\xff\xff\r\n", b"550 caf\xff\r\n", b""),  # RFC 854: doubled on the wire
        (b"550 \xfcber \xffx\r\n", b"550 \xfcber \xffx\r\n", b""),  # Latin-1 names, undoubled, of servers that don't
    ],
)
def test_commands_are_taken_out_and_answered(data: bytes, text: bytes, answers: bytes) -> None:
    for pieces in three_ways(data):
        negotiation = Negotiation()
        assert b"".join(map(negotiation.feed, pieces)) == text
        assert negotiation.answers == answers
        assert not negotiation.pending


def test_a_command_that_is_not_whole_is_held_back() -> None:
    negotiation = Negotiation()
    assert negotiation.feed(b"220 hello\xff\xfd") == b"220 hello"
    assert negotiation.pending
    assert negotiation.feed(b"\x01") == b""
    assert negotiation.answers == WONT_ECHO


def test_there_are_no_more_options_than_an_octet_has_values() -> None:
    negotiation = Negotiation()
    negotiation.feed(b"".join(b"\xff\xfd" + bytes((option,)) for option in range(256)))
    assert len(negotiation.answers) == 3 * MAX_NEGOTIATIONS
    with pytest.raises(LimitError) as caught:
        negotiation.feed(DO_ECHO)
    assert caught.value.limit == "MAX_NEGOTIATIONS"


def test_commands_that_say_nothing_have_an_end_as_well() -> None:
    negotiation = Negotiation()
    assert negotiation.feed(b"\xff\xf1" * MAX_NEGOTIATIONS) == b""
    with pytest.raises(LimitError) as caught:
        negotiation.feed(b"\xff\xf1")
    assert caught.value.limit == "MAX_NEGOTIATIONS"
