"""`find`: every URL in a text (RFC 1738 appendix).

Rule: the text comes piece by piece and goes piece by piece; what is kept is bounded, whatever its length.
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
from anyurl.url.grammars import find_grammar
from anyurl.url.taken import checked
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

    A URL may be wrapped as ``<URL:...>`` or ``<...>`` and broken over lines, or stand in running text. Any name is
    taken before ``://``; names without ``//`` only if they are registered and what follows looks like theirs.

    Args:
        text: A str, bytes, an open file, or an iterable of pieces; a URL may be cut anywhere.
        schemes: Report only these; all when None.
        emails: Report e-mail addresses as ``mailto:`` URLs, too.
        www: Report names that begin with ``www.`` as ``http://`` URLs, too.
        templates: Report what has a part to fill in, too (``http://host/{id}``); it has no `Found.url`.
        refang: Report what was made unusable, too (``hxxp://evil[.]com``), as the URL that it was.
        bare: Report other names of registered domains as ``http://`` URLs, too.
        malformed: Report links of HTML, Markdown ... that are not URLs, too; `Found.url` raises the error.
        encoding: What octets are written in, ``auto`` for what the text says.
        base: What relative references are relative to, in formats that have them.
        format: One of `anyurl.text.formats`; ``auto``: by `name`, else by the first octets. None: running text.
        name: What the text is called; the name of an open file if not said.
        grammar: By which what looks like a URL is read, as in `anyurl.parse`; what it rejects is not reported.
        came_from: The resource that the text was read from: a client judges by it. Without it, a stranger.
        budget: What may be unpacked from archives, see `anyurl.text.Budget`.

    Raises:
        MissingExtraError: `bare` needs the extra ``domains``.
        LimitError, OSError: More is packed than may be unpacked; what is packed is damaged.
        URLSyntaxError: `base` is not a URL.
        UnsupportedError, ValueError, LookupError: There is no such grammar; format; encoding.
        TypeError: The text is none; `came_from` is nothing that names URLs.

    >>> [found.url.host for found in find("see <URL:ftp://ds.internic.net/rfc>.")]
    ['ds.internic.net']
    """
    find_reader(TEXT if format is None or format == AUTO else format)
    kinds = Kinds(emails=emails, www=www, domains=bare, templates=templates, defanged=refang, malformed=malformed)
    read = find_grammar(grammar).read
    if budget is not None and not isinstance(budget, Budget):
        raise TypeError(f"budget is a Budget, not {type(budget).__name__}")
    origin = STRANGER if came_from is None else origin_of(came_from)
    parse = None if grammar == "current" else read
    search = TextSearch(_names(schemes, encoding), kinds, _base(base, read), parse, origin, encoding)
    called = getattr(text, "name", "") if name is None else name
    return search.run(Octets(text, encoding), format or TEXT, called if isinstance(called, str) else "", "", budget)


def _base(base: URL | str | None, read: Callable[[str], URL]) -> URL | None:
    """What relative URLs begin at. Raises TypeError for what is no URL."""
    at = read(base) if isinstance(base, str) else base
    if at is not None and not isinstance(at, URL):
        raise TypeError(f"a base is a str, a URL or None, not {type(at).__name__}")
    return at


def _names(schemes: Any, encoding: Any) -> frozenset[str] | None:
    """The names in lower case. Raises TypeError for what are none, and for what names no encoding."""
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
