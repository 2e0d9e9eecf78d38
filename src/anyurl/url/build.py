"""Building a URL from components, and replacing components of a URL (RFC 1738 2.1, RFC 3986 5.3).

Rules: `user`, `password` and `host` are passed decoded, `path`, `query` and `fragment` encoded, as `URL` returns them.
Characters that the grammar does not allow in a component are percent-encoded, unless the scheme reserves them; a ``%``
is kept, since it belongs to an escape. The result is parsed by that grammar, and must have exactly the components that
it was built from.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url import faults, syntax
from anyurl.url.components import AllComponents, Components
from anyurl.url.cut import numbers
from anyurl.url.cut.compose import Composition
from anyurl.url.cut.percent import encode_text
from anyurl.url.grammars import DOCUMENTS, find_grammar
from anyurl.url.host import bracketed, canonical
from anyurl.url.parts import AnyParts

if TYPE_CHECKING:
    from anyurl.url.grammars import L, Locator

_COMPONENTS = ("scheme", "user", "password", "host", "port", "parts", "path", "query", "fragment")

_ALWAYS_THERE = ("scheme", "path", "grammar")

_DECODED = ("user", "password")
"""Components that are passed decoded."""

_PARTS_AND_PATH = "a URL is built from parts or from a path and a query, not from both"


def build(components: AllComponents) -> Any:
    """See `URL.build`."""
    if "scheme" not in components:
        raise TypeError("a URL has a scheme: build() needs one")
    _check(components, (*_COMPONENTS, "grammar"))
    grammar = components.get("grammar", "current")
    find_grammar(grammar)
    pieces = Composition(components["scheme"].lower())
    _change(pieces, components, grammar)
    return _with_parts(_assemble(pieces, grammar), components.get("parts"))


def replace(url: L, changes: Components) -> L:
    """See `URL.replace`; components that are not changed stay as written."""
    _check(changes, _COMPONENTS)
    pieces = Composition(changes.get("scheme", url.scheme).lower())
    pieces.host, pieces.path, pieces.query, pieces.fragment = url.raw_host, url.path, url.query, url.fragment
    if changes.get("host", "") is not None:  # without a host there is no login or port
        pieces.user, pieces.password, pieces.port = url.raw_user, url.raw_password, url.explicit_port
    if "user" in changes and changes["user"] is None:
        pieces.password = None  # a password without a user is meaningless
    _change(pieces, changes, url.grammar)
    made: L = _with_parts(_assemble(pieces, url.grammar), changes.get("parts"))
    return made


def _check(components: Components | AllComponents, known: Collection[str]) -> None:
    """Raises TypeError for an unknown component, and for one of the wrong type."""
    unknown = components.keys() - known
    if unknown:
        raise TypeError(f"a URL has no component {min(unknown)!r}")
    for name, value in components.items():
        if name == "port":
            if not (value is None or (isinstance(value, int) and not isinstance(value, bool))):
                raise TypeError(f"the port of a URL is an int or None, not {type(value).__name__}")
        elif name == "parts":
            if not (value is None or callable(getattr(value, "url_path", None))):
                raise TypeError(f"the parts of a URL are a value of URL.parts, or None, not {type(value).__name__}")
        elif not isinstance(value, str) and (value is not None or name in _ALWAYS_THERE):
            wanted = "str" if name in _ALWAYS_THERE else "str or None"
            raise TypeError(f"the {name} of a URL is {wanted}, not {type(value).__name__}")


def _change(pieces: Composition, given: Components | AllComponents, grammar: str) -> None:
    """Encode the given components into the pieces."""
    parts = given.get("parts")
    if "user" in given:
        pieces.user = _encode(given["user"], grammar, pieces.scheme, "user")
    if "password" in given:
        pieces.password = _encode(given["password"], grammar, pieces.scheme, "password")
    if "host" in given:
        pieces.host = None if given["host"] is None else _encode_host(pieces.scheme, given["host"])
    if "port" in given:
        pieces.port = given["port"]
    path, query = given.get("path", pieces.path), given.get("query", pieces.query)
    if parts is not None:
        if given.get("path") or given.get("query") is not None:
            raise _refused(pieces.scheme, "build-parts", _PARTS_AND_PATH)
        path, query = _path_of_parts(pieces.scheme, parts, pieces.host, grammar)
    if parts is not None or "path" in given or "scheme" in given:
        query_too = syntax.row(pieces.scheme).query
        pieces.path = _encode(path, grammar, pieces.scheme, "path" if query_too else "rest") or ""
    if parts is not None or "query" in given:
        pieces.query = _encode(query, grammar, pieces.scheme, "query")
    if "fragment" in given:
        pieces.fragment = _encode(given["fragment"], grammar, pieces.scheme, "fragment")


def _path_of_parts(scheme: str, parts: AnyParts, host: str | None, grammar: str) -> tuple[str, str | None]:
    """The path and query of parts."""
    to_the_letter = getattr(parts, "rfc_path", None) if grammar in DOCUMENTS else None
    text: str = parts.url_path() if to_the_letter is None else to_the_letter()
    query_mark = query = ""
    row = syntax.row(scheme)
    if row.query:
        text, query_mark, query = text.partition("?")
    # If the host is optional, the path has its slash even without one: file:/a has the parts of file:///a.
    is_rooted = row.hierarchical and row.authority == "optional"
    return text if host is None and not is_rooted else "/" + text, query if query_mark else None


def _encode(text: str | None, grammar: str, scheme: str, component: str) -> str | None:
    if text is None:
        return None
    safe = find_grammar(grammar).safe(scheme, component)
    try:
        encoded = encode_text(text, safe if component in _DECODED else safe + b"%")
    except UnicodeEncodeError as error:
        raise faults.error_at(text, numbers.FAULT_SURROGATE, (error.start, error.start + 1)) from None
    return encode_strictly(encoded) if grammar in DOCUMENTS else encoded


def encode_strictly(text: str) -> str:
    """An encoded text with "~" encoded, which is unreserved today but unsafe in RFC 1738 2.2."""
    return text.replace("~", "%7E")


def _encode_host(scheme: str, host: str) -> str:
    raw = bracketed(host)
    if isinstance(raw, int):
        start = len(scheme) + 3
        raise faults.error_at(f"{scheme}://{host}", raw, (start, start + len(host)))
    return raw


def _assemble(pieces: Composition, grammar: str) -> Any:
    """Join encoded components (RFC 3986 5.3), and check that the result is parsed into the same components."""
    scheme, host, port = pieces.scheme, pieces.host, pieces.port
    if host is None and (pieces.user is not None or pieces.password is not None or port is not None):
        raise _refused(scheme, "build-no-host", "a user name, password or port needs a host")
    if pieces.password is not None and pieces.user is None:
        raise _refused(scheme, "build-no-user", "a password needs a user name; the empty one is ''")
    if port is not None and not 0 <= port <= 65535:
        raise _refused(scheme, "port-too-large", "a port is a number from 0 to 65535")
    pieces.root()
    url = find_grammar(grammar).read(pieces.text())
    # A component must not be parsed as another: 'ftp' has no query, and 'file:' + '//x' has a host.
    if not _shows(url, pieces):
        raise _refused(scheme, "build-other", "these components make a URL that reads as other components")
    return url


def _with_parts(url: L, parts: AnyParts | None) -> L:
    """Check the parts of a built URL and return it. Raises URLSyntaxError if a part was lost: to most schemes ``..`` is
    a name, but not to a browser; and RFC 1738 allows unknown schemes without a host, whose parts begin after one."""
    if parts is None:
        return url
    row = syntax.row(url.scheme)
    may_lose = url.authority is None and row.authority == "required"
    if (may_lose or (url.grammar == "browser" and not row.dots)) and url.parts != parts:
        raise _refused(url.scheme, "build-other", "these parts make a URL that reads as other parts")
    return url


def _shows(url: Locator, pieces: Composition) -> bool:
    """Whether a URL consists of these pieces."""
    if url.grammar == "browser":  # it rewrites components, and omits a default port
        host, port = canonical_host(url.raw_host), url.port
        own = None if pieces.host is None else syntax.row(url.scheme).port
        there = canonical_host(pieces.host), own if pieces.port is None else pieces.port
    else:
        host, port = url.raw_host, url.explicit_port
        there = pieces.host, pieces.port
        if (url.path, url.raw_user, url.raw_password) != (pieces.path, pieces.user, pieces.password):
            return False
    return (host, port, url.scheme, url.query is None, url.fragment is None) == (
        *there, pieces.scheme, pieces.query is None, pieces.fragment is None
    )  # fmt: skip


def canonical_host(raw: str | None) -> str | None:
    """The canonical spelling of a host as written; an address without its brackets."""
    return None if raw is None else canonical(raw[1:-1] if raw.startswith("[") else raw)


def _refused(scheme: str, code: str, message: str) -> URLSyntaxError:
    return URLSyntaxError(f"{scheme}:", (Diagnostic(code, "error", (0, 0), "URI", "RFC 3986 3", message),))
