"""TokenStore: values in memory that a browser retrieves later by a token.

Rule: tokens can't be guessed, and when there are too many values the oldest are dropped.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")

TOKEN_OCTETS = 24
"""Octets of a token: 192 bits."""


class TokenStore(Generic[T]):
    """Values by random tokens.

    Args:
        most: The most values that are stored; the oldest are dropped.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[str, T] = OrderedDict()

    def keep(self, value: T) -> str:
        """Store a value; returns its token."""
        name = secrets.token_urlsafe(TOKEN_OCTETS)
        self._values[name] = value
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return name

    def get(self, name: str) -> T | None:
        """The value of that token, or None if it is unknown or was dropped."""
        return self._values.get(name)

    def take(self, name: str) -> T | None:
        """As `get`, and remove the value."""
        return self._values.pop(name, None)
