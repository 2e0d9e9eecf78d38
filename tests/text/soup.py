"""Texts made of everything that means something to the search, thrown together: what a person would never write."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from anyurl.text import Found

PIECES = (
    "http:// https: // mailto: news: data: urn: tel: geo: magnet:? file:/ file:/// URL: url: < <URL: > >\x20 \n \n>\x20 "
    "\n#\x20 # - -\n \t \r\n a b Z 0 9 . .. , ; : ! ? ' \" ( ) [ ] ]( ` `_ { } | \\ \\n ^ _ * ~ % %41 %zz & &lt; &amp; "
    "= @ a@b.com www. WWW. www.x.org example.com x http ftp://h \xe9 \xfc.de \u65e5\u672c \u3092 \u3002 \u201c \u201d "
    "\u2013 \u200b \x00 \x7f \xad \u2010 \U0001f600 href= href=\" src=' <a </a> <!-- --> <script> </script> "
    '<base\x00href="http://b/"> srcset="a\x001x,b" [r]:\x00 ..\x00_n:\x00 `t\x00<r>`_ From\x00 \nFrom\x00 X:\x00 / /a/b '
    "#f $ + 1.2.3.4 :80 :: [::1] user:pw@"
).split(" ")
"""What the soup is made of: a NUL in a piece stands for a space, \\x20 is split off and is one."""

FORMATS = (None, None, None, "html", "markdown", "rst", "mail")


def soups(seed: int, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Texts and the options to search them with; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        text = "".join(chance.choice(PIECES).replace("\0", " ") or " " for _ in range(chance.randrange(1, 40)))
        yield (
            text,
            {
                "format": chance.choice(FORMATS),
                "base": chance.choice((None, "http://base/x/")),
                "emails": chance.random() < 0.5,
                "www": chance.random() < 0.5,
            },
        )


def told(found: Found) -> tuple[object, ...]:
    """All that is told of one URL, to compare."""
    return (
        str(found.url), found.fragment, tuple(map(str, found.alternatives)), found.raw, found.span, found.octet_span,
        found.line, found.column, found.context,
    )  # fmt: skip
