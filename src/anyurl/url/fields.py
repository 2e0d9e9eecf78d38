"""Query and path as fields: names and values, segments, and the display form (WHATWG URL 5, RFC 3986 3.3).

Rules: reading uses the components of the URL, and nothing is parsed a second time. A child is below its parent, or it
is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from anyurl.errors import Diagnostic, URLSyntaxError
from anyurl.url import syntax
from anyurl.url.components import Pairs
from anyurl.url.cut import numbers
from anyurl.url.cut.percent import decode_text, encode_text, percent_decode
from anyurl.url.syntax import GOPHER

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
    "gopher": r"%09.*\Z",  # RFC 1738 3.4.1: a search, and the Gopher+ string
    "gophers": r"%09.*\Z",
}
"""Suffixes of a path that are not part of the last segment, by scheme."""

BELOW = "a child must be below its parent: no segment of it may be empty, '.' or '..'"

BEYOND_ASCII = "(?i)(?:%[89A-F][0-9A-F])+"


def check_pairs(what: str, given: object) -> list[tuple[str, Any]]:
    """Names and their values, from a mapping or from pairs. Raises TypeError for anything else."""
    found: list[Any]
    if isinstance(given, Mapping):
        found = list(given.items())
    elif isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"{what} are a mapping, or an iterable of pairs, not {type(given).__name__}")
    else:
        found = list(given)
        for pair in found:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise TypeError(f"{what} are pairs of a name and a value, not {type(pair).__name__}")
    for name, _ in found:
        if not isinstance(name, str):
            raise TypeError(f"a name among {what} is a str, not {type(name).__name__}")
    return found


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
        raise _surrogate(error) from None


def _surrogate(error: UnicodeEncodeError) -> URLSyntaxError:
    from anyurl.url import faults

    return faults.error_at(error.object, numbers.FAULT_SURROGATE, (error.start, error.start + 1))


def searched(fields: Pairs) -> str:
    """Like `form_encoded`, with ``%20`` for a space, which every parser understands."""
    try:
        return "&".join(
            [f"{encode_text(name, _FORM_SAFE)}={encode_text(value, _FORM_SAFE)}" for name, value in pairs(fields)]
        )
    except UnicodeEncodeError as error:
        raise _surrogate(error) from None


def form_decoded(query: str, *, plus: bool = True) -> tuple[tuple[str, str], ...]:
    """Names and values as a form writes them (WHATWG URL 5.1).

    Args:
        plus: ``+`` means a space.
    """
    pieces = [piece.partition("=") for piece in query.split("&") if piece]
    return tuple((_decoded(name, plus), _decoded(value, plus)) for name, _, value in pieces)


def _decoded(text: str, plus: bool) -> str:
    return decode_text(text.replace("+", " ") if plus else text)


def has_plus(scheme: str) -> bool:
    """Whether ``+`` means a space in the query."""
    return "+" in syntax.row(scheme).query_reserved


def segment_of(name: str) -> str:
    """A name as the segment of a path is written. Raises URLSyntaxError: it would be another place, or several."""
    if name in ("", ".", "..") or "/" in name:
        raise refused(name, "child-place", BELOW)
    return segment(name)


def segment(name: str) -> str:
    """A piece of a name as a segment of a path is written. Raises URLSyntaxError: it holds control characters."""
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


def shown(text: str, start: int, end: int, echo: int = 0) -> str:
    """The text of a URL for display.

    Args:
        start, end: The start and end of its password; equal if there is none, or an empty one.
        echo: The number of the secrets that a server wrote into it (`anyurl.url.echoes`), or 0.
    """
    from anyurl.url.masking import MASK, mask

    hidden = text[:start] + MASK + mask(text[end:]) if start < end else mask(text)
    if echo == 0:
        return hidden
    from anyurl.url.echoes import hide

    return hide(echo, hidden)


def with_human_host(raw: str, begun: str) -> str:
    """The text up to the path, with the host that people read in place of the host as written."""
    if "xn--" not in raw.lower():
        return begun
    from anyurl.url.lookalike import human_host

    start = begun.rfind(raw)
    return begun[:start] + human_host(raw.lower()) + begun[start + len(raw) :]


def visible(run: re.Match[str]) -> str:
    """Encoded octets with visible characters decoded; invisible and bidirectional controls stay encoded."""
    text = percent_decode(run[0]).decode("utf-8", "surrogateescape")
    return "".join(char if char.isprintable() else encode_text(char) for char in text)
