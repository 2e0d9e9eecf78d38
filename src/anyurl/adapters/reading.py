"""How a framework of types reads a URL: by which grammar, and under which policy.

Rule: it is `anyurl.parse` and `Policy.check`, and nothing of its own; no password reaches what it says.
"""

from __future__ import annotations

from anyurl.errors import URLSyntaxError, Verdict
from anyurl.grammar import parse
from anyurl.grammar.grammars import GrammarName
from anyurl.guard.policy import Policy
from anyurl.url import URL
from anyurl.url.taken import check_value

__all__ = ["RefusedURL", "URLReader"]


class RefusedURL(ValueError):
    """The policy refuses a URL.

    Attributes:
        verdict: Why, with a code.
    """

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"Refused: {verdict.message}.")
        self.verdict: Verdict = verdict


class URLReader:
    """Reads a value as a URL that may be followed.

    Attributes:
        grammar: As `anyurl.parse` has it.
        policy: What the URL has to be allowed by, as far as its text tells; None for any.
    """

    def __init__(self, *, grammar: GrammarName = "current", policy: Policy | None = None) -> None:
        check_value("grammar", grammar, "GrammarName")
        if policy is not None and not isinstance(policy, Policy):
            raise TypeError(f"policy is a Policy, not {type(policy).__name__}")
        self.grammar: GrammarName = grammar
        self.policy: Policy | None = policy

    def __call__(self, value: object) -> URL:
        """The URL.

        Raises:
            ValueError: It is none, or the policy refuses it; the message is a sentence.
        """
        if not isinstance(value, str | URL):
            raise ValueError(f"What is read as a URL is a text, not {type(value).__name__}.")
        try:
            url = value if isinstance(value, URL) else parse(value, self.grammar)
        except URLSyntaxError as error:
            raise ValueError(str(error)) from None
        if self.policy is not None:
            verdict = self.policy.check(url)
            if not verdict:
                raise RefusedURL(verdict)
        return url
