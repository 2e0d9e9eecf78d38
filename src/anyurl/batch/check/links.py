"""Links of a check: URLs, and links whose destination is not a URL; and how the state writes both down.

Rule: a malformed link leads nowhere, which is all there is to check: nothing is asked. No password is written down.
"""

from __future__ import annotations

from typing import TypeAlias

from anyurl.batch.check.outcome import Finding, finding_on
from anyurl.errors import URLSyntaxError
from anyurl.text import Found
from anyurl.url import URL
from anyurl.url.masking import mask, without_secret
from anyurl.url.stored import from_stored, to_stored

_MALFORMED = "malformed "
"""What precedes the text of a malformed link, as the name of a grammar precedes that of a URL (`to_stored`)."""


class MalformedLink:
    """A link whose destination is not a URL; it answers what a report asks of a URL.

    Args:
        text: The destination, absolute.

    Attributes:
        text: The same, with other characters in the place of what could be a password.
    """

    __slots__ = ("text",)

    host: None = None
    origin: None = None
    fragment: None = None

    def __init__(self, text: str) -> None:
        self.text: str = without_secret(text)

    @property
    def masked(self) -> str:
        """As it is shown."""
        return mask(self.text)

    @property
    def scheme(self) -> str:
        """What stands before the colon, in lower case."""
        return self.text.partition(":")[0].lower()

    @property
    def finding(self) -> Finding:
        """That it is broken, and why."""
        try:
            URL(self.text)
        except URLSyntaxError as error:
            return finding_on(error)
        return Finding("broken", error="URLSyntaxError", message="It is not a URL.")

    def __str__(self) -> str:
        return self.text


Link: TypeAlias = URL | MalformedLink


def link_of(found: Found) -> Link:
    """What a search found, which reports malformed links, and no templates."""
    try:
        return found.url
    except URLSyntaxError as error:
        return MalformedLink(error.text)


def to_text(link: Link) -> str:
    """A link as it is written down, and sent elsewhere: without a fragment, and never with a password."""
    if isinstance(link, MalformedLink):
        return _MALFORMED + link.text
    bare = link if link.fragment is None else link.without_fragment()
    return to_stored(bare if bare.password is None else bare.replace(password=None))


def from_text(text: str) -> Link:
    """What `to_text` wrote."""
    return MalformedLink(text.removeprefix(_MALFORMED)) if text.startswith(_MALFORMED) else from_stored(text)
