from __future__ import annotations

from anyurl.schemes.gemini.wire.fake_server import FakeGeminiServer
from anyurl.testing import three_ways


def test_it_answers_when_the_request_is_whole() -> None:
    for pieces in three_ways(b"gemini://h/\r\n"):
        server = FakeGeminiServer()
        assert server.connected(1) == b""
        assert b"".join(server.received(1, piece) for piece in pieces).startswith(b"20 text/gemini; lang=en\r\n# ")
