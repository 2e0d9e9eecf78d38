"""Reading a text as a URL, by the grammar that a caller names."""

from __future__ import annotations

from anyurl.url.grammars import find_grammar
from anyurl.url.url import URL


def parse(text: str | bytes, grammar: str = "current") -> URL:
    """Parse a URL.

    Args:
        text: The URL alone, without white space around it.
        grammar: The grammar; ``current`` is today's RFC of each scheme.

    Raises:
        URLSyntaxError: It is not a URL by this grammar.
        UnsupportedError: There is no such grammar.
    """
    url: URL = find_grammar(grammar).parse(text)
    return url
