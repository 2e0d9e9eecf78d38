"""Notebooks (nbformat): JSON whose cells are Markdown, code, and its output.

Rule: the sources of Markdown cells are written as they are meant, all else as a fenced code block around the JSON, its
escapes undone: whole URLs are found everywhere, relative references in Markdown alone.
"""

from __future__ import annotations

import re

from anyurl.text.readers.json import JsonDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

FENCE = b"~" * 40
"""The first and last line of the code block; no line of a program equals one."""

LONGEST = 12
"""Octets of the longest escape: a pair of surrogates."""

SHORT = 32
"""Octets of a string that are remembered: keys, and the kinds of cells."""

MAX_DEPTH = 64
"""Levels whose kinds are known: cells are at the third, and a hostile text has millions."""

TEXTS = (b"markdown", b"heading")
"""Kinds of cells whose source is Markdown; ``heading`` is that of nbformat 3."""

_STRUCTURE = re.compile(rb"[\"{}\[\],:]")
_IN_STRING = re.compile(rb"[\"\\]")


class NotebookDecoder(JsonDecoder):
    """Writes the Markdown of a notebook."""

    def __init__(self) -> None:
        self._in_string = False
        self._string = b""  # its beginning
        self._stack: list[list[bytes | None]] = []  # of each open object: its key, and its kind of cell; None: a list
        self._depth = 0
        self._is_key = False
        self._is_text: bool | None = None  # whether Markdown is written; None: nothing is written so far

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Write the received octets."""
        place = 0
        if self._is_text is None and data:
            self._switch(False, 0, out)
        while place < len(data):
            match = (_IN_STRING if self._in_string else _STRUCTURE).search(data, place)
            end = len(data) if match is None else match.start()
            if self._in_string:
                self._string += data[place : min(end, place + SHORT)] if len(self._string) < SHORT else b""
            if self._in_string or not self._is_text:
                out.copy(data, place, end)
            if match is None:
                return len(data)
            if data[end] == 92:  # \
                if len(data) - end < LONGEST and not final:
                    return end
                place = self._escape(data, end, out)
                continue
            place = end + 1
            self._mark(data, end, out)
        if final and self._is_text:
            self._switch(False, len(data), out)
        return len(data)

    def _escape(self, data: bytes, place: int, out: Runs) -> int:
        meaning = self.simple.get(data[place + 1 : place + 2])
        if meaning is not None:
            out.put(meaning, place, place + 2)
            return place + 2
        match = self.escape.match(data, place)
        if match is not None:
            return self.write(match, place, out)
        out.copy(data, place, place + 1)
        return place + 1

    def _mark(self, data: bytes, place: int, out: Runs) -> None:
        """Read a mark of the structure."""
        mark = data[place : place + 1]
        if not self._is_text:
            out.copy(data, place, place + 1)
        if mark == b'"':
            if self._in_string:
                self._end_string()
            else:
                self._string = b""
            self._in_string = not self._in_string
            return
        if mark in b"{[":
            self._depth += 1
            if self._depth <= MAX_DEPTH:
                self._stack.append([None, None] if mark == b"{" else [])
        elif mark in b"}]":
            self._depth = max(0, self._depth - 1)
            del self._stack[self._depth :]
        self._is_key = mark in b"{," and bool(self._stack) and bool(self._stack[-1])
        if mark in b":,}]":
            is_text = self._in_source()
            if mark == b":" and is_text:
                self._switch(True, place + 1, out)
            elif not is_text and self._is_text:
                self._switch(False, place, out)
        if mark == b"," and self._stack and self._stack[-1]:
            self._stack[-1][0] = None
            if self._is_text:
                self._switch(False, place, out)

    def _end_string(self) -> None:
        if not self._stack or not self._stack[-1]:
            return
        top = self._stack[-1]
        if self._is_key:
            top[0], self._is_key = self._string, False
        elif top[0] == b"cell_type":
            top[1] = self._string

    def _in_source(self) -> bool:
        """Whether the value that is read is the source of a cell of Markdown, or of no known kind."""
        for level in reversed(self._stack[-2:]):
            if level:
                return level[0] == b"source" and (level[1] is None or level[1] in TEXTS)
        return False

    def _switch(self, is_text: bool, place: int, out: Runs) -> None:
        """Begin or end a code block."""
        before = b"" if self._is_text is None else b"\n"
        out.put(before + FENCE + (b"\n\n" if is_text else b"\n"), place, place)
        self._is_text = is_text


READERS = (
    Reader(
        name="notebook", summary="notebooks (.ipynb): JSON with cells of Markdown and of code", suffixes=(".ipynb",),
        types=("application/x-ipynb+json",), decode=NotebookDecoder, then="markdown",
    ),
)  # fmt: skip
