# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The URL: one ASCII string and eight offsets, immutable (RFC 1738 2 and 3.1, RFC 3986 3).

Rules: a URL holds what was written, octet for octet; every property is derived from it. Construction decides all that
tells where a URL leads (scheme, authority, port) and which characters stand in it; what the path means is the scheme's
own affair, which `URL.parts` reports. No text is repaired silently. This file runs compiled and as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyurl.kernel import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.kernel import _cython as cython

from anyurl.kernel.percent import decode_text
from anyurl.kernel.split import (
    FRAGMENT_START,
    HOST_END,
    HOST_START,
    MAX_LENGTH,
    PATH_START,
    PORT,
    QUERY_START,
    SCHEME_END,
    USER_END,
    split,
    split_scheme,
)
from anyurl.url import syntax

COMPILED: bool = cython.compiled

_KEPT: Any = object()


@cython.final
@cython.no_gc
@cython.cclass
class URL:
    """A Uniform Resource Locator, by today's RFC of its scheme (the grammar ``current``).

    Refused at construction: a scheme that is none, an authority that the scheme does not have or lacks, a host that two
    readers could take for two hosts, a port beyond 65535, characters that RFC 3986 does not allow. Not refused here, but
    when `parts` is read: a path that makes no sense to its scheme (``;type=x`` in ftp, no group in nntp).

    Text that is not ASCII is encoded: the host by IDNA, the rest as the ``%XX`` of its UTF-8 octets.

    Args:
        text: The URL alone, without ``<``, ``>`` and ``URL:`` around it and without white space. Octets are ASCII or
            UTF-8; others are percent-encoded, but in a host.

    Raises:
        URLSyntaxError: It is not a URL; the diagnostics say where and by which rule.

    >>> url = URL("ftp://myname@host.dom/%2Fetc/motd;type=a")
    >>> url.scheme, url.user, url.password, url.host, url.port, url.url_path
    ('ftp', 'myname', None, 'host.dom', 21, '%2Fetc/motd;type=a')
    """

    __slots__ = ("_at", "_text")
    __match_args__ = ("scheme", "host", "path", "query", "fragment")

    def __init__(self, text: str | bytes) -> None:
        from anyurl.url import faults

        given = entered = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
        if not entered.isascii():
            from anyurl.url.door import enter

            entered = enter(entered, isinstance(text, bytes))
        data = entered.encode("ascii")
        self._at = [0] * 8
        found = split_scheme(data, len(data))
        if found <= MAX_LENGTH:
            self._at[SCHEME_END] = found
            found = split(data, len(data), syntax.row(entered[:found].lower()).flags, self._at)
            if found == 0 and data[self._at[HOST_START] : self._at[HOST_START] + 1] == b"[":
                from anyurl.url.host import literal_fault

                number = literal_fault(entered[self._at[HOST_START] + 1 : self._at[HOST_END] - 1])
                found = number << 32 | self._at[HOST_START] if number else 0
        if found:
            raise faults.syntax_error(given, found, entered)
        self._text = entered

    def __init_subclass__(cls) -> None:
        raise TypeError("URL has no subclasses")

    def __setattr__(self, name: str, value: object) -> None:
        if cython.compiled or hasattr(self, "_text"):
            raise AttributeError("a URL does not change; replace() makes another one")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a URL does not change; replace() makes another one")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"URL({self.masked!r})"

    def __hash__(self) -> int:
        return hash(self._text)

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, URL) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._text < other._text if isinstance(other, URL) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._text <= other._text if isinstance(other, URL) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._text > other._text if isinstance(other, URL) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._text >= other._text if isinstance(other, URL) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return URL, (self._text,)

    def __copy__(self) -> URL:
        return self

    def __deepcopy__(self, memo: object) -> URL:
        return self

    @property
    def scheme(self) -> str:
        """The scheme in lower case (RFC 3986 3.1)."""
        return self._text[: self._at[SCHEME_END]].lower()

    @property
    def authority(self) -> str | None:
        """What stands between ``//`` and the path, as written; None when there is no ``//``."""
        return self._text[self._at[SCHEME_END] + 3 : self._at[PATH_START]] if self._has_authority() else None

    @property
    def raw_user(self) -> str | None:
        """The user name as written; None when there is none, which an empty one is not (RFC 1738 3.1)."""
        start = self._at[SCHEME_END] + 3
        return self._text[start : self._at[USER_END]] if self._at[HOST_START] > start else None

    @property
    def raw_password(self) -> str | None:
        """The password as written; None when there is none, which an empty one is not (RFC 1738 3.1)."""
        end = self._at[HOST_START] - 1
        return self._text[self._at[USER_END] + 1 : end] if self._at[USER_END] < end and self._has_authority() else None

    @property
    def user(self) -> str | None:
        """The user name, decoded; octets that are not UTF-8 as surrogates (``surrogateescape``)."""
        raw = self.raw_user
        return None if raw is None else decode_text(raw)

    @property
    def password(self) -> str | None:
        """The password, decoded like `user`."""
        raw = self.raw_password
        return None if raw is None else decode_text(raw)

    @property
    def raw_host(self) -> str | None:
        """The host as written, an address with its brackets; None when there is no authority."""
        return self._text[self._at[HOST_START] : self._at[HOST_END]] if self._has_authority() else None

    @property
    def host(self) -> str | None:
        """The host in lower case, an address without brackets; '' when empty, None when there is no authority."""
        raw = self.raw_host
        return None if raw is None else raw.strip("[]").lower()

    @property
    def explicit_port(self) -> int | None:
        """The port that is written; None when there is none, or only its colon."""
        return self._at[PORT] if self._at[PORT] >= 0 else None

    @property
    def port(self) -> int | None:
        """The port to connect to: the one written, else the scheme's own; None without an authority."""
        if self._at[PORT] >= 0:
            return self._at[PORT]
        return syntax.row(self.scheme).port if self._has_authority() else None

    @property
    def path(self) -> str:
        """The path, encoded, as RFC 3986 cuts it: with the ``/`` behind the host."""
        return self._text[self._at[PATH_START] : self._at[QUERY_START]]

    @property
    def url_path(self) -> str:
        """The rest of the locator, encoded, as RFC 1738 3.1 cuts it, query included.

        The ``/`` that separates it from the host is not part of it; without a host it is all behind the colon.
        """
        start = self._at[PATH_START]
        if self._has_authority() and self._text[start : start + 1] == "/":
            start += 1
        return self._text[start : self._at[FRAGMENT_START]]

    @property
    def query(self) -> str | None:
        """What stands behind the ``?``, encoded; None when there is none or the scheme has no queries."""
        start = self._at[QUERY_START]
        return self._text[start + 1 : self._at[FRAGMENT_START]] if start < self._at[FRAGMENT_START] else None

    @property
    def fragment(self) -> str | None:
        """What stands behind the ``#``, encoded; None when there is none."""
        start = self._at[FRAGMENT_START]
        return self._text[start + 1 :] if start < len(self._text) else None

    @property
    def origin(self) -> str | None:
        """Scheme, host and effective port as ``scheme://host:port``; None when there is no authority."""
        host = self.host
        if host is None:
            return None
        port = self.port
        text = f"[{host}]" if self._text[self._at[HOST_START] : self._at[HOST_START] + 1] == "[" else host
        return f"{self.scheme}://{text}" if port is None else f"{self.scheme}://{text}:{port}"

    @property
    def masked(self) -> str:
        """The text with ``***`` in the place of a password, to be shown."""
        if self.raw_password is None:
            return self._text
        return self._text[: self._at[USER_END] + 1] + "***" + self._text[self._at[HOST_START] - 1 :]

    @property
    def parts(self) -> Any:
        """What the scheme reads in the path, decoded: ``FtpParts``, ``GopherParts`` ...

        Raises:
            URLSyntaxError: The path makes no sense to its scheme.
            SchemeError: The scheme has no reader.
        """
        return syntax.reader(syntax.row(self.scheme))(self)

    def _has_authority(self) -> bool:
        return self._at[PATH_START] > self._at[SCHEME_END] + 1

    @classmethod
    def build(
        cls,
        *,
        scheme: str,
        user: str | None = None,
        password: str | None = None,
        host: str | None = None,
        port: int | None = None,
        parts: Any = None,
        path: str = "",
        query: str | None = None,
        fragment: str | None = None,
    ) -> URL:
        """Make a URL from its components.

        Args:
            user: Decoded, and so are password and host (an address without brackets).
            parts: What `parts` gives; it writes path and query.
            path: Encoded, and so are query and fragment: ``%XX`` stays, what can't stand there is encoded.

        Raises:
            URLSyntaxError: They make no URL, or one that reads otherwise.

        >>> str(URL.build(scheme="http", host="::1", port=8080, path="/a b"))
        'http://[::1]:8080/a%20b'
        """
        from anyurl.url.build import build

        return build(scheme, user, password, host, port, parts, path, query, fragment)

    def replace(
        self,
        *,
        scheme: str = _KEPT,
        user: str | None = _KEPT,
        password: str | None = _KEPT,
        host: str | None = _KEPT,
        port: int | None = _KEPT,
        parts: Any = _KEPT,
        path: str = _KEPT,
        query: str | None = _KEPT,
        fragment: str | None = _KEPT,
    ) -> URL:
        """Make a URL that differs in some components; they are given as for `build`, None takes one away.

        Raises:
            URLSyntaxError: They make no URL, or one that reads otherwise.

        >>> str(URL("http://a/b?c").replace(host="d", query=None))
        'http://d/b'
        """
        from anyurl.url.build import replace

        changes = {
            "scheme": scheme, "user": user, "password": password, "host": host, "port": port, "parts": parts,
            "path": path, "query": query, "fragment": fragment,
        }  # fmt: skip
        return replace(self, {name: value for name, value in changes.items() if value is not _KEPT})

    def join(self, reference: str | URL) -> URL:
        """Resolve a reference against this URL (RFC 3986 5).

        Raises:
            URLSyntaxError: The result is not a URL, or the scheme has no hierarchy that a relative path could follow.

        >>> str(URL("http://a/b/c/d;p?q").join("../g"))
        'http://a/b/g'
        """
        from anyurl.url.resolve import join

        return join(self, str(reference))

    def relative_to(self, base: URL) -> str:
        """The reference that leads from `base` to this URL: ``base.join(url.relative_to(base)) == url``.

        It is the whole URL when nothing shorter does, as for another scheme.
        """
        from anyurl.url.resolve import relative_to

        return relative_to(self, base)

    def normalize(self, grammar: str = "current") -> URL:
        """The normal form: case, default port, needless escapes, dot segments (RFC 3986 6.2.2 and 6.2.3).

        Dot segments go in http, https, file and unknown schemes only: in ftp ``..`` is an argument of CWD.

        Args:
            grammar: Whose unsafe octets stay encoded: ``current``, ``rfc1738``, ``rfc1738-draft07`` or ``browser``.
        """
        from anyurl.url.compare import normalize

        return normalize(self, grammar)

    def is_equivalent(self, other: URL) -> bool:
        """Whether both lead to the same, as far as the text tells (RFC 1738 2.2, RFC 3986 6.2).

        A character and its ``%XX`` are the same, unless the scheme reserves the character.
        """
        from anyurl.url.compare import is_equivalent

        return is_equivalent(self, other)

    def without_fragment(self) -> URL:
        """The URL without ``#`` and what is behind it, which is no part of a URL (RFC 1738 2.2)."""
        return URL(self._text[: self._at[FRAGMENT_START]]) if self._at[FRAGMENT_START] < len(self._text) else self
