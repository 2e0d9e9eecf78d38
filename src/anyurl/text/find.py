"""`find`: every URL in a text (RFC 1738 appendix).

Rule: the text is read and dropped piece by piece; memory is bounded for a text of any length.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from anyurl.text.found import Found
from anyurl.text.kinds import Kinds
from anyurl.text.limits import Budget
from anyurl.text.readers.registry import AUTO, TEXT, find_reader
from anyurl.text.search import TextSearch
from anyurl.text.source import Octets, Source
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.url.grammars import find_grammar
from anyurl.values import STRANGER, Fetched, Provenance, origin_of


@checked
def find(
    text: Source,
    *,
    schemes: Collection[str] | None = None,
    emails: bool = False,
    www: bool = False,
    templates: bool = False,
    refang: bool = False,
    bare: bool = False,
    malformed: bool = False,
    encoding: str = "utf-8",
    base: URL | str | None = None,
    format: str | None = None,
    name: str | None = None,
    grammar: str = "current",
    came_from: Provenance | Fetched | None = None,
    budget: Budget | None = None,
) -> Iterator[Found]:
    """Find the URLs in a text, in order (RFC 1738 appendix).

    A URL may be wrapped as ``<URL:...>`` or ``<...>`` and broken over lines, or occur in running text. Before ``://``
    any name counts as a scheme; without ``//`` only registered names, and only if the rest has the form of the scheme.

    Args:
        text: A str, bytes, an open file, or an iterable of pieces; a URL may be cut anywhere.
        schemes: Report only these schemes; None for all.
        emails: Also report mail addresses, as ``mailto:`` URLs.
        www: Also report names that begin with ``www.``, as ``http://`` URLs.
        templates: Also report URLs with parts to fill in (``http://host/{id}``); they have no `Found.url`.
        refang: Also report URLs that were made unusable (``hxxp://evil[.]com``), as the original URL.
        bare: Also report other names of registered domains, as ``http://`` URLs.
        malformed: Also report links of HTML, Markdown ... that are not URLs; `Found.url` raises the error.
        encoding: The encoding of octets; ``auto`` for the one that the text declares.
        base: The base of relative references, in formats that have them.
        format: One of `anyurl.text.formats`; ``auto`` decides by `name` or by the first octets; None: running text.
        name: The name of the text; the default is that of an open file.
        grammar: The grammar that parses candidates, as in `anyurl.parse`; rejected ones are not reported.
        came_from: The resource that the text was read from, by which a client judges the URLs; None for a stranger.
        budget: The limits of unpacking archives, see `anyurl.text.Budget`.

    Raises:
        MissingExtraError: `bare` needs the extra ``domains``.
        LimitError, OSError: An archive exceeds the limits; it is damaged.
        URLSyntaxError: `base` is not a URL.
        UnsupportedError, ValueError, LookupError: An unknown grammar; format; encoding.
        TypeError: `text` or `came_from` has another type.

    >>> [found.url.host for found in find("see <URL:ftp://ds.internic.net/rfc>.")]
    ['ds.internic.net']
    """
    find_reader(TEXT if format is None or format == AUTO else format)
    kinds = Kinds(emails=emails, www=www, domains=bare, templates=templates, defanged=refang, malformed=malformed)
    read = find_grammar(grammar).read
    origin = STRANGER if came_from is None else origin_of(came_from)
    parse = None if grammar == "current" else read
    search = TextSearch(_names(schemes, encoding), kinds, _base(base, read), parse, origin, encoding)
    called = getattr(text, "name", "") if name is None else name
    return search.run(Octets(text, encoding), format or TEXT, called if isinstance(called, str) else "", "", budget)


def _base(base: URL | str | None, read: Callable[[str], URL]) -> URL | None:
    """The base as a URL. Raises TypeError for another type."""
    at = read(base) if isinstance(base, str) else base
    if at is not None and not isinstance(at, URL):
        raise TypeError(f"a base is a str, a URL or None, not {type(at).__name__}")
    return at


def _names(schemes: Any, encoding: Any) -> frozenset[str] | None:
    """The names of schemes in lower case. Raises TypeError if they, or the encoding, have another type."""
    if not isinstance(encoding, str):
        raise TypeError(f"an encoding is a str, not {type(encoding).__name__}")
    if schemes is None:
        return None
    if isinstance(schemes, str | bytes) or not isinstance(schemes, Collection):
        raise TypeError(f"schemes are a list of str, not {type(schemes).__name__}")
    for name in schemes:
        if not isinstance(name, str):
            raise TypeError(f"the name of a scheme is a str, not {type(name).__name__}")
    return frozenset(name.lower() for name in schemes)
