"""What a search reports beside URLs: what only looks like one, is none yet, or is none any more.

Rule: nothing of it is a URL as it stands, so nothing is reported that was not asked for.
"""

from __future__ import annotations

from anyurl.kernel import rows
from anyurl.values import Value


class Kinds(Value, kw_only=True):
    """What was asked for.

    Attributes:
        emails: E-mail addresses, as ``mailto:`` URLs.
        www: Names that begin with ``www.``, as ``http://`` URLs.
        domains: Other names of registered domains, as ``http://`` URLs.
        templates: What has a part that is to be filled in.
        defanged: What was made unusable, made usable again.
        served: The text is a page as a server sent it: in what its tags name nothing is left to be filled in.
        malformed: Links of formats that have links (HTML, Markdown ...) whose destination is not a URL.
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
        """What the kernel is told."""
        return (
            (rows.FIND_EMAILS if self.emails else 0)
            | (rows.FIND_WWW if self.www else 0)
            | (rows.FIND_DOMAINS if self.domains else 0)
            | (rows.FIND_TEMPLATES if self.gaps else 0)
        )

    @property
    def every(self) -> bool:
        """Whether a text without a colon counts."""
        return self.emails or self.www or self.domains

    @property
    def gaps(self) -> bool:
        """Whether a candidate counts that is no URL as it stands."""
        return self.templates or self.defanged


URLS_ALONE = Kinds()

TEMPLATE, DEFANGED, MALFORMED = "template", "defanged", "malformed"
"""Kinds of what is no URL as it stands."""


WITHOUT_URL = frozenset((TEMPLATE, MALFORMED))
"""Those of them for which there is no URL: `Found.url` raises."""


def is_gap(kind: str) -> bool:
    """Whether it is no URL as it stands."""
    return kind in (TEMPLATE, DEFANGED, MALFORMED)


def scheme_of(raw: str) -> str:
    """The name with which a template begins."""
    return raw.partition(":")[0].lower()


def kind_of(kind: int) -> str:
    """What `Found.kind` says of a row of the kernel."""
    if kind & rows.EMAIL:
        return "email"
    if kind & rows.WWW:
        return "www"
    return "bare-domain" if kind & rows.DOMAIN else "url"
