"""Judged: one policy's verdicts on URLs; what it allowed is not worked out again for the next URL of the same place.

Rule: the key of a memory holds all that the answer depends on. A URL with a user is judged each time: nothing of a
login is remembered. A refusal is judged each time too.
"""

from __future__ import annotations

from anyurl.guard.hops import FORMS, is_form
from anyurl.guard.policy import Policy
from anyurl.logs import judged
from anyurl.net.proxies.table import Proxy
from anyurl.url import URL
from anyurl.url.syntax import ROWS
from anyurl.values import Provenance

MAX_JUDGED = 4096
"""Places that are remembered; a crawler asks for the same ones again."""


class Place:
    """Where the URLs of one key lead, which may be followed.

    Attributes:
        aim: Scheme, host, port, the addresses that were approved and the proxy; empty before anybody went there.
        until: When the approval ends (monotonic seconds).
    """

    __slots__ = ("aim", "until")

    def __init__(self) -> None:
        self.aim: tuple[str, str, int, tuple[str, ...], Proxy | None] | tuple[()] = ()
        self.until: float = 0.0


class Judged:
    """The verdicts of one policy, which never changes."""

    __slots__ = ("_policy", "_allowed")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._allowed: dict[tuple[object, ...], Place] = {}

    def check(self, url: URL, came_from: Provenance) -> Place | None:
        """What is remembered of the place that this URL leads to; None for a URL with a user.

        Raises:
            RefusedError: The policy refuses to follow this URL, which that one named.
        """
        if url.raw_user is not None:
            judged(self._policy.judge_url(url, came_from), url).check()
            return None
        scheme = url.scheme
        # The row, because `register` may give a scheme another port of its own.
        key = (scheme, ROWS.get(scheme), url.authority, came_from.key, scheme in FORMS and is_form(url))
        place = self._allowed.get(key)
        if place is None:
            judged(self._policy.judge_url(url, came_from), url).check()
            if len(self._allowed) >= MAX_JUDGED:
                self._allowed.clear()
            place = self._allowed[key] = Place()
        return place
