"""The corpus of URLs that reach where they should not, at the level of the policy: parse, judge, check, resolve, judge.

No connection is made: name-service answers are the corpus's own, and redirections are followed on paper. What can be
told only from a live server is listed by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anyurl.errors import AnyURLError, RefusedError
from anyurl.guard.addresses import scope
from anyurl.guard.hops import named_by
from anyurl.guard.policy import Policy
from anyurl.schemes.registry import find_scheme
from anyurl.url import URL
from anyurl.values import USER, Provenance, Scope
from tests.rows import each_row

CORPUS = json.loads((Path(__file__).parents[1] / "data" / "net" / "ssrf_cases.json").read_text("utf-8"))
CASES: list[dict[str, Any]] = CORPUS["cases"]

LIVE = {
    582: "the port that a PASV reply names", 583: "the same", 585: "the same", 586: "the same", 588: "the same",
    589: "the same", 591: "an EPSV reply", 592: "an EPSV reply", 594: "a PASV reply after a refused EPSV",
    422: "the name is looked up once", 423: "the same", 425: "the same",
    663: "the environment's proxy is not used", 664: "the same", 662: "what a menu names is judged when it is followed",
}  # fmt: skip
"""Denials that only a live transfer can show; at this level each is a public URL, and allowed."""

SCHEMES_OWN = {
    618: "an LF in a Prospero name is quoted on the wire: no line ends there",
}
"""Denials that are not the guard's: an octet that one protocol's dialogue deals with."""

STRICTER = {
    554: "no form is answered for strangers: its lines are free (RFC 1738 3.4.9 and section 6)",
    611: "an interactive session (telnet) is not opened for strangers",
}
"""What the corpus would allow, and `Policy.untrusted` by its definition does not."""


def answers(case: Mapping[str, Any], name: str) -> Sequence[str]:
    """What the case's name service says; an empty answer is a name that does not exist."""
    name = name.lower().removesuffix(".")
    sequence = case.get("dns_sequence", {}).get(name)
    if sequence:
        return [str(address) for address in sequence[0]]
    for table in (case.get("dns", {}), CORPUS["base_dns"]):
        if name in table:
            return [str(address) for address in table[name]]
    return CORPUS["base_dns"]["public.test"] if name.endswith(".public.test") else []


def follow(policy: Policy, case: Mapping[str, Any], text: str | URL, came_from: Provenance) -> tuple[URL, Provenance]:
    """One hop: the URL, and the provenance of what the peer that would be connected to leads to.

    Raises:
        AnyURLError: It is refused, is no URL, or has no address.
    """
    url = text if isinstance(text, URL) else URL(text)
    policy.judge_url(url, came_from).check()
    check = find_scheme(url.scheme).check
    if check is not None:
        check(url)
    if not url.host or url.port is None or url.scheme == "file":
        return url, named_by(url, "redirect", None, USER)
    found = answers(case, url.host) if not any(char == ":" for char in url.host) else [url.host]
    if not found and scope(url.host) is not Scope.NEVER:
        found = [url.host]
    if not found:
        raise AnyURLError(f"{url.host} has no address")
    for address in found:
        policy.judge_address(address, url.port, url.scheme, came_from).check()
    return url, named_by(url, "redirect", max(scope(address) for address in found), USER)


def outcome(policy: Policy, case: Mapping[str, Any]) -> AnyURLError | None:
    """What ends the case, or None when it is let through to its last hop."""
    hops = case.get("redirect", [])
    if hops == "loop":
        hops = [[302, case["url"]]] * (policy.limits.redirects + 1)
    try:
        url, came_from = follow(policy, case, case["url"], USER)
        for count, (_, location) in enumerate(hops, 1):
            if count > policy.limits.redirects:
                raise AnyURLError("too many hops")
            url, came_from = follow(policy, case, url.join(location), came_from)
    except AnyURLError as error:
        return error
    return None


def run(policy: Policy) -> tuple[dict[int, str], dict[int, str]]:
    """The cases that were let through though they should not, and those that were refused though they should not."""
    bypass, false_denial = {}, {}
    for case in CASES:
        error = outcome(policy, case)
        if case["expect"] == "deny" and error is None:
            bypass[case["id"]] = case["url"]
        elif case["expect"] == "allow" and error is not None:
            false_denial[case["id"]] = f"{case['url']}: {error}"
    return bypass, false_denial


def test_the_corpus_is_whole() -> None:
    assert len(CASES) == CORPUS["count"] == 493
    assert len({case["id"] for case in CASES}) == 493


def test_untrusted_lets_nothing_through_and_refuses_nothing_that_is_fine() -> None:
    bypass, false_denial = run(Policy.untrusted())
    contested = {case["id"] for case in CASES if case.get("contested")}
    assert set(bypass) - contested == set(LIVE) | set(SCHEMES_OWN)
    assert set(false_denial) - contested == set(STRICTER)


def test_what_is_listed_as_live_is_what_the_corpus_says_needs_a_server() -> None:
    live = {
        case["id"]
        for case in CASES
        if case.get("server") or case.get("env") or (case.get("dns_sequence") and case.get("either"))
    }
    assert live == set(LIVE)


def test_with_sessions_and_forms_allowed_there_is_no_false_denial_at_all() -> None:
    _, false_denial = run(Policy.untrusted().replace(services=True, allow_forms=True))
    contested = {case["id"] for case in CASES if case.get("contested")}
    assert set(false_denial) - contested == set()


@each_row("number", sorted(LIVE))
def test_what_only_a_live_server_can_show_connects_to_public_addresses_at_first(number: int) -> None:
    (case,) = (case for case in CASES if case["id"] == number)
    assert follow(Policy.untrusted(), case, case["url"], USER)[1].scope is Scope.PUBLIC


def test_no_case_leads_default_from_a_public_place_to_a_private_one() -> None:
    for case in CASES:
        for _, location in case.get("redirect", []) if isinstance(case.get("redirect"), list) else []:
            error = None
            try:
                follow(Policy.default(), case, URL(case["url"]).join(location), Provenance("redirect"))
            except AnyURLError as caught:
                error = caught
            if case["expect"] == "deny" and case["class"] == "redirect" and case["id"] != 655:
                assert error is not None, case["url"]


def test_the_verdict_on_a_url_is_the_verdict_on_its_text() -> None:
    policy = Policy.untrusted()
    for case in CASES:
        try:
            url = URL(case["url"])
        except AnyURLError:
            continue
        again = URL(str(url))
        assert (again.host, again.port) == (url.host, url.port)
        assert policy.judge_url(again).code == policy.judge_url(url).code


def test_a_refusal_of_the_guard_carries_its_verdict() -> None:
    policy = Policy.untrusted()
    for case in CASES:
        error = outcome(policy, case)
        if isinstance(error, RefusedError) and str(error).startswith("Refused: "):
            assert error.verdict.message in str(error)
