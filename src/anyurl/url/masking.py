"""Texts as they are shown: without what is, or could be, a password (RFC 1738 3.1, RFC 3986 3.2.1).

Rule: better too much than a part of it. A login is looked for wherever one could begin: behind ``//``, at any place of
the text, and behind the scheme of a URL that has no ``//``, as in ``sip:user:password@host``.
"""

from __future__ import annotations

import re
from functools import cache

MASK = "***"

_NO_LOGIN = r"(?!(?:s?news|mid|cid):|mailto:[^\s/?#@]*(?:\"|%22))"
"""Message-ids and quoted addresses, in which a colon is a part of the name (RFC 5536 3.1.3, RFC 5321 4.1.2)."""


@cache
def _login() -> re.Pattern[str]:
    """A place where a login can begin, a user with the colon behind, and all up to the last at sign; runs are disjoint.

    Compiled for the first text that has an at sign: most have none.
    """
    start = rf"(?://|(?:^|(?<=[\s/?#])){_NO_LOGIN}[a-z][a-z0-9+.\-]*:(?!/))"
    return re.compile(rf"({start}[^\s/?#:@]*:)[^\s/?#]*(?=@)", re.IGNORECASE)


def login_span(text: str) -> tuple[int, int] | None:
    """Where the first password stands that the text could hold, and all behind it up to the last; or None."""
    found = list(_login().finditer(text)) if "@" in text else []
    return (found[0].end(1), found[-1].end()) if found else None


def mask(text: str) -> str:
    """The text with ``***`` in the place of each password that it could hold.

    >>> mask("sip:bob:secret@host"), mask("view-source:http://bob:secret@host/"), mask("http://h:80/@a")
    ('sip:bob:***@host', 'view-source:http://bob:***@host/', 'http://h:80/@a')
    """
    return _login().sub(rf"\1{MASK}", text) if "@" in text else text
