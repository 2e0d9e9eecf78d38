"""Operations on a URL by the segments of its path, the fields of its query, and the domain of its host.

Rules: they are attributes of `URL`, which names them; new URLs are made by `URL.replace`, so that a URL keeps its
grammar, and untouched parts stay as written. Names are those of yarl and pathlib, where these have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar, Unpack, cast

from anyurl.url import syntax
from anyurl.url.components import Components, Pairs, Scalar
from anyurl.url.cut.percent import decode_text
from anyurl.url.fields import (
    BELOW,
    BEYOND_ASCII,
    form_decoded,
    has_plus,
    own_path,
    pairs,
    refused,
    searched,
    segment,
    segment_of,
    type_length,
    visible,
    with_human_host,
)  # fmt: skip


class Changeable(Protocol):
    """The part of a URL that these functions use."""

    @property
    def scheme(self) -> str:
        """See `URL`."""
        ...

    @property
    def host(self) -> str | None:
        """See `URL`."""
        ...

    @property
    def raw_host(self) -> str | None:
        """See `URL`."""
        ...

    @property
    def port(self) -> int | None:
        """See `URL`."""
        ...

    @property
    def path(self) -> str:
        """See `URL`."""
        ...

    @property
    def query(self) -> str | None:
        """See `URL`."""
        ...

    @property
    def authority(self) -> str | None:
        """See `URL`."""
        ...

    @property
    def masked(self) -> str:
        """See `URL`."""
        ...

    @property
    def _echo(self) -> int: ...

    def replace(self, **changes: Unpack[Components]) -> Any:
        """See `URL`."""
        ...


U = TypeVar("U", bound=Changeable)
T = TypeVar("T")

_DOT = "(?i)%2e"


class Derived(Generic[T]):
    """An attribute that a function makes of its object, whose type type checkers and editors know.

    Not a `property`: jedi fails at the annotations of a property's function in a compiled class.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, given: Any, owner: type | None = None) -> T:
        return cast("T", self) if given is None else self._function(given)

    def __set__(self, given: Any, value: object) -> None:
        raise AttributeError(f"{type(given).__name__} is immutable: make another one")


def origin(url: Changeable) -> str | None:
    """Scheme, host and port as an ``Origin`` header has them (RFC 6454 6.2); None if there is no authority."""
    raw = url.raw_host
    if raw is None:
        return None
    from anyurl.url.host import canonical

    host = f"[{canonical(raw[1:-1])}]" if raw.startswith("[") else raw.lower()
    port = "" if url.port == syntax.row(url.scheme).port else f":{url.port}"
    return f"{url.scheme}://{host}{port}"


def display(url: Changeable) -> str:
    """The text for people: `masked`, with the letters of the host and those of ``%XX`` after it.

    Invisible characters and bidirectional controls stay encoded, and so does a host that could be taken for another
    one: with letters of several scripts, or letters that imitate those of another name.

    >>> from anyurl import URL
    >>> URL("http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe%20%E2%80%AE").display
    'http://bücher.example/größe%20%E2%80%AE'
    """
    # Attack: a non-ASCII slash in a user name would seem to end the host. Only the host and what follows are decoded.
    masked = url.masked
    rest = str(url)[len(url.scheme) + 1 + (0 if url.authority is None else 2 + len(url.authority)) :]
    if not rest or not masked.endswith(rest):  # masked text is not decoded
        return masked
    return with_human_host(url.raw_host or "", masked[: -len(rest)]) + re.sub(BEYOND_ASCII, visible, rest)


def name(url: Changeable) -> str:
    """The last segment of the path, decoded; '' after a final slash. Without suffixes of the scheme (``;type=a``).

    >>> from anyurl import URL
    >>> URL("ftp://h/pub/a%20b.tar.gz;type=i").name
    'a b.tar.gz'
    """
    path = own_path(url.scheme, url.path)[type_length(url.scheme) :]
    last = decode_text(path.rpartition("/")[2])
    if url._echo == 0:
        return last
    from anyurl.url.echoes import hide

    return hide(url._echo, last)


def suffix(url: Changeable) -> str:
    """The part of the `name` from its last dot; '' if it has none but at its start or end."""
    last = name(url)
    dot = last.rfind(".")
    return last[dot:] if 0 < dot < len(last) - 1 else ""


def segments(url: Changeable) -> tuple[str, ...]:
    """The segments of the path, decoded; the last one is '' after a final slash. None for an empty path.

    >>> from anyurl import URL
    >>> URL("http://h/a/b%2Fc/").segments
    ('a', 'b/c', '')
    """
    path = own_path(url.scheme, url.path)[type_length(url.scheme) :]
    return tuple(decode_text(segment) for segment in path.removeprefix("/").split("/")) if path else ()


