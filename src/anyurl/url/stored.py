"""URLs as they are written down, for another moment or another process.

Rule: a text alone is no URL, for another grammar may find another host in it. What is written down says which grammar
read it, and is read by that one again.
"""

from __future__ import annotations

from anyurl.url.url import URL, parse


def to_stored(url: URL) -> str:
    """The text, behind the name of its grammar where that is not today's: only equal URLs have the same.

    >>> to_stored(URL("http://a/")), to_stored(parse("ftp://a?b@c/", "rfc1738"))
    ('http://a/', 'rfc1738 ftp://a?b@c/')
    """
    return str(url) if url.grammar == "current" else f"{url.grammar} {url}"


def from_stored(text: str) -> URL:
    """The URL that `to_stored` wrote.

    Raises:
        URLSyntaxError: It is none of that grammar.
        UnsupportedError: There is no such grammar.
    """
    grammar, space, rest = text.partition(" ")  # which no URL of today's grammar has
    return parse(rest, grammar) if space else URL(text)
