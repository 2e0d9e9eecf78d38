"""The stored form of URLs, for a later time or another process.

Rule: the text alone is not enough, since another grammar may find another host in it. The stored form names the grammar
that parsed the URL, and is parsed by the same one again.
"""

from __future__ import annotations

from anyurl.url.url import URL, parse


def to_stored(url: URL) -> str:
    """The text, preceded by the name of its grammar unless that is ``current``; only equal URLs have the same form.

    >>> to_stored(URL("http://a/")), to_stored(parse("ftp://a?b@c/", "rfc1738"))
    ('http://a/', 'rfc1738 ftp://a?b@c/')
    """
    return str(url) if url.grammar == "current" else f"{url.grammar} {url}"


def from_stored(text: str) -> URL:
    """The URL that `to_stored` wrote.

    Raises:
        URLSyntaxError: It is not a URL of that grammar.
        UnsupportedError: There is no such grammar.
    """
    grammar, space, rest = text.partition(" ")  # no URL of today's grammar contains a space
    return parse(rest, grammar) if space else URL(text)
