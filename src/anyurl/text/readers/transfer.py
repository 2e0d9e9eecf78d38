"""Encodings of text in mail: quoted-printable, base64, character sets, flowed lines, encoded words.

Rule: each character of the decoded text keeps its place in the message (RFC 2045 6, RFC 2047, RFC 3676).
"""

from __future__ import annotations

import binascii
import re

from anyurl.text.runs import Runs
from anyurl.url.charsets import codec_of, decoder_of

_ESCAPE = re.compile(rb"=(?:([0-9A-Fa-f]{2})|[ \t]*+\r?\n)")
_Q_ESCAPE = re.compile(rb"=([0-9A-Fa-f]{2})|(_)")
_GROUPS = re.compile(rb"(?:[A-Za-z0-9+/]{4})*+(?:(?>[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))?+")
_LETTER = re.compile(rb"[A-Za-z0-9+/=]")
_WORD = re.compile(rb"=\?([^?*\s]{1,64})(?:\*[^?\s]{0,64})?\?([bBqQ])\?([^?\s]{0,1024})\?=")
_BETWEEN_WORDS = re.compile(rb"[ \t\r\n]*+(?==\?)")
_FLOWS = re.compile(rb"( |=20)\r?\n\Z")
_MARKS = re.compile(rb">*+ ?+")
_ASCII = bytes(range(128))


class TransferDecoder:
    """Decodes one body, line by line.

    Args:
        coding: The Content-Transfer-Encoding; ``q`` for an encoded word.
        parameters: The parameters of the Content-Type.
        type: The media type.

    Attributes:
        takes_lines: Whether `line` accepts several lines at once.
    """

    def __init__(self, coding: bytes, parameters: dict[bytes, bytes], type: str = "text/plain") -> None:
        self._coding = coding
        self._charset = _decoder(parameters.get(b"charset", b""))
        self._is_flowed = (
            type == "text/plain"
            and parameters.get(b"format", b"").lower() == b"flowed"
            and parameters.get(b"delsp", b"").lower() == b"yes"
            and coding != b"base64"
        )
        self.takes_lines = not self._is_flowed and coding != b"base64"
        self._flows = False
        self._group = b""  # up to three letters of base64, and their place in the source
        self._group_at = self._group_end = 0

    def line(self, data: bytes, start: int, stop: int, out: Runs) -> None:
        """Write the text of a line, from `start` to `stop` in `data`."""
        if self._is_flowed:
            if self._flows and (marks := _MARKS.match(data, start, stop)) is not None:
                start = marks.end()
            end = _FLOWS.search(data, start, stop)
            self._flows = False
            if end is not None and data[start : end.start()] != b"--":
                self._flows, stop = True, end.start()
        match self._coding:
            case b"base64":
                self._base64(data, start, stop, out)
            case b"quoted-printable":
                self._escaped(data, start, stop, _ESCAPE, out)
            case b"q":
                self._escaped(data, start, stop, _Q_ESCAPE, out)
            case _:
                self._verbatim(data, start, stop, out)

    def end(self, out: Runs) -> None:
        """End the body: an incomplete character is dropped; two or three letters of base64 are one or two octets."""
        if len(self._group) > 1:  # some writers omit the padding, and readers accept that (email._encoded_words)
            try:
                text = binascii.a2b_base64(self._group.rstrip(b"=") + b"==")
            except binascii.Error:
                text = b""
            self._write(text, self._group_at - out.base, self._group_end - out.base, out)
        if self._charset is not None:
            self._charset.reset()
        self._group = b""

    def _escaped(self, data: bytes, start: int, stop: int, pattern: re.Pattern[bytes], out: Runs) -> None:
        for match in pattern.finditer(data, start, stop):
            self._verbatim(data, start, match.start(), out)
            start = match.end()
            if match[1] is not None:
                self._write(bytes.fromhex(match[1].decode()), match.start(), start, out)
            elif match.lastindex == 2:
                self._write(b" ", match.start(), start, out)
        self._verbatim(data, start, stop, out)

    def _base64(self, data: bytes, start: int, stop: int, out: Runs) -> None:
        match = _GROUPS.match(data, start, stop)
        if not self._group and match is not None and match.end() > start:
            text = binascii.a2b_base64(match[0])
            if self._charset is None or (self._charset.is_ascii and self._is_idle() and text.isascii()):
                out.unpack(text, start, match.end())
            else:
                for at in range(0, len(text), 3):
                    place = start + at // 3 * 4
                    self._write(text[at : at + 3], place, place + 4, out)
            start = match.end()
        for letter in _LETTER.finditer(data, start, stop):
            if not self._group:
                self._group_at = out.base + letter.start()
            self._group += letter[0]
            self._group_end = out.base + letter.end()
            if len(self._group) == 4:
                group, self._group = self._group, b""
                try:
                    text = binascii.a2b_base64(group)
                except binascii.Error:
                    continue
                self._write(text, self._group_at - out.base, letter.end(), out)

    def _verbatim(self, data: bytes, start: int, stop: int, out: Runs) -> None:
        if self._charset is None:
            out.copy(data, start, stop)
            return
        while start < stop:
            if self._charset.is_ascii and self._is_idle():
                plain = _PLAIN.match(data, start, stop)
                end = start if plain is None else plain.end()
                out.copy(data, start, end)
                start = end
                if start == stop:
                    return
            self._write(data[start : start + 1], start, start + 1, out)
            start += 1

    def _is_idle(self) -> bool:
        return self._charset is None or not self._charset.decoder.getstate()[0]

    def _write(self, octets: bytes, start: int, stop: int, out: Runs) -> None:
        """Write octets of the body in place of those from `start` to `stop`."""
        if self._charset is None:
            out.put(octets, start, stop)
        else:
            out.put(self._charset.decoder.decode(octets).encode("utf-8", "surrogatepass"), start, stop)


_SHIFTED = ("iso2022", "hz", "utf-7")
"""Character sets in which octets of ASCII may mean other characters."""
_PLAIN = re.compile(rb"[\x00-\x7f]*+")


class _Charset:
    """A character set that is not UTF-8."""

    def __init__(self, name: str) -> None:
        self.decoder = decoder_of(name)
        try:
            self.is_ascii = not name.startswith(_SHIFTED) and _ASCII.decode(name).encode("ascii") == _ASCII
        except UnicodeError:
            self.is_ascii = False

    def reset(self) -> None:
        self.decoder.reset()


def _decoder(charset: bytes) -> _Charset | None:
    """The decoder of a character set; None for UTF-8, which needs none, and for unknown ones."""
    try:
        name = codec_of(charset.decode("ascii"))
    except (LookupError, UnicodeError):
        return None
    return None if name in ("utf-8", "ascii") else _Charset(name)


def encoded_words(data: bytes, start: int, stop: int, out: Runs) -> None:
    """Write a header field with its encoded words decoded, and no white space between two of them (RFC 2047 6.2)."""
    for word in _WORD.finditer(data, start, stop):
        if word.start() < start:
            continue
        out.copy(data, start, word.start())
        coding = b"q" if word[2] in b"qQ" else b"base64"
        transfer = TransferDecoder(coding, {b"charset": word[1]})
        transfer.line(data, *word.span(3), out)
        transfer.end(out)
        start = word.end()
        between = _BETWEEN_WORDS.match(data, start, stop)
        if between is not None and _WORD.match(data, between.end(), stop) is not None:
            start = between.end()
    out.copy(data, start, stop)
