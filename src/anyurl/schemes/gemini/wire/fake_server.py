"""An ideal Gemini server, pure and deterministic, for dry runs and ``--explain``.

Rule: it assumes that the URL is right, and replies with a page.
"""

from __future__ import annotations

PAGE = b"# An ideal page\r\n=> /there A link\r\n"


class FakeGeminiServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of any gemini URL."""

    __slots__ = ("_asked",)

    def __init__(self) -> None:
        self._asked: dict[int, bytes] = {}

    def connected(self, link: int) -> bytes:
        """Nothing: a client speaks first."""
        return b""

    def received(self, link: int, data: bytes) -> bytes:
        """The reply to the request in these octets, once it is whole."""
        asked = self._asked[link] = self._asked.get(link, b"") + data
        return b"20 text/gemini; lang=en\r\n" + PAGE if asked.endswith(b"\r\n") else b""
