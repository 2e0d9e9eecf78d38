r"""LaTeX: ``\url{...}`` and ``\href{...}{...}``, and what it escapes: ``\%``, ``\_``, ``\&``, ``\#``, ``\~{}``.

Rule: braces end a URL; a macro that stands for a character of a URL writes it, all others stay as they are.
"""

from __future__ import annotations

import re

from anyurl.text.readers.backslash import BackslashDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

_ESCAPE = re.compile(
    rb"\\(?:(?P<tilde>~(?:\{\})?|textasciitilde(?:\{\}|[ ]|(?![A-Za-z])))"
    rb"|(?P<underscore>textunderscore(?:\{\}|[ ]|(?![A-Za-z])))|string(?P<string>[~_%#&])"
    rb"|(?P<none>slash(?![A-Za-z])(?:\{\})?|allowbreak(?![A-Za-z])(?:\{\}|[ ])?|-|/))"
)
_SIMPLE = {mark: mark for mark in (b"%", b"_", b"&", b"#", b"$")}


class LatexDecoder(BackslashDecoder):
    """Writes what the escapes of LaTeX stand for."""

    simple = _SIMPLE
    escape = _ESCAPE
    longest = 32
    unknown = 2

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the character that it stands for; nothing for a place where a line may break."""
        text = match["string"]
        if text is None and match["tilde"] is not None:
            text = b"~"
        elif text is None and match["underscore"] is not None:
            text = b"_"
        elif text is None:
            text = b"/" if match["none"].startswith(b"slash") else b""
        out.put(text, place, match.end())
        return match.end()


READERS = (
    Reader(
        name="latex", summary="LaTeX: URLs with its escapes undone", suffixes=(".tex", ".ltx", ".bib", ".sty", ".cls"),
        types=("text/x-tex", "application/x-latex"),
        begins=lambda head: b"\\documentclass" in head or b"\\documentstyle" in head, decode=LatexDecoder,
    ),
)  # fmt: skip
