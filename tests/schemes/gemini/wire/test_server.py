from __future__ import annotations

import pytest

from anyurl.schemes.gemini.wire.server import GeminiServer
from anyurl.testing import three_ways


@pytest.mark.parametrize(
    ("request_line", "reply"),
    [
        (b"gemini://h/x\r\n", b"20 /x\r\n"), (b"http://h/x\r\n", b"53 "), (b"x\r\n", b"59 That is no URL"),
        (b"gemini://h/" + b"x" * 1014 + b"\r\n", b"59 That is no request"),
    ],
)  # fmt: skip
def test_it_answers_when_the_request_is_whole_and_closes(request_line: bytes, reply: bytes) -> None:
    server = GeminiServer(lambda url: f"20 {url.path}\r\n".encode())
    for link, pieces in enumerate(three_ways(request_line)):
        assert (server.connected(link), server.is_open(link)) == (b"", True)
        assert b"".join(server.received(link, piece) for piece in pieces).startswith(reply)
        assert not server.is_open(link)


def test_a_request_without_an_end_is_none() -> None:
    server = GeminiServer(lambda url: b"20 text/plain\r\n")
    assert server.connected(1) + server.received(1, b"gemini://h/") == b""
    assert server.received(1, b"") == b"59 That is no request\r\n"
