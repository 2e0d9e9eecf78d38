"""The options of every command: what they may be, what goes together, and the policy that they make."""

from __future__ import annotations

from typing import Any

import pytest

from anyurl import Policy
from anyurl.cli import settings
from anyurl.cli.arguments import UsageError, as_command, read
from anyurl.cli.settings import Settings, access_options, policy_options, verdict_options
from anyurl.cli.terminal.console import Console
from anyurl.client.options import OPTIONS
from tests.cli.runner import run
from tests.rows import each_row


@each_row(
    ("options", "words"),
    [
        (["--gateway", "doi"], "'doi' is not a gateway; doi=https://doi.org/{path} would be."),
        (["--gateway", "doi=nonsense"], "--gateway"),
        (["--proxy", "nonsense"], "--proxy"),
        (["--proxy", "ftp=nonsense"], "--proxy"),
        (["--no-proxy", "10.0.0.0/99"], "--no-proxy"),
        (["--allow-net", "10.0.0.0/99"], "10.0.0.0/99"),
        (["--allow-port", "0"], "is not a number from 1 to 65,535"),
        (["--allow-port", "65536"], "is not a number from 1 to 65,535"),
        (["--mail-server", "a b"], "--mail-server"),
        (["--news-server", "h:99999"], "--news-server"),
        (["--mail-from", "nobody"], "'nobody' is not a mail address"),
        (["--policy", "none"], "--policy"),
        (["--timeout", "-1"], "--timeout"),
    ],
    ids=lambda value: "=".join(value) if isinstance(value, list) else None,
)
def test_what_an_option_may_not_be(options: list[str], words: str) -> None:
    done = run("get", *options, "http://127.0.0.1:9/")
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


ALLOWED: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--allow-port", "8080", "--allow-port", "1"], {"allow_ports": {1, 8080}}),
    (["--allow-private"], {"allow_private": True}),
    (["--allow-net", "10.0.0.0/8"], {"allow_nets": ("10.0.0.0/8",)}),
    (["--allow-scheme", "finger"], {"allow_schemes": ("finger",)}),
]


def asked(decorate: Any, *options: str) -> Policy | None:
    """The policy that a command gets."""
    got: list[Policy | None] = []

    @as_command("x")
    @decorate
    def command(console: Console, policy: Policy | None) -> int:
        """Do nothing."""
        got.append(policy)
        return 0

    console = Console()
    values = read(command, options, console, {})
    assert values is not None
    assert command.run(console, values) == 0
    return got[0]


@pytest.mark.parametrize(("options", "allowed"), ALLOWED)
def test_a_verdict_is_of_the_policy_that_is_named_and_of_all_that_it_allows(
    options: list[str], allowed: dict[str, Any]
) -> None:
    assert asked(verdict_options) is None
    if options:
        with pytest.raises(UsageError, match="belong to a --policy"):
            asked(verdict_options, *options)
    for name in ("default", "untrusted", "open"):
        made = asked(verdict_options, "--policy", name, *options)
        assert made is not None
        assert made == settings._policy(
            policy=name, **{"allow_ports": (), "allow_private": False, "allow_nets": (), "allow_schemes": (), **allowed}
        )
        if name == "untrusted":
            assert (made == asked(verdict_options, "--policy", name)) == (not options)
    assert asked(policy_options, *options) == asked(verdict_options, "--policy", "untrusted", *options)
    assert asked(policy_options, "--policy", "default", *options) == asked(
        verdict_options, "--policy", "default", *options
    )


def test_a_command_line_without_options_makes_the_client_that_the_library_makes() -> None:
    got: list[Any] = []

    @as_command("x")
    @access_options
    def command(console: Console, settings: Settings) -> int:
        """Do nothing."""
        got.append(settings.arguments())
        return 0

    console = Console()
    values = read(command, [], console, {})
    assert values is not None
    assert command.run(console, values) == 0
    (arguments,) = got
    own = {"policy", "pins", "auth", "user_agent"}  # which the command makes itself
    told = {name: value for name, value in arguments.items() if name not in own}
    given = {option.name: option.default for option in OPTIONS if option.name in told}
    several = {"proxy", "no_proxy", "gateways", "resolve", "trust"}  # none of them is none of several
    assert {name: told[name] or None if name in several else told[name] for name in given} == {
        name: value or None if name in several else value for name, value in given.items()
    }
    assert len(given) > 10


@pytest.mark.parametrize("given", [(), ("--pins", "/x/pins")])
def test_certificates_are_kept_where_the_command_line_says_or_in_the_state(
    monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/y")
    got: list[Any] = []

    @as_command("x")
    @access_options
    def command(console: Console, settings: Settings) -> int:
        """Do nothing."""
        got.append(settings.arguments()["pins"])
        return 0

    console = Console()
    values = read(command, given, console, {})
    assert values is not None
    assert command.run(console, values) == 0
    assert got == [given[-1] if given else "/y/anyurl/pins"]