def parent(url: U) -> U:
    """The URL without its last segment, query and fragment; the root is its own parent.

    Raises:
        URLSyntaxError: The scheme has no hierarchy.

    >>> from anyurl import URL
    >>> URL("http://h/a/b?c").parent, URL("http://h/").parent
    (URL('http://h/a'), URL('http://h/'))
    """
    path = _folder_and_name(url, "")[0].removesuffix("/")
    if type_length(url.scheme):
        path = f"/1{path[2:]}"  # RFC 1738 3.4.1: an item with items is a directory
    return url.replace(path=path or "/", query=None, fragment=None)  # type: ignore[no-any-return]


def child(url: U, name: str) -> U:
    """See `URL.__truediv__`."""
    row = syntax.row(url.scheme)
    if not row.hierarchical:
        message = f"the scheme {url.scheme} has no hierarchy, so a name can't be put below its URLs"
        raise refused(name, "child-none", message)
    segments = name.split("/")
    if not all(segments[:-1]) or not name or any(one in (".", "..") for one in segments):
        raise refused(name, "child-place", BELOW)
    written = "/".join(map(segment, segments))
    path = own_path(url.scheme, url.path)
    if path in ("", "/"):
        path = row.empty_path
    path = f"{path.removesuffix('/')}/{written}"
    return url.replace(path=path, query=None, fragment=None)  # type: ignore[no-any-return]


def html(url: Any) -> str:
    """The URL as a notebook shows it: a link, if a browser can follow it."""
    from anyurl.errors.notebook import link

    return link(url.masked, url.display)


def with_name(url: U, name: str) -> U:
    """The URL with another last segment, without query and fragment.

    Raises:
        URLSyntaxError: The scheme has no hierarchy, or the name is empty, ``.``, ``..``, or contains a slash.

    >>> from anyurl import URL
    >>> URL("http://h/a/b.txt?c").with_name("50%.md")
    URL('http://h/a/50%25.md')
    """
    folder, _ = _folder_and_name(url, name)
    path = f"{folder}{segment_of(name)}"
    return url.replace(path=path, query=None, fragment=None)  # type: ignore[no-any-return]


def with_suffix(url: U, suffix: str) -> U:
    """The URL whose `name` has another `suffix`, without query and fragment.

    Args:
        suffix: With its dot; '' for none.

    Raises:
        URLSyntaxError: The scheme has no hierarchy, the URL no name, or the suffix is invalid.

    >>> from anyurl import URL
    >>> URL("http://h/a/b.tar.gz").with_suffix(".zst"), URL("http://h/b.txt").with_suffix("")
    (URL('http://h/a/b.tar.zst'), URL('http://h/b'))
    """
    folder, name = _folder_and_name(url, suffix)
    name = re.sub(_DOT, ".", name)
    if not name or not (suffix == "" or (suffix.startswith(".") and len(suffix) > 1)):
        message = "a suffix is '' or a dot and further characters, and is appended to a name"
        raise refused(suffix, "child-suffix", message)
    dot = name.rfind(".")
    stem = name[:dot] if 0 < dot < len(name) - 1 else name
    ended = segment_of(f"x{suffix}")[1:]
    return url.replace(path=f"{folder}{stem}{ended}", query=None, fragment=None)  # type: ignore[no-any-return]


def _folder_and_name(url: Changeable, given: str) -> tuple[str, str]:
    """The path up to its last segment, and that segment; both encoded."""
    if not isinstance(given, str):
        raise TypeError(f"a name is a str, not {type(given).__name__}")
    row = syntax.row(url.scheme)
    if not row.hierarchical:
        message = f"the scheme {url.scheme} has no hierarchy, so its URLs have no names in a folder"
        raise refused(given or str(url.path), "child-none", message)
    path = own_path(url.scheme, url.path)
    if path in ("", "/"):
        path = row.empty_path
    start = max(path.rfind("/") + 1, type_length(url.scheme))
    return path[:start], path[start:]


def relative_to(url: Changeable, base: Changeable) -> str:
    """The reference from `base` to this URL: ``base.join(url.relative_to(base)) == url``.

    It is the whole URL if there is no shorter one, such as for another scheme.

    Raises:
        URLSyntaxError: The grammar of the base parses the text as another URL.
    """
    from anyurl.url import resolve

    given: Any = url
    return resolve.relative_to(given, base)


