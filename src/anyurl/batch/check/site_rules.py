"""Site rules: what the robots.txt of each site lets a program request (RFC 9309).

Rule: a site whose robots.txt can't be read now is left alone; one that was not asked for allows everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.batch.check.outcome import Finding, Outcome, finding_on
from anyurl.errors import AnyURLError
from anyurl.saving.robots import PRODUCT, Robots, read_robots
from anyurl.url import URL

if TYPE_CHECKING:
    from anyurl.batch.check.state import CheckItem
    from anyurl.client.resource import Resource


class SiteRules:
    """The rules of the sites of one check."""

    def __init__(self) -> None:
        self._of: dict[str, Robots | Finding] = {}  # by origin; why they can't be read at the moment

    def knows(self, origin: str) -> bool:
        """Whether the robots.txt of a site was read, or could not be."""
        return origin in self._of

    def learn(self, origin: str, opened: Callable[[], Resource]) -> str | None:
        """Read the robots.txt of a site; returns its text.

        Args:
            opened: Opens it; raises AnyURLError if that fails.
        """
        text = None
        try:
            text = read_robots(opened)
            self._of[origin] = Robots(text)
        except AnyURLError as error:
            self._of[origin] = finding_on(error)
        return text

    def refusal(self, item: CheckItem) -> Finding | None:
        """Why an item is not requested; None if it is."""
        url: URL = item.url
        origin = url.origin
        if origin is None or origin not in self._of:
            return None
        robots = self._of[origin]
        if isinstance(robots, Finding):
            text = f"The robots.txt of {url.host} can't be fetched now, so none of its URLs is requested."
            outcome: Outcome = "refused" if robots.outcome == "refused" else "not-checkable"
            return Finding(outcome, error=robots.error, message=f"{text} {robots.message}")
        if robots.allows_url(url):
            return None
        text = f"The robots.txt of {url.host} asks programs such as {PRODUCT} not to follow {url.masked}."
        return Finding("not-checkable", message=text)
