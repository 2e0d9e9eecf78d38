"""Told: the report's line about one place of a URL; all reports are made of these, in the order of files and lines.

Rule: everything counted as a fault is reported. A report that leaves places out says how many.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from anyurl.batch.check.links import Link
from anyurl.batch.check.outcome import FAULTS, Finding, Outcome
from anyurl.batch.check.state import CheckState, Mention
from anyurl.values import Value

_MISSING = "The page has nothing that is called #{}."


class Told(Value):
    """One place of a URL, with its outcome.

    Attributes:
        number: The number of the URL in the state.
        link: The URL.
        finding: The result for it.
        place: The place.
        is_missing: The page is there, but lacks the fragment that is named here.
        rank: Its number among the places of the same fault, from 1.
        count: The number of these places.
    """

    number: int
    link: Link
    finding: Finding
    place: Mention
    is_missing: bool = False
    rank: int = 1
    count: int = 1

    @property
    def is_fault(self) -> bool:
        """Whether it makes the check fail, unless it is known."""
        return self.is_missing or self.finding.outcome in FAULTS

    @property
    def outcome(self) -> Outcome:
        """The outcome at this place."""
        return "broken" if self.is_missing else self.finding.outcome

    @property
    def reason(self) -> str:
        """The reason, as a sentence; empty if all is well."""
        return _MISSING.format(self.place.fragment) if self.is_missing else self.finding.message

    @property
    def written(self) -> str:
        """The URL as it is written there."""
        return self.place.text or self.link.masked

    def fails(self, also: Collection[str] = ()) -> bool:
        """Whether it makes a check fail, unless it is known.

        Args:
            also: Outcomes that count as faults, too; ``permanent`` is a redirect for ever.
        """
        return self.is_fault or self.finding.outcome in also or (self.finding.permanent and "permanent" in also)

    @property
    def names(self) -> frozenset[str]:
        """What a list of known faults may call it: the URL, or the URL with this fragment."""
        url = str(self.link)
        return frozenset((url,) if self.place.fragment is None else (url, f"{url}#{self.place.fragment}"))

    def is_known(self, known: Collection[str]) -> bool:
        """Whether a list of known faults has it."""
        return any(name in known for name in self.names)


def told(state: CheckState, outcomes: Collection[str] = FAULTS) -> Iterator[Told]:
    """The places of URLs with these outcomes, and those of missing fragments, in the order of files and lines."""
    return (Told(*row) for row in state.rows(outcomes))
