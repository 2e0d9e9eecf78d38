"""How a framework of types reads a URL: by which grammar, under which policy, and as whose.

Rule: it only combines `anyurl.parse` and `Policy.check`; no password reaches its messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyurl.errors import RefusedError, URLSyntaxError, Verdict
from anyurl.grammar import parse
from anyurl.grammar.grammars import GrammarName
from anyurl.guard.decisions import Decisions
from anyurl.guard.policy import INTERNAL, Policy
from anyurl.url import URL
from anyurl.url.arguments import checked
from anyurl.values import STRANGER, USER, Provenance

if TYPE_CHECKING:
    from anyurl.client.named import CameFrom

__all__ = ["RefusedURL", "URLReader", "origin_for"]


def origin_for(policy: Policy | None, came_from: CameFrom | None) -> Provenance:
    """The origin of URLs that other people write into a field with this policy: a stranger, by default.

    Attack: the verdict of `Policy.check` is about the program's own URL, so a policy that opens an internal host for
    the program would open it for anyone who fills in a form.

    Raises:
        ValueError: The policy opens internal places without `came_from`; or `came_from` is given without a policy.
        TypeError: `policy` or `came_from` has another type.
    """
    if policy is not None and not isinstance(policy, Policy):
        raise TypeError(f"policy is a Policy, not {type(policy).__name__}")
    if came_from is not None:
        from anyurl.client.named import origin_from

        origin = origin_from(came_from)
        if policy is None:
            raise ValueError(
                "came_from says whose URLs a policy judges, and there is none; policy=... would be allowed"
            )
        return origin
    opened = [name for name in INTERNAL if policy is not None and getattr(policy, name)]
    if opened:
        assert policy is not None
        raise ValueError(
            f"the policy {policy.name} opens internal places ({', '.join(opened)}), and nothing says who writes the "
            "URLs; came_from=STRANGER of anyurl.values would be allowed (USER for your own URLs), or another policy "
            "without these arguments"
        )
    return STRANGER


class RefusedURL(RefusedError, ValueError):
    """The policy refuses a URL.

    Attributes:
        verdict: Why, with a code.
    """

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"Refused: {verdict.message}.", verdict=verdict)


class URLReader:
    """Reads a value as a URL that may be followed.

    Attributes:
        grammar: As `anyurl.parse` has it.
        policy: The policy that must allow the URL, judged by its text alone; None for any.
        origin: Who writes the URLs.
        decisions: Reports each decision; None for none.
    """

    @checked
    def __init__(
        self, *, grammar: GrammarName = "current", policy: Policy | None = None, origin: Provenance = USER,
        decisions: Decisions | None = None,
    ) -> None:  # fmt: skip
        self.grammar: GrammarName = grammar
        self.policy: Policy | None = policy
        self.origin: Provenance = origin
        self.decisions: Decisions | None = decisions

    def __call__(self, value: object) -> URL:
        """The URL.

        Raises:
            ValueError: It is not a URL, or the policy refuses it; the message is a sentence.
        """
        if not isinstance(value, str | URL):
            raise ValueError(f"A URL is read from a str, not {type(value).__name__}.")
        try:
            url = value if isinstance(value, URL) else parse(value, self.grammar)
        except URLSyntaxError as error:
            raise ValueError(str(error)) from None
        if self.policy is not None:
            verdict = self.policy.check(url, self.origin)
            if self.decisions is not None:
                self.decisions.tell(verdict, url, origin=self.origin)
            if not verdict:
                raise RefusedURL(verdict)
        return url
