"""The network virtual terminal: text and commands in one stream of octets (RFC 854, RFC 855).

Rule: octets in; text and the replies to send out. The service gets answers to its options and no data about the user:
no user name, no password, no environment. The codec is part of anyurl because telnetlib3's is tied to asyncio's
transports, which would bypass the guard.
"""

from __future__ import annotations

import re
from typing import Final

from anyurl.errors import LimitError
from anyurl.schemes.telnet.wire.options import (
    BINARY,
    DONT,
    ECHO,
    SUPPRESS_GO_AHEAD,
    TERMINAL_TYPE,
    WILL,
    WINDOW_SIZE,
    TelnetOptions,
)

MAX_NEGOTIATIONS = 256
"""Option requests without any text from either side: there are 256 options, and services use a dozen. An endless
sequence would keep the client busy in vain (RFC 1143 1 describes loops)."""

MAX_SUBNEGOTIATION_OCTETS = 4096
"""Octets of a sub-negotiation: those that are answered have 1; RFC 1572 environments of Debian's telnet under 1 KiB."""

MAX_NAME_OCTETS = 40
"""Characters of a terminal's name (RFC 1091)."""

COMMANDS: dict[str, int] = {"break": 243, "interrupt": 244, "abort": 238, "are-you-there": 246}
"""Signals to the service: RFC 854's BRK, IP and AYT, RFC 1184's ABORT."""

_SE: Final = 240
_SB: Final = 250
_IAC: Final = 255
_IS = b"\x00"
_SEND = 1

_TEXT, _COMMAND, _OPTION, _SUB, _SUB_COMMAND = range(5)

_BARE_LF = re.compile(rb"(?<!\r)\n")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_ON_THE_WIRE = {b"\r\n": b"\r\n", b"\n": b"\r\n", b"\r": b"\r\0"}


