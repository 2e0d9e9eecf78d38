"""Names that begin a URL without ``//``, and the required text after each in prose (RFC 1738 appendix; RFC of each
scheme).

Rule: a name without ``//`` is found only if it is registered, and only if the text after it has the shape of its
scheme: ``note: this`` is a note, ``data: none`` is not data, and ``geo:lat`` is a tag of a feed. In ``<URL:...>`` the
writer has declared it a URL, and no shape is required.
"""

from __future__ import annotations

from functools import lru_cache

from anyurl.text.scan import rows
from anyurl.url import syntax

SHAPES: dict[str, int] = {
    "mailto": rows.SHAPE_ADDRESS,  # RFC 6068
    "news": rows.SHAPE_GROUP,  # RFC 5538: a group has a dot, an article an @
    "snews": rows.SHAPE_GROUP,
    "file": rows.SHAPE_SLASH,  # RFC 8089: file:/path
    "cid": rows.SHAPE_ADDRESS,  # RFC 2392
    "mid": rows.SHAPE_ADDRESS,
    "acct": rows.SHAPE_ADDRESS,  # RFC 7565
    "sip": rows.SHAPE_ADDRESS,  # RFC 3261
    "sips": rows.SHAPE_ADDRESS,
    "xmpp": rows.SHAPE_ADDRESS,  # RFC 5122
    "im": rows.SHAPE_ADDRESS,  # RFC 3860
    "pres": rows.SHAPE_ADDRESS,  # RFC 3859
    "tel": rows.SHAPE_NUMBER,  # RFC 3966; TEL:+1 is a line of a visiting card (RFC 6350), and a label
    "sms": rows.SHAPE_NUMBER,  # RFC 5724
    "geo": rows.SHAPE_NUMBER,  # RFC 5870
    "doi": rows.SHAPE_DOI,  # the prefix of a DOI is 10.
    "data": rows.SHAPE_COMMA,  # RFC 2397: the comma is not optional
    "tag": rows.SHAPE_COMMA,  # RFC 4151: authority, comma, date
    "urn": rows.SHAPE_PAIR,  # RFC 8141: two names
    "view-source": rows.SHAPE_PAIR,  # another URL
    "blob": rows.SHAPE_PAIR,
    "jar": rows.SHAPE_PAIR,
    "info": rows.SHAPE_PATH,  # RFC 4452: namespace/identifier
    "dns": rows.SHAPE_HOST,  # RFC 4501: a name with a dot; DNS:host.dom occurs in certificates (RFC 5280 4.2.1.6)
    "stun": rows.SHAPE_GROUP,  # RFC 7064
    "turn": rows.SHAPE_GROUP,  # RFC 7065
    "bitcoin": rows.SHAPE_TOKEN,
    "about": rows.SHAPE_PAGE,  # RFC 6694: a page of browsers
    "steam": rows.SHAPE_AUTHORITY,  # ordinary words: found only with // and in <URL:...>
    "chrome": rows.SHAPE_AUTHORITY,
    "magnet": rows.SHAPE_QUERY,
    "javascript": rows.SHAPE_CALL,  # javascript:es6 is a word
    "mailserver": rows.SHAPE_ADDRESS,  # RFC 1738 4, a reserved name
    "afs": rows.SHAPE_SLASH,  # the same: afs:1 is a line of a table
    "z39.50": rows.SHAPE_AUTHORITY,
    "ni": rows.SHAPE_AUTHORITY,  # RFC 6920; ni:f() is a part of a program
    "pkcs11": rows.SHAPE_CALL,  # RFC 7512: attributes, name=value
    "matrix": rows.SHAPE_PATH,  # matrix:u/user:host.dom
}
"""The shapes of schemes that are registered with IANA and have no ``//``."""

PAGES = (
    "addons blank buildconfig client config crashes debugging extensions flags gpu invalid legacy-compat memory "
    "networking newtab plugins preferences privatebrowsing profiles serviceworkers sessionrestore srcdoc support "
    "telemetry tracing webrtc"
)
"""Pages of ``about:`` that are not ordinary words (RFC 6694 5.3, HTML, Fetch; pages of Firefox and Chromium)."""

_ALWAYS = {name.encode(): shape for name, shape in SHAPES.items()}
_ALWAYS |= {f"about:{page}".encode(): rows.SHAPE_PAGE for page in PAGES.split()}


def known_names() -> dict[bytes, int]:
    """All known names with their shapes, including schemes registered by the user, and the pages of ``about:``."""
    return _names_of(tuple(syntax.ROWS.values()))


@lru_cache(maxsize=1)  # a program registers schemes when it begins, and each file and part of a mail asks
def _names_of(known: tuple[syntax.Row, ...]) -> dict[bytes, int]:
    names = _ALWAYS.copy()
    for row in known:
        if row.name not in SHAPES:  # of those that a program has registered, any text is one
            names[row.name.encode()] = rows.SHAPE_AUTHORITY if row.authority == "required" else rows.SHAPE_ANY
    return names
