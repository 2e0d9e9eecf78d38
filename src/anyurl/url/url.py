# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The URL: one ASCII string and eight offsets, immutable (RFC 1738 1, 2 and 3.1, RFC 3986 3).

Rules: a URL stores the text as written and the offsets that its grammar found in it; every property is derived from
these. Construction checks where a URL leads (scheme, authority, port) and its characters; the meaning of the path is
defined by the scheme and available as `URL.parts`. No text is repaired silently, and none is parsed again by another
grammar, which might find another host in it.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Unpack

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

from anyurl.url import grammars, operations, paths, syntax
from anyurl.url.components import AllComponents, Components
from anyurl.url.cut import numbers
from anyurl.url.cut.percent import decode_text
from anyurl.url.parts import AnyParts
from anyurl.values import SourceSignature

if TYPE_CHECKING:
    from anyurl.url.cut.addresses import read_ipv6
    from anyurl.url.cut.compose import Composition, is_path, resolved
    from anyurl.url.cut.letters import is_http, lower, octets
    from anyurl.url.cut.split import is_normal, split, split_scheme
elif cython.compiled:
    from cython.cimports.anyurl.url.cut.addresses import read_ipv6
    from cython.cimports.anyurl.url.cut.compose import Composition, is_path, resolved
    from cython.cimports.anyurl.url.cut.letters import is_http, lower, octets
    from cython.cimports.anyurl.url.cut.split import is_normal, split, split_scheme
else:
    from anyurl.url.cut.addresses import read_ipv6
    from anyurl.url.cut.compose import Composition, is_path, resolved
    from anyurl.url.cut.letters import is_http, lower, octets
    from anyurl.url.cut.split import is_normal, split, split_scheme

COMPILED: bool = cython.compiled

_SCHEME_END = cython.declare(cython.int, numbers.SCHEME_END)
_USER_END = cython.declare(cython.int, numbers.USER_END)
_HOST_START = cython.declare(cython.int, numbers.HOST_START)
_HOST_END = cython.declare(cython.int, numbers.HOST_END)
_PORT = cython.declare(cython.int, numbers.PORT)
_PATH_START = cython.declare(cython.int, numbers.PATH_START)
_QUERY_START = cython.declare(cython.int, numbers.QUERY_START)
_FRAGMENT_START = cython.declare(cython.int, numbers.FRAGMENT_START)
_HTTP = cython.declare(cython.int, syntax.ROWS["http"].flags)
_ROWS = cython.declare(dict[str, syntax.Row], syntax.ROWS)
_NAMES = cython.declare(tuple, grammars.NAMES)

_IMMUTABLE = "a URL does not change; replace() makes another one"


@cython.cfunc
def _flags(name: str) -> cython.int:
    return (_ROWS.get(name) or _ROWS.get(name.lower(), syntax.GENERIC)).flags


@cython.cfunc
def _cut(url: URL, text: str) -> cython.longlong:
    """Fill in the offsets; returns 0, or a packed fault."""
    data: cython.p_const_uchar = octets(text)
    length: cython.Py_ssize_t = len(text)
    found: cython.longlong = split_scheme(data, length)
    if found > length:
        return found
    url._at[_SCHEME_END] = found
    flags: cython.int = _HTTP if is_http(data, found) else _flags(text[:found])
    found = split(data, length, flags, url._at)
    start: cython.Py_ssize_t = url._at[_HOST_START]
    stop: cython.Py_ssize_t = url._at[_HOST_END]
    if (
        found == 0
        and start < stop
        and data[start] == ord("[")
        and not read_ipv6(data, start + 1, stop - 1, cython.NULL)
    ):
        from anyurl.url.host import literal_fault

        found = literal_fault(text[start:stop])
        found = found << 32 | start if found else 0
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _order(one: URL, other: URL) -> cython.int:
    """Negative, 0 or positive: compares the texts, and for equal texts the offsets."""
    if one._text != other._text:
        return -1 if one._text < other._text else 1
    i: cython.int
    for i in range(8):
        if one._at[i] != other._at[i]:
            return -1 if one._at[i] < other._at[i] else 1
    return 0


@cython.cfunc
def _take(url: URL, other: URL, end: cython.Py_ssize_t) -> cython.void:
    """Copy the state of another URL up to there; the text last, after which nothing changes any more."""
    i: cython.int
    for i in range(8):
        url._at[i] = other._at[i]
    url._grammar = other._grammar
    url._echo = other._echo
    url._text = other._text[:end]


