# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, freethreading_compatible=True
"""The text of a URL from its encoded components, and from a base and a relative reference (RFC 3986 5.2 and 5.3).

Rules: texts and offsets only; the facts of a scheme are arguments. Nothing is encoded or judged here: the caller checks
that the text reads as these pieces and no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyurl.url.cut import _cython as cython
else:
    try:
        import cython
    except ImportError:
        from anyurl.url.cut import _cython as cython

from anyurl.url.cut import numbers
from anyurl.url.cut.percent import UNRESERVED, recode

if TYPE_CHECKING:
    from anyurl.url.cut.addresses import format_ipv6, parse_ipv6
    from anyurl.url.cut.letters import lower, octets
elif cython.compiled:
    from cython.cimports.anyurl.url.cut.addresses import format_ipv6, parse_ipv6
    from cython.cimports.anyurl.url.cut.letters import lower, octets
else:
    from anyurl.url.cut.addresses import format_ipv6, parse_ipv6
    from anyurl.url.cut.letters import lower, octets

COMPILED: bool = cython.compiled

_SCHEME_END = cython.declare(cython.int, numbers.SCHEME_END)
_USER_END = cython.declare(cython.int, numbers.USER_END)
_HOST_START = cython.declare(cython.int, numbers.HOST_START)
_HOST_END = cython.declare(cython.int, numbers.HOST_END)
_PORT = cython.declare(cython.int, numbers.PORT)
_PATH_START = cython.declare(cython.int, numbers.PATH_START)
_QUERY_START = cython.declare(cython.int, numbers.QUERY_START)
_FRAGMENT_START = cython.declare(cython.int, numbers.FRAGMENT_START)
_MAX_PORT = cython.declare(cython.int, numbers.MAX_PORT)


@cython.final
@cython.no_gc
@cython.cclass
class Composition:
    """The encoded components of a URL that is being composed.

    Attributes:
        scheme: In lower case.
        user, password: None for none, as without a host.
        host: As written, an address in its brackets; None without an authority.
        port: As written; None for none.
        path, query, fragment: As written; None for no query, or no fragment.
    """

    __slots__ = ("scheme", "user", "password", "host", "port", "path", "query", "fragment")

    def __init__(self, scheme: str) -> None:
        self.scheme: str = scheme
        self.user: str | None = None
        self.password: str | None = None
        self.host: str | None = None
        self.port: int | None = None
        self.path: str = ""
        self.query: str | None = None
        self.fragment: str | None = None

    def text(self) -> str:
        """The components as one text (RFC 3986 5.3)."""
        out = [self.scheme, ":"]
        if self.host is not None:
            out.append("//")
            if self.user is not None:
                out.append(self.user)
                if self.password is not None:
                    out.append(":")
                    out.append(self.password)
                out.append("@")
            out.append(self.host)
            if self.port is not None:
                out.append(":")
                out.append(str(self.port))
        out.append(self.path)
        if self.query is not None:
            out.append("?")
            out.append(self.query)
        if self.fragment is not None:
            out.append("#")
            out.append(self.fragment)
        return "".join(out)

    def shown_by(self, at: cython.p_int, length: cython.Py_ssize_t) -> cython.bint:
        """Whether the offsets that a reader found in the `text` are those of these components.

        Args:
            at: The eight offsets.
            length: Of the text.
        """
        i: cython.Py_ssize_t = len(self.scheme)
        if at[_SCHEME_END] != i:
            return False
        i += 1
        if self.host is not None:
            i += 2
            if self.user is not None:
                i += len(self.user)
                if at[_USER_END] != i:
                    return False
                i += 1 if self.password is None else 2 + len(self.password)
            elif at[_USER_END] != i:
                return False
            if at[_HOST_START] != i or at[_HOST_END] != i + len(self.host):
                return False
            if at[_PORT] != (-1 if self.port is None else self.port):
                return False
        elif at[_PATH_START] != i:
            return False
        i = length if self.fragment is None else length - len(self.fragment) - 1
        if at[_FRAGMENT_START] != i:
            return False
        if self.query is not None:
            i -= len(self.query) + 1
        return at[_QUERY_START] == i and at[_PATH_START] == i - len(self.path)

    def change(self, given: Mapping[str, Any]) -> cython.bint:
        """Take other components as a caller gives them; return whether the `text` may be read as it is.

        If it is read and shows the components, nothing had to be encoded. All else, and what is to be refused, is left
        to `anyurl.url.build`.
        """
        for name, value in given.items():
            if name == "port" and type(value) is int and 0 <= value <= _MAX_PORT:
                self.port = value
            elif value is not None and type(value) is not str:
                return False
            elif name == "host":
                self.host = value
            elif name == "query":
                self.query = value
            elif name == "fragment":
                self.fragment = value
            elif name == "port" and value is None:
                self.port = None
            elif name == "user" and (value is None or "%" not in value):  # it is given decoded, and so is the password
                self.user = value
            elif name == "password" and (value is None or "%" not in value):
                self.password = value
            elif name == "path" and value is not None:
                self.path = value
            elif name == "scheme" and value is not None:
                self.scheme = value.lower()
            else:
                return False
        if self.user is None and "password" not in given:
            self.password = None
        if self.host is None and (self.user is not None or self.port is not None):
            return False
        if self.user is None and self.password is not None:
            return False
        self.root()
        return True

    def root(self) -> None:
        """Begin the path after a host with its slash."""
        if self.host is not None and self.path and self.path[0] != "/":
            self.path = "/" + self.path

    def normalize(
        self, port: cython.int, has_query: cython.bint, has_dots: cython.bint, empty_path: str
    ) -> cython.bint:
        """Take the normal form of a URL with an authority; return whether it is surely that (RFC 3986 6.2.2, 6.2.3).

        Args:
            port: The scheme's default; -1 for none.
            has_query: Whether ``?`` starts a query.
            has_dots: Whether dot segments have no other meaning.
            empty_path: The meaning of an empty path.
        """
        host: str = self.host or ""
        if host[:1] == "[":
            address = parse_ipv6(host[1 : len(host) - 1])
            self.host = host.lower() if address is None else f"[{format_ipv6(address)}]"
        elif "%" in host:
            return False
        else:
            self.host = lower(host, 0, len(host))
        if self.port == port:
            self.port = None
        self.user, self.password = _clean(self.user), _clean(self.password)
        self.query, self.fragment = _clean(self.query), _clean(self.fragment)
        path: str = _clean(self.path) or ""
        if has_dots:
            path = remove_dot_segments(path)
        if host and path in ("", "/") and (has_query or self.query is None):
            path = empty_path
        self.path = path
        return True


@cython.cfunc
def _clean(text: str | None) -> str | None:
    """A component with its unreserved octets decoded, and its other escapes in upper case."""
    return text if text is None or "%" not in text else recode(text, UNRESERVED)


def remove_dot_segments(path: str) -> str:
    """The path without ``.`` and ``..`` segments (RFC 3986 5.2.4).

    >>> remove_dot_segments("/a/b/c/./../../g"), remove_dot_segments("mid/content=5/../6")
    ('/a/g', 'mid/6')
    """
    if "." not in path:
        return path
    segments = path.split("/")
    last = segments[len(segments) - 1]
    out: list[str] = []
    rooted = path.startswith("/")
    for segment in segments[1:] if rooted else segments:
        if segment == "..":
            if out:
                out.pop()
        elif segment != ".":
            out.append(segment)
    if last in (".", ".."):
        out.append("")
    text = "/".join(out)
    return "/" + text if rooted else text


def resolved(prefix: str, path: str, query: str | None, reference: str, has_query: bool) -> str:
    """The text of a relative reference without an authority, resolved (RFC 3986 5.2.2 and 5.3).

    Args:
        prefix: The base's scheme and authority, with their delimiters.
        path: The base's.
        query: The base's, or None.
        has_query: Whether ``?`` starts a query.
    """
    new, hash_mark, fragment = reference.partition("#")
    mark = asked = ""
    if has_query:
        new, mark, asked = new.partition("?")
    has_authority = "//" in prefix
    if not new:
        new = path
        if not mark and query is not None:
            mark, asked = "?", query
    elif new[0] == "/":
        new = remove_dot_segments(new)
    elif has_authority and not path:
        new = remove_dot_segments("/" + new)
    else:
        new = remove_dot_segments(path[: path.rfind("/") + 1] + new)
    if not has_authority and new.startswith("//") and new != path:
        new = "/." + new  # RFC 3986 3.3: without an authority a path never begins with '//'
    return "".join([prefix, new, mark, asked, hash_mark, fragment])


@cython.cfunc
@cython.exceptval(check=False)
def is_path(reference: str) -> cython.bint:
    """Whether a reference surely has neither a scheme nor an authority (RFC 3986 4.2), and is ASCII."""
    if not reference.isascii():
        return False
    data: cython.p_const_uchar = octets(reference)
    length: cython.Py_ssize_t = len(reference)
    if length > 1 and data[0] == ord("/") and data[1] == ord("/"):
        return False
    i: cython.Py_ssize_t
    for i in range(length):
        if data[i] == ord("/") or data[i] == ord("?") or data[i] == ord("#"):
            return True
        if data[i] == ord(":"):
            return False
    return True
