"""The telnet service: the options that it asks for, and lines (more of them in ``tests/world/test_telnet.py``)."""

from __future__ import annotations

from anyurl import URL
from anyurl.dialogue import Options
from anyurl.schemes.telnet.verbs import fake_server
from anyurl.schemes.telnet.wire.server import TelnetServer
from anyurl.testing import three_ways


def test_an_ideal_service_asks_and_greets() -> None:
    """RFC 854: IAC 255, WILL 251, DO 253; RFC 1091: 24, RFC 1073: 31, RFC 857: 1, RFC 858: 3."""
    said = fake_server(URL("telnet://h/"), Options()).connected(1)
    assert list(said[:12]) == [255, 253, 24, 255, 253, 31, 255, 251, 1, 255, 251, 3]
    assert said[12:] == b"An ideal service.\r\n"


def test_a_line_is_answered_however_it_comes() -> None:
    server = TelnetServer("", lambda line, reader: (f"{line} {reader.name} {reader.columns}\n", line == "x"))
    typed = b"\xff\xfb\x18\xff\xfa\x18\x00VT220\xff\xf0\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0ab\r\nx\r\0"
    answers = set()
    for link, pieces in enumerate(three_ways(typed)):
        server.connected(link)
        answers.add(b"".join(server.received(link, piece) for piece in pieces))
        assert not server.is_open(link)
    assert answers == {b"\xff\xfa\x18\x01\xff\xf0ab\r\nab VT220 80\r\nx\r\nx VT220 80\r\n"}


def test_a_reader_who_is_gone_ends_it() -> None:
    server = TelnetServer("", lambda line, reader: (line, False))
    server.connected(1)
    assert (server.received(1, b"ab"), server.received(1, b""), server.is_open(1)) == (b"ab", b"", False)
