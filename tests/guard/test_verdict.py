"""What a refusal says would allow it does: the argument of a policy, and the option of the command."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from anyurl.cli import settings
from anyurl.guard.options import from_options
from anyurl.guard.policy import Policy, Verdict
from anyurl.guard.verdict import REMEDIES
from anyurl.url import URL

Question = Callable[[Policy], Verdict]
FORM = URL("gopher://h.example/0x%0D%0Ay")

ASKED: dict[str, Question] = {
    "scheme": lambda policy: policy.judge_url(URL("irc://h.example/")),
    "files": lambda policy: policy.judge_url(URL("file:///x")),
    "services": lambda policy: policy.judge_url(URL("telnet://h.example/")),
    "forms": lambda policy: policy.judge_url(FORM),
    "delivery": lambda policy: policy.judge_delivery(URL("mailto:a@h.example")),
    "disguise": lambda policy: policy.judge_url(URL("http://a%2Fb@h.example/")),
    "port": lambda policy: policy.judge_port(6379, "http"),
    "private": lambda policy: policy.judge_url(URL("http://localhost/")),
    "net": lambda policy: policy.judge_address("169.254.169.254", 80, "http"),
    "proxy": lambda policy: policy.judge_proxy("p.example", 3128),
    "resolves": lambda policy: policy.judge_unseen("h.example"),
}
"""By remedy a question that `Policy.untrusted` answers with it."""

OPTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "--policy": lambda value: {"policy": value},
    "--allow-port": lambda value: {"allow_ports": [int(value)]},
    "--allow-private": lambda value: {"allow_private": True},
    "--allow-net": lambda value: {"allow_nets": [value]},
    "--allow-scheme": lambda value: {"allow_schemes": [value]},
    "--allow-proxy": lambda value: {"allow_proxies": [value]},
    "--proxy-resolves": lambda value: {"proxy_resolves": True},
}


def test_each_remedy_is_asked_for() -> None:
    assert ASKED.keys() == REMEDIES.keys()


@pytest.mark.parametrize("name", ASKED)
def test_the_argument_that_is_named_allows_it(name: str) -> None:
    policy, ask = Policy.untrusted(), ASKED[name]
    verdict = ask(policy)
    assert not verdict.allowed
    assert "--" not in verdict.message
    argument = verdict.remedy.partition(" ")[0]
    assert ask(policy.replace(**eval(f"dict({argument})"))).allowed


@pytest.mark.parametrize("name", ASKED)
def test_the_option_that_is_named_allows_it(name: str) -> None:
    ask = ASKED[name]
    verdict = ask(from_options("untrusted"))
    assert not verdict.allowed
    assert re.search(r"[a-z]_[a-z]|=", verdict.message) is None  # no argument of Python
    option, _, rest = verdict.remedy.partition(" ")
    given = {"policy": "untrusted", **OPTIONS[option](rest.split(" ")[0])}
    assert ask(from_options(**given)).allowed


def test_the_options_are_those_of_the_command() -> None:
    known = {name for option in settings._ACCESS_OPTIONS for name in option.names}
    assert {words.split(" ")[0] for _, words in REMEDIES.values()} <= known
