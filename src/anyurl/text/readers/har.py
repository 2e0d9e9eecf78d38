"""HAR (HTTP Archive 1.2): JSON in which the body of an answer may be written in base64.

Rule: such a body is read as the text that it is; pictures, fonts, sound and film are passed over. Longer ones than
MAX_BODY are not undone.
"""

from __future__ import annotations

import binascii
import re

from anyurl.text.readers.json import JsonDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

MAX_BODY = 131_072
"""Octets of a body in base64 that are waited for."""

_REACH = 64
"""Octets before and after a body that may name its encoding."""
_TYPE_REACH = 512

_TEXT = re.compile(rb'"text"\s{0,16}:\s{0,16}"')
_BEGUN = re.compile(rb'"(?:t(?:e(?:x(?:t(?:"\s{0,16}(?::\s{0,16})?)?)?)?)?)?\Z')
"""The beginning of the same at the end of the received octets."""
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?=\")")
_BEFORE = re.compile(rb'"encoding"\s*:\s*"base64"\s*,\s*\Z')
_BEHIND = re.compile(rb'"\s*,\s*"encoding"\s*:\s*"base64"')
_SILENT = re.compile(rb'"mimeType"\s*:\s*"(?:image/(?!svg)|font/|audio/|video/)[^{}]*\Z')


class HarDecoder(JsonDecoder):
    """Undoes the escapes of strings, and the base64 of bodies."""

    def __init__(self) -> None:
        self._read = b""  # the end of the text read before

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Read up to each body, and the body."""
        read = self._decode(data, final, out)
        self._read = (self._read + data[max(0, read - _TYPE_REACH) : read])[-_TYPE_REACH:]
        return read

    def _decode(self, data: bytes, final: bool, out: Runs) -> int:
        at = 0
        for match in _TEXT.finditer(data):
            start = match.end()
            if start <= at:
                continue
            end = data.find(b'"', start, start + MAX_BODY)
            is_short = end < 0 and len(data) - start < MAX_BODY
            if not final and (is_short or (end >= 0 and len(data) - end < _REACH)):
                self._strings(data, at, match.start(), out)
                return match.start()
            before = self._read + data[max(0, match.start() - _TYPE_REACH) : match.start()]
            if end < 0 or not self._is_coded(data, before[-_REACH:], start, end):
                continue
            self._strings(data, at, start, out)
            if _SILENT.search(before[-_TYPE_REACH:]) is None:
                out.unpack(binascii.a2b_base64(data[start:end]), start, end)
            at = end
        stop = len(data)
        if not final and (begun := _BEGUN.search(data, max(at, stop - _REACH))) is not None:
            stop = begun.start()
        out.base += at
        read = super().decode(data[at:stop], final, out)
        out.base -= at
        return at + read

    def _strings(self, data: bytes, start: int, stop: int, out: Runs) -> None:
        """Read the text before a body, which ends between two strings."""
        out.base += start
        super().decode(data[start:stop], True, out)
        out.base -= start

    def _is_coded(self, data: bytes, before: bytes, start: int, end: int) -> bool:
        """Whether a text is declared as base64, and is."""
        told = _BEHIND.match(data, end) is not None or _BEFORE.search(before) is not None
        match = _BASE64.match(data, start) if told else None
        return match is not None and match.end() == end


READERS = (
    Reader(
        name="har", summary="HTTP archives: JSON, with bodies in base64 undone", suffixes=(".har",), decode=HarDecoder,
    ),
)  # fmt: skip
