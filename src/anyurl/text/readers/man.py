r"""Manual pages: roff (groff_man, groff_mdoc), and its escapes: ``\-``, ``\&``, ``\(en``, fonts.

Rule: escapes for fonts and sizes are removed, those for a character are decoded; links of ``.UR``, ``.MT`` and ``.Lk``
are in their lines like any text.
"""

from __future__ import annotations

import re

from anyurl.text.readers.backslash import BackslashDecoder
from anyurl.text.readers.registry import Reader
from anyurl.text.runs import Runs

_ESCAPE = re.compile(
    rb"\\(?:(?P<none>[&:%/,|^)!]|f(?:\[[^\]\n]{0,40}+\]|\([^\n]{2}|[^\[(\n])|s[-+]?(?:[0-9]{1,2}|\([0-9]{2}|\[[^\]\n]{0,9}+\])"
    rb"|[mM]\[[^\]\n]{0,40}+\]|\n)"
    rb"|\*?\((?P<two>[^\n]{2})|\[(?P<long>(?>[^\]\n]{1,40}))\])"
)
_ITALIC = re.compile(rb"\\f(?:[I2]|\[I\]|\(CI|\[CI\])(?:[\w.\-\x80-\xff]|\\-){1,28}+\\f")
"""A word in italics; in a URL it is a placeholder."""
_JOINS = frozenset(b"/:@=?&._-")
_SIMPLE = {b"e": b"\\", b"\\": b"\\", b"~": b" ", b" ": b" ", b"0": b" "}
_SIMPLE |= {mark: mark for mark in (b"-", b".", b"'", b"`")}
_NAMED = {
    b"en": "\u2013", b"em": "\u2014", b"hy": "\u2010", b"dq": '"', b"lq": "\u201c", b"rq": "\u201d", b"oq": "\u2018",
    b"cq": "\u2019", b"aq": "'", b"ha": "^", b"ti": "~", b"rs": "\\", b"sl": "/", b"at": "@", b"sh": "#", b"Do": "$",
    b"bu": "\u2022", b"co": "\u00a9", b"rg": "\u00ae", b"ga": "`", b"mi": "-", b"la": "<", b"ra": ">", b"lB": "[",
    b"Aq": "'",  # the string \*(Aq, which many pages make an apostrophe
    b"--": "--",  # the string \*(-- of pod2man
    b"rB": "]", b"ul": "_", b"ua": "\u2191", b"->": "\u2192", b"<-": "\u2190", b"ba": "|", b"lC": "{", b"rC": "}",
}  # fmt: skip


class ManDecoder(BackslashDecoder):
    """Decodes the escapes of roff."""

    simple = _SIMPLE
    escape = _ESCAPE
    longest = 64
    marked = True

    def __init__(self) -> None:
        self._opened = False
        self._last = 0  # the octet that was copied last

    def plain(self, data: bytes, start: int, stop: int, out: Runs) -> object:
        """Copy it, and keep its end in mind."""
        if stop > start:
            self._last = data[stop - 1]
            out.copy(data, start, stop)
        return None

    def write(self, match: re.Match[bytes], place: int, out: Runs) -> int:
        """Write the character that it names; nothing for fonts and sizes."""
        end = match.end()
        if match["none"] is not None:
            self._italic(match, place, out)
        else:
            self._last = 0
            name = match["two"] or match["long"]
            out.put(_character(name).encode("utf-8", "surrogatepass"), place, end)
        return end

    def _italic(self, match: re.Match[bytes], place: int, out: Runs) -> None:
        """Write braces around an italic word that continues the preceding text: ``http://\\fIhost\\fR/``."""
        if self._opened and match["none"][:1] == b"f":
            self._opened = False
            out.put(b"}", place, match.end())
        elif self._last in _JOINS and _ITALIC.match(match.string, place) is not None:
            self._opened = True
            out.put(b"{", place, match.end())


def _character(name: bytes) -> str:
    """The character of a special name; a space for one that is not known: it ends a URL."""
    if re.fullmatch(rb"u[0-9A-F]{4,6}", name) and int(name[1:], 16) < 0x110000:
        return chr(int(name[1:], 16))
    if re.fullmatch(rb"char[0-9]{1,3}", name) and 32 < int(name[4:]) < 256:
        return chr(int(name[4:]))
    return _NAMED.get(name, " ")


def is_man(head: bytes) -> bool:
    """Whether a comment of roff or the title of a page is there first."""
    return head.startswith((b'.\\"', b"'\\\"", b".TH ", b".Dd ", b"'\\\" t"))


READERS = (
    Reader(
        name="man", summary="manual pages: roff escapes resolved",
        suffixes=(".man", ".mdoc", ".roff", ".3pm", ".3ssl", ".1p"),
        begins=is_man, types=("text/troff",), decode=ManDecoder,
    ),
)  # fmt: skip
