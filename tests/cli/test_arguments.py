"""A plain command line is read without click, and exactly as click reads it; the rest is left to click."""

from __future__ import annotations

from typing import Any

import click
import pytest

from anyurl.cli.app import App, app
from anyurl.cli.arguments import UsageError, read
from anyurl.cli.run import COMMANDS, load
from anyurl.cli.terminal.console import Console

URL = "ftp://h/f"
VARIABLES = ("ANYURL_IDENTITY", "NNTPSERVER", "ANYURL_MAIL_SERVER", "ANYURL_MAIL_FROM")

PLAIN = [
    "get {url}",
    "get {url} -o f",
    "get -o - {url}",  # a hyphen alone is a value
    "get --output=f {url}",
    "get {url} {url} -O --output-dir d --parallel 4 -v",
    "get {url} -H A:b --header C:d -X POST -d text --json-data {{}} -F a=b --form c=@d --query a=b --url-query c",
    "get {url} -A bot/1 --user-agent bot/2 --cacert f --ca-file g -E h --cert i",
    "stat {url} -H A:b --query c=d",
    "put {url} file --header A:b",
    "get --output==f {url}",  # only the first '=' is the syntax's
    "get {url} --output f --output g",  # the last one counts
    "get --json --force --continue {url} -o f",
    "get --answer a --answer b=c {url}",
    "get --allow-port 70 --allow-port 65535 --allow-private --allow-net 10.0.0.0/8 {url}",
    "get --timeout 2.5 --max-bytes 64k --policy open {url}",
    "get --gateway doi=https://doi.org/{{path}} {url}",
    "ls --wais-form rfc --ftp-lenient {url}",
    "stat --explain --identity me@example.org {url}",
    "search {url} one two --like {url} --like {url} --limit 10000 --match exact",
    "search {url}",
    "put {url} -",
    "append --type text/plain --yes {url} file",
    "parse {url} x --reveal",
    "parse --grammar rfc1738 {url}",
    "explain --policy untrusted {url}",
    "find",
    "find a b -r --scheme ftp --format html --encoding latin-1",
    "schemes --all",
    "demo ftp gopher",
    "get -- {url}",
    "serve",
]

UNUSUAL = [
    "stat",  # an argument is missing
    "get --help",
    "get -h",
    "get -of {url}",  # a value joined to a short option
    "get -o=f {url}",  # click takes '=f' for the value
    "get --out f {url}",  # no option, though it begins one
    "get --force=yes {url}",
    "get {url} -o",
    "get {url} -o --force",  # an option, or a file of that name
    "get --output= {url}",
    "get --view  {url}",  # an empty value
    "get --allow-port 0 {url}",
    "get --allow-port 65536 {url}",
    "get --allow-port +70 {url}",
    "get --allow-port ٧٠ {url}",
    "get --parallel 0 {url}",
    "get -XPOST {url}",
    "search {url} --match EXACT",  # click reads it whatever its case
    "search {url} --limit 0 x",
    "parse",
    "find -rx",
]


def words(line: str) -> list[str]:
    return line.format(url=URL).split(" ")


def with_click(command: str, arguments: list[str], defaults: dict[str, Any]) -> dict[str, Any]:
    """What click makes of the same."""
    assert isinstance(app, App)
    group = click.Context(app, info_name="anyurl", obj=Console())
    found = app.get_command(group, command)
    assert found is not None
    with found.make_context(command, arguments, group, default_map=defaults) as ctx:
        return dict(ctx.params)


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("line", PLAIN)
@pytest.mark.parametrize("given", ["nothing", "environment", "file", "both"])
def test_a_plain_line_is_read_as_click_reads_it(line: str, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, *arguments = filter(None, words(line))
    if given in ("environment", "both"):
        for variable in VARIABLES:
            monkeypatch.setenv(variable, "me@env.example")
    settings = ("identity", "mail_from", "mail_server", "news_server")
    defaults = dict.fromkeys(settings, "me@file.example") | {"policy": "untrusted", "timeout": "7", "max_bytes": "9k"}
    defaults = defaults if given in ("file", "both") else {}
    assert read(load(name), arguments, Console(), defaults) == with_click(name, arguments, defaults)


@pytest.mark.parametrize("line", UNUSUAL)
def test_what_is_unusual_is_left_to_click(line: str) -> None:
    name, *arguments = words(line)
    assert read(load(name), arguments, Console(), {}) is None


def test_an_empty_variable_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "")
    values = read(load("get"), [URL], Console(), {})
    assert values is not None
    assert values == with_click("get", [URL], {})
    assert values["identity"] is None


def test_a_policy_of_the_file_that_is_none_is_told() -> None:
    with pytest.raises(UsageError, match="'mine' is not one of untrusted, default, open, nor a file with a policy"):
        read(load("get"), [URL], Console(), {"policy": "mine"})


def test_json_is_known_before_a_url_that_is_wrong_is_told() -> None:
    console = Console()
    with pytest.raises(ValueError):
        read(load("put"), ["no url", "/dev/null", "--json"], console, {})
    assert console.json


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_means_the_same_to_both(name: str) -> None:
    """Names, flags and defaults: what click was made of is what is read."""
    command = load(name)
    assert isinstance(app, App)
    made = app.get_command(click.Context(app), name)
    assert made is not None
    assert [param.name for param in made.params] == [parameter.dest for parameter in command.parameters]
    for param, parameter in zip(made.params, command.parameters, strict=True):
        assert tuple(param.opts) == (parameter.names or (parameter.dest,))
        assert (param.is_eager, param.expose_value) == (parameter.is_eager, parameter.is_passed)
