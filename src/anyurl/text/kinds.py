"""Kinds that a search reports besides URLs: look-alikes, templates, defanged and malformed URLs.

Rule: none of these is a URL as written, so they are reported only on request.
"""

from __future__ import annotations

from anyurl.text.scan import rows
from anyurl.values import Value


class Kinds(Value, kw_only=True):
    """The kinds that are requested.

    Attributes:
        emails: Mail addresses, as ``mailto:`` URLs.
        www: Names that begin with ``www.``, as ``http://`` URLs.
        domains: Other names of registered domains, as ``http://`` URLs.
        templates: URLs with parts to fill in.
        defanged: URLs that were made unusable, restored.
        served: The text is a page from a server, whose links have no parts to fill in.
        malformed: Links (of HTML, Markdown ...) whose destination is not a URL.
    """

    emails: bool = False
    www: bool = False
    domains: bool = False
    templates: bool = False
    defanged: bool = False
    served: bool = False
    malformed: bool = False

    @property
    def flags(self) -> int:
        """The flags for the kernel."""
        return (
            (rows.FIND_EMAILS if self.emails else 0)
            | (rows.FIND_WWW if self.www else 0)
            | (rows.FIND_DOMAINS if self.domains else 0)
            | (rows.FIND_TEMPLATES if self.gaps else 0)
        )

    @property
    def every(self) -> bool:
        """Whether texts without a colon are candidates."""
        return self.emails or self.www or self.domains

    @property
    def gaps(self) -> bool:
        """Whether candidates that are not URLs as written may be reported."""
        return self.templates or self.defanged


URLS_ALONE = Kinds()

TEMPLATE, DEFANGED, MALFORMED = "template", "defanged", "malformed"
"""Kinds of candidates that are not URLs as written."""


WITHOUT_URL = frozenset((TEMPLATE, MALFORMED))
"""The kinds without a URL: `Found.url` raises."""


def is_gap(kind: str) -> bool:
    """Whether a kind is not a URL as written."""
    return kind in (TEMPLATE, DEFANGED, MALFORMED)


def scheme_of(raw: str) -> str:
    """The scheme of a template."""
    return raw.partition(":")[0].lower()


def kind_of(kind: int) -> str:
    """The value of `Found.kind` for a row of the kernel."""
    if kind & rows.EMAIL:
        return "email"
    if kind & rows.WWW:
        return "www"
    return "bare-domain" if kind & rows.DOMAIN else "url"
