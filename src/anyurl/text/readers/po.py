r"""Catalogues of gettext (``.po``, ``.pot``): strings of C, of which those that follow each other are one text.

Rule: msgmerge and the editors of translations wrap a text after any ``/`` or ``-``, so a string that ends at the end of
its line continues in the next one. A line that is no longer in use has ``#~`` before it, one of the last version
``#|``. Comments are read unchanged.
"""

from __future__ import annotations

import re

from anyurl.text.readers.backslash import BackslashDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

_GAP = rb"[ \t]{0,64}+\r?\n[ \t]{0,64}+(?:#[~|][ \t]{0,64}+)?"
_SEAM = re.compile(rb'"' + _GAP + rb'"')
"""The end of a string and the beginning of the one that continues it."""
_OPEN = re.compile(rb'"(?:(?>' + _GAP + rb'"))*+[ \t]{0,64}+(?:\r|(?:\r?\n[ \t]{0,64}+(?:#(?:[~|][ \t]{0,64}+)?)?))?\Z')
"""The end of a string that another one may follow."""
_REACH = 200
"""Octets of the longest seam, and some."""
_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?(?:(?>[ \t]*+(?:#[^\n]*+)?\r?\n))*+msg(?:id|ctxt)(?>[ \t]+)"')


class PoDecoder(BackslashDecoder):
    """Joins the strings of a text, and undoes their escapes (GNU gettext, PO Files)."""

    simple = {
        b'"': b'"', b"\\": b"\\", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t",
        b"v": b"\v",
    }  # fmt: skip
    escape = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|([0-3][0-7]{2}))")
    longest = len(rb"\x41")
    marked = True

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Keep the end of a string back until it is known what follows it."""
        stop = len(data)
        if not final and (seam := _OPEN.search(data, max(0, stop - _REACH))) is not None:
            stop = seam.start()
        return super().decode(data[:stop], final, out)

    def plain(self, data: bytes, start: int, stop: int, out: Runs) -> object:
        """Write it without the seams."""
        for seam in _SEAM.finditer(data, start, stop):
            out.copy(data, start, seam.start())
            start = seam.end()
        out.copy(data, start, stop)
        return None

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the octet that it means."""
        out.put(bytes((int(match[1], 16) if match[1] is not None else int(match[2], 8),)), place, match.end())
        return match.end()


READERS = (
    Reader(
        name="po", summary="gettext's catalogues: the strings of a text joined, escapes undone",
        suffixes=(".po", ".pot"), types=("text/x-gettext-translation", "text/x-po"),
        begins=lambda head: _BEGIN.match(head) is not None, decode=PoDecoder,
    ),
)  # fmt: skip
