"""`find`: every URL in a text (RFC 1738 appendix).

Rule: the text comes piece by piece and goes piece by piece; what is kept is bounded, whatever its length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from anyurl.text.found import Found
from anyurl.text.limits import Budget
from anyurl.text.readers.registry import AUTO, TEXT, find_reader
from anyurl.text.search import TextSearch
from anyurl.text.source import Octets, Source
from anyurl.url import URL
from anyurl.url.grammars import find_grammar
from anyurl.values import STRANGER, Fetched, Provenance, origin_of


def find(
    text: Source,
    *,
    schemes: Collection[str] | None = None,
    emails: bool = False,
    www: bool = False,
    encoding: str = "utf-8",
    base: URL | str | None = None,
    format: str | None = None,
    name: str | None = None,
    grammar: str = "current",
    came_from: Provenance | Fetched | None = None,
    budget: Budget | None = None,
) -> Iterator[Found]:
    """Find the URLs in a text, in order (RFC 1738 appendix).

    A URL may be wrapped as ``<URL:...>`` or ``<...>`` and broken over lines inside the wrapper, or stand in running
    text, followed by punctuation that belongs to the sentence; the span covers what a reader would call the URL. Any
    name is taken before ``://``; names without ``//`` only if they are registered and what follows looks like theirs.
    Memory is bounded for every kind of source, and time grows with its length whatever stands in it.

    Args:
        text: A str, bytes, an open text or binary file, or an iterable of pieces of one of them; a URL may be cut
            anywhere.
        schemes: Report only these; all when None.
        emails: Report e-mail addresses as ``mailto:`` URLs, too.
        www: Report names that begin with ``www.`` as ``http://`` URLs, too.
        encoding: What octets are written in, ``auto`` for what the text says. Octets that are no text end a URL.
        base: What relative references are relative to, in formats that have them.
        format: What the text is written in, one of `anyurl.text.formats`; ``auto`` tells it by the name of the file,
            else by the first octets. None: running text.
        name: What the text is called, for ``auto``; the name of an open file if not said.
        grammar: By which what looks like a URL is read, as in `anyurl.parse`; what it rejects is not reported.
        came_from: Where the text comes from: the resource that it was read from. A client that is given what was found
            judges by it; without it the text counts as a stranger's.
        budget: What may be unpacked from archives, see `anyurl.text.Budget`.

    Raises:
        LimitError, OSError: More is packed than may be unpacked; what is packed is damaged.
        URLSyntaxError: `base` is not a URL.
        UnsupportedError: There is no such grammar.
        ValueError: There is no such format.
        LookupError: Python knows no such encoding.
        TypeError: The text is none; `came_from` is nothing that names URLs.

    >>> [found.url.host for found in find("see <URL:ftp://ds.internic.net/rfc>.")]
    ['ds.internic.net']
    """
    if format not in (None, AUTO):
        find_reader(format or TEXT)
    octets = Octets(text, encoding)
    wanted = None if schemes is None else frozenset(name.lower() for name in schemes)
    read = find_grammar(grammar).read
    at = read(base) if isinstance(base, str) else base
    if at is not None and not isinstance(at, URL):
        raise TypeError(f"a base is a str, a URL or None, not {type(at).__name__}")
    origin = STRANGER if came_from is None else origin_of(came_from)
    search = TextSearch(wanted, emails, www, at, None if grammar == "current" else read, origin, encoding)
    called = getattr(text, "name", "") if name is None else name
    return search.run(octets, format or TEXT, called if isinstance(called, str) else "", "", budget)
