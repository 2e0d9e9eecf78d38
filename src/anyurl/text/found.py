# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""Found: a URL that a search has found, with its place and context in the text (RFC 1738 appendix).

Rule: it is immutable, and keeps only its own piece of the text; its repr hides a password.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url import URL
from anyurl.url.lookalike import find_lookalike
from anyurl.values import STRANGER, Provenance, SourceSignature

COMPILED: bool = cython.compiled


@cython.final
@cython.cclass
class Found:
    """One URL in a text.

    Args:
        url: The URL without its fragment; None for a template, the error for a malformed link.
        fragment: The fragment after the ``#``, encoded, or None.
        alternatives: Other readings of the same place, with fragments.
        raw: The text as written.
        span: Start and end of `raw` in characters, end exclusive.
        octet_span: The same in octets.
        line: The line of its start, from 1; lines end with a line feed.
        column: The character of its start in that line, from 1.
        context: See `context`.
        origin: Who named it; a stranger if the source of the text is unknown.
        member: The path inside an archive, or "".
        kind: See `kind`.
        format: See `format`.
    """

    # types of C: found.pxd
    __slots__ = (
        "_url", "_fragment", "_alternatives", "_raw", "_start", "_end", "_octet_start", "_octet_end", "_line",
        "_column", "_context", "_origin", "_member", "_kind", "_format", "__weakref__",
    )  # fmt: skip
    __match_args__ = ("url", "fragment", "context")
    __signature__: Final = SourceSignature()

    def __init__(
        self,
        url: URL | URLSyntaxError | None,
        fragment: str | None,
        alternatives: tuple[URL, ...],
        raw: str,
        span: tuple[int, int],
        octet_span: tuple[int, int],
        line: int,
        column: int,
        context: str,
        origin: Provenance = STRANGER,
        member: str = "",
        kind: str = "url",
        format: str = "text",
    ) -> None:
        self._url = url
        self._fragment = fragment
        self._alternatives = alternatives
        self._raw = raw
        self._start, self._end = span
        self._octet_start, self._octet_end = octet_span
        self._line = line
        self._column = column
        self._context = context
        self._member = member
        self._kind = kind
        self._format = format
        self._origin = origin

    def __setattr__(self, name: str, value: object) -> None:
        if cython.compiled or hasattr(self, "_origin"):
            raise AttributeError("a found URL is immutable")
        object.__setattr__(self, name, value)

    @property
    def url(self) -> URL:
        """The URL, without its fragment (RFC 1738 2.2): see `fragment`.

        Raises:
            URLSyntaxError: It is a template or a malformed link (see `kind`), and so not a URL.
        """
        if isinstance(self._url, URLSyntaxError):
            raise URLSyntaxError(self._url.text, self._url.diagnostics)  # a new one, as each raise adds a traceback
        if self._url is None:
            message = "This is a template, not a URL: a part of it must be filled in first."
            span = (0, len(self._raw))
            raise URLSyntaxError(self._raw, (Diagnostic("template", "error", span, "URI", "RFC 3986 2", message),))
        return self._url

    @property
    def fragment(self) -> str | None:
        """The fragment after the ``#``, encoded as in a URL; None if there is no ``#``."""
        return self._fragment

    @property
    def alternatives(self) -> tuple[URL, ...]:
        """Other readings, with their fragments: the hyphen at a line break dropped, or another end of the URL."""
        return self._alternatives

    @property
    def raw(self) -> str:
        """The text as written, without a wrapper: ``text[found.span[0]:found.span[1]]``."""
        return self._raw

    @property
    def span(self) -> tuple[int, int]:
        """Start and end in characters, from 0, end exclusive."""
        return self._start, self._end

    @property
    def octet_span(self) -> tuple[int, int]:
        """Start and end in octets: of the source, or of its UTF-8 form if the source is a str."""
        return self._octet_start, self._octet_end

    @property
    def line(self) -> int:
        """The line of its start, from 1. Lines end with a line feed."""
        return self._line

    @property
    def column(self) -> int:
        """The character of its start in its line, from 1."""
        return self._column

    @property
    def context(self) -> str:
        """Its context in the text: ``bare``, ``angle`` (``<...>``), ``URL:`` (``<URL:...>`` or ``URL:...``),
        ``markdown``, ``restructuredtext``, ``gemtext``, ``html-attribute``, ``html-text``, ``mail-header``,
        ``terminal-link``, ``link`` (of an office document), or another one of a reader."""
        return self._context

    @property
    def origin(self) -> Provenance:
        """Who named it: the text and its source. A client judges a `Found` by it."""
        return self._origin

    @property
    def member(self) -> str:
        """The path of the text in an archive: ``folder/name``, or ``inner.zip!name`` in a nested one; "" elsewhere.
        Places count from the beginning of that member."""
        return self._member

    @property
    def kind(self) -> str:
        """``url``: a URL as written. Other kinds are reported only on request: ``email``, ``www`` and ``bare-domain``,
        whose scheme is implied; ``defanged``, a URL that was made unusable (``hxxp://evil[.]com``), restored;
        ``template``, with parts to fill in, which has no `url`, only `raw`; ``malformed``, a link whose destination is
        not a URL: `url` raises the error."""
        return self._kind

    @property
    def format(self) -> str:
        """The formats around it, outermost first: ``html``, ``json/text``, ``mail/quoted-printable/html``."""
        return self._format

    def replace(self, new: URL | str) -> str:
        """Another URL as written in this place: the replacement of `raw` in the text, in the escapes of its format.

        The URL itself is `raw`, octet for octet; `anyurl.text.replace` writes a whole text.

        Raises:
            URLSyntaxError: `new` is a text that is not a URL.
            ValueError: It can't be written there: in base64, in an encoded word.
        """
        from anyurl.text.rewrite import rewritten

        return rewritten(self._raw, str(self), new, self._kind, self._context, self._format)

    @property
    def lookalike(self) -> str | None:
        """Why its host may be mistaken for another, as half a sentence (UTS 39; the extra ``lookalikes``), or None."""
        return find_lookalike(self._url.host or "") if isinstance(self._url, URL) else None

    def __str__(self) -> str:
        """The URL with its fragment, as one would type it into a browser; `raw` if it is not a URL."""
        if not isinstance(self._url, URL):
            return self._raw
        return str(self._url) if self._fragment is None else f"{self._url}#{self._fragment}"

    def __repr__(self) -> str:
        if not isinstance(self._url, URL):
            return f"Found(None, span={self.span!r}, context={self._context!r}, kind={self._kind!r})"
        return f"Found({self._url!r}, {self._fragment!r}, span={self.span!r}, context={self._context!r})"

    def _repr_html_(self) -> str:
        from anyurl.errors.notebook import code, link
        from anyurl.url.masking import mask

        shown = link(self._url.masked, self._url.display) if isinstance(self._url, URL) else code(mask(self._raw))
        return f"{shown} <small>line {self._line}, column {self._column}, {self._context}</small>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Found):
            return NotImplemented
        return self._read() == other._read() and self._key()[1:-1] == other._key()[1:-1]  # the same, in whatever format

    def __hash__(self) -> int:
        return hash((self._read(), self._start))

    def _read(self) -> object:
        """The URL, or the diagnostics of the error, since errors are equal only to themselves."""
        return self._url.diagnostics if isinstance(self._url, URLSyntaxError) else self._url

    def _key(self) -> tuple[Any, ...]:
        return (
            self._url, self._fragment, self._alternatives, self._raw, self.span, self.octet_span, self._line,
            self._column, self._context, self._origin, self._member, self._kind, self._format,
        )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        return Found, self._key()


def moved(
    found: Found,
    raw: str,
    start: int,
    octets: tuple[int, int],
    line: int,
    column: int,
    context: str,
    member: str,
    format: str = "",
) -> Found:
    """The same at another place: in the text that its own was decoded from, or in an archive."""
    made: Found = Found.__new__(Found)
    made._url = found._url
    made._fragment = found._fragment
    made._alternatives = found._alternatives
    made._raw = raw
    made._start, made._end = start, start + len(raw)
    made._octet_start, made._octet_end = octets
    made._line = line
    made._column = column
    made._context = context
    made._kind = found._kind
    made._member = member
    made._format = format or found._format
    made._origin = found._origin
    return made
