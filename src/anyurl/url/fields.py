"""Query and path as fields: names and values, segments, and the display form (WHATWG URL 5, RFC 3986 3.3).

Rules: reading uses the components of the URL, and nothing is parsed a second time; writing uses `replace`, so that a
URL keeps its place and its grammar. A child is below its parent, or it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url import faults, syntax
from anyurl.url.build import replace
from anyurl.url.components import Pairs, Scalar
from anyurl.url.cut import numbers
from anyurl.url.cut.percent import decode_text, encode_text, percent_decode
from anyurl.url.grammars import L
from anyurl.url.syntax import GOPHER

if TYPE_CHECKING:
    from anyurl.url.grammars import Locator

_FORM_SAFE = b"*-._"
"""Characters that a form does not encode (WHATWG URL 5.2), besides letters and digits."""

_SEGMENT_SAFE = b"!$&'()*+,=:@"
"""Characters that are not encoded in a segment (RFC 3986 3.3), without ";", which ends those of ftp and prospero."""

# Strings, which `re` compiles and caches at their first use: nearly all URLs are read without any of them.
TYPE_MARK = ";(?:t|%74)(?:y|%79)(?:p|%70)(?:e|%65)="
"""The start of the typecode of an ftp path (RFC 1738 3.2.2): letters may be encoded (2.2), delimiters may not."""

_TYPECODE = rf"{TYPE_MARK}(?:[A-Za-z]|%[0-9A-Fa-f]{{2}})\Z"

_BEHIND = {
    "ftp": _TYPECODE,  # RFC 1738 3.2.2
    "ftps": _TYPECODE,
    "prospero": r";.*\Z",  # RFC 1738 3.11: fields and values
    "gopher": r"%09.*\Z",  # RFC 1738 3.4.1: a search, and what Gopher+ has
    "gophers": r"%09.*\Z",
}
"""Suffixes of a path that are not part of the last segment, by scheme."""

_BELOW = "a child must be below its parent: no segment of it may be empty, '.' or '..'"

_BEYOND_ASCII = "(?i)(?:%[89A-F][0-9A-F])+"


def check_pairs(what: str, given: object) -> Iterator[tuple[str, Any]]:
    """Names and their values, from a mapping or from pairs. Raises TypeError for anything else."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"{what} are a mapping, or an iterable of pairs, not {type(given).__name__}")
    for pair in given.items() if isinstance(given, Mapping) else given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"{what} are pairs: a name and what it has, not {type(pair).__name__}")
        name, value = pair
        if not isinstance(name, str):
            raise TypeError(f"a name among {what} is a str, not {type(name).__name__}")
        yield name, value


def pairs(given: Pairs) -> list[tuple[str, str]]:
    """Names and single values, as str. Raises TypeError for other types."""
    found: list[tuple[str, str]] = []
    for name, value in check_pairs("names and values", given):
        if type(value) is str:
            found.append((name, value))
            continue
        for one in value if isinstance(value, Iterable) and not isinstance(value, str | bytes) else [value]:
            if isinstance(one, bool) or not isinstance(one, str | int | float):
                raise TypeError(f"the value of {name!r} is a str or a number, not {type(one).__name__}")
            found.append((name, str(one)))
    return found


def form_encoded(form: Pairs) -> str:
    """``name=value&...`` as a form writes it (WHATWG URL 5.2)."""
    return "&".join(f"{_form_text(name)}={_form_text(value)}" for name, value in pairs(form))


def _form_text(text: str) -> str:
    return "+".join(_encoded(word, _FORM_SAFE) for word in text.split(" "))


def _encoded(text: str, safe: bytes) -> str:
    """A text percent-encoded. Raises URLSyntaxError if it can't be encoded as UTF-8."""
    try:
        return encode_text(text, safe)
    except UnicodeEncodeError as error:
        raise faults.error_at(text, numbers.FAULT_SURROGATE, (error.start, error.start + 1)) from None


def searched(fields: Pairs) -> str:
    """Like `form_encoded`, with ``%20`` for a space, which every parser understands."""
    return "&".join([f"{_encoded(name, _FORM_SAFE)}={_encoded(value, _FORM_SAFE)}" for name, value in pairs(fields)])


def form_decoded(query: str, *, plus: bool = True) -> tuple[tuple[str, str], ...]:
    """Names and values as a form writes them (WHATWG URL 5.1).

    Args:
        plus: ``+`` means a space.
    """
    pieces = [piece.partition("=") for piece in query.split("&") if piece]
    return tuple((_decoded(name, plus), _decoded(value, plus)) for name, _, value in pieces)


def _decoded(text: str, plus: bool) -> str:
    return decode_text(text.replace("+", " ") if plus else text)


def query_items(url: Locator) -> tuple[tuple[str, str], ...]:
    """See `URL.query_items`."""
    # RFC 6068 5: in mailto "+" is a plus, since addresses contain it.
    return form_decoded(url.query or "", plus=has_plus(url.scheme))


