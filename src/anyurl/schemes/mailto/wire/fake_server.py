"""An ideal mail server, pure and deterministic, for dry runs and ``--explain``.

Rule: every mailbox exists, every login is accepted, and it replies as RFC 5321 says.
"""

from __future__ import annotations

from anyurl.schemes.kit.lines import LineReader

FEATURES = (
    "PIPELINING", "SIZE 26214400", "STARTTLS", "AUTH PLAIN LOGIN", "ENHANCEDSTATUSCODES", "8BITMIME", "SMTPUTF8",
)  # fmt: skip
"""The EHLO keywords of a typical submission server."""

_LINE_LIMIT = 64 * 1024

_FIXED = {
    b"STARTTLS": b"220 2.0.0 Ready to start TLS",
    b"MAIL": b"250 2.1.0 Ok",
    b"RCPT": b"250 2.1.5 Ok",
    b"DATA": b"354 End data with <CR><LF>.<CR><LF>",
    b"RSET": b"250 2.0.0 Ok",
    b"QUIT": b"221 2.0.0 Bye",
}


class FakeMailServer:
    """The fake server (`anyurl.dialogue.FakeServer`) of every mailto URL.

    Args:
        features: The lines of its EHLO reply after the first.
    """

    __slots__ = ("_features", "_lines", "_in_data", "_asking")

    def __init__(self, *, features: tuple[str, ...] = FEATURES) -> None:
        self._features = features
        self._lines = LineReader(_LINE_LIMIT, limit="MAX_COMMAND_BYTES", what="a command")
        self._in_data = False
        self._asking = 0

    def connected(self, link: int) -> bytes:
        """The greeting."""
        return b"220 ideal.example ESMTP\r\n" if link == 1 else b""

    def received(self, link: int, data: bytes) -> bytes:
        """The replies to the commands in these octets."""
        self._lines.feed(data)
        return b"".join(self._reply(line) for line in self._lines.lines())

    def _reply(self, line: bytes) -> bytes:
        if self._in_data:
            if line != b".":
                return b""
            self._in_data = False
            return b"250 2.0.0 Ok: taken for delivery\r\n"
        if self._asking:
            self._asking -= 1
            return b"334 UGFzc3dvcmQ6\r\n" if self._asking else b"235 2.7.0 Accepted\r\n"
        verb, _, argument = line.partition(b" ")
        if verb == b"EHLO":
            return "\r\n".join(self._hello()).encode("ascii") + b"\r\n"
        if verb == b"AUTH":
            self._asking = 2 if argument == b"LOGIN" else 0
            return b"334 VXNlcm5hbWU6\r\n" if self._asking else b"235 2.7.0 Accepted\r\n"
        self._in_data = verb == b"DATA"
        return _FIXED.get(verb, b"502 5.5.2 Command not recognized") + b"\r\n"

    def _hello(self) -> list[str]:
        lines = ["ideal.example", *self._features]
        return [f"250-{line}" for line in lines[:-1]] + [f"250 {lines[-1]}"]