def query_items(url: Changeable) -> tuple[tuple[str, str], ...]:
    """Names and values of the query, decoded as those of a form: ``+`` is a space, except in mailto.

    >>> from anyurl import URL
    >>> URL("http://h/?a=1&b=x+y&a=").query_items
    (('a', '1'), ('b', 'x y'), ('a', ''))
    """
    # RFC 6068 5: in mailto "+" is a plus, since addresses contain it.
    return form_decoded(url.query or "", plus=has_plus(url.scheme))


def with_query(url: U, query: Pairs | str | None = None, /, **fields: Scalar | Iterable[Scalar]) -> U:
    """Make a URL with another query, or without one if nothing is given.

    Args:
        query: An encoded query, or names and values: a mapping, in which a name may have several values, or pairs.
        fields: Names and values as keyword arguments.

    Raises:
        URLSyntaxError: The scheme has no query.

    >>> from anyurl import URL
    >>> URL("http://h/?a#f").with_query({"q": "a b", "n": [1, 2]})
    URL('http://h/?q=a%20b&n=1&n=2#f')
    """
    if query is not None and fields:
        raise TypeError("a query is given whole or by its names, not both")
    written = query if isinstance(query, str) else searched(fields if query is None else query)
    return url.replace(query=written or None)  # type: ignore[no-any-return]


def is_equivalent(url: Changeable, other: Changeable) -> bool:
    """Whether both designate the same resource, as far as their texts tell (RFC 1738 2.2, RFC 3986 6.2)."""
    from anyurl.url import compare

    given: Any = url
    compared: Any = other
    return compare.is_equivalent(given, compared)


def set_query(url: U, given: Pairs | None = None, /, **named: Scalar | Iterable[Scalar]) -> U:
    """The URL with other values for some fields of its query; all other fields stay as they are written.

    An existing field is replaced at its first place, a new one comes last.

    Raises:
        URLSyntaxError: The scheme has no query.

    >>> from anyurl import URL
    >>> URL("http://h/?a=1&b=x+y&a=2").set_query(a=3, c=[4, 5])
    URL('http://h/?a=3&b=x+y&c=4&c=5')
    """
    new: dict[str, list[str]] = {}
    for name, written in _written(given, named):
        new.setdefault(name, []).append(written)
    names = frozenset(new)
    made: list[str] = []
    for name, piece in _pieces(url):
        made += new.pop(name, ()) if name in names else (piece,)
    return _with_pieces(url, [*made, *(one for pieces in new.values() for one in pieces)])


def add_query(url: U, given: Pairs | None = None, /, **named: Scalar | Iterable[Scalar]) -> U:
    """The URL with more fields after those of its query, which stay as they are written.

    Raises:
        URLSyntaxError: The scheme has no query.

    >>> from anyurl import URL
    >>> URL("http://h/?a=1").add_query({"a": 2, "b": "x y"})
    URL('http://h/?a=1&a=2&b=x%20y')
    """
    return _with_pieces(url, [*(piece for _, piece in _pieces(url)), *(one for _, one in _written(given, named))])


def drop_query(url: U, *names: str) -> U:
    """The URL without some fields of its query; all other fields stay as they are written.

    Args:
        names: Names, in which ``*`` stands for any characters.

    >>> from anyurl import URL
    >>> URL("http://h/?utm_source=x&q=a+b&utm_id=1").drop_query("utm_*")
    URL('http://h/?q=a+b')
    """
    patterns = [re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL) for name in names]
    kept = [piece for name, piece in _pieces(url) if not any(one.fullmatch(name) for one in patterns)]
    return _with_pieces(url, kept)


def _written(given: Pairs | None, named: dict[str, Any]) -> list[tuple[str, str]]:
    """Names, each with its field as it is written."""
    return [(name, searched([(name, value)])) for name, value in pairs(given or ()) + pairs(named)]


def _pieces(url: Changeable) -> list[tuple[str, str]]:
    """The fields of the query as they are written, each with its decoded name."""
    plus = has_plus(url.scheme)
    pieces = (url.query or "").split("&")
    return [(form_decoded(piece, plus=plus)[0][0], piece) for piece in pieces if piece]


def _with_pieces(url: U, pieces: list[str]) -> U:
    query = "&".join(pieces) or None
    return url if query == url.query else url.replace(query=query)


def registered_domain(url: Changeable) -> str | None:
    """The registered domain of the host: the public suffix and one more label; None if there is none.

    Raises:
        MissingExtraError: publicsuffixlist is not installed (the extra ``domains``).

    >>> from anyurl import URL
    >>> URL("http://www.bbc.co.uk/news").registered_domain
    'bbc.co.uk'
    """
    from anyurl.url import suffixes

    return suffixes.registered_domain(url.host or "", extra="domains", what="Registered domains")


def itself(url: U, memo: object = None) -> U:
    """The same URL, since it never changes."""
    return url
