"""Fields of a column of URLs that are not components: computed from the `URL` of each row.

Rule: each row has the value of the attribute of `URL`, and null if that is empty, or the row is not a URL. Only
``fault_name`` is the other way round: the name of what is wrong, and null if nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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


def derived(texts: Texts, fields: Iterable[str], layout: str, read: Callable[[bytes], URL]) -> dict[str, Any]:
    """The array of each field. A text is read once for all of them.

    Raises:
        MissingExtraError: publicsuffixlist is not installed.
    """
    functions = {field: _function(field) for field in fields}
    values: dict[str, list[Any]] = {field: [] for field in functions}
    for text in row_texts(texts.array).to_pylist() if functions else ():
        url = None if text is None else _read(text, read)
        for field, function in functions.items():
            values[field].append(_value(function, url))
    return {field: _made(texts, field, layout, values[field]) for field in functions}


def _made(texts: Texts, field: str, layout: str, values: list[Any]) -> Any:
    pa = arrow()
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


def _read(text: bytes, read: Callable[[bytes], URL]) -> URL | URLSyntaxError | None:
    try:
        return read(text)
    except URLSyntaxError as error:
        return error
    except SchemeError:
        return None


def _value(function: Callable[[URL], Any] | None, url: URL | URLSyntaxError | None) -> Any:
    if function is None:
        return fault_names()[number_and_place(url)[0]] if isinstance(url, URLSyntaxError) else None
    try:
        return function(url) if isinstance(url, URL) else None
    except (URLSyntaxError, SchemeError):
        return None


def _function(field: str) -> Callable[[URL], Any] | None:
    """The function of a field, None for that which is not one of a URL."""
    if field == FAULT:
        return None
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
