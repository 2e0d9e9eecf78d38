"""Operations on a URL by the segments of its path, the fields of its query, and the domain of its host.

Rules: they are attributes of `URL`, which names them; what they make is made by `URL.replace`, so that a URL keeps its
grammar, and what is not touched stays as written. Names are those of yarl and pathlib, where these have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar, Unpack, cast

from anyurl.url.components import Components, Pairs, Scalar


class Changeable(Protocol):
    """What is used of a URL here."""

    @property
    def scheme(self) -> str:
        """See `URL`."""
        ...

    @property
    def host(self) -> str | None:
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
    def name(self) -> str:
        """See `URL`."""
        ...

    def replace(self, **changes: Unpack[Components]) -> Any:
        """See `URL`."""
        ...


U = TypeVar("U", bound="Changeable")
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


def suffix(url: Changeable) -> str:
    """The part of the `name` from its last dot; '' if it has none but at its start or end."""
    name = url.name
    dot = name.rfind(".")
    return name[dot:] if 0 < dot < len(name) - 1 else ""


def segments(url: Changeable) -> tuple[str, ...]:
    """The segments of the path, decoded; the last one is '' after a final slash. None for an empty path.

    >>> from anyurl import URL
    >>> URL("http://h/a/b%2Fc/").segments
    ('a', 'b/c', '')
    """
    from anyurl.url.cut.percent import decode_text
    from anyurl.url.fields import own_path, type_length

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
    from anyurl.url.fields import type_length

    path = _folder_and_name(url, "")[0].removesuffix("/")
    if type_length(url.scheme):
        path = f"/1{path[2:]}"  # RFC 1738 3.4.1: what has items is a directory
    return url.replace(path=path or "/", query=None, fragment=None)  # type: ignore[no-any-return]


def with_name(url: U, name: str) -> U:
    """The URL with another last segment, without query and fragment.

    Raises:
        URLSyntaxError: The scheme has no hierarchy, or the name is empty, ``.``, ``..``, or contains a slash.

    >>> from anyurl import URL
    >>> URL("http://h/a/b.txt?c").with_name("50%.md")
    URL('http://h/a/50%25.md')
    """
    from anyurl.url.fields import segment_of

    folder, _ = _folder_and_name(url, name)
    path = f"{folder}{segment_of(name)}"
    return url.replace(path=path, query=None, fragment=None)  # type: ignore[no-any-return]


def with_suffix(url: U, suffix: str) -> U:
    """The URL whose `name` has another `suffix`, without query and fragment.

    Args:
        suffix: With its dot; '' for none.

    Raises:
        URLSyntaxError: The scheme has no hierarchy, the URL no name, or the suffix is none.

    >>> from anyurl import URL
    >>> URL("http://h/a/b.tar.gz").with_suffix(".zst"), URL("http://h/b.txt").with_suffix("")
    (URL('http://h/a/b.tar.zst'), URL('http://h/b'))
    """
    from anyurl.url.fields import refused, segment_of

    folder, name = _folder_and_name(url, suffix)
    name = re.sub(_DOT, ".", name)
    if not name or not (suffix == "" or (suffix.startswith(".") and len(suffix) > 1)):
        message = "a suffix is '' or a dot and what follows it, and is put behind a name"
        raise refused(suffix, "child-suffix", message)
    dot = name.rfind(".")
    stem = name[:dot] if 0 < dot < len(name) - 1 else name
    ended = segment_of(f"x{suffix}")[1:]
    return url.replace(path=f"{folder}{stem}{ended}", query=None, fragment=None)  # type: ignore[no-any-return]


def _folder_and_name(url: Changeable, given: str) -> tuple[str, str]:
    """The path up to its last segment, and that segment; both encoded."""
    from anyurl.url import syntax
    from anyurl.url.fields import own_path, refused, type_length

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


def set_query(url: U, given: Pairs | None = None, /, **named: Scalar | Iterable[Scalar]) -> U:
    """The URL with other values for some fields of its query; all other fields stay as they are written.

    A field that is there is replaced where it first stands, a new one comes last.

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
    """The URL with more fields behind those of its query, which stay as they are written.

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
    from anyurl.url.fields import pairs, searched

    return [(name, searched([(name, value)])) for name, value in pairs(given or ()) + pairs(named)]


def _pieces(url: Changeable) -> list[tuple[str, str]]:
    """The fields of the query as they are written, each with its decoded name."""
    from anyurl.url.fields import form_decoded, has_plus

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
