"""The search: places are those of the pieces, cuts change nothing, what is found is a URL, wrapping is undone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from anyurl.text import Found, find, unwrap, wrap
from anyurl.url import URL
from fuzz import kit

_FORMATS = (
    None, "markdown", "rst", "mail", "html", "json", "csv", "log", "xml", "man", "latex", "ical", "properties", "auto",
    "po", "office", "har",
)  # fmt: skip
_pure = kit.pure()


def fuzz(data: bytes) -> None:
    """The first octet chooses the options, the rest is the text."""
    chosen, data = (data[0] if data else 0), data[1:4097]
    options = {
        "format": _FORMATS[chosen % len(_FORMATS)],
        "emails": bool(chosen & 8),
        "www": bool(chosen & 16),
        "base": "http://base.example/a/b" if chosen & 32 else None,
    }
    found = _find(data, options)
    _check_places(data, found, ordered=options["format"] is None)
    for size in (1, 1 + chosen % 13):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        kit.same([_told(one) for one in _find(pieces, options)], [_told(one) for one in found], f"cut by {size}")
    if _pure is not None:
        with _pure:
            from anyurl.text import find as find_in_pure

            theirs = [_told(one) for one in find_in_pure(data, **options)]
        kit.same(theirs, [_told(one) for one in found], "the compiled kernel and the pure one differ")


def _find(source: bytes | Iterable[bytes], options: dict[str, Any]) -> list[Found]:
    return list(find(source, **options))  # type: ignore[arg-type]


def _told(one: Any) -> tuple[object, ...]:
    alternatives = tuple(map(str, one.alternatives))
    return str(one.url), one.fragment, alternatives, one.raw, one.span, one.octet_span, one.line, one.column


def _check_places(data: bytes, found: list[Found], *, ordered: bool) -> None:
    begins = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    end = 0
    for one in found:
        start, stop = one.octet_span
        if ordered:
            kit.same(begins <= start <= stop <= len(data) and start >= end, True, f"{one!r} lies somewhere else")
            end = stop
        try:
            kit.same(data[start:stop].decode("utf-8"), one.raw, f"{one!r} is not what stands there")
        except UnicodeDecodeError:
            pass  # octets that are no text became characters of their own
        kit.same(str(URL(str(one.url))), str(one.url), "what is found is a URL")
        kit.same(str(unwrap(wrap(one.url, width=40))), str(one.url), "what is wrapped is read back")
