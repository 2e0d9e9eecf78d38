"""Python codecs for charset names from peers and texts.

Rule: names from outside are looked up only here. Python has codecs that are not charsets: for octets (hex, zlib), for
names and literals (punycode, idna, unicode_escape), and UTF-7, which hides markup.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Final

_NO_CHARSETS: Final = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
"""Text codecs that are not charsets. Attack: punycode and idna take time quadratic in the length of the text."""

_LABELS: Final = {
    "iso-8859-8-i": "iso8859-8", "unicode-1-1-utf-8": "utf-8", "windows-949": "cp949", "x-cp1250": "cp1250",
    "x-cp1251": "cp1251", "x-cp1252": "cp1252", "x-euc-jp": "euc-jp", "x-gbk": "gb18030", "x-sjis": "cp932",
    "x-x-big5": "big5hkscs",
}  # fmt: skip
"""Names that servers use and Python does not know (Encoding Standard 4.2)."""

_MEANT: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
"""Charsets of HTML pages that declare one of these names, which are supersets of them (Encoding Standard 4.2)."""


_ORDERS: Final = {
    "utf-16": ((codecs.BOM_UTF16_BE, codecs.utf_16_be_decode), (codecs.BOM_UTF16_LE, codecs.utf_16_le_decode)),
    "utf-32": ((codecs.BOM_UTF32_BE, codecs.utf_32_be_decode), (codecs.BOM_UTF32_LE, codecs.utf_32_le_decode)),
}
"""The marks of the byte orders; the last one holds where there is none (Encoding Standard 4.2: utf-16 is UTF-16LE)."""


def codec_marked_by(first: bytes) -> str | None:
    """The codec, UTF-16 or UTF-32, whose byte order mark begins these octets; None without one."""
    for codec in ("utf-32", "utf-16"):  # the mark of UTF-32LE begins as that of UTF-16LE
        if first.startswith(tuple(mark for mark, _ in _ORDERS[codec])):
            return codec
    return None


def codec_of(charset: str, *, html: bool = False) -> str:
    """Python's name for a charset.

    Args:
        html: The name is from an HTML page and has the meaning that browsers give it.

    Raises:
        LookupError: It is unknown, or not a charset.
    """
    if not charset.isascii() or "\0" in charset:
        raise LookupError(f"{charset!a} is not a charset")
    found = codecs.lookup(_LABELS.get(charset.lower(), charset))
    if not getattr(found, "_is_text_encoding", True) or found.name.replace("_", "-") in _NO_CHARSETS:
        raise LookupError(f"{charset} is not a charset")
    return _MEANT.get(found.name, found.name) if html else found.name


def decoder_of(codec: str, errors: str = "replace") -> codecs.IncrementalDecoder:
    """The decoder of a codec that `codec_of` gives, for octets that arrive in pieces; it raises nothing of its own.

    Args:
        errors: The treatment of invalid octets, as for `bytes.decode`.
    """
    if codec in _ORDERS:
        return _ByMark(codec, errors)
    return _Stepwise(codec, errors) if codec.startswith("iso2022") else codecs.getincrementaldecoder(codec)(errors)


def _register(name: str, first: int) -> str:
    """Errors for decoding: an octet beyond ASCII becomes the character `first` + octet, one of ASCII U+FFFD."""

    def characters(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        octets = error.object[error.start : error.end]
        return "".join(chr(first + octet) if octet >= 128 else "\ufffd" for octet in octets), error.end

    codecs.register_error(name, characters)
    return name


ESCAPE: Final = _register("anyurl.escape", 0xDC00)
"""Errors for decoding: `surrogateescape`, which fails at octets of ASCII; these become U+FFFD, one each."""

LATIN_1: Final = _register("anyurl.latin-1", 0)
"""Errors for decoding: an octet that does not fit is the character of Latin-1."""


class _ByMark(codecs.BufferedIncrementalDecoder):
    """UTF-16 or UTF-32 with a mark or without one, which Python's own decoder refuses, whatever its `errors` are."""

    def __init__(self, codec: str, errors: str) -> None:
        super().__init__(errors)
        self._orders = _ORDERS[codec]
        self._decode: Callable[[bytes, str, bool], tuple[str, int]] | None = None

    def _buffer_decode(self, input: bytes, errors: str, final: bool) -> tuple[str, int]:  # type: ignore[override]
        passed = 0
        if self._decode is None:
            if len(input) < len(self._orders[0][0]) and not final:
                return "", 0
            self._decode = self._orders[-1][1]
            for mark, decode in self._orders:
                if input.startswith(mark):
                    passed, self._decode = len(mark), decode
        text, used = self._decode(input[passed:], errors, final)
        return text, passed + used

    def reset(self) -> None:
        super().reset()
        self._decode = None


class _Stepwise(codecs.IncrementalDecoder):
    """ISO 2022, octet by octet. Python's own decoder holds eight octets of an escape sequence, and fails at the ninth.

    An escape character whose sequence has not ended by then is invalid.
    """

    def __init__(self, codec: str, errors: str) -> None:
        super().__init__(errors)
        self._codec = codec
        self.reset()

    def decode(self, input: bytes, final: bool = False) -> str:  # type: ignore[override]
        left, text = bytearray(reversed(input)), []
        while left:
            held, shift = self._steps.getstate()
            octet = left.pop()
            try:
                text.append(self._steps.decode(bytes((octet,))))
            except UnicodeError:  # its buffer is full; a UnicodeDecodeError since 3.13
                if self.errors == "strict":
                    raise
                self._steps.setstate((b"", shift))
                error = UnicodeDecodeError(self._codec, held, 0, 1, "an escape sequence without an end")
                text.append(str(codecs.lookup_error(self.errors)(error)[0]))
                left += bytes((octet, *reversed(held[1:])))
        if final:
            text.append(self._steps.decode(b"", True))
        return "".join(text)

    def reset(self) -> None:
        # Python's own keeps the sets that the text has chosen.
        self._steps = codecs.getincrementaldecoder(self._codec)(self.errors)

    def getstate(self) -> tuple[bytes, int]:
        return self._steps.getstate()
