"""robots.txt of the servers that a model asks (RFC 9309): read once a day each, and heeded.

Rule: a server without rules allows all; one whose rules are unavailable allows nothing (RFC 9309 2.3.1).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import NoReturn

from anyurl.access import AsyncClient
from anyurl.errors import RefusedError, ReplyError
from anyurl.guard.verdict import Verdict
from anyurl.saving.robots import PRODUCT, Robots, read_robots_async, robots_of
from anyurl.url import URL
from anyurl.url.syntax import WEB
from anyurl.values import USER, Provenance

MAX_AGE_SECONDS = 24 * 3600.0
"""RFC 9309 2.4."""

MAX_SERVERS = 256
"""Whose rules are kept."""

REMEDY = "--ignore-robots of anyurl mcp would allow it"


class RobotsRules:
    """The rules of the servers visited so far.

    Args:
        client: Reads them, under its own policy.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._known: OrderedDict[tuple[str, str | None, int | None], tuple[float, Robots]] = OrderedDict()

    async def check(self, url: URL, came_from: Provenance = USER) -> None:
        """Raises RefusedError when the server's rules forbid this URL; AnyURLError when they can't be read."""
        if url.scheme not in WEB:
            return
        self._client.policy.judge_url(url, came_from).check()  # before any request to its server
        if not (await self._rules(url, came_from)).allows_url(url):
            self._refuse(f"the robots.txt of {url.host} asks programs called {PRODUCT} not to fetch this", url)

    async def _rules(self, url: URL, came_from: Provenance) -> Robots:
        key = (url.scheme, url.host, url.port)
        known = self._known.get(key)
        now = time.monotonic()
        if known is not None and now - known[0] < MAX_AGE_SECONDS:
            return known[1]
        rules = Robots(await self._read(url, came_from))
        self._known[key] = (now, rules)
        while len(self._known) > MAX_SERVERS:
            self._known.popitem(last=False)
        return rules

    async def _read(self, url: URL, came_from: Provenance) -> str | None:
        try:
            return await read_robots_async(self._client.get(robots_of(url), came_from=came_from))
        except ReplyError as error:
            self._refuse(f"the robots.txt of {url.host} can't be fetched now ({error.code}), so nothing is fetched "
                         "from there (RFC 9309 2.3.1.4)", url)  # fmt: skip

    def _refuse(self, message: str, url: URL) -> NoReturn:
        raise RefusedError(f"Refused: {message}.", verdict=Verdict(False, "robots", message, url.host or "", REMEDY))
