# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Logs and the output of programs: colours, links of terminals (OSC 8), letters struck twice.

Rule: sequences that change the looks of text are removed, and the text around them is one; those that move the cursor
end a text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyurl.text.runs import Runs
    from anyurl.url.cut import _cython as cython

    memchr: Any
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython
    if cython.compiled:
        from cython.cimports.anyurl.text.runs import Runs
        from cython.cimports.libc.string import memchr
    else:
        from anyurl.text.runs import Runs

from anyurl.text.readers.registry import Reader

COMPILED: bool = cython.compiled

MAX_SEQUENCE = 4096
"""Octets of a control sequence; a link that is longer is read as text."""

_CONTROL = re.compile(
    rb"\x1b\[(?P<parameters>[0-?]{0,64}+)[ -/]{0,8}+(?P<end>[@-~])"  # CSI (ECMA-48 5.4)
    rb"|\x1b\]8;[^;\x07\x1b]{0,250}+;(?P<link>[^\x07\x1b]{0,3800}+)(?:\x07|\x1b\\)"  # OSC 8 ; parameters ; URI ST
    rb"|\x1b\][^\x07\x1b]{0,4000}+(?:\x07|\x1b\\)"  # other commands of the operating system: titles
    rb"|\x1b[PX^_][^\x1b]{0,4000}+\x1b\\"  # strings of control (ECMA-48 5.6)
    rb"|\x1b[ -/]{0,8}+[0-OQ-WYZ\\`-~]"  # other escape sequences
    rb"|(?:[^\x08\n\x80-\xff]|[\xc2-\xf4][\x80-\xbf]{1,3})\x08"  # a letter that the next one overstrikes
)
_LOOKS = b"mK"
"""Colours (SGR), and the clearing of the rest of a line, which grep adds."""


class LogDecoder:
    """Takes the control sequences of a terminal out."""

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Copy the text between control sequences."""
        start: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = len(data)
        escape: cython.Py_ssize_t = -1
        struck: cython.Py_ssize_t = -1
        place: cython.Py_ssize_t
        end: cython.Py_ssize_t
        while True:
            if escape < at:
                escape = _next(data, 27, at, size)
            if struck < at:
                struck = _next(data, 8, at, size)
            place = escape if escape < struck else struck
            if place == size:
                break
            end = _colour(data, place, size)
            if end > 0:  # as nearly all are
                out.copy(data, start, place)
                start = at = end
                continue
            end = place + 1
            if place == struck:
                place = _letter(data, place, start)
                if place == struck:  # nothing precedes it
                    at = struck + 1
                    continue
            match = _CONTROL.match(data, place)
            if match is None and not final and data[end - 1] != 8 and len(data) - place < MAX_SEQUENCE:
                out.copy(data, start, place)
                return place
            if match is None:
                at = end
                continue
            out.copy(data, start, place)
            start = at = match.end()
            if match["end"] is not None and match["end"] not in _LOOKS:
                out.cut(place)
            elif match["link"]:
                out.cut(place)
                out.name("terminal-link")
                out.copy(data, match.start("link"), match.end("link"))
                out.name(None)
                out.cut(match.end("link"))
        # The last letter may be overstruck by the next octets
        stop = size if final or not size or data[size - 1] in b"\n\x08" else _letter(data, size, start)
        out.copy(data, start, stop)
        return stop


@cython.cfunc
@cython.exceptval(check=False)
def _next(data: bytes, wanted: cython.int, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The place of the next octet of this value, or `size`."""
    if cython.compiled:
        octets = cython.cast(cython.p_const_uchar, data)
        hit = cython.cast(cython.p_const_uchar, memchr(octets + start, wanted, size - start))
        return hit - octets if hit != cython.NULL else size
    place: cython.Py_ssize_t = data.find(wanted, start)
    return place if place >= 0 else size


@cython.cfunc
@cython.exceptval(check=False)
def _letter(data: bytes, end: cython.Py_ssize_t, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The start of the letter before `end`, in UTF-8; `end` if that is `start`."""
    i: cython.Py_ssize_t = end
    while i > start and end - i < 4:
        i -= 1
        if data[i] & 0xC0 != 0x80:
            break
    return i


@cython.cfunc
@cython.exceptval(check=False)
def _colour(data: bytes, place: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where a colour (SGR) that begins at `place` ends, or 0."""
    i: cython.Py_ssize_t = place + 2
    if i >= size or data[place] != 27 or data[place + 1] != ord("["):
        return 0
    while i < size and (48 <= data[i] <= 57 or data[i] == ord(";")):
        i += 1
    return i + 1 if i < size and data[i] == ord("m") else 0


READERS = (
    Reader(
        name="log", summary="logs and output of programs: colours removed, terminal links (OSC 8) read",
        suffixes=(".log", ".ansi", ".cast"), begins=lambda head: b"\x1b[" in head or b"\x1b]8;" in head,
        decode=LogDecoder,
    ),
)  # fmt: skip
