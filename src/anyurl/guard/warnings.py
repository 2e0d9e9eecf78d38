"""Cautions about a URL, independent of any policy (RFC 1738 section 6).

Rule: a caution is not a refusal. It depends on the URL alone; nothing is opened or looked up.
"""

from __future__ import annotations

import re

from anyurl.guard.ports import service_at
from anyurl.url import URL, syntax
from anyurl.url.cut import percent_decode
from anyurl.url.lookalike import find_lookalike
from anyurl.values import Value

_ENCODED = re.compile("%[0-9A-Fa-f]{2}")

CAUTIONS: dict[str, str] = {
    "password": "it contains a password, which everyone who sees the URL knows: using such URLs for what should be "
    "secret is clearly unwise",
    "other-service": "port {port} is another service's ({owner}): a harmless request may be a damaging command there",
    "other-port": "port {port} is not the port of {scheme} ({own}): a server of a different protocol may be there",
    "delimiters": "it contains encoded delimiters of the {scheme} protocol: decoded before they are sent, they "
    "would be further commands",
    "look-alike": "its host may be mistaken for another one: {reason}",
}
"""Every code of a caution, and its sentence (RFC 1738 6; the last one UTS 39)."""


class Caution(Value):
    """One warning about a URL.

    Attributes:
        code: A key of `CAUTIONS`.
        message: One sentence for a person.
    """

    code: str
    message: str


def cautions(url: URL) -> tuple[Caution, ...]:
    """The cautions of RFC 1738 section 6 that apply to this URL.

    >>> [caution.code for caution in cautions(URL("ftp://user:pw@host:25/"))]
    ['password', 'other-service']
    """
    row = syntax.row(url.scheme)
    found: list[Caution] = []
    if url.password is not None:
        found.append(_caution("password"))
    port = url.explicit_port
    if port is not None and port != row.port:
        owner = service_at(port, url.scheme)
        if owner is not None:
            found.append(_caution("other-service", port=port, owner=owner))
        elif row.port is not None:
            found.append(_caution("other-port", port=port, scheme=url.scheme, own=row.port))
    text = "".join(filter(None, (url.raw_user, url.raw_password, url.url_path)))
    if not set(row.forbidden).isdisjoint(percent_decode("".join(_ENCODED.findall(text)))):
        found.append(_caution("delimiters", scheme=url.scheme))
    reason = find_lookalike(url.host or "")
    if reason is not None:
        found.append(_caution("look-alike", reason=reason))
    return tuple(found)


def _caution(code: str, **facts: object) -> Caution:
    return Caution(code, CAUTIONS[code].format(**facts))
