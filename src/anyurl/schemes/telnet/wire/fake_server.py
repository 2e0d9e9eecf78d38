"""An ideal telnet service, pure and deterministic, for dry runs and ``--explain``.

Rule: it requests the options that RFC 1123 3.2 expects of a service for people (terminal type, window size, its own
echo), sends a greeting when all are agreed, and ends.
"""

from __future__ import annotations

from anyurl.schemes.telnet.wire.options import DO, ECHO, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WILL, WINDOW_SIZE

GREETING = b"An ideal service.\r\n"
"""The only text that it sends."""

ASKED = b"".join(
    bytes((255, verb, option))
    for verb, option in ((DO, TERMINAL_TYPE), (DO, WINDOW_SIZE), (WILL, ECHO), (WILL, SUPPRESS_GO_AHEAD))
)
"""The options that it requests first."""


class FakeTelnetServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of every telnet URL."""

    __slots__ = ("_greeted",)

    def __init__(self) -> None:
        self._greeted = False

    def connected(self, link: int) -> bytes:
        """The requests for options."""
        return ASKED

    def received(self, link: int, data: bytes) -> bytes:
        """The greeting, once the client has answered all requests."""
        if self._greeted:
            return b""
        self._greeted = True
        return GREETING
