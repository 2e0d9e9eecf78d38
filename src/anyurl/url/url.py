# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The URL: one ASCII string and eight offsets, immutable (RFC 1738 2 and 3.1, RFC 3986 3).

Rules: what a URL holds is what was written, octet for octet; every property is derived from it. Construction decides all
that tells where a URL leads (scheme, authority, port) and which characters stand in it; what the path means is the
scheme's own affair, and `URL.parts` reports it. No text is repaired silently.
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
    PATH_START,
    PORT,
    QUERY_START,
    SCHEME_END,
    USER_END,
    split,
    split_scheme,
)
from anyurl.url import syntax


@cython.final
@cython.no_gc
@cython.cclass
class URL:
    """A URL, taken apart."""

    __slots__ = ("_text", "_at")
    __match_args__ = ("scheme", "host", "path", "query", "fragment")

    def __init__(self, text: str | bytes) -> None:
        from anyurl.url import faults

        ascii_text = text.decode("ascii") if isinstance(text, bytes) else text
        data = ascii_text.encode("ascii")
        self._at = [0] * 8
        found = split_scheme(data, len(data))
        if found > 65536:
            raise faults.syntax_error(ascii_text, found)
        self._at[SCHEME_END] = found
        found = split(data, len(data), syntax.row(ascii_text[:found].lower()).flags, self._at)
        if found:
            raise faults.syntax_error(ascii_text, found)
        self._text = ascii_text

    def __setattr__(self, name: str, value: object) -> None:
        if cython.compiled or hasattr(self, "_text"):
            raise AttributeError("a URL does not change; replace() makes another one")
        object.__setattr__(self, name, value)

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

    def __reduce__(self) -> tuple[Any, ...]:
        return URL, (self._text,)

    def __copy__(self) -> URL:
        return self

    def __deepcopy__(self, memo: object) -> URL:
        return self

    @property
    def scheme(self) -> str:
        """The scheme in lower case."""
        return self._text[: self._at[SCHEME_END]].lower()

    @property
    def authority(self) -> str | None:
        """What stands between ``//`` and the path, as written; None when there is no ``//``."""
        start = self._at[SCHEME_END] + 3
        return self._text[start : self._at[PATH_START]] if start <= self._at[PATH_START] and self._has_authority() else None

    def _has_authority(self) -> bool:
        return self._at[PATH_START] > self._at[SCHEME_END] + 1

    @property
    def raw_user(self) -> str | None:
        start = self._at[SCHEME_END] + 3
        return self._text[start : self._at[USER_END]] if self._at[HOST_START] > start else None

    @property
    def raw_password(self) -> str | None:
        end = self._at[HOST_START] - 1
        return self._text[self._at[USER_END] + 1 : end] if self._at[USER_END] < end and self._has_authority() else None

    @property
    def user(self) -> str | None:
        raw = self.raw_user
        return None if raw is None else decode_text(raw)

    @property
    def password(self) -> str | None:
        raw = self.raw_password
        return None if raw is None else decode_text(raw)

    @property
    def host(self) -> str | None:
        """The host in lower case, without brackets; '' when it is empty, None when there is no authority."""
        if not self._has_authority():
            return None
        return self._text[self._at[HOST_START] : self._at[HOST_END]].strip("[]").lower()

    @property
    def explicit_port(self) -> int | None:
        port = self._at[PORT]
        return port if port >= 0 else None

    @property
    def port(self) -> int | None:
        """The port to connect to: the one written, else the scheme's own, else None."""
        port = self._at[PORT]
        return port if port >= 0 else syntax.row(self.scheme).port if self._has_authority() else None

    @property
    def path(self) -> str:
        return self._text[self._at[PATH_START] : self._at[QUERY_START]]

    @property
    def url_path(self) -> str:
        start = self._at[PATH_START]
        if self._has_authority() and self._text[start : start + 1] == "/":
            start += 1
        return self._text[start : self._at[FRAGMENT_START]]

    @property
    def query(self) -> str | None:
        start = self._at[QUERY_START]
        return self._text[start + 1 : self._at[FRAGMENT_START]] if start < self._at[FRAGMENT_START] else None

    @property
    def fragment(self) -> str | None:
        start = self._at[FRAGMENT_START]
        return self._text[start + 1 :] if start < len(self._text) else None

    @property
    def origin(self) -> str | None:
        host = self.host
        if host is None:
            return None
        port = self.port
        text = f"[{host}]" if ":" in host else host
        return f"{self.scheme}://{text}" if port is None else f"{self.scheme}://{text}:{port}"

    @property
    def masked(self) -> str:
        if self.raw_password is None:
            return self._text
        return self._text[: self._at[USER_END] + 1] + "***" + self._text[self._at[HOST_START] - 1 :]

    @property
    def parts(self) -> Any:
        return syntax.reader(syntax.row(self.scheme))(self)

    def without_fragment(self) -> URL:
        return URL(self._text[: self._at[FRAGMENT_START]]) if self.fragment is not None else self
