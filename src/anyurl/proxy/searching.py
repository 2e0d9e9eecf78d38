"""Searches through the gateway: the form on the page of an index, and the URL that a browser makes of it.

Rule: a form sends a URL that RFC 1738 does not allow, so that no URL has two readings: after the ``%09`` of a gopher
search there is no bare ``?`` (section 5), and after the ``;`` of a prospero URL a field has its ``=`` (3.11). Browsers
of the time have only the form ``ISINDEX``, which puts the words after a ``?``, blanks as ``+``.
"""

from __future__ import annotations

import html

from anyurl.schemes import registry
from anyurl.url import URL
from anyurl.url.fields import form_decoded

FIELD = "anyurl-words"
"""The name of the form's field, which begins its query."""

_ENDS = {"gopher": "%09", "gophers": "%09", "prospero": ";", "wais": ""}
"""The separator of the URL of an index and a ``?``; it gives ISINDEX a single reading. WAIS has it by itself (3.9)."""


def asked(url: URL) -> tuple[URL, str | None]:
    """The index that is searched by a URL that a form or ISINDEX made, and the words; else the URL itself and None.

    >>> asked(URL("gopher://h/7idx%09?two+words"))
    (URL('gopher://h/7idx'), 'two words')
    """
    place, mark, query = str(url.without_fragment()).rpartition("?")
    end = _ENDS.get(url.scheme)
    is_form = query.startswith(f"{FIELD}=")
    if not mark or not (is_form or (end and place.endswith(end))):
        return url, None
    words = dict(form_decoded(query if is_form else f"{FIELD}={query}"))[FIELD]
    return URL(place.removesuffix(end or "")), words


def form_of(url: URL) -> str:
    """The search form of an index, as HTML; empty if its scheme has no search."""
    if "search" not in registry.find_scheme(url.scheme).verbs:
        return ""
    end = _ENDS.get(url.scheme)
    place = html.escape(str(url.without_fragment()).partition("?")[0] if url.scheme == "wais" else str(url))
    form = (
        f'<form action="{place}{end or ""}" role="search"><label>Search for <input name="{FIELD}"></label> '
        "<button>Search</button></form>"
    )
    if end is None:
        return form
    return f'{form}<isindex prompt="Search, without a form: " action="{place}{end}">'
