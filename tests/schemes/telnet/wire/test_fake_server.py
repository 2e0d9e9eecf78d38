"""The ideal telnet service: it asks for what RFC 1123 3.2 expects, greets once, and is silent."""

from __future__ import annotations

from anyurl.schemes.telnet.wire.fake_server import ASKED, GREETING, FakeTelnetServer


def test_what_it_asks_for() -> None:
    """RFC 854: IAC 255, WILL 251, DO 253; RFC 1091: 24, RFC 1073: 31, RFC 857: 1, RFC 858: 3."""
    assert FakeTelnetServer().connected(1) == ASKED
    assert list(ASKED) == [255, 253, 24, 255, 253, 31, 255, 251, 1, 255, 251, 3]


def test_it_greets_once() -> None:
    server = FakeTelnetServer()
    server.connected(1)
    assert [server.received(1, piece) for piece in (b"\xff", b"\xfb\x18", b"x")] == [GREETING, b"", b""]
    assert GREETING == b"An ideal service.\r\n"
