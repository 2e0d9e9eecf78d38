"""Texts made of everything that means something to the search, thrown together: what a person would never write."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from anyurl.text import Found

PIECES = (
    "http://", "https:", "//", "mailto:", "news:", "data:", "urn:", "tel:", "geo:", "magnet:?", "file:/", "file:///",
    "ftp://h", "URL:", "url:", "<", "<URL:", ">", "> ", "\n", "\n> ", "\n# ", "# ", "- ", "-\n", "-", " ", "\t", "\r\n",
    "a", "b", "Z", "0", "9", "x", "http", ".", "..", ",", ";", ":", "!", "?", "'", '"', "(", ")", "[", "]", "](", "`",
    "`_", "{", "}", "|", "\\", "\\n", "^", "_", "*", "~", "%", "%41", "%zz", "&", "&lt;", "&amp;", "=", "@", "+", "$",
    "/", "/a/b", "#", "#f", "::", ":80", "[::1]", "1.2.3.4", "user:pw@", "a@b.com", "www.", "WWW.", "www.x.org",
    "example.com", "é", "ü.de", "日本", "を", "。", "“", "”", "–", "\u200b", "\x00", "\x7f", "\xad", "\u2010", "😀",
    "href=", 'href="', "src='", "<a ", "</a>", "<!--", "-->", "<script>", "</script>", '<base href="http://b/">',
    'srcset="a 1x, b"', "[r]: ", ".. _n: ", "`t <r>`_", "From ", "\nFrom ", "X: ",
    "{id}", "<id>", "${A}", "[.]", "(dot)", "[:]//", "hxxp://", "%s", "x.co.uk",
    "{{", "}}",
    "///", "ldap:///", "sqlite:///", ":memory:", "about:", "blank", "DNS:", "/*", "*/", ":*", "\\*", "(com)", "[a-z]*",
    "C:\\", "\u2010\n", "&#64;", "&#46;", "&#x2f;",
)  # fmt: skip

FORMATS = (None, None, None, "html", "markdown", "rst", "mail")


def soups(seed: int, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Texts and the options to search them with; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 40)))
        yield (
            text,
            {
                "format": chance.choice(FORMATS),
                "base": chance.choice((None, "http://base/x/")),
                "emails": chance.random() < 0.5,
                "www": chance.random() < 0.5,
                "bare": chance.random() < 0.3,
                "templates": chance.random() < 0.3,
                "refang": chance.random() < 0.3,
            },
        )


def told(found: Found) -> tuple[object, ...]:
    """All that is told of one URL, to compare."""
    return (
        found.kind, str(found), found.fragment, tuple(map(str, found.alternatives)), found.raw, found.span,
        found.octet_span, found.line, found.column, found.context,
    )  # fmt: skip