class TelnetCodec:
    """One side, the client's, of one telnet connection.

    Args:
        name: The terminal's name; a name that is invalid in RFC 1091 is sent as ``UNKNOWN``.
        columns: Columns of the terminal, 0 if unknown.
        rows: Rows of the terminal, 0 if unknown.
    """

    __slots__ = ("_options", "_name", "_moves", "_size", "_state", "_verb", "_sub", "_after_cr", "_replies", "_count")

    def __init__(self, name: str = "dumb", columns: int = 80, rows: int = 24) -> None:
        self._options = TelnetOptions()
        self._name = terminal_name(name)
        self._moves = name != "dumb"
        self._size = _size(columns, rows)
        self._state = _TEXT
        self._verb = 0
        self._sub = bytearray()
        self._after_cr = False
        self._replies = bytearray()
        self._count = 0

    # --- input of the caller ----------------------------------------------------------------------------------------

    def begin(self) -> bytes:
        """The requests that a client sends first at port 23 (at other ports, which may not be telnet, it waits)."""
        return (
            self._options.ask(True, SUPPRESS_GO_AHEAD)
            + self._options.ask(False, TERMINAL_TYPE)
            + self._options.ask(False, WINDOW_SIZE)
        )

    def send(self, text: bytes) -> bytes:
        """Encode text: 0xFF is doubled, a line end becomes CR LF, and a bare CR becomes CR NUL (RFC 854)."""
        self._count = 0
        if not self._options.is_on(False, BINARY):
            text = _LINE_END.sub(lambda found: _ON_THE_WIRE[found[0]], text)
        return text.replace(b"\xff", b"\xff\xff")

    def command(self, name: str) -> bytes:
        """Encode a signal of `COMMANDS`."""
        self._count = 0
        return bytes((_IAC, COMMANDS[name]))

    def resize(self, columns: int, rows: int) -> bytes:
        """Set the size of the terminal; returns what to send, if the service has enabled size reports (RFC 1073)."""
        self._size = _size(columns, rows)
        return self._window() if self._options.is_on(False, WINDOW_SIZE) else b""

    # --- output of the service --------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> bytes:
        """Decode the text in these octets, and collect the replies to commands in them for `replies`.

        Raises:
            LimitError: Too many options, or too long a sub-negotiation.
        """
        text = bytearray()
        at, end = 0, len(data)
        while at < end:
            if self._state in (_TEXT, _SUB):
                stop = data.find(b"\xff", at)
                piece = data[at:] if stop < 0 else data[at:stop]
                if self._state == _TEXT:
                    text += self._text(piece)
                else:
                    self._add_sub(piece)
                if stop < 0:
                    break
                self._state = _COMMAND if self._state == _TEXT else _SUB_COMMAND
                at = stop + 1
            else:
                self._step(data[at], text)
                at += 1
        return bytes(text)

    def replies(self) -> bytes:
        """The replies to send, and forget them."""
        replies = bytes(self._replies)
        self._replies.clear()
        return replies

    @property
    def echoes(self) -> bool:
        """Whether the service echoes input (or hides it, during the input of a password)."""
        return self._options.is_on(True, ECHO)

    @property
    def line_end(self) -> bytes:
        """The octets of the Enter key: CR LF (RFC 1123 3.3.1), or CR in binary mode."""
        return b"\r" if self._options.is_on(False, BINARY) else b"\r\n"

    @property
    def edits(self) -> bool:
        """Whether lines are edited on this side: if neither ECHO nor SUPPRESS-GO-AHEAD is on (RFC 858 4)."""
        return not self.echoes and not self._options.is_on(True, SUPPRESS_GO_AHEAD)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _text(self, piece: bytes) -> bytes:
        if not piece:
            return b""
        self._count = 0  # services keep a watcher's line alive by options, for days
        if self._options.is_on(True, BINARY):
            self._after_cr = False
            return piece
        after_cr, self._after_cr = self._after_cr, piece[-1] == 13
        if after_cr and piece[0] == 0:
            piece, after_cr = piece[1:], False  # the rest begins after the NUL
        if self._moves and self.edits and b"\n" in piece:
            # A service that ends lines with LF alone would write a staircase: while lines are edited here, a terminal
            # shows them as lines, as it does for programs of this machine.
            held = piece[:1] if after_cr and piece[0] == 10 else b""
            piece = held + _BARE_LF.sub(b"\r\n", piece[len(held) :])
        return piece.replace(b"\r\0", b"\r")

    def _step(self, octet: int, text: bytearray) -> None:
        if self._state == _SUB_COMMAND:
            if octet == _IAC:
                self._add_sub(b"\xff")
                self._state = _SUB
                return
            if octet == _SE:
                self._state = _TEXT
                self._end_sub()
                return
            self._sub.clear()  # RFC 855: only SE ends it. Any other command means that its rest was lost
            self._state = _COMMAND
        if self._state == _OPTION:
            self._state = _TEXT
            self._negotiate(self._verb, octet)
        elif octet == _IAC:
            self._state = _TEXT
            self._after_cr = False
            text.append(_IAC)
        elif WILL <= octet <= DONT:
            self._state, self._verb = _OPTION, octet
        elif octet == _SB:
            self._state = _SUB
        else:  # NOP, GA, DM and the like need no reply; a reply to AYT would be typed into the service
            self._state = _TEXT

    def _add_sub(self, piece: bytes) -> None:
        self._sub += piece
        if len(self._sub) > MAX_SUBNEGOTIATION_OCTETS:
            raise LimitError(
                f"The service sent a telnet sub-negotiation of more than {MAX_SUBNEGOTIATION_OCTETS:,} octets: the "
                "limit allows no more.",
                limit="MAX_SUBNEGOTIATION_OCTETS",
            )

    def _count_one(self) -> None:
        self._count += 1
        if self._count > MAX_NEGOTIATIONS:
            raise LimitError(
                f"The service negotiated more than {MAX_NEGOTIATIONS} telnet options, without any text: the limit "
                "allows no more.",
                limit="MAX_NEGOTIATIONS",
            )

    def _negotiate(self, verb: int, option: int) -> None:
        self._count_one()
        was_on = self._options.is_on(False, WINDOW_SIZE)
        self._replies += self._options.heard(verb, option)
        if not was_on and self._options.is_on(False, WINDOW_SIZE):
            self._replies += self._window()

    def _end_sub(self) -> None:
        self._count_one()
        asked, self._sub = bytes(self._sub), bytearray()
        # Some services send meaningless octets after SEND.
        if asked[:2] == bytes((TERMINAL_TYPE, _SEND)) and self._options.is_on(False, TERMINAL_TYPE):
            self._replies += _sub(TERMINAL_TYPE, _IS + self._name)

    def _window(self) -> bytes:
        return _sub(WINDOW_SIZE, self._size.replace(b"\xff", b"\xff\xff"))


def _sub(option: int, content: bytes) -> bytes:
    return bytes((_IAC, _SB, option)) + content + bytes((_IAC, _SE))


def _size(columns: int, rows: int) -> bytes:
    return b"".join(min(max(number, 0), 0xFFFF).to_bytes(2, "big") for number in (columns, rows))


def terminal_name(name: str) -> bytes:
    """A terminal's name in the form of RFC 1091, in upper case; ``UNKNOWN`` if it is invalid."""
    if not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9+./_-]{{0,{MAX_NAME_OCTETS - 1}}}", name):
        return b"UNKNOWN"
    return name.upper().encode("ascii")
