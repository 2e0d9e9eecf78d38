"""URLs as arguments of argparse: ``parser.add_argument("url", type=url_type())``."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

from anyurl.adapters.reading import URLReader
from anyurl.grammar.grammars import GrammarName
from anyurl.guard.policy import Policy
from anyurl.url import URL

__all__ = ["url_type"]


def url_type(*, grammar: GrammarName = "current", policy: Policy | None = None) -> Callable[[str], URL]:
    """Make an argument type that parses a `URL`, and raises `argparse.ArgumentTypeError` with the reason.

    Args:
        grammar: As `anyurl.parse` has it.
        policy: The policy that must allow the URL, judged by its text alone; None for any. It judges them as your
            program's own: a command line is written by its user.
    """
    read = URLReader(grammar=grammar, policy=policy)

    def url(text: str) -> URL:
        try:
            return read(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return url
