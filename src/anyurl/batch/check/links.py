"""Links of a check: URLs and malformed links, and their stored form.

Rule: a malformed link is broken by definition, and nothing is requested. Passwords are never stored.
"""

from __future__ import annotations

from typing import TypeAlias

from anyurl.batch.check.outcome import Finding, finding_on
from anyurl.errors import URLSyntaxError, escape
from anyurl.guard.verdict import Reader, aside
from anyurl.text import Found
from anyurl.url import URL
from anyurl.url.masking import mask, without_secret
from anyurl.url.stored import from_stored, to_stored

_MALFORMED = "malformed "
"""The prefix of a stored malformed link; a stored URL may have the name of its grammar there (`to_stored`)."""


_ECHOED = "echoed "
"""The prefix of a stored link that a server wrote a password into."""

ECHOED = Finding(
    "not-checkable",
    message="A server wrote a password into this link, which is therefore neither requested nor written down.",
)
"""The result for a link such as ``next``, if a redirect to ``/PASSWORD/x`` led to its page."""

SCRIPT = "javascript"
"""The rest is code, in which a ``%`` is an operator: a browser takes it unchanged."""

MAX_WRITTEN = 300
"""Characters of a URL as written that are stored: only data URLs are longer."""


class MalformedLink:
    """A link whose destination is not a URL; it has the attributes of a URL that reports use.

    Args:
        text: The destination, absolute.

    Attributes:
        text: The destination, with a possible password replaced by other characters.
    """

    __slots__ = ("text",)

    host: None = None
    origin: None = None
    fragment: None = None

    def __init__(self, text: str) -> None:
        self.text: str = without_secret(text)

    @property
    def masked(self) -> str:
        """The text for output."""
        return mask(self.text)

    @property
    def scheme(self) -> str:
        """The text before the colon, in lower case."""
        return self.text.partition(":")[0].lower()

    def finding(self, reader: Reader) -> Finding:
        """The result: broken, with the reason; or not checkable, with the remedy for this reader."""
        if self.text.startswith("//"):
            way = aside("base", reader, then=" does")
            return Finding(
                "not-checkable", message=f"It takes the scheme of its page, which a file does not tell{way}."
            )
        if self.scheme == SCRIPT:
            return Finding("not-checkable", error="UnsupportedError", message="It is a script, and leads nowhere.")
        try:
            URL(self.text)
        except URLSyntaxError as error:
            return finding_on(error)
        return Finding("broken", error="URLSyntaxError", message="It is not a URL.")

    def __str__(self) -> str:
        return self.text


class EchoedLink(MalformedLink):
    """A link with a password that a server wrote there; neither a report nor a state may hold it.

    Args:
        text: The link with the password masked.
    """

    __slots__ = ()

    def finding(self, reader: Reader) -> Finding:
        """The result: not checkable, with the reason."""
        return ECHOED


Link: TypeAlias = URL | MalformedLink


def link_of(found: Found) -> Link:
    """The link of a find result; the search must report malformed links, and no templates."""
    try:
        return found.url
    except URLSyntaxError as error:
        return MalformedLink(error.text)


def as_written(raw: str) -> str:
    """A URL as written in a text, for reports: one line, without a password."""
    text = escape(mask(" ".join(raw.split())))
    return text if len(text) <= MAX_WRITTEN else f"{text[:MAX_WRITTEN]}..."


def to_text(link: Link) -> str:
    """The form of a link for storage and for other machines: without fragment or password."""
    if isinstance(link, MalformedLink):
        return (_ECHOED if isinstance(link, EchoedLink) else _MALFORMED) + link.text
    bare = link if link.fragment is None else link.without_fragment()
    return to_stored(bare if bare.password is None else bare.replace(password=None))


def to_key(link: Link) -> str:
    """The form that all notations of a URL have in common, so that it is requested once; for storage, like `to_text`.

    A file keeps its dot segments: they may lead through a symbolic link.
    """
    if isinstance(link, MalformedLink) or link.scheme == "file":
        return to_text(link)
    try:
        return to_text(link.normalize())
    except URLSyntaxError:
        return to_text(link)


def from_text(text: str) -> Link:
    """The link that `to_text` wrote."""
    if text.startswith(_ECHOED):
        return EchoedLink(text.removeprefix(_ECHOED))
    return MalformedLink(text.removeprefix(_MALFORMED)) if text.startswith(_MALFORMED) else from_stored(text)
