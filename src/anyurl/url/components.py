"""The types of a URL's components as callers pass them to `URL.build`, `URL.replace` and `URL.with_query`.

Rule: only types are here, so that readers of signatures find them at run time without loading the builders. They are
not written as strings (no ``from __future__ import annotations``): `TypedDict` would compile each of them.
"""

from collections.abc import Iterable, Mapping
from typing import Required, TypeAlias, TypedDict

from anyurl.url.parts import AnyParts

Scalar: TypeAlias = str | int | float
Pairs: TypeAlias = Mapping[str, Scalar | Iterable[Scalar]] | Iterable[tuple[str, Scalar]]
"""Names with a value each, or with several."""


class _NeededComponents(TypedDict, total=False):
    user: str | None
    password: str | None
    host: str | None
    port: int | None
    parts: AnyParts
    path: str
    query: str | None
    fragment: str | None


class Components(_NeededComponents, total=False):
    """The arguments of `URL.replace`."""

    scheme: str


class AllComponents(_NeededComponents, total=False):
    """The arguments of `URL.build`."""

    scheme: Required[str]
    grammar: str
