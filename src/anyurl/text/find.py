"""`find`: every URL in a text (RFC 1738 appendix).

Rule: the text comes piece by piece and goes piece by piece; what is kept is bounded, whatever its length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from anyurl.text.finder import Finder
from anyurl.text.found import Found

PIECE = 65_536
"""Characters encoded at once: they stay in the processor's cache."""


def find(
    text: str, *, schemes: Collection[str] | None = None, emails: bool = False, www: bool = False
) -> Iterator[Found]:
    """Find the URLs in a text, in order (RFC 1738 appendix).

    A URL may be wrapped as ``<URL:...>`` or ``<...>`` and broken over lines inside the wrapper, or followed by
    punctuation that belongs to the sentence; the span covers what a reader would call the URL.

    Args:
        text: The text.
        schemes: Report only these, in lower case; all when None.
        emails: Report e-mail addresses as ``mailto:`` URLs, too.
        www: Report names that begin with ``www.`` as ``http://`` URLs, too.

    >>> [found.url.host for found in find("see <URL:ftp://ds.internic.net/rfc>.")]
    ['ds.internic.net']
    """
    finder = Finder(schemes, emails, www, "surrogatepass")
    for at in range(0, len(text), PIECE):
        yield from finder.feed(text[at : at + PIECE].encode("utf-8", "surrogatepass"), at + PIECE >= len(text))
