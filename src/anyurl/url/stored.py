"""The stored form of URLs, for a later time or another process.

Rule: the text alone is not enough, since another grammar may find another host in it. The stored form names the grammar
that parsed the URL, and is parsed by the same one again. A URL into which a server wrote a password is never stored.
"""

from __future__ import annotations

from anyurl.errors import LocalProtocolError
from anyurl.url.echoes import hidden_in
from anyurl.url.reading import parse
from anyurl.url.url import URL


def is_echo(url: URL) -> bool:
    """Whether a server wrote a secret into it (`anyurl.url.echoes`): nothing but a request may contain its text."""
    return url._echo != 0


def without_echo(url: URL) -> URL | None:
    """The URL marked as free of secrets from a server, if it has none besides its login; else None."""
    plain = parse(str(url), url.grammar)
    bare = plain if plain.raw_user is None else plain.replace(user=None, password=None)
    return plain if hidden_in(url, str(bare)) == str(bare) else None


def to_stored(url: URL) -> str:
    """The text, preceded by the name of its grammar unless that is ``current``; only equal URLs have the same form.

    Raises:
        LocalProtocolError: A server wrote a secret into it (`anyurl.url.echoes`).

    >>> to_stored(URL("http://a/")), to_stored(parse("ftp://a?b@c/", "rfc1738"))
    ('http://a/', 'rfc1738 ftp://a?b@c/')
    """
    if is_echo(url):
        raise LocalProtocolError(f"{url.masked} is not stored: a server wrote a password into it.")
    return str(url) if url.grammar == "current" else f"{url.grammar} {url}"


def from_stored(text: str) -> URL:
    """The URL that `to_stored` wrote.

    Raises:
        URLSyntaxError: It is not a URL of that grammar.
        UnsupportedError: There is no such grammar.
    """
    grammar, space, rest = text.partition(" ")  # no URL of today's grammar contains a space
    return parse(rest, grammar) if space else URL(text)
