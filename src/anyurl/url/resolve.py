"""Relative references: resolving them against a base, and making them (RFC 3986 4 and 5, RFC 1808).

RFC 1738 2.3 allows them for schemes with a hierarchy, whose components are separated by slashes (RFC 1738 3.2.4).

Rules: resolution is strict (5.2.2), with the one exception that the clause allows: if a scheme requires a host, a
reference that repeats the base's scheme is read as if it had no scheme (``http:g``), since it would not be a URL by
itself, and all implementations do so. Each scheme defines whether it has a query: against an ftp base ``?x`` is a file
name. A relative path against a scheme without a hierarchy is an error. The grammar of the base parses the result; it is
an error if it finds another place in it than that of the base.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url import syntax
from anyurl.url.build import replace
from anyurl.url.cut.compose import remove_dot_segments, resolved
from anyurl.url.grammars import DOCUMENTS, find_grammar

if TYPE_CHECKING:
    from anyurl.url.grammars import L, Locator

_SCHEME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.")


def split_scheme(reference: str, grammar: str = "current") -> str | None:
    """The scheme of a reference, or None if it is relative (RFC 3986 4.1); RFC 1738 5 has schemes such as ``9p``."""
    head, colon, _ = reference.partition(":")
    if not colon or not head or not _SCHEME.issuperset(head):
        return None
    return head if head[0].isalpha() or grammar in DOCUMENTS else None


def join(base: L, reference: str) -> L:
    """See `URL.join`."""
    if not isinstance(reference, str):
        raise TypeError(f"a reference is a str or a URL, not {type(reference).__name__}")
    grammar = find_grammar(base.grammar)
    read: Callable[[str], L] = grammar.read
    if grammar.resolve is not None:
        resolve: Callable[[str, str], L] = grammar.resolve
        return resolve(str(base), reference)
    scheme = split_scheme(reference, base.grammar)
    row = syntax.row(base.scheme)
    if scheme is not None:
        behind = reference[len(scheme) + 1 :]
        if scheme.lower() != base.scheme or row.authority != "required" or behind.startswith("//"):
            return absolute(read(reference))
        reference = behind  # RFC 3986 5.2.2, the non-strict reading
    if reference.startswith("//"):
        if not row.hierarchical:
            raise _refused(base, reference)
        return absolute(read(str(base)[: len(base.scheme) + 1] + reference))
    if reference.partition("#")[0].partition("?" if row.query else "#")[0] and not row.hierarchical:
        raise _refused(base, reference)
    start = len(base.scheme) + 1
    prefix = str(base)[: start if base.authority is None else start + 2 + len(base.authority)]
    url = read(resolved(prefix, base.path, base.query, reference, row.query))
    # Grammars split differently: in RFC 1738 a "?" before an "@" is part of the user.
    if (url.scheme, url.authority) != (base.scheme, base.authority):
        raise _other(reference, base.grammar)
    return url


def absolute(url: L) -> L:
    """An absolute URL as the result of resolution; dot segments are kept if they have a meaning (ftp, RFC 1738)."""
    if not syntax.row(url.scheme).dots or url.grammar != "current":  # a browser has already removed them
        return url
    if url.authority is None and url.path.startswith("//"):  # an opaque path is not a hierarchy
        return url
    path = remove_dot_segments(url.path)
    if url.authority is None and path.startswith("//"):
        path = "/." + path
    return url if path == url.path else replace(url, {"path": path})


def _other(reference: str, grammar: str) -> URLSyntaxError:
    message = f"relative to this base, the grammar {grammar} reads it as another place"
    span = (0, len(reference))
    return URLSyntaxError(
        reference, (Diagnostic("join-other", "error", span, "relative-ref", "RFC 3986 5.2", message),)
    )


def _refused(base: Locator, reference: str) -> URLSyntaxError:
    message = f"a relative path has no meaning here: {base.scheme} URLs have no hierarchy"
    span = (0, len(reference))
    return URLSyntaxError(
        reference, (Diagnostic("no-hierarchy", "error", span, "relative-ref", "RFC 3986 1.2.3", message),)
    )


def relative_to(url: L, base: L) -> str:
    """See `URL.relative_to`."""
    if type(base) is not type(url):
        raise TypeError(f"a base is a URL, not {type(base).__name__}")
    for reference in _candidates(url, base):
        try:
            if join(base, reference) == url:
                return reference
        except URLSyntaxError:
            continue
    text = str(url)
    # The reference may be read by another grammar, or as one that only repeats the scheme (see `join`).
    if join(base, text) not in (url, absolute(url)):
        raise _other(text, base.grammar)
    return text


def _candidates(url: Locator, base: Locator) -> list[str]:
    """Candidate references from the base to the URL, the shortest kind first; `relative_to` tries them."""
    text, scheme_end = str(url), len(url.scheme) + 1
    if text[:scheme_end] != str(base)[:scheme_end]:
        return []
    tail = "" if url.fragment is None else "#" + url.fragment
    query = "" if url.query is None else "?" + url.query
    out = [text[scheme_end:]] if url.authority is not None else []
    if url.authority != base.authority:
        return out
    path = url.path
    out.insert(0, path + query + tail)
    if path == base.path:
        return [tail, query + tail, *_steps(base.path, path, query + tail), *out]
    return [*_steps(base.path, path, query + tail), *out]


def _steps(base: str, path: str, tail: str) -> list[str]:
    """A relative path from the base's folder to the path, with '..' and names."""
    here, there = base.split("/")[:-1], path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    relative = "../" * (len(here) - shared) + "/".join(there[shared:])
    return [relative + tail, "./" + relative + tail]
