"""Judged: one policy's verdicts on URLs; what it allowed is not worked out again for the next URL of the same place.

Rule: the key of a memory holds all that the answer depends on. A URL with a user is judged each time: nothing of a
login is remembered. A refusal is judged each time too.
"""

from __future__ import annotations

from anyurl.guard.hops import FORMS, is_form
from anyurl.guard.policy import Policy
from anyurl.url import URL, syntax
from anyurl.values import Provenance

MAX_JUDGED = 4096
"""Places that are remembered; a crawler asks for the same ones again."""


class Judged:
    """The verdicts of one policy, which never changes."""

    __slots__ = ("_policy", "_allowed")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._allowed: set[tuple[object, ...]] = set()

    def check(self, url: URL, came_from: Provenance) -> None:
        """Raises RefusedError when the policy refuses to follow this URL, which that one named."""
        if url.raw_user is not None:
            self._policy.judge_url(url, came_from).check()
            return
        scheme = url.scheme
        # The row, because `register` may give a scheme another port of its own.
        key = (scheme, syntax.ROWS.get(scheme), url.raw_host, url.port, came_from.key, scheme in FORMS and is_form(url))
        if key not in self._allowed:
            self._policy.judge_url(url, came_from).check()
            if len(self._allowed) >= MAX_JUDGED:
                self._allowed.clear()
            self._allowed.add(key)
