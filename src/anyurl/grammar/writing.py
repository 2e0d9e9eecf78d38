"""Writing to the letter: the characters that a document's productions let stand for themselves in each component.

Rule: the productions define the allowed characters, and the scheme its reserved ones (RFC 1738 2.2): a reserved
character has a meaning, and is never encoded to satisfy a production.
"""

from __future__ import annotations

from functools import cache

from anyurl.grammar import bnf
from anyurl.url import syntax
from anyurl.url.grammars import SAFE

_PATHS: dict[str, tuple[str, ...]] = {
    "ftp": ("fpath", "ftptype"),
    "file": ("fpath",),
    "http": ("hpath",),
    "gopher": ("selector",),
    "mailto": ("encoded822addr",),
    "news": ("grouppart",),
    "nntp": ("group", "digits"),
    "telnet": ("digits",),
    "wais": ("database", "wtype", "wpath"),
    "prospero": ("ppath", "fieldspec"),
}
"""The productions of each scheme's path; a scheme that the documents do not define has an ``urlpath``."""


@cache
def safe_octets(grammar: str, scheme: str, component: str) -> bytes:
    """The octets that stand for themselves in a component in addition to the unreserved ones, except ``%``.

    Args:
        grammar: A name of `bnf.NAMES`.
        component: A name of `anyurl.url.grammars.SAFE`.
    """
    if component == "fragment":  # it is not part of a URL, and the documents have no rule for it
        return SAFE[component]
    document = bnf.load(grammar)
    if component in ("user", "password"):
        names: tuple[str, ...] = (component,)
    elif component == "query":
        names = ("search",) if document.scheme_production(scheme) else ("urlpath",)
    else:
        names = _PATHS.get(scheme, ("urlpath",))
    characters = {char for name in names for char in document.characters(name)}
    if component in ("path", "rest"):
        row = syntax.row(scheme)
        if document.scheme_production(scheme):
            characters |= {"/", *row.reserved}
        else:  # one that the documents leave open is cut at its "?" where it has a query at all
            characters = {"/"} | characters - ({"?"} if row.query else set())
    return "".join(sorted(characters)).encode("ascii")
