"""What a dialogue asks otherwise where it goes through a gateway: of a proxy, and for names of other places.

Rule: the dialogue is that of http or https, unchanged; what it asks for, and what it hands out, is changed on its way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyurl.dialogue import Emit, Request
from anyurl.dialogue.ask import Ask
from anyurl.dialogue.interceptors import Interceptor
from anyurl.url import URL


class AbsoluteForm(Interceptor):
    """Sends the requests of a dialogue to a proxy, with the URL itself as their target (RFC 9112 3.2.2)."""

    __slots__ = ("_proxy", "_target", "_host")

    def __init__(self, proxy: URL, asked: URL) -> None:
        self._proxy = proxy
        self._target = str(asked)
        authority = asked.authority or ""
        self._host = authority.rpartition("@")[2]

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        """A request to the proxy in the place of one to the server."""
        if not isinstance(ask, Request):
            return ask
        fields = [field for field in ask.headers if field[0].lower() != "host"]
        return Request(
            ask.method, self._proxy, self._target, headers=(("Host", self._host), *fields), upload=ask.upload,
            decode=ask.decode,
        )  # fmt: skip


class Renamed(Interceptor):
    """Gives the entries of a listing that the gateway has the names that they have elsewhere."""

    __slots__ = ("_original_of",)

    def __init__(self, original_of: Callable[[URL], URL | None]) -> None:
        self._original_of = original_of

    def ask(self, ask: Ask[Any]) -> Ask[Any]:
        """The same entries, under their own URLs."""
        if isinstance(ask, Emit) and not isinstance(ask.content, bytes):
            for entry in ask.content:
                if entry.url is not None:
                    entry.url = self._original_of(entry.url) or entry.url
        return ask
