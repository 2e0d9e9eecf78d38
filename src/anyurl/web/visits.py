"""What was looked at in this sitting: the history of the start page, and what was said on the way to each page.

Rule: it is in memory only, has limits, and no password.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict

from anyurl.values import Value
from anyurl.web.viewer import Wire

MAX_VISITS = 50
MAX_WIRES = 50
"""Pages of which it is remembered what was said: each has at most some ten kilobytes."""


class SeenPage(Value):
    """A page that was looked at.

    Attributes:
        title: What it is called.
        href: Our page about it.
        url: Its URL, without a password.
    """

    title: str
    href: str
    url: str


class Visits:
    """What one sitting has seen."""

    def __init__(self) -> None:
        self._visits: OrderedDict[str, SeenPage] = OrderedDict()
        self._wires: OrderedDict[str, Wire] = OrderedDict()

    def add(self, title: str, href: str, url: str) -> None:
        """Remember a page; the latest visit counts."""
        self._visits.pop(url, None)
        self._visits[url] = SeenPage(title, href, url)
        while len(self._visits) > MAX_VISITS:
            self._visits.popitem(last=False)

    def latest(self) -> list[SeenPage]:
        """The newest first."""
        return list(reversed(self._visits.values()))

    def keep(self, wire: Wire) -> str:
        """Remember what was said; the name that it is found by."""
        name = secrets.token_urlsafe(9)
        self._wires[name] = wire
        while len(self._wires) > MAX_WIRES:
            self._wires.popitem(last=False)
        return name

    def wire(self, name: str) -> Wire | None:
        """What was said then, if it is still remembered."""
        return self._wires.get(name)
