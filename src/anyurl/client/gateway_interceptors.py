"""Changes to a dialogue that goes through a gateway: requests to a proxy, and renamed entries.

Rule: the http or https dialogue itself is unchanged; interceptors modify its requests and its results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyurl.dialogue import Emit, Request
from anyurl.dialogue.ask import Ask
from anyurl.dialogue.interceptors import Interceptor
from anyurl.url import URL


class AbsoluteForm(Interceptor):
    """Sends the requests of a dialogue to a proxy, with the URL as the request target (RFC 9112 3.2.2)."""

    __slots__ = ("_proxy", "_target", "_host")

    def __init__(self, proxy: URL, asked: URL) -> None:
        self._proxy = proxy
        self._target = str(asked)
        authority = asked.authority or ""
        self._host = authority.rpartition("@")[2]

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        """Replace a request to the server by one to the proxy."""
        if not isinstance(ask, Request):
            return ask
        fields = [field for field in ask.headers if field[0].lower() != "host"]
        return Request(
            ask.method,
            self._proxy,
            self._target,
            headers=(("Host", self._host), *fields),
            upload=ask.upload,
            decode=ask.decode,
        )


class Renamed(Interceptor):
    """Gives the entries of a gateway's listing their original URLs."""

    __slots__ = ("_original_of",)

    def __init__(self, original_of: Callable[[URL], URL | None]) -> None:
        self._original_of = original_of

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        """Replace the URLs of entries."""
        if isinstance(ask, Emit) and not isinstance(ask.content, bytes):
            for entry in ask.content:
                if entry.url is not None:
                    entry.url = self._original_of(entry.url) or entry.url
        return ask
