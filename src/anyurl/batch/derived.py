"""Fields of a column of URLs that are not components: computed from the `URL` of each row.

Rule: each row has the value of the attribute of `URL`, and null if that is empty, or the row is not a URL. Only
``fault_name`` is the other way round: the name of what is wrong, and null if nothing is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from anyurl.batch.arrays import WIDE_FROM, Texts, arrow, row_texts
from anyurl.batch.faults import fault_names, number_and_place
from anyurl.errors import SchemeError, URLSyntaxError
from anyurl.url import URL, suffixes

FIELDS: dict[str, Callable[[URL], Any]] = {
    "origin": lambda url: url.origin,
    "name": lambda url: _text(url.name),
    "suffix": lambda url: _text(url.suffix),
    "normal": lambda url: str(url.normalize()),
    "key": lambda url: str(url.without_fragment().normalize()),
    "query_map": lambda url: [(_text(name), _text(value)) for name, value in url.query_items],
}
"""Functions of a URL, by the name of the field. ``key`` is the same for URLs that are requested alike."""

QUERY = "query:"
"""The prefix of a field that is the first value of that name in the query."""

HOSTS = ("registered_domain", "public_suffix")
"""Functions of a host, by the list of public suffixes."""

FAULT = "fault_name"
"""The field that is the name of what is wrong with a row: the number in ``fault``, in a word."""

KNOWN = (*HOSTS, *FIELDS, FAULT, f"{QUERY}NAME")
"""All of them."""


def is_derived(field: str) -> bool:
    """Whether it is one of these."""
    return field in FIELDS or field in HOSTS or field == FAULT or (field.startswith(QUERY) and field != QUERY)


def derived(texts: Texts, field: str, layout: str, read: Callable[[bytes], URL]) -> Any:
    """The array of a field.

    Raises:
        MissingExtraError: publicsuffixlist is not installed.
    """
    pa = arrow()
    value = _fault if field == FAULT else partial(_value, function=_function(field))
    values = [None if text is None else value(text, read) for text in row_texts(texts.array).to_pylist()]
    if field == "query_map":
        made = pa.array(values, pa.map_(pa.string(), pa.string()))
    else:
        size = sum(4 * len(value) for value in values if value)
        made = pa.array(values, pa.large_string() if size >= WIDE_FROM else pa.string())
    if texts.indices is not None:
        made = (made.cast(pa.large_string()) if made.type == pa.string() else made).take(texts.indices)
    return made if field == "query_map" else made.cast(pa.string_view()) if layout == "view" else _narrow(made)


def _narrow(made: Any) -> Any:
    pa = arrow()
    return made.cast(pa.string()) if made.type == pa.large_string() and made.nbytes < WIDE_FROM else made


def _value(text: bytes, read: Callable[[bytes], URL], function: Callable[[URL], Any]) -> Any:
    try:
        return function(read(text))
    except (URLSyntaxError, SchemeError):
        return None


def _fault(text: bytes, read: Callable[[bytes], URL]) -> str | None:
    try:
        read(text)
    except URLSyntaxError as error:
        return fault_names()[number_and_place(error)[0]]
    return None


def _function(field: str) -> Callable[[URL], Any]:
    if field in HOSTS:
        own = _domain if field == "registered_domain" else _suffix
        own("")  # raises if the package is missing, even if no row has a host
        of_host = cache(own)  # a column has many URLs of a host
        return lambda url: of_host(url.host or "")
    if field in FIELDS:
        return FIELDS[field]
    return partial(_first, field.removeprefix(QUERY))


def _first(name: str, url: URL) -> str | None:
    return next((_text(value) for key, value in url.query_items if key == name), None)


def _text(value: str) -> str:
    """A text that Arrow takes: octets that are not UTF-8 become replacement characters."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _domain(host: str) -> str | None:
    return suffixes.registered_domain(host, extra="batch", what="Registered domains")


def _suffix(host: str) -> str | None:
    return suffixes.public_suffix(host, extra="batch", what="Public suffixes")
