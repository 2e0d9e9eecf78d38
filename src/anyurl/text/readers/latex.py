r"""LaTeX: ``\url{...}`` and ``\href{...}{...}``, and its escapes: ``\%``, ``\_``, ``\&``, ``\#``, ``\~{}``.

Rule: braces end a URL; a macro that stands for a character of a URL writes it, all others stay as they are.
"""

from __future__ import annotations

import re

from anyurl.text.readers.backslash import BackslashDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

_TILDE = rb"~(?:\{\})?|textasciitilde(?:\{\}|[ ]|(?![A-Za-z]))"
_UNDERSCORE = rb"textunderscore(?:\{\}|[ ]|(?![A-Za-z]))"
_ESCAPE = re.compile(
    rb"\\(?:(?P<tilde>" + _TILDE + rb")|(?P<underscore>" + _UNDERSCORE + rb")|string(?P<string>[~_%#&])"
    rb"|(?:verb\*?|lstinline|url)(?P<bar>[!|+/\"'`;]|#(?![1-9]))(?P<verbatim>[^\n]*?)(?P=bar)"
    rb"|(?P<sim>sim(?:\{\}|[ ])?\$)|(?P<none>slash(?![A-Za-z])(?:\{\})?|allowbreak(?![A-Za-z])(?:\{\}|[ ])?|-|/))"
)
_PARAMETER = re.compile(rb"\{\}|(?<=[/.:=?&_{}\-])#[1-9]|(?<=#[1-9])#[1-9]")
r"""The argument of a macro; after a letter it is a fragment: ``\url{http://host/page#1}``. Or an empty group, which
writes nothing: ``http://host/a\_b{}``."""
_GROUP = re.compile(rb"\{\\(?:[%_&#$]|" + _TILDE + rb"|" + _UNDERSCORE + rb")\}")
r"""A character alone in a group, as programs write BibTeX: ``a{\_}b``."""
_SIM = re.compile(rb"\\sim(?:\{\}|[ ])?\$")
"""A tilde in mathematics: ``$\\sim$``."""
_LINE = 1024
"""Octets of a line that is waited for."""
_SIMPLE = {mark: mark for mark in (b"%", b"_", b"&", b"#", b"$")}


class LatexDecoder(BackslashDecoder):
    """Decodes the escapes of LaTeX."""

    simple = _SIMPLE
    escape = _ESCAPE
    longest = 32
    unknown = 2
    marked = True

    def __init__(self) -> None:
        self._grouped = False  # the next brace closes a group of one character

    def decode(self, data: bytes, final: bool, out: Runs) -> int:
        """Read whole lines, so that the text before a parameter is available."""
        if not final:
            end = data.rfind(b"\n") + 1
            if not end and len(data) < _LINE:
                return 0
            data = data[: end or len(data)]
        return super().decode(data, final, out)

    def plain(self, data: bytes, start: int, stop: int, out: Runs) -> object:
        """Write a parameter of a macro as a placeholder, and no braces around one character."""
        if self._grouped and start < stop:
            self._grouped = False
            start += 1
        if data.find(b"#", start, stop) >= 0 or data.find(b"{}", start, stop) >= 0:
            for match in _PARAMETER.finditer(data, start, stop):
                out.copy(data, start, match.start())
                start = match.end()
                out.put(b"{%b}" % match[0] if match[0] != b"{}" else b"", match.start(), start)
        if data[stop - 1 : stop] == b"{" and _GROUP.match(data, stop - 1) is not None:
            self._grouped = True
            stop -= 1
        if data[stop - 1 : stop] == b"$" and _SIM.match(data, stop) is not None:
            stop -= 1
        out.copy(data, start, stop)
        return None

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the character of an escape, verbatim text as written, and nothing where a line may break."""
        if match["bar"] is not None:
            out.cut(match.start("verbatim"))
            out.copy(match.string, match.start("verbatim"), match.end("verbatim"))
            out.cut(match.end("verbatim"))
            return match.end()
        text = match["string"]
        if text is None and match["tilde"] is not None:
            text = b"~"
        elif text is None and match["underscore"] is not None:
            text = b"_"
        elif text is None and match["sim"] is not None:
            text = b"~"
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