@cython.cfunc
def _made(url: URL, made: URL) -> URL:  # with the secrets of its source (`anyurl.url.echoes`)
    if url._echo != 0 and made is not url:
        if cython.compiled:
            made._echo = url._echo
        else:
            object.__setattr__(made, "_echo", url._echo)
    return made


@cython.cfunc
@cython.exceptval(check=False)
def _has_authority(url: URL) -> cython.bint:
    return url._at[_PATH_START] > url._at[_SCHEME_END] + 1


@cython.final
@cython.no_gc
@cython.cclass
class URL:
    """A Uniform Resource Locator, by today's RFC of its scheme (the grammar ``current``; `parse` knows others).

    Refused at construction: an invalid scheme, an authority that the scheme forbids, or none where it needs one, a host
    that two readers could take for two hosts, a port beyond 65535, characters that RFC 3986 does not allow. Refused
    only when `parts` is read: a path that makes no sense to its scheme (``;type=x`` in ftp, no group in nntp).
    Text that is not ASCII is encoded: the host by IDNA, the rest as the ``%XX`` of its UTF-8 octets.

    Args:
        text: The URL alone, without ``<``, ``>`` and ``URL:`` around it and without white space. Octets are ASCII or
            UTF-8; others are percent-encoded, except in a host. Another URL is taken as its grammar has read it.

    Raises:
        URLSyntaxError: It is not a URL; the diagnostics say where and by which rule.

    >>> url = URL("ftp://myname@host.dom/%2Fetc/motd;type=a")
    >>> url.scheme, url.user, url.password, url.host, url.port, url.url_path
    ('ftp', 'myname', None, 'host.dom', 21, '%2Fetc/motd;type=a')
    """

    if TYPE_CHECKING:
        _text: str
        _grammar: int
        _echo: int

        @staticmethod
        def from_path(path: str | PathLike[str], *, system: paths.System | None = None) -> URL: ...

    __slots__ = ("_at", "_echo", "_grammar", "_text", "__weakref__")
    __match_args__ = ("scheme", "host", "path", "query", "fragment")

    display: Final = operations.Derived(operations.display)
    name: Final = operations.Derived(operations.name)
    suffix: Final = operations.Derived(operations.suffix)
    segments: Final = operations.Derived(operations.segments)
    parent: Final = operations.Derived(operations.parent)
    with_name: Final = operations.with_name
    with_suffix: Final = operations.with_suffix
    relative_to: Final = operations.relative_to
    is_equivalent: Final = operations.is_equivalent
    origin: Final = operations.Derived(operations.origin)
    query_items: Final = operations.Derived(operations.query_items)
    with_query: Final = operations.with_query
    set_query: Final = operations.set_query
    add_query: Final = operations.add_query
    drop_query: Final = operations.drop_query
    registered_domain: Final = operations.Derived(operations.registered_domain)
    __copy__: Final = operations.itself
    __deepcopy__: Final = operations.itself
    to_path: Final = paths.to_path
    _repr_html_: Final = operations.html
    if not TYPE_CHECKING:
        from_path = staticmethod(paths.from_path)
    __signature__: Final = SourceSignature()

    def __init__(self, text: str | bytes | URL) -> None:
        if cython.compiled and self._text is not None:
            raise AttributeError(_IMMUTABLE)
        if not cython.compiled:
            self._at = [0] * 8
            self._grammar = self._echo = 0
        entered: str
        if type(text) is str and text.isascii():
            entered = text
        elif isinstance(text, URL):
            _take(self, text, numbers.MAX_LENGTH)
            return
        else:
            from anyurl.url.to_ascii import enter

            entered = enter(text)
        found: cython.longlong = _cut(self, entered)
        if found != 0:
            from anyurl.url.to_ascii import syntax_error

            raise syntax_error(text, entered, found)
        self._text = entered

    def __setattr__(self, name: str, value: object) -> None:
        if cython.compiled or hasattr(self, "_text"):
            raise AttributeError(_IMMUTABLE)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(_IMMUTABLE)

    def __str__(self) -> str:
        return self._text

    def __format__(self, spec: str) -> str:
        return format(self._text, spec)

    def __repr__(self) -> str:
        # Uncompiled, a traceback that shows values may find a URL whose text was refused.
        return f"URL({self.masked!r})" if cython.compiled or hasattr(self, "_text") else "URL(...)"

    def __hash__(self) -> int:
        # Different parses of one text differ in the end of the host or the start of the query.
        return hash(self._text) ^ (self._at[_HOST_END] << 16 | self._at[_QUERY_START])

    def __eq__(self, other: object) -> bool:
        return _order(self, other) == 0 if isinstance(other, URL) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return _order(self, other) < 0 if isinstance(other, URL) else NotImplemented

    def __le__(self, other: object) -> bool:
        return _order(self, other) <= 0 if isinstance(other, URL) else NotImplemented

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return _field().__get_pydantic_core_schema__(source, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return _field().__get_pydantic_json_schema__(schema, handler)

    def __reduce__(self) -> tuple[Any, ...]:
        known = self._text, tuple([self._at[i] for i in range(8)]), self.grammar
        if self._echo == 0:
            return placed, known
        from anyurl.url.echoes import secrets_of

        return placed, (*known, secrets_of(self._echo))

    @property
    def grammar(self) -> str:
        """The name of the grammar that parsed it, and parses URLs derived from it: ``current``, ``rfc1738`` ..."""
        return _NAMES[self._grammar]

    @property
    def scheme(self) -> str:
        """The scheme in lower case (RFC 3986 3.1)."""
        if cython.compiled and is_http(octets(self._text), self._at[_SCHEME_END]):
            return "http" if self._at[_SCHEME_END] == 4 else "https"
        return lower(self._text, 0, self._at[_SCHEME_END])

    @property
    def authority(self) -> str | None:
        """The part between ``//`` and the path, as written; None if there is no ``//``."""
        return self._text[self._at[_SCHEME_END] + 3 : self._at[_PATH_START]] if _has_authority(self) else None

    @property
    def raw_user(self) -> str | None:
        """The user name as written; None if there is none, which differs from an empty one (RFC 1738 3.1)."""
        start = self._at[_SCHEME_END] + 3
        return self._text[start : self._at[_USER_END]] if self._at[_HOST_START] > start else None

    @property
    def raw_password(self) -> str | None:
        """The password as written; None if there is none, which differs from an empty one (RFC 1738 3.1)."""
        end = self._at[_HOST_START] - 1
        return self._text[self._at[_USER_END] + 1 : end] if self._at[_USER_END] < end else None

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
        """The host as written, an address with its brackets; None if there is no authority."""
        return self._text[self._at[_HOST_START] : self._at[_HOST_END]] if _has_authority(self) else None

    @property
    def host(self) -> str | None:
        """The host in lower case, an address without brackets; '' if it is empty, None if there is no authority."""
        start: cython.Py_ssize_t = self._at[_HOST_START]
        stop: cython.Py_ssize_t = self._at[_HOST_END]
        if start < stop and self._text[start] == "[":
            return lower(self._text, start + 1, stop - 1)
        return lower(self._text, start, stop) if _has_authority(self) else None

    @property
    def explicit_port(self) -> int | None:
        """The port as written; None if there is none, or only its colon."""
        return self._at[_PORT] if self._at[_PORT] >= 0 else None

    @property
    def port(self) -> int | None:
        """The port to connect to: the one written, or the scheme's default; None without an authority."""
        if self._at[_PORT] >= 0:
            return self._at[_PORT]
        return syntax.row(self.scheme).port if _has_authority(self) else None

    @property
    def path(self) -> str:
        """The path, encoded, in the sense of RFC 3986 3.3: with the ``/`` after the host."""
        return self._text[self._at[_PATH_START] : self._at[_QUERY_START]]

    @property
    def url_path(self) -> str:
        """The url-path of RFC 1738 3.1, encoded: with the query, without the ``/`` that separates it from the host."""
        start = self._at[_PATH_START]
        separates: cython.bint = _has_authority(self) and self._text[start : start + 1] == "/"
        return self._text[start + separates : self._at[_FRAGMENT_START]]

    @property
    def query(self) -> str | None:
        """The query after the ``?``, encoded; None if there is none, or the scheme has no queries."""
        start = self._at[_QUERY_START]
        return self._text[start + 1 : self._at[_FRAGMENT_START]] if start < self._at[_FRAGMENT_START] else None

    @property
    def fragment(self) -> str | None:
        """The fragment after the ``#``, encoded; None if there is none."""
        start = self._at[_FRAGMENT_START]
        return self._text[start + 1 :] if start < len(self._text) else None

    @property
    def masked(self) -> str:
        """The text for display, with ``***`` for a password that is not empty, and for anything that could be one.

        In the URL of a redirect, and in those made from it, also for a password that its server had been sent before.
        """
        if self._echo == 0 and "@" not in self._text and "%40" not in self._text:  # every login ends with one of these
            return self._text
        try:
            from anyurl.url.fields import shown

            return shown(self._text, self._at[_USER_END] + 1, self._at[_HOST_START] - 1, self._echo)
        except OSError:  # no descriptor is left to import the module, but errors must be shown even then
            return f"{self.scheme}:***"

    @property
    def parts(self) -> AnyParts:
        """The components that the scheme reads in the path, decoded: ``FtpParts``, ``GopherParts`` ...

        ``FtpParts.of(url)`` returns the same, with a type that type checkers know.

        Raises:
            URLSyntaxError: The path is invalid for its scheme.
            SchemeError: The scheme has no reader.
        """
        return syntax.reader(syntax.row(self.scheme))(self)

    @classmethod
    def build(cls, **components: Unpack[AllComponents]) -> URL:
        """Make a URL from its components; only the scheme is required.

        Args:
            scheme: In upper or lower case; it is written in lower case.
            user, password, host: Decoded, an address without brackets; None for none, which differs from ''.
            port: A number, or None for the scheme's default.
            parts: A value of `parts`, from which the path and the query are made.
            path, query, fragment: Encoded: ``%XX`` is kept, and characters that are not allowed there are encoded.
            grammar: The grammar of the URL; the default is ``current``.

        Raises:
            URLSyntaxError: The components make no URL, or one with other components.

        >>> str(URL.build(scheme="http", host="::1", port=8080, path="/a b"))
        'http://[::1]:8080/a%20b'
        """
        pieces: Composition = Composition("")
        made: URL | None = _made_of(pieces) if pieces.change(components) else None
        if made is not None:
            return made
        from anyurl.url.build import build

        return build(components)  # type: ignore[no-any-return]

    def replace(self, **changes: Unpack[Components]) -> URL:
        """Make a URL of the same grammar with some components changed.

        Args:
            changes: Components as `build` takes them; None removes one.

        Raises:
            URLSyntaxError: The components make no URL, or one with other components.

        >>> URL("http://a/b?c").replace(host="d", query=None)
        URL('http://d/b')
        """
        pieces: Composition = _pieces(self)
        is_short: cython.bint = self._grammar == 0 and changes.get("host", "") is not None and pieces.change(changes)
        made: URL | None = _made_of(pieces) if is_short else None
        if made is None:
            from anyurl.url.build import replace

            made = replace(self, changes)
        return _made(self, made)

    def __truediv__(self, name: object) -> URL:
        """The URL of a name below this one, without a query: ``url / "child"``.

        A slash in the name separates segments, as in yarl and pathlib; all other characters belong to a segment.

        Raises:
            URLSyntaxError: The scheme has no hierarchy, or the name leads elsewhere: an empty segment, ``.``, ``..``.

        >>> URL("ftp://h/pub;type=d") / "50%;type=a" / "x"
        URL('ftp://h/pub/50%25%3Btype=a/x')
        """
        return operations.child(self, name) if isinstance(name, str) else NotImplemented

    def join(self, reference: str | URL) -> URL:
        """Resolve a reference against this URL (RFC 3986 5).

        A text is parsed by this URL's grammar; a URL keeps its own grammar.

        Raises:
            URLSyntaxError: The result is not a URL, or the scheme has no hierarchy that a relative path could follow.

        >>> str(URL("http://a/b/c/d;p?q").join("../g"))
        'http://a/b/g'
        """
        made: URL | None = _resolved(self, reference) if type(reference) is str else None
        if made is not None:
            return _made(self, made)
        from anyurl.url.resolve import absolute, join

        return absolute(reference) if isinstance(reference, URL) else _made(self, join(self, reference))

    @cython.annotation_typing(False)
    def normalize(self, grammar: str | None = None) -> URL:
        """The normal form: case, default port, needless escapes, dot segments (RFC 3986 6.2.2 and 6.2.3).

        Dot segments are removed in http, https, file and unknown schemes only: in ftp ``..`` is an argument of CWD.

        Args:
            grammar: The grammar of the result, whose unsafe octets are encoded; the default is that of this URL.

        Raises:
            URLSyntaxError: That grammar can't express this URL.
        """
        data: cython.p_const_uchar = octets(self._text)
        is_today: cython.bint = self._grammar == 0 and (grammar is None or grammar == "current")
        if is_today and is_normal(data, len(self._text), self._at, is_http(data, self._at[_SCHEME_END])):
            return self
        made: URL | None = _normal(self) if is_today and _has_authority(self) else None
        if made is not None:
            return _made(self, made)
        from anyurl.url.compare import normalize

        return _made(self, normalize(self, self.grammar if grammar is None else grammar))

    def without_fragment(self) -> URL:
        """The URL without its fragment, which RFC 1738 2.2 does not count as part of a URL."""
        end: cython.int = self._at[_FRAGMENT_START]
        if end == len(self._text):
            return self
        url: URL = URL.__new__(URL)
        if not cython.compiled:
            url._at = [0] * 8
        _take(url, self, end)
        return url


@cython.cfunc
def read_ascii(text: str) -> URL | None:
    """The URL of an ASCII text, or None: for callers with many texts that do not need the error."""
    url: URL = URL.__new__(URL)
    if not cython.compiled:
        url._at = [0] * 8
        url._grammar = url._echo = 0
    if _cut(url, text) != 0:
        return None
    url._text = text
    return url


@cython.cfunc
def _pieces(url: URL) -> Composition:
    pieces: Composition = Composition(url.scheme)
    pieces.user, pieces.password, pieces.host, pieces.port = (
        url.raw_user,
        url.raw_password,
        url.raw_host,
        url.explicit_port,
    )
    pieces.path, pieces.query, pieces.fragment = url.path, url.query, url.fragment
    return pieces


@cython.cfunc
def _made_of(pieces: Composition) -> URL | None:
    """The URL of these pieces; None if ``current`` reads others in their text."""
    text: str = pieces.text()
    url: URL | None = read_ascii(text) if text.isascii() else None
    return url if url is not None and pieces.shown_by(url._at, len(text)) else None


@cython.cfunc
def _normal(url: URL) -> URL | None:
    """The normal form of a URL with an authority; None where `anyurl.url.compare` decides."""
    pieces: Composition = _pieces(url)
    row: syntax.Row = _ROWS.get(pieces.scheme, syntax.GENERIC)
    return _made_of(pieces) if pieces.normalize(row.port or -1, row.query, row.dots, row.empty_path) else None


@cython.cfunc
def _resolved(base: URL, reference: str) -> URL | None:
    """A reference without a scheme and an authority, resolved; None where `anyurl.url.resolve` decides."""
    row: syntax.Row = _ROWS.get(base.scheme, syntax.GENERIC)
    if base._grammar != 0 or not row.hierarchical or not is_path(reference):
        return None
    return read_ascii(resolved(base._text[: base._at[_PATH_START]], base.path, base.query, reference, row.query))


def _field() -> Any:  # called by pydantic alone, so it is installed
    return __import__("anyurl.adapters.pydantic", fromlist=["URLField"]).URLField()


def placed(
    text: str, at: tuple[int, ...] | None, grammar: str = "current", secrets: tuple[bytes, ...] | None = None
) -> URL:
    """Make a URL from a text that its grammar has already parsed and validated.

    Args:
        text: ASCII.
        at: The eight offsets, in the order of `anyurl.url.cut.numbers`; None means those that ``current`` finds.
        grammar: The name of its grammar, which the URL keeps.
        secrets: Secrets that a server wrote into it (`anyurl.url.echoes`), or None.

    Raises:
        ValueError: The offsets are invalid for the text.
        URLSyntaxError: No offsets were given, and the text is not a URL to ``current``.
    """
    number: cython.int = _NAMES.index(grammar)
    if at is None:
        text, at = URL(text).__reduce__()[1][:2]
        assert at is not None
    rising = [*at[:4], *at[5:], len(text)]
    sound = len(at) == 8 and rising == sorted(rising) and rising[0] >= 0 and -1 <= at[4] <= 65535
    if not (sound and text.isascii()):
        raise ValueError("eight offsets, rising within an ASCII text, make a URL")
    url: URL = URL.__new__(URL)
    if not cython.compiled:
        url._at = [0] * 8
    i: cython.int
    for i in range(8):
        url._at[i] = at[i]
    url._grammar = number
    url._echo = 0
    if secrets is not None:
        from anyurl.url.echoes import number_of

        url._echo = number_of(secrets)
    url._text = text
    return url


grammars.GRAMMARS["current"] = grammars.Grammar(URL)


if not cython.compiled:  # a compiled final class refuses subclasses itself

    def _refuse_subclass(**_: object) -> None:
        raise TypeError("type 'URL' is not an acceptable base type")

    URL.__init_subclass__ = staticmethod(_refuse_subclass)  # type: ignore[method-assign]
