"""Keyboard input: the octets to send for each key, and the local echo while the service does not echo.

Rule: if the service echoes, every key is sent at once (character at a time); if not, a line is edited here and sent
whole, as in the network virtual terminal of RFC 854 (half-duplex, line-buffered). A service hides a password by
promising to echo and not doing so, so passwords are never echoed here.
"""

from __future__ import annotations

from anyurl.schemes.telnet.wire.stream import TelnetCodec

MAX_LINE_OCTETS = 4095
"""The longest line that is edited: that of a terminal's own line editing (N_TTY in Linux, 4096 with its end)."""

_ERASE = (0x08, 0x7F)
_KILL = 0x15
_REPRINT = 0x12
_INTERRUPT = 0x03
_QUIT = 0x1C


class Keyboard:
    """The keys of one session.

    Args:
        codec: Knows whether the service echoes, and encodes the input.
    """

    __slots__ = ("_codec", "_line")

    def __init__(self, codec: TelnetCodec) -> None:
        self._codec = codec
        self._line = bytearray()

    def typed(self, keys: bytes) -> tuple[bytes, bytes]:
        """Process typed octets; returns what to send to the service, and what to show here."""
        sent, shown = bytearray(), bytearray()
        if not self._codec.edits:
            line, self._line = bytes(self._line), bytearray()
            sent += self._codec.send(line + keys.replace(b"\r", self._codec.line_end))
            if not self._codec.echoes:
                shown += b"".join(map(_echo, keys))
            return bytes(sent), bytes(shown)
        for key in keys:
            self._edit(key, sent, shown)
        return bytes(sent), bytes(shown)

    def _edit(self, key: int, sent: bytearray, shown: bytearray) -> None:
        if key in (0x0D, 0x0A):
            line, self._line = bytes(self._line), bytearray()
            sent += self._codec.send(line + self._codec.line_end)
            shown += b"\r\n"
        elif key in _ERASE:
            shown += b"\b \b" * self._erase()
        elif key == _KILL:
            shown += b"\b \b" * sum(map(_width, self._line))
            self._line.clear()
        elif key == _REPRINT:
            shown += b"\r\n" + b"".join(map(_echo, self._line))
        elif key in (_INTERRUPT, _QUIT):
            self._line.clear()
            sent += self._codec.command("interrupt" if key == _INTERRUPT else "abort")
            shown += _echo(key) + b"\r\n"
        elif len(self._line) >= MAX_LINE_OCTETS:
            shown += b"\a"
        else:
            self._line.append(key)
            shown += _echo(key)

    def _erase(self) -> int:
        """Delete the last character; returns its width in columns."""
        while self._line:
            last = self._line.pop()
            if not 0x80 <= last < 0xC0:  # continuation octets of UTF-8 have no width
                return _width(last)
        return 0


def _echo(key: int) -> bytes:
    if key in (0x0D, 0x0A):
        return b"\r\n"
    if key < 0x20 or key == 0x7F:
        return b"^" + bytes((key ^ 0x40,))
    return bytes((key,))


def _width(octet: int) -> int:
    if 0x80 <= octet < 0xC0:
        return 0
    return 2 if octet < 0x20 or octet == 0x7F else 1
