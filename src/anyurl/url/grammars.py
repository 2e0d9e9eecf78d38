"""Reading by another grammar than today's: the door to grammars that stand in higher rooms.

Rule: ``current`` is `URL` itself; the others are brought by whoever knows them, so that the URL need not.
"""

from __future__ import annotations

from collections.abc import Callable

from anyurl.errors import UnsupportedError
from anyurl.url.url import URL

GRAMMARS: dict[str, Callable[[str | bytes], URL]] = {"current": URL}
"""By name, the function that reads a URL or raises URLSyntaxError."""


def parse(text: str | bytes, grammar: str = "current") -> URL:
    """Read a URL.

    Args:
        text: The URL alone, without white space around it.
        grammar: By which rules: ``current`` is today's RFC of each scheme.

    Raises:
        URLSyntaxError: It is not a URL by this grammar.
        UnsupportedError: There is no such grammar.
    """
    reader = GRAMMARS.get(grammar)
    if reader is None:
        raise unknown_grammar(grammar, tuple(GRAMMARS))
    return reader(text)


def unknown_grammar(grammar: str, known: tuple[str, ...]) -> UnsupportedError:
    """The error for a grammar that nobody here knows."""
    return UnsupportedError(f"there is no grammar {grammar!r} here; there is {', '.join(known)}")
