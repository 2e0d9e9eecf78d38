"""The verdict of a policy on a URL, before anything is opened: for ``anyurl explain --policy`` and ``anyurl mcp``.

Rule: this module makes a client's judgements before it connects: octets that the scheme forbids, then scheme, host text
and port. No name is looked up; a verdict that still depends on addresses says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anyurl.errors import AnyURLError, RefusedError, URLSyntaxError
from anyurl.values import USER, Provenance, Value

if TYPE_CHECKING:
    from anyurl.guard.policy import Policy
    from anyurl.guard.verdict import Verdict
    from anyurl.guard.warnings import Caution
    from anyurl.url import URL

VERDICT = ("policy", "allowed", "code", "message", "looked_up", "cautions")
"""The keys of the JSON object that ``--json`` writes."""


class Judgement(Value):
    """A verdict with its cautions.

    Attributes:
        policy: The name of the policy.
        verdict: Its verdict, or None if the text is not a URL.
        cautions: The cautions of RFC 1738 section 6.
        name: The host name whose addresses were not judged yet, or None.
    """

    policy: str
    verdict: Verdict | None
    cautions: tuple[Caution, ...] = ()
    name: str | None = None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Pairs of a mood (``good``, ``bad``, ``beware``, ````) and a line for a person."""
        if self.verdict is None:
            yield "bad", f"policy {self.policy}: nothing to judge, this is not a URL"
            return
        if not self.verdict:
            yield "bad", f"policy {self.policy}: refused ({self.verdict.code})"
            yield "", f"    {self.verdict.message}"
        elif self.name is None:
            yield "good", f"policy {self.policy}: allowed"
        else:
            yield "good", f"policy {self.policy}: allowed, as far as its text goes"
            yield "", f"    every address of {self.name} is judged as well, when it is looked up"
        for caution in self.cautions:
            source = "UTS 39" if caution.code == "look-alike" else "RFC 1738 6"
            yield "beware", f"    {source}: {caution.message} ({caution.code})"

    def record(self) -> dict[str, Any]:
        """The same as JSON values; `looked_up` is false if the addresses of a name were not judged yet."""
        verdict = self.verdict
        values = (
            self.policy,
            None if verdict is None or verdict.code == "no-url" else verdict.allowed,
            "no-url" if verdict is None else verdict.code,
            "the text is not a URL" if verdict is None else verdict.message,
            None if verdict is None or not verdict else self.name is None,
            [{"code": caution.code, "message": caution.message} for caution in self.cautions],
        )
        return dict(zip(VERDICT, values, strict=True))


def judge(url: URL | None, policy: Policy, came_from: Provenance = USER) -> Judgement:
    """Judge a URL by this policy; None stands for a text that is not a URL.

    Args:
        came_from: Who named it.
    """
    from anyurl.guard.addresses import forms
    from anyurl.guard.warnings import cautions

    if url is None:
        return Judgement(policy.name, None)
    bare = url.without_fragment()
    verdict = _octets(bare)
    if verdict is None:
        verdict = policy.judge_url(bare, came_from)
    # Without a host the URL chooses no connection; a literal address has been judged completely.
    known = not bare.host or bare.scheme == "file" or bool(forms(bare.host.removesuffix(".")))
    return Judgement(policy.name, verdict, cautions(bare), None if known else bare.host)


def _octets(url: URL) -> Verdict | None:
    """The refusal of octets that delimit the scheme's protocol (RFC 1738 6); None if there are none."""
    from anyurl.dialogue import Options
    from anyurl.guard.verdict import Verdict
    from anyurl.schemes import registry

    try:
        verbs = registry.find_scheme(url.scheme).verbs
        if verbs:
            # A dialogue refuses such octets before its first ask: it is started, and dropped there.
            dialogue = registry.verb(url, next(iter(verbs)))(url, Options())
            next(dialogue, None)
            dialogue.close()
    except RefusedError as error:
        return error.verdict
    except URLSyntaxError as error:  # malformed for its scheme: the client would not open anything either
        return Verdict(False, "no-url", str(error), url.scheme)
    except AnyURLError:
        pass  # unsupported or incomplete: the policy's verdict does not change
    return None
