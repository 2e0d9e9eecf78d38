"""HTML: the links of its elements, and the URLs in its text; the tokenizer is `anyurl.text.hypertext`."""

from __future__ import annotations

import re
from collections.abc import Callable

from anyurl.text.finder import Finder
from anyurl.text.hypertext import HypertextReader
from anyurl.text.readers.registry import Reader
from anyurl.url import URL

_BEGIN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:(?><!--.*?-->\s*+))*+(?:<!doctype(?>\s+)html|<html[\s>])", re.I | re.DOTALL
)


def look(finder: Finder, base: URL | None) -> Callable[[], None]:
    """Find links in the finder's buffer."""
    return HypertextReader(finder, base).read


READERS = (
    Reader(
        name="html", summary="HTML: the attributes that hold URLs, relative links, character references",
        suffixes=(".html", ".htm", ".xhtml"), types=("text/html", "application/xhtml+xml"),
        begins=lambda head: _BEGIN.match(head) is not None, look=look,
    ),
)  # fmt: skip
