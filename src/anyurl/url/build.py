"""Making a URL from components, and another URL from one (RFC 1738 2.1, RFC 3986 5.3).

Rules: `user`, `password` and `host` are given decoded, as `URL` shows them; `path`, `query` and `fragment` are given
encoded, as `URL` shows them. What can't stand in a component is percent-encoded; a ``%`` stays, for it belongs to an
escape. What was built is read again and must show the very components it was built from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Required, TypedDict

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.kernel import numbers
from anyurl.kernel.percent import encode_text
from anyurl.url import faults, syntax
from anyurl.url.host import bracketed
from anyurl.url.url import URL

if TYPE_CHECKING:
    from anyurl.url.parts import AnyParts

_USER = b"!$&'()*+,;="
_PASSWORD = _USER + b":"
_PATH = b"%!$&'()*+,;=:@/"
_QUERY = _PATH + b"?"

_PARTS_AND_PATH = "a URL is built from parts or from a path and a query, not from both"


class _Components(TypedDict, total=False):
    user: str | None
    password: str | None
    host: str | None
    port: int | None
    parts: AnyParts
    path: str
    query: str | None
    fragment: str | None


class Components(_Components, total=False):
    """What `URL.replace` takes."""

    scheme: str


class AllComponents(_Components, total=False):
    """What `URL.build` takes."""

    scheme: Required[str]


def build(components: AllComponents) -> URL:
    """See `URL.build`."""
    _check_names(components)
    if "scheme" not in components:
        raise TypeError("a URL has a scheme: build() needs one")
    scheme = components["scheme"].lower()
    user, password, host = components.get("user"), components.get("password"), components.get("host")
    path, query = components.get("path", ""), components.get("query")
    parts = components.get("parts")
    if parts is not None:
        if path or query is not None:
            raise _refused(scheme, "build-parts", _PARTS_AND_PATH)
        path, query = _path_of_parts(scheme, parts, host)
    return _assemble(
        scheme,
        None if user is None else _encode(user, _USER),
        None if password is None else _encode(password, _PASSWORD),
        None if host is None else _encode_host(scheme, host),
        components.get("port"),
        path,
        query,
        components.get("fragment"),
    )


def replace(url: URL, changes: Components) -> URL:
    """See `URL.replace`; only what changes is given."""
    _check_names(changes)
    scheme = changes.get("scheme", url.scheme).lower()
    user, password = url.raw_user, url.raw_password
    port = changes.get("port", url.explicit_port)
    if changes.get("host", "") is None:
        user, password, port = None, None, changes.get("port")  # without a host there is none of them
    if "user" in changes:
        user = None if changes["user"] is None else _encode(changes["user"], _USER)
        password = None if user is None else password  # a password is a user's
    if "password" in changes:
        password = None if changes["password"] is None else _encode(changes["password"], _PASSWORD)
    host = url.raw_host
    if "host" in changes:
        host = None if changes["host"] is None else _encode_host(scheme, changes["host"])
    path, query = changes.get("path", url.path), changes.get("query", url.query)
    if "parts" in changes:
        if "path" in changes or "query" in changes:
            raise _refused(scheme, "build-parts", _PARTS_AND_PATH)
        path, query = _path_of_parts(scheme, changes["parts"], host)
    return _assemble(scheme, user, password, host, port, path, query, changes.get("fragment", url.fragment))


def _check_names(components: Components | AllComponents) -> None:
    unknown = components.keys() - Components.__annotations__.keys()
    if unknown:
        raise TypeError(f"a URL has no component {min(unknown)!r}")


def _path_of_parts(scheme: str, parts: AnyParts, host: str | None) -> tuple[str, str | None]:
    """The path and the query that parts write."""
    text: str = parts.url_path()
    query_mark = query = ""
    if syntax.row(scheme).query:
        text, query_mark, query = text.partition("?")
    return text if host is None else "/" + text, query if query_mark else None


def _encode(text: str, safe: bytes) -> str:
    try:
        return encode_text(text, safe)
    except UnicodeEncodeError as error:
        raise faults.error_at(text, numbers.FAULT_SURROGATE, (error.start, error.start + 1)) from None


def _encode_host(scheme: str, host: str) -> str:
    raw = bracketed(host)
    if isinstance(raw, int):
        start = len(scheme) + 3
        raise faults.error_at(f"{scheme}://{host}", raw, (start, start + len(host)))
    return raw


def _assemble(
    scheme: str,
    user: str | None,
    password: str | None,
    host: str | None,
    port: int | None,
    path: str,
    query: str | None,
    fragment: str | None,
) -> URL:
    """Put encoded components together (RFC 3986 5.3), and see that they come apart again as they were."""
    if host is None and (user is not None or password is not None or port is not None):
        raise _refused(scheme, "build-no-host", "a user name, password or port needs a host")
    if password is not None and user is None:
        raise _refused(scheme, "build-no-user", "a password needs a user name; the empty one is ''")
    if port is not None and not 0 <= port <= 65535:
        raise _refused(scheme, "port-too-large", "a port is a number from 0 to 65535")
    row = syntax.row(scheme)
    path = _encode(path, _PATH if row.query or query is not None else _QUERY)
    out = [scheme, ":"]
    if host is not None:
        out += ["//", "" if user is None else user]
        if user is not None:
            out += ["@"] if password is None else [":", password, "@"]
        out += [host, "" if port is None else f":{port}"]
        if path and not path.startswith("/"):
            path = "/" + path
    out.append(path)
    if query is not None:
        out += ["?", _encode(query, _QUERY)]
    if fragment is not None:
        out += ["#", _encode(fragment, _QUERY)]
    url = URL("".join(out))
    # What was meant as one component must not be read as another: 'ftp' has no query, and 'file:' + '//x' has a host.
    if url.raw_host != host or url.path != path or (url.query is None) != (query is None) or url.raw_user != user:
        raise _refused(scheme, "build-other", "these components make a URL that reads as other components")
    return url


def _refused(scheme: str, code: str, message: str) -> URLSyntaxError:
    return URLSyntaxError(f"{scheme}:", (Diagnostic(code, "error", (0, 0), "URI", "RFC 3986 3", message),))
