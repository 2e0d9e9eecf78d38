"""An ideal telnet service, pure and deterministic, for dry runs and ``--explain``.

Rule: it requests the options that RFC 1123 3.2 expects of a service for people (terminal type, window size, its own
echo), sends a greeting when all are agreed, and ends.
"""

from __future__ import annotations

from anyurl.schemes.telnet.wire.options import DO, ECHO, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WILL, WINDOW_SIZE

GREETING = b"An ideal service.\r\n"
"""All that it says."""

ASKED = b"".join(
    bytes((255, verb, option))
    for verb, option in ((DO, TERMINAL_TYPE), (DO, WINDOW_SIZE), (WILL, ECHO), (WILL, SUPPRESS_GO_AHEAD))
)
"""What it begins with."""


class FakeTelnetServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of every telnet URL."""

    __slots__ = ("_greeted",)

    def __init__(self) -> None:
        self._greeted = False

    def connected(self, link: int) -> bytes:
        """What it wants to agree on."""
        return ASKED

    def received(self, link: int, data: bytes) -> bytes:
        """It greets once the client has answered."""
        if self._greeted:
            return b""
        self._greeted = True
        return GREETING
