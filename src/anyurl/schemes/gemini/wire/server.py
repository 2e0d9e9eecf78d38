"""A Gemini server without I/O (the Gemini specification): one request, one reply; its connection has TLS already.

Rule: a request is a URL and CR LF, and only gemini URLs have an answer.
"""

from __future__ import annotations

from collections.abc import Callable

from anyurl.schemes.gemini.wire.messages import MAX_URL_BYTES
from anyurl.schemes.kit.server import Conversation, ServedClient, WireServer
from anyurl.url import URL


class GeminiServer(WireServer):
    """A Gemini server.

    Args:
        answer: The reply to the request of a URL.
    """

    def __init__(self, answer: Callable[[URL], bytes]) -> None:
        super().__init__()
        self._answer = answer

    def serve(self, client: ServedClient) -> Conversation[None]:
        """One request, one reply."""
        line = yield from client.until(b"\r\n", MAX_URL_BYTES)
        try:
            url = URL((client.buffer[:MAX_URL_BYTES] if line is None else line).decode("ascii"))
        except ValueError:
            client.send(b"59 That is no URL\r\n")
            return
        if line is None:
            client.send(b"59 That is no request\r\n")
        else:
            client.send(self._answer(url) if url.scheme == "gemini" else b"53 Only gemini is spoken here\r\n")