def has_plus(scheme: str) -> bool:
    """Whether ``+`` means a space in the query."""
    return "+" in syntax.row(scheme).query_reserved


def with_query(url: L, given: Pairs | str | None, named: Mapping[str, Scalar | Iterable[Scalar]]) -> L:
    """See `URL.with_query`."""
    if given is not None and named:
        raise TypeError("a query is given whole or by its names, not both")
    query = given if isinstance(given, str) else searched(named if given is None else given)
    return replace(url, {"query": query or None})


def child(url: L, name: str) -> L:
    """See `URL.__truediv__`."""
    row = syntax.row(url.scheme)
    if not row.hierarchical:
        raise refused(
            name, "child-none", f"the scheme {url.scheme} has no hierarchy, so a name can't be put below its URLs"
        )
    segments = name.split("/")
    if not all(segments[:-1]) or not name or any(one in (".", "..") for one in segments):
        raise refused(name, "child-place", _BELOW)
    written = "/".join(_segment(segment) for segment in segments)
    path = own_path(url.scheme, url.path)
    if path in ("", "/"):
        path = row.empty_path
    return replace(url, {"path": f"{path.removesuffix('/')}/{written}", "query": None, "fragment": None})


def segment_of(name: str) -> str:
    """A name as the segment of a path is written. Raises URLSyntaxError: it would be another place, or several."""
    if name in ("", ".", "..") or "/" in name:
        raise refused(name, "child-place", _BELOW)
    return _segment(name)


def _segment(name: str) -> str:
    if any(char < " " or char == "\x7f" for char in name):
        raise refused(name, "child-control", "the name of a child can't contain control characters")
    return _encoded(name, _SEGMENT_SAFE)


def own_path(scheme: str, path: str) -> str:
    """A path without suffixes of its scheme (``;type=a``)."""
    return re.sub(_BEHIND[scheme], "", path) if scheme in _BEHIND else path


def type_length(scheme: str) -> int:
    """The characters of a path before its names: in gopher a slash and the type of the item (RFC 1738 3.4.1)."""
    return 2 if scheme in GOPHER else 0


def refused(name: str, code: str, message: str) -> URLSyntaxError:
    """The error for a name that can't be put into a path."""
    return URLSyntaxError(name, (Diagnostic(code, "error", (0, len(name)), "URI", "RFC 3986 3.3", message),))


def origin(url: Locator) -> str | None:
    """See `URL.origin`."""
    raw = url.raw_host
    if raw is None:
        return None
    from anyurl.url.host import canonical

    host = f"[{canonical(raw[1:-1])}]" if raw.startswith("[") else raw.lower()
    port = "" if url.port == syntax.row(url.scheme).port else f":{url.port}"
    return f"{url.scheme}://{host}{port}"


def last_name(url: Locator, echo: int = 0) -> str:
    """See `URL.name`."""
    path = own_path(url.scheme, url.path)[type_length(url.scheme) :]
    name = decode_text(path.rpartition("/")[2])
    if echo == 0:
        return name
    from anyurl.url.echoes import hide

    return hide(echo, name)


def shown(text: str, start: int, end: int, echo: int = 0) -> str:
    """The text of a URL for display.

    Args:
        start, end: Where its password stands; equal if there is none, or an empty one.
        echo: The number of the secrets that a server wrote into it (`anyurl.url.echoes`), or 0.
    """
    from anyurl.url.masking import MASK, mask

    hidden = text[:start] + MASK + mask(text[end:]) if start < end else mask(text)
    if echo == 0:
        return hidden
    from anyurl.url.echoes import hide

    return hide(echo, hidden)


def display(url: Locator, masked: str) -> str:
    """See `URL.display`."""
    # Attack: a non-ASCII slash in a user name would seem to end the host. Only the host and what follows are decoded.
    rest = str(url)[len(url.scheme) + 1 + (0 if url.authority is None else 2 + len(url.authority)) :]
    if not rest or not masked.endswith(rest):  # masked text is not decoded
        return masked
    return _with_human_host(url, masked[: -len(rest)]) + re.sub(_BEYOND_ASCII, _shown, rest)


def _with_human_host(url: Locator, begun: str) -> str:
    """The text up to the path, with the host that people read."""
    raw = url.raw_host or ""
    if "xn--" not in raw.lower():
        return begun
    from anyurl.url.lookalike import human_host

    start = begun.rfind(raw)
    return begun[:start] + human_host(raw.lower()) + begun[start + len(raw) :]


def _shown(run: re.Match[str]) -> str:
    """Encoded octets with visible characters decoded; invisible and bidirectional controls stay encoded."""
    text = percent_decode(run[0]).decode("utf-8", "surrogateescape")
    return "".join(char if char.isprintable() else encode_text(char) for char in text)
