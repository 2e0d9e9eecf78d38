"""The links of text/gemini (the Gemini specification, "The text/gemini media type").

Rule: the first characters of a line alone decide whether it is a link. Lines between two lines of three grave accents
are never links.
"""

from __future__ import annotations

import re

from anyurl.schemes.kit.lines import LineReader

MAX_LINE_BYTES = 64 * 1024
"""Octets of a line: a paragraph is one line. Those of the long form that were met have some 10 KB."""

_LINK = re.compile(rb"=>[ \t]*([^ \t]+)(?:[ \t]+(.*?))?[ \t]*", re.DOTALL)


class GemtextReader:
    """Takes the links out of a text; `feed` it, then `finish`."""

    __slots__ = ("_lines", "_verbatim", "_first")

    def __init__(self) -> None:
        what = "a line of a text/gemini document"
        self._lines = LineReader(MAX_LINE_BYTES, limit="MAX_LINE_BYTES", what=what, strict=False)
        self._verbatim = False
        self._first = True

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The links that these octets complete: a reference, and its label.

        Raises:
            LimitError: A line is too long.
        """
        self._lines.feed(data)
        found: list[tuple[bytes, bytes]] = []
        while lines := self._lines.lines():
            found += self._links(lines)
        return found

    def finish(self) -> list[tuple[bytes, bytes]]:
        """That of the last line, if it lacks its end. Raises as `feed`."""
        line = self._lines.finish()
        return [] if line is None else self._links([line])

    def _links(self, lines: list[bytes]) -> list[tuple[bytes, bytes]]:
        found = []
        for line in lines:
            if self._first:
                self._first, line = False, line.removeprefix(b"\xef\xbb\xbf")
            if line.startswith(b"```"):
                self._verbatim = not self._verbatim
            elif line.startswith(b"=>") and not self._verbatim and (link := _LINK.fullmatch(line)):
                found.append((link[1], link[2] or b""))
        return found
