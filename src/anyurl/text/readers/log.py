"""Logs and the output of programs: colours, links of terminals (OSC 8), letters struck twice.

Rule: what changes how text looks is taken out, and the text around it is one; what moves the cursor ends a text.
"""

from __future__ import annotations

import re

from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

MAX_SEQUENCE = 4096
"""Octets of a control sequence; a link that is longer is read as text."""

_CONTROL = re.compile(
    rb"\x1b\[(?P<parameters>[0-?]{0,64}+)[ -/]{0,8}+(?P<end>[@-~])"  # CSI (ECMA-48 5.4)
    rb"|\x1b\]8;[^;\x07\x1b]{0,250}+;(?P<link>[^\x07\x1b]{0,3800}+)(?:\x07|\x1b\\)"  # OSC 8 ; parameters ; URI ST
    rb"|\x1b\][^\x07\x1b]{0,4000}+(?:\x07|\x1b\\)"  # other commands of the operating system: titles
    rb"|\x1b[PX^_][^\x1b]{0,4000}+\x1b\\"  # strings of control (ECMA-48 5.6)
    rb"|\x1b[ -/]{0,8}+[0-OQ-WYZ\\`-~]"  # other escape sequences
    rb"|[^\x08\n\x80-\xff]\x08"  # a letter that the next one stands over
)
_START = re.compile(rb"\x1b(?:\[[0-9;]*+m)?+|\x08")
_LOOKS = b"mK"
"""Colours (SGR), and the clearing of the rest of a line, which grep writes beside them."""


class LogDecoder:
    """Takes the control sequences of a terminal out."""

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Copy what stands between control sequences."""
        start = at = 0
        while (mark := _START.search(data, at)) is not None:
            place, end = mark.span()
            if end - place > 1:  # a colour, as nearly all are
                out.copy(data, start, place)
                start = at = end
                continue
            if data[place] == 8:
                place -= 1
                if place < start:  # nothing stands before it
                    at = place + 2
                    continue
            match = _CONTROL.match(data, place)
            if match is None and not final and data[mark.start()] != 8 and len(data) - place < MAX_SEQUENCE:
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
                out.copy(data, *match.span("link"))
                out.name(None)
                out.cut(match.end("link"))
        # The last letter may be struck over by what comes
        stop = len(data) if final or not data or data[-1] in b"\n\x08" else max(start, len(data) - 1)
        out.copy(data, start, stop)
        return stop


READERS = (
    Reader(
        name="log", summary="logs and what programs print: colours taken out, links of terminals (OSC 8) read",
        suffixes=(".log", ".ansi", ".cast"), begins=lambda head: b"\x1b[" in head or b"\x1b]8;" in head,
        decode=LogDecoder,
    ),
)  # fmt: skip
