"""Decisions: each verdict of the guard is logged, and reported to the program's callback.

Rule: listeners change nothing. A callback that fails is a warning in the log; the verdict is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyurl.errors.log import judged, warning
from anyurl.guard.verdict import Decision
from anyurl.url.arguments import checked
from anyurl.values import USER, Provenance

if TYPE_CHECKING:
    from anyurl.errors import Verdict
    from anyurl.url import URL


class Decisions:
    """Reports the decisions of one client.

    Args:
        on_verdict: Called with each decision, before a refusal is raised; None for the log alone.

    Attributes:
        on_verdict: The same.
    """

    __slots__ = ("on_verdict",)

    @checked
    def __init__(self, on_verdict: Callable[[Decision], object] | None = None) -> None:
        self.on_verdict: Callable[[Decision], object] | None = on_verdict

    def keep(self, verdict: Verdict, what: str | URL, *, address: str | None = None, origin: Provenance = USER) -> None:
        """Report a decision and enforce it. Raises RefusedError."""
        self.tell(verdict, what, address=address, origin=origin)
        verdict.check()

    def tell(self, verdict: Verdict, what: str | URL, *, address: str | None = None, origin: Provenance = USER) -> None:
        """Report a decision.

        Args:
            what: The subject: a URL, which is masked here, or a text that may be shown.
            address: The address that was judged, if it was one.
            origin: Who named it.
        """
        judged(verdict, what, address=address, origin=origin)
        self.pass_on(verdict, what, address, origin)

    def pass_on(self, verdict: Verdict, what: str | URL, address: str | None, origin: Provenance) -> None:
        """Report an already logged decision to the program."""
        if self.on_verdict is None:
            return
        try:
            self.on_verdict(Decision(verdict, what if isinstance(what, str) else what.masked, address, origin))
        except Exception as error:
            warning("guard", "on_verdict failed: %r.", error)


LOG = Decisions()
"""The log alone."""
