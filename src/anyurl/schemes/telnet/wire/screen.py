"""Filtering the text of a service for a terminal: colours and cursor movement pass, other sequences are removed.

Rule: sequences are allowed by a list, and all others removed. Attack: replies that a sequence requests from the
terminal would be typed into the service; others set titles, clipboards, keys or fonts, or print; and C1 controls are
the same sequences in one octet (ECMA-48 5.3, xterm's ctlseqs).
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from anyurl.url.charsets import decoder_of

MAX_SEQUENCE_CHARACTERS = 64
"""Characters of a control sequence (CSI): the longest that passes, both colours, has some 40."""

MAX_STRING_CHARACTERS = 4096
"""A control string (OSC, DCS ...) without an end is abandoned here, so that it does not hide all that follows."""

CONTROLS: Final = frozenset("\a\b\t\n\v\f\r\x0e\x0f")
"""RFC 854's printer: BEL BS HT LF VT FF CR; and SO, SI, which choose between the two character sets of a VT100."""

SEQUENCES: Final = frozenset("mABCDEFGHIZadefJKLMPSTX@`rsu")
"""Finals of CSI that pass: SGR; the cursor; erase, insert and delete; scroll, and its region; save and restore."""

MODES: Final = frozenset({"1", "7", "25", "47", "1047", "1048", "1049"})
"""Private modes that pass: cursor keys, wrapping, cursor visibility, the alternate screen. Not mouse and focus reports,
and not bracketed paste: they make a terminal send input that was not typed."""

ESCAPES: Final = frozenset("78DEM=>")
"""Finals of plain escape sequences that pass: save and restore the cursor, index, next line, keypad. Not tab stops
(HTS): they would outlast the session, and not every terminal can restore the default ones."""

CHARSETS: Final = frozenset("0AB")
"""Character sets that ``ESC (`` and ``ESC )`` may choose: line drawing, British, ASCII (VT100)."""

RESET: Final = "\x0f\x1b(B\x1b)B\x1b[0m\x1b[?1l\x1b[?7h\x1b[?25h\x1b>"
"""Resets everything that a service may have changed: character sets, colours, modes."""

RESET_REGION: Final = "\x1b7\x1b[r\x1b8"
"""Resets a scroll region, if there was one; since that moves the cursor, its position is restored."""

LEAVE_OTHER_SCREEN: Final = "\x1b[?1049l"
"""Leaves the alternate screen, if it was entered: on the normal one it would move the cursor."""

_PARAMETERS = re.compile(r"[0-9;:]*")
_GROUND, _ESCAPE, _CSI, _STRING, _STRING_ESCAPE, _CHARSET, _DROPPED = range(7)
_STRINGS = "]PX^_"
_ODD = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]")
"""Octets that are not UTF-8, separators that end lines on some terminals, and bidirectional controls (UAX 9)."""

_PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f]+")


class Screen:
    """A stateful filter from a service's octets to text for a terminal.

    Text is UTF-8; invalid octets are read as Latin-1, which the library catalogues of the 1990s sent.

    Args:
        charset: Python's name for another charset of the text: ``cp437`` of bulletin boards, ``gbk``, ``big5``.
    """

    __slots__ = ("_decoder", "_state", "_sequence", "_length", "_modes", "_region")

    def __init__(self, charset: str | None = None) -> None:
        utf_8 = codecs.getincrementaldecoder("utf-8")
        self._decoder = utf_8("surrogateescape") if charset is None else decoder_of(charset)
        self._state = _GROUND
        self._sequence = ""
        self._length = 0
        self._modes: set[str] = set()
        self._region = False

    def show(self, data: bytes) -> str:
        """Filter the next octets; returns the text that may be written to a terminal."""
        shown: list[str] = []
        text = self._decoder.decode(data)
        at, end = 0, len(text)
        while at < end:
            if self._state == _GROUND:
                plain = _PLAIN.match(text, at)
                if plain is not None:
                    shown.append(_characters(plain[0]))
                    at = plain.end()
                    continue
            char = text[at]
            at += 1
            shown.append(self._step(char))
        return "".join(shown)

    def end(self) -> str:
        """The sequences that reset the terminal."""
        leave = LEAVE_OTHER_SCREEN if self._modes & {"47", "1047", "1049"} else ""
        return leave + (RESET_REGION if self._region else "") + RESET

    def _step(self, char: str) -> str:
        if char in "\x18\x1a":  # CAN and SUB abort any sequence (ECMA-48 8.3.148)
            self._state = _GROUND
            return ""
        if self._state == _GROUND:
            return self._plain(char)
        if self._state in (_STRING, _STRING_ESCAPE):
            self._in_string(char)
            return ""
        if char == "\x1b":
            self._state, self._sequence = _ESCAPE, ""
            return ""
        if self._state == _ESCAPE:
            return self._escape(char)
        if self._state == _CHARSET:
            self._state = _GROUND
            return f"\x1b{self._sequence}{char}" if char in CHARSETS else ""
        if self._state == _DROPPED:
            if not " " <= char <= "/":
                self._state = _GROUND
            return ""
        return self._csi(char)

    def _plain(self, char: str) -> str:
        if char == "\x1b":
            self._state, self._sequence = _ESCAPE, ""
            return ""
        return char if char in CONTROLS else ""

    def _escape(self, char: str) -> str:
        self._state = _GROUND
        if char == "[":
            self._state = _CSI
        elif char in _STRINGS:
            self._state, self._length = _STRING, 0
        elif char in "()":
            self._state, self._sequence = _CHARSET, char
        elif " " <= char <= "/":  # an intermediate: the final after it belongs to the sequence, and is not shown
            self._state = _DROPPED
        elif char in ESCAPES:
            return f"\x1b{char}"
        return ""

    def _csi(self, char: str) -> str:
        if " " <= char <= "?" and len(self._sequence) < MAX_SEQUENCE_CHARACTERS:
            self._sequence += char
            return ""
        self._state = _GROUND
        sequence, self._sequence = self._sequence, ""
        if char in SEQUENCES and _PARAMETERS.fullmatch(sequence):
            self._region = self._region or char == "r"
            return f"\x1b[{sequence}{char}"
        if char in "hl" and sequence[:1] == "?":
            modes = [mode for mode in sequence[1:].split(";") if mode in MODES]
            if modes:
                (self._modes.update if char == "h" else self._modes.difference_update)(modes)
                return f"\x1b[?{';'.join(modes)}{char}"
        return self._plain(char) if char < " " else ""

    def _in_string(self, char: str) -> None:
        self._length += 1
        if char == "\a" or (self._state == _STRING_ESCAPE and char == "\\") or self._length > MAX_STRING_CHARACTERS:
            self._state = _GROUND
        else:
            self._state = _STRING_ESCAPE if char == "\x1b" else _STRING


def _characters(text: str) -> str:
    """Replace surrogates for octets by Latin-1 without C1 controls, and bidirectional controls by their names."""
    return text if text.isascii() else _ODD.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        return "" if code < 0xDCA0 else chr(code - 0xDC00)
    return f"\\u{code:04x}"
