"""Each option of a client is described once, and all that shows it says the same."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any, get_args

import pytest

import anyurl
from anyurl import AsyncClient, Client, Policy
from anyurl.cli import settings
from anyurl.cli.config import SETTINGS
from anyurl.client.base import BaseClient
from anyurl.client.options import OPTIONS, Option, with_options
from anyurl.dialogue import Options, WaisForm
from tests.architecture.source import SRC
from tests.rows import each_row

BY_NAME = {option.name: option for option in OPTIONS}

VERBS = ("open", "get", "list", "search", "stat", "put", "append", "request")

FOR_SCHEMES: dict[str, Any] = {
    "lenient": True, "ftp_text": True, "ftp_create_dirs": True, "wais_form": "rfc",
    "identity": "me@example.org", "news_server": "news.example",
    "mail_server": "mail.example", "mail_from": "me@example.org", "trace": print,
}  # fmt: skip
"""Options that the schemes are told, with values that are not the default."""


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_the_signature_is_the_table(client: type) -> None:
    parameters = inspect.signature(client).parameters
    shown = [(one.name, one.annotation, one.default) for one in parameters.values()]
    assert shown == [(option.name, option.type, option.default) for option in OPTIONS]
    assert [one.kind for one in parameters.values()][1:] == [inspect.Parameter.KEYWORD_ONLY] * (len(OPTIONS) - 1)


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_the_help_has_every_sentence(client: type) -> None:
    text = inspect.getdoc(client) or ""
    for option in OPTIONS:
        assert f"    {option.name}: {option.sentence}" in text.splitlines()
    assert text.count("Args:") == 1


def test_without_docstrings_there_is_no_help() -> None:
    bare = type("Bare", (), {})
    assert with_options(bare).__doc__ is None


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_name_that_is_none_is_refused(client: type) -> None:
    with pytest.raises(TypeError, match="timeoutt"):
        client(timeoutt=3)


def test_each_option_of_the_command_is_made_of_the_table() -> None:
    made = settings._CLIENT_OPTIONS
    assert list(made) == [option.name for option in OPTIONS if option.command and option.name != "policy"]
    for name, parameter in made.items():
        option = BY_NAME[name]
        assert parameter.names == (*option.aliases, option.command)
        assert (parameter.help or "").startswith(option.meaning)
        assert parameter.envvar == option.variable
        assert parameter.is_flag == (option.type.endswith("bool"))
        assert option.unit.removesuffix("s") in (parameter.help or "")
    assert made["wais_form"].choices == get_args(WaisForm)
    commands = {option.command.removeprefix("--") for option in OPTIONS}
    assert set(SETTINGS) <= commands


def test_the_command_gives_what_it_was_told() -> None:
    values = {parameter.dest: None for parameter in settings._ACCESS_OPTIONS}
    values |= {"explain": False, "policy": "default", "allow_port": (), "allow_private": False, "allow_net": ()}
    values |= {"allow_proxy": (), "proxy_resolves": False, "verbose": False, "urls": ()}
    given = {name: value for name, value in FOR_SCHEMES.items() if BY_NAME[name].command}
    values |= {settings._CLIENT_OPTIONS[name].dest: value for name, value in given.items()}
    told = settings.Settings(values).options(words="two words")
    assert {name: getattr(told, name) for name in given} == given
    assert told.words == "two words"


def test_the_client_tells_the_schemes() -> None:
    assert FOR_SCHEMES.keys() == {name for name in BY_NAME if hasattr(Options, name)}
    told = BaseClient(**FOR_SCHEMES)._options
    assert {name: getattr(told, name) for name in FOR_SCHEMES} == FOR_SCHEMES
    silent = BaseClient()._options
    assert [getattr(silent, name) for name in FOR_SCHEMES] == [BY_NAME[name].default for name in FOR_SCHEMES]


def test_limits_become_those_of_the_policy() -> None:
    limits = BaseClient(Policy.untrusted(), timeout=3.5, max_bytes=700).policy.limits
    assert (limits.total, limits.max_bytes) == (3.5, 700)


def test_an_option_of_a_call_leaves_the_clients_own_alone() -> None:
    options = Options(identity="me@example.org")
    changed = options.replace(words="x", identity="you@example.org")
    assert (options.words, options.identity) == ("", "me@example.org")
    assert (changed.words, changed.identity) == ("x", "you@example.org")
    for name in ("wordss", "replace_", "_words", "__class__"):
        with pytest.raises(TypeError, match=f"there is no option '{name}'"):
            Options(**{name: 1})


@each_row("verb", VERBS)
@each_row("client", [AsyncClient, anyurl])
def test_a_verb_takes_the_same_everywhere(verb: str, client: object) -> None:
    """`AsyncClient` the very same; the functions also what chooses their client."""
    own = dict(inspect.signature(getattr(Client, verb)).parameters)
    del own["self"]
    there = dict(inspect.signature(getattr(client, verb)).parameters)
    there.pop("self", None)
    shown = {name: (one.kind, one.annotation, one.default) for name, one in there.items()}
    assert {name: (one.kind, one.annotation, one.default) for name, one in own.items()}.items() <= shown.items()
    more = {name: (one.annotation, one.default) for name, one in there.items() if name not in own}
    expected = ("policy", "timeout", "max_bytes") if client is anyurl else ()
    assert more == {name: (BY_NAME[name].type, BY_NAME[name].default) for name in expected}


def test_completion_shows_the_verbs_and_nothing_internal() -> None:
    verbs = {*VERBS, "map", "mirror", "close"}
    assert {name for name in dir(Client()) if not name.startswith("_")} == {*verbs, "session", "policy"}
    assert {name for name in dir(AsyncClient()) if not name.startswith("_")} == {*verbs, "policy"}


def test_an_option_of_a_client_is_written_in_five_places() -> None:
    """The table, the signature, what is passed on, and the field that the schemes read, with its meaning."""
    found = []
    for folder, _, names in os.walk(SRC):
        for name in names:
            if name.endswith((".py", ".pxd")):
                lines = Path(folder, name).read_text(encoding="utf-8").splitlines()
                found += [f"{name}: {line.strip()}" for line in lines if "wais_form" in line or "wais-form" in line]
    assert len([line for line in found if "options.wais_form" not in line]) == 5, found


def test_an_option_shows_itself() -> None:
    assert repr(Option("timeout", "float | None", "The longest.")) == "Option('timeout', 'float | None')"
    assert Option("timeout", "float | None", "The longest.", unit="seconds").sentence == "The longest. In seconds."
