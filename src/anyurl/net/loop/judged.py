"""Judged: a cache of one policy's verdicts on URLs, keyed by place.

Rule: the cache key holds everything that the verdict depends on. URLs with a user are never cached, so that no login is
remembered; refusals are not cached either.
"""

from __future__ import annotations

from anyurl.guard.decisions import Decisions
from anyurl.guard.hops import FORMS, is_confined, is_form
from anyurl.guard.policy import Policy
from anyurl.net.wire.proxies.table import Proxy
from anyurl.url import URL
from anyurl.url.syntax import ROWS
from anyurl.values import Provenance

MAX_JUDGED = 4096
"""Most places cached at once; a crawler returns to the same ones."""


def endpoint_of(url: URL) -> tuple[str, int] | None:
    """Host and port of a URL; None if it names no server."""
    host, port = url.host, url.port
    return (host, port) if host and port is not None else None


class Place:
    """The place that the allowed URLs of one cache key lead to.

    Args:
        url: One of them.

    Attributes:
        endpoint: Host and port; None for a URL that names no server.
        route: Scheme, host, port, the approved addresses and the proxy; empty before the first transfer.
        until: When the approval expires (monotonic seconds).
    """

    __slots__ = ("endpoint", "route", "until")

    def __init__(self, url: URL) -> None:
        self.endpoint: tuple[str, int] | None = endpoint_of(url)
        self.route: tuple[str, str, int, tuple[str, ...], Proxy | None] | tuple[()] = ()
        self.until: float = 0.0


class Judged:
    """The verdicts of one policy, which never changes."""

    __slots__ = ("_policy", "_decisions", "_allowed")

    def __init__(self, policy: Policy, decisions: Decisions) -> None:
        self._policy = policy
        self._decisions = decisions
        self._allowed: dict[tuple[object, ...], Place] = {}

    def check(self, url: URL, came_from: Provenance) -> Place:
        """Judge a URL; the place that it leads to, a cached one unless it has a user.

        Raises:
            RefusedError: The policy refuses this URL from this provenance.
        """
        if url.raw_user is not None:
            self._decisions.keep(self._policy.judge_url(url, came_from), url, origin=came_from)
            return Place(url)
        scheme = url.scheme
        sends_lines = is_form(url) if scheme in FORMS else is_confined(url)
        # The row, because `register` may change the default port of a scheme.
        key = (scheme, ROWS.get(scheme), url.authority, came_from.key, sends_lines)
        place = self._allowed.get(key)
        if place is None:
            self._decisions.keep(self._policy.judge_url(url, came_from), url, origin=came_from)
            if len(self._allowed) >= MAX_JUDGED:
                self._allowed.clear()
            place = self._allowed[key] = Place(url)
        return place
