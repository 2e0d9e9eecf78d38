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

DESTINATION = re.compile(
    rb"\]\([ \t]*+(?:(?>\r?\n[ \t>]*+))?+(?:"  # [text](
    rb"<(?P<angle>(?:[^<>\n\\]|\\.)++)>"  # <destination>)
    rb"|(?P<bare>(?!<)(?:[^\x00-\x20\x7f()\\]|\\[^\x00-\x20\x7f]?|" + _NESTED + rb")++))"  # destination "title")
    rb"|^[ \t>]*+(?:(?>[-*+][ \t]+)|(?>[0-9]{1,9}[.)][ \t]+))?+"
    rb"\[(?!\^)(?:[^\[\]\\]|\\.){1,999}+\]:[ \t]*+(?:(?>\r?\n[ \t>]*+))?+(?:"  # [name]:
    rb"<(?P<definition_angle>(?:[^<>\n\\]|\\.)++)>"
    rb"|(?P<definition>(?!<)(?>[^\x00-\x20\x7f]+)))",
    re.MULTILINE,
)
"""Destinations of links and of definitions (CommonMark 6.3, 4.7)."""

AUTOLINK = rb"|<(?P<literal>[A-Za-z](?>[A-Za-z0-9+.\-]{1,31})://[^\x00-\x20\x7f<>\\]*+\\[^\x00-\x20\x7f<>]*+)>"
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
    rb"|<(?P<address>(?>[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]{1,64})@"
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
    before = data[max(0, end - MAX_ESCAPES) : end]
    is_escaped = (len(before) - len(before.rstrip(b"\\"))) % 2 == 1
    return not is_escaped and _CLOSED.match(data, last) is not None and _has_text(verbatim, data, end)


def _has_text(verbatim: Verbatim, data: bytes, end: int) -> bool:
    """Whether the bracket at `end` closes one that opens in the same paragraph, and around which no link is (6.3)."""
    openers: list[bool] = []  # whether each is that of a picture
    for match in _BRACKET.finditer(data, max(0, end - MAX_TEXT), end):
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
        finder, base, DESTINATION, _OPEN, reference, "markdown", AUTOLINK, verbatim, checks, address=ADDRESS
    ).read


SUFFIXES = (".md", ".mdx", ".markdown", ".mkd", ".mkdn", ".mkdown", ".mdown", ".mdwn", ".qmd", ".rmd")
"""Names of Markdown and of its extensions: MDX (Docusaurus), Quarto, R Markdown."""

READERS = (
    Reader(
        name="markdown", summary="Markdown: escapes and relative destinations, too",
        suffixes=SUFFIXES, types=("text/markdown",), look=look,
    ),
)  # fmt: skip
