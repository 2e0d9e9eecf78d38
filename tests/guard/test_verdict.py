"""What a refusal says would allow it does: the argument of a policy, the option of the command, the key of a role."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from anyurl.cli import settings
from anyurl.cli.app import app
from anyurl.guard.options import from_options
from anyurl.guard.policy import Policy, Verdict
from anyurl.guard.verdict import REMEDIES
from anyurl.proxy.roles import read_roles
from anyurl.url import URL
from anyurl.values import STRANGER
from tests.rows import each_row

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
    "inward": lambda policy: policy.replace(allow_private=True).judge_address("10.0.0.1", 80, "http", STRANGER),
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


OF_COMMANDS = {
    "match": "search", "force": "get", "resume": "check", "column": "columns", "base": "check", "index": "check",
    "root": "check", "plug-in": "get", "this plug-in": "get", "try-suffix": "check",
}  # fmt: skip
"""By remedy the command whose option it is, where it is no option of every access."""


def test_each_remedy_is_asked_for() -> None:
    of_a_client = {
        "timeout", "max-bytes", "no-proxy", "cert", "mail-from", "mail-server", "news-server", "identity", "lenient",
        "match", "open-connections", "basic", "at-once", "gateway", "trust", "listing-entries",
    }  # fmt: skip
    assert ASKED.keys() == REMEDIES.keys() - of_a_client - OF_COMMANDS.keys()


@each_row("name", ASKED)
def test_the_argument_that_is_named_allows_it(name: str) -> None:
    policy, ask = Policy.untrusted(), ASKED[name]
    verdict = ask(policy)
    assert not verdict.allowed
    assert "--" not in verdict.message
    argument = re.search(r"\w+=\S+", verdict.remedy)[0]  # type: ignore[index]
    assert ask(policy.replace(**eval(f"dict({argument})"))).allowed


@each_row("name", ASKED)
def test_the_option_that_is_named_allows_it(name: str) -> None:
    ask = ASKED[name]
    verdict = ask(from_options("untrusted"))
    assert not verdict.allowed
    assert re.search(r"[a-z]_[a-z]|=", verdict.message) is None  # no argument of Python
    option, _, rest = verdict.remedy[verdict.remedy.index("--") :].partition(" ")
    given = {"policy": "untrusted", **OPTIONS[option](rest.split(" ")[0])}
    assert ask(from_options(**given)).allowed


def test_the_options_are_those_of_the_command() -> None:
    """No option raises the number of connections."""
    every = {name for option in settings._ACCESS_OPTIONS for name in option.names}
    for remedy, words in REMEDIES.items():
        known = every
        if command := OF_COMMANDS.get(remedy):
            found = app.get_command(click.Context(app), command)
            assert found is not None
            known = {name for param in found.params for name in param.opts}
        assert {word for word in words[1].replace(",", "").split(" ") if word.startswith("--")} <= known, remedy


ROLE = """
[[role]]
policy = "untrusted"
sources = ["192.0.2.1"]
"""


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.promise("refusal")
def test_the_key_that_is_named_allows_it_and_where_none_would_none_is(name: str, tmp_path: Path) -> None:
    ask, file = ASKED[name], tmp_path / "roles.toml"
    file.write_text(ROLE, encoding="utf-8")
    verdict = ask(read_roles(str(file)).roles[0].policy)
    assert not verdict.allowed
    assert re.search(r"--|=[^ ]|[^ ]=", verdict.message) is None  # no option, no argument of Python
    assert bool(verdict.remedy) == bool(REMEDIES[name][2])
    assert verdict.message.endswith(verdict.remedy)
    if verdict.remedy:
        key = re.search(r'\w+ = (true|"\w+"|\[.*?\])', verdict.remedy)
        assert key is not None
        line = f"{key[0]}\n"
        role = ROLE.replace('policy = "untrusted"\n', "") if line.startswith("policy") else ROLE
        file.write_text(role + line, encoding="utf-8")
        assert ask(read_roles(str(file)).roles[0].policy).allowed
