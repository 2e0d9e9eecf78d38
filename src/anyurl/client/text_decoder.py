"""The characters of a text, whole or as it arrives: for the library, the terminal, the gateway and models.

Rule: the charset is decided once, on the first octets; no octet makes the text unreadable.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from anyurl.url.charsets import LATIN_1, codec_marked_by, codec_of, decoder_of

NAMED_WITHIN = 1_024
"""Octets of a page in which it names its charset (WHATWG HTML 13.2.3.2)."""

TRIED = 65_536
"""Octets that a charset has to fit, where several are named."""

_NAMED = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?([\w.:-]{2,40})""")


class TextDecoder:
    """The characters of a text, as its octets arrive; never fails.

    The charset is the one chosen by the user; else the one of the byte order mark, else the declared one, else the one
    named at the start of an HTML or XML text, else UTF-8 (WHATWG HTML 13.2.3.2). One that the first octets do not fit
    is passed over, if another one fits. An octet that does not fit is the character of Latin-1.

    Args:
        type: The media type, or None.
        charset: The declared charset, or None.
        chosen: Python's name for the charset that the user chose, or None.
    """

    def __init__(self, type: str | None, charset: str | None, chosen: str | None = None) -> None:
        self._type = type
        self._declared = _codec(charset, html=type == "text/html")
        self._first = b""
        self._decoder: codecs.IncrementalDecoder | None = None if chosen is None else _decoder(chosen)

    def decode(self, data: bytes, final: bool = False) -> str:
        """The characters of these octets, as far as they are complete.

        Args:
            final: No more octets come.
        """
        if self._decoder is None:
            data = self._first + data
            # Four octets are the longest mark; a page names its charset within its first ones, on which a declared
            # charset is tried.
            is_certain = self._declared in (None, "utf-8") and not self._may_name_it
            if not final and len(data) < (4 if is_certain else NAMED_WITHIN):
                self._first = data
                return ""
            self._first = b""
            self._decoder = _decoder(self._codec(data, final))
        return self._decoder.decode(data, final)

    def read(self, pieces: Iterable[bytes]) -> Iterator[str]:
        """The characters of a text that comes in pieces, to its end."""
        for piece in pieces:
            yield self.decode(piece)
        yield self.decode(b"", final=True)

    def _codec(self, first: bytes, final: bool) -> str:
        marked = "utf-8-sig" if first.startswith(codecs.BOM_UTF8) else codec_marked_by(first)
        possible = [each for each in (marked, self._declared, self._named(first)) if each is not None]
        final = final and len(first) <= TRIED
        return next(
            (each for each in (*possible, "utf-8") if _fits(first[:TRIED], each, final)), (*possible, "utf-8")[0]
        )

    @property
    def _may_name_it(self) -> bool:
        from anyurl.text.readers.registry import of_type

        return of_type(self._type or "text/html") in ("html", "xml")

    def _named(self, first: bytes) -> str | None:
        found = _NAMED.search(first[:NAMED_WITHIN]) if self._may_name_it else None
        if found is None:
            return None
        name = found[1].decode("ascii", "replace").lower()
        # The name was readable as ASCII, so the charset can't have two octets per character.
        return None if name.startswith(("utf-16", "utf-32")) else _codec(name, html=self._type == "text/html")


def _decoder(codec: str) -> codecs.IncrementalDecoder:
    # Single octets of UTF-16 and UTF-32 must not be read as Latin-1.
    return decoder_of(codec, "replace" if codec.startswith(("utf-16", "utf-32")) else LATIN_1)


def _codec(charset: str | None, *, html: bool) -> str | None:
    """Python's name for a charset, None for an unknown one; non-ASCII octets declared as ASCII are more often UTF-8
    than damage."""
    try:
        codec = None if charset is None else codec_of(charset, html=html)
    except LookupError:
        return None
    return "utf-8" if codec == "ascii" else codec


def _fits(first: bytes, codec: str, final: bool) -> bool:
    try:
        decoder_of(codec, "strict").decode(first, final)
    except UnicodeError:
        return False
    return True
