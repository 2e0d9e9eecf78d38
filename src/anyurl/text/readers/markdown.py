r"""Markdown (CommonMark): destinations of links and pictures, with ``\(`` and ``&amp;`` as they are meant.

Rule: whole URLs are read everywhere, also in code. A relative reference is one only where CommonMark has a link: not in
code and comments, and complete, with its brackets. Indented text in lists and admonitions is not code. Tags of HTML are
read as in HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from anyurl.text.entities import unescape
from anyurl.text.finder import Finder
from anyurl.text.readers.links import LinkReader
from anyurl.text.readers.registry import Reader
from anyurl.text.readers.verbatim import MarkdownVerbatim, Verbatim
from anyurl.url import URL

_PIECE = rb"(?:[^\x00-\x20\x7f()\\]|\\[^\x00-\x20\x7f]?)*+"
_NESTED = rb"(?>\(" + _PIECE + rb"\))"
for _ in range(31):  # as deep as cmark goes
    _NESTED = rb"(?>\(" + _PIECE + rb"(?:" + _NESTED + _PIECE + rb")*+\))"

_DESTINATION = re.compile(
    rb"\]\([ \t]*+(?:(?>\r?\n[ \t>]*+))?+(?:"  # [text](
    rb"<(?P<angle>(?:[^<>\n\\]|\\.)++)>"  # <destination>)
    rb"|(?P<bare>(?!<)(?:[^\x00-\x20\x7f()\\]|\\[^\x00-\x20\x7f]?|" + _NESTED + rb")++))"  # destination "title")
)
"""The destination of a link (CommonMark 6.3)."""

DEFINITION = re.compile(
    rb"^[ \t>]*+(?:(?>[-*+][ \t]+)|(?>[0-9]{1,9}[.)][ \t]+))?+"
    rb"\[(?!\^)(?:[^\[\]\\]|\\.){1,999}+\]:[ \t]*+(?:(?>\r?\n[ \t>]*+))?+(?:"  # [name]:
    rb"<(?P<definition_angle>(?:[^<>\n\\]|\\.)++)>"
    rb"|(?P<definition>(?!<)(?>[^\x00-\x20\x7f]+)))",
    re.MULTILINE,
)
"""The destination of a definition (CommonMark 4.7)."""

MAX_LABEL = 2_000
"""Octets in which the beginning of a label is looked for: 999 characters, of which each may be escaped."""


def find_definition(data: bytes, start: int, stop: int) -> re.Match[bytes] | None:
    """The next definition: ``]:`` is rare, and a look at the beginning of each line is not needed.

    Attack: many ends of labels in one line. A label and the marks before it hold no ``]`` but an escaped one, so that
    nothing is searched before the last end.
    """
    first = start
    mark = data.find(b"]:", start, stop)
    while mark >= 0:
        if not _is_escaped(data, mark):
            opened = data.rfind(b"[", max(first, mark - MAX_LABEL), mark)
            while opened >= 0 and _is_escaped(data, opened):
                opened = data.rfind(b"[", max(first, mark - MAX_LABEL), opened)
            if opened >= 0:
                match = DEFINITION.match(data, max(first, data.rfind(b"\n", first, opened) + 1), stop)
                if match is not None:
                    return match
            first = mark + 1
        mark = data.find(b"]:", mark + 2, stop)
    return None


def _is_escaped(data: bytes, place: int) -> bool:
    before = data[max(0, place - MAX_ESCAPES) : place]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


AUTOLINK = rb"<(?P<literal>[A-Za-z](?>[A-Za-z0-9+.\-]{1,31})://[^\x00-\x20\x7f<>\\]*+\\[^\x00-\x20\x7f<>]*+)>"
"""A URL between angle brackets, in which a backslash stands for itself (CommonMark 6.5)."""

_TITLE = (
    rb"(?:(?>[ \t]+)|[ \t]*+\r?\n[ \t>]*+)"
    rb"(?:\"(?:(?>[^\"\\]|\\.)){0,999}+\"|'(?:(?>[^'\\]|\\.)){0,999}+'|\((?:(?>[^()\\]|\\.)){0,999}+\))"
)
_CLOSED = re.compile(rb">?(?:(?>" + _TITLE + rb"))?+\s*+\)", re.DOTALL)
_ENDED = re.compile(rb">?(?:(?>" + _TITLE + rb"))?+[ \t]*+(?:\r?\n|\Z)|>?[ \t]*+(?:\r?\n|\Z)", re.DOTALL)
"""The text after a destination: the end of its link, or of its definition (CommonMark 6.3, 4.7)."""

MAX_TEXT = 4096
"""Octets of the text of a link in which its beginning is looked for."""

MAX_ESCAPES = 64
"""Backslashes before a bracket that are counted."""

_BRACKET = re.compile(rb"\\.|!\[|\[|\]\(?|\n[ \t>]*+\r?\n", re.DOTALL)

ADDRESS = (
    rb"<(?P<address>(?>[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]{1,64})@"
    rb"(?:[A-Za-z0-9](?>(?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?))(?>(?:\.[A-Za-z0-9\-]{1,63})*))>"
)
"""An address between angle brackets (CommonMark 6.5): a link of Markdown, whether or not addresses are searched for."""

_OPEN = re.compile(rb"\][(:][ \t]*+\r?\n[ \t>]*+\Z")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def reference(destination: str) -> str:
    """A destination without its escapes (CommonMark 2.4, 2.5)."""
    return unescape(_ESCAPE.sub(r"\1", destination) if "\\" in destination else destination)


def is_link(verbatim: Verbatim, data: bytes, first: int, last: int, group: str) -> bool:
    """Whether a destination is that of a whole link or definition."""
    if group.startswith("definition"):
        return _ENDED.match(data, last) is not None
    end = data.rfind(b"](", 0, first)
    return not _is_escaped(data, end) and _CLOSED.match(data, last) is not None and _has_text(verbatim, data, end)


def _has_text(verbatim: Verbatim, data: bytes, end: int) -> bool:
    """Whether the bracket at `end` closes one that opens in the same paragraph, and around which no link is (6.3)."""
    start = max(0, end - MAX_TEXT)
    last = data.rfind(b"[", start, end)
    is_plain = last >= 0 and data.find(b"]", last, end) < 0 and data.find(b"\n", last, end) < 0
    if is_plain and not _is_escaped(data, last) and not verbatim.covers(last):
        return True  # as nearly always: the last bracket opens, in the same line
    openers: list[bool] = []  # whether each is that of a picture
    for match in _BRACKET.finditer(data, start, end):
        mark = match[0]
        if verbatim.covers(match.start()):
            continue
        if mark in (b"[", b"!["):
            openers.append(mark == b"![")
        elif mark in (b"]", b"]("):
            is_picture = openers.pop() if openers else True
            if mark == b"](" and not is_picture:  # there is no link in a link
                openers = [each for each in openers if each]
        elif mark[:1] == b"\n":
            openers.clear()
    return bool(openers)


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find destinations in the finder's buffer."""
    verbatim = MarkdownVerbatim()
    checks = partial(is_link, verbatim)
    return LinkReader(
        finder, base, (_DESTINATION.search, find_definition), _OPEN, reference, "markdown", AUTOLINK, verbatim, checks,
        address=ADDRESS,
    ).read  # fmt: skip


SUFFIXES = (".md", ".mdx", ".markdown", ".mkd", ".mkdn", ".mkdown", ".mdown", ".mdwn", ".qmd", ".rmd")
"""Names of Markdown and of its extensions: MDX (Docusaurus), Quarto, R Markdown."""

READERS = (
    Reader(
        name="markdown", summary="Markdown: escapes and relative destinations, too",
        suffixes=SUFFIXES, types=("text/markdown",), look=look,
    ),
)  # fmt: skip
