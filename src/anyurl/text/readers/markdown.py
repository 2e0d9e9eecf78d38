r"""Markdown (CommonMark): destinations of links and pictures, with ``\(`` and ``&amp;`` as they are meant.

Rule: where a destination stands decides, not what is around it: what is written as code is read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.text.entities import unescape
from anyurl.text.finder import Finder
from anyurl.text.readers.links import LinkReader
from anyurl.text.readers.registry import Reader
from anyurl.url import URL

_PIECE = rb"(?:[^\x00-\x20\x7f()\\]|\\[^\x00-\x20\x7f]?)*+"
_NESTED = rb"(?>\(" + _PIECE + rb"\))"
for _ in range(2):
    _NESTED = rb"(?>\(" + _PIECE + rb"(?:" + _NESTED + _PIECE + rb")*+\))"

DESTINATION = re.compile(
    rb"\]\([ \t]*+(?:(?>\r?\n[ \t>]*+))?+(?:"  # [text](
    rb"<(?P<angle>(?:[^<>\n\\]|\\.)++)>"  # <destination>)
    rb"|(?P<bare>(?!<)(?:[^\x00-\x20\x7f()\\]|\\[^\x00-\x20\x7f]?|" + _NESTED + rb")++))"  # destination "title")
    rb"|^[ \t>]*+(?:(?>[-*+][ \t]+)|(?>[0-9]{1,9}[.)][ \t]+))?+"
    rb"\[(?!\^)(?:[^\[\]\\]|\\.){1,999}+\]:[ \t]*+(?:(?>\r?\n[ \t>]*+))?+(?:"  # [name]:
    rb"<(?P<definition_angle>(?:[^<>\n\\]|\\.)++)>"
    rb"|(?P<definition>(?!<)[^\x00-\x20\x7f]+))",
    re.MULTILINE,
)
"""Destinations of links and of definitions (CommonMark 6.3, 4.7)."""

AUTOLINK = rb"|<(?P<literal>[A-Za-z](?>[A-Za-z0-9+.\-]{1,31})://[^\x00-\x20\x7f<>\\]*+\\[^\x00-\x20\x7f<>]*+)>"
"""A URL between angle brackets, in which a backslash stands for itself (CommonMark 6.5)."""

_OPEN = re.compile(rb"\][(:][ \t]*+\r?\n[ \t>]*+\Z")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def reference(destination: str) -> str:
    """A destination without its escapes (CommonMark 2.4, 2.5)."""
    return unescape(_ESCAPE.sub(r"\1", destination) if "\\" in destination else destination)


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find destinations in the finder's buffer."""
    return LinkReader(finder, base, DESTINATION, _OPEN, reference, "markdown", AUTOLINK).read


READERS = (
    Reader(
        name="markdown", summary="Markdown: escapes and relative destinations, too",
        suffixes=(".md", ".markdown", ".mkd"), types=("text/markdown",), look=look,
    ),
)  # fmt: skip
