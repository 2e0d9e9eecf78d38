"""Values of options that nobody should give: each is used, or refused in a sentence; none is a fault of the command."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from anyurl.cli import app, exits
from anyurl.cli.app import App
from anyurl.cli.arguments import Parameter
from anyurl.cli.command_table import load
from tests.cli.runner import run
from tests.rows import each_row

COMMAND = next(each for each in vars(app).values() if isinstance(each, App))

VALUES = ("9" * 5000, f"{'9' * 400}d", f"{'9' * 30}G", "-1", "²", "1e999", "nan", "", f"[::1]:{'9' * 5000}", "\udc80")
"""Longer than Python reads digits, than a float and than a file; of another script, of no number, and no text."""

ARGUMENTS = {
    "append": ("x", "file://{0}/y"), "check": ("file://{0}/x",), "columns": ("x.csv", "--parse", "u"),
    "completions": ("bash",), "find": ("x",), "fix": ("http://h/",), "get": ("file://{0}/x",), "ls": ("file://{0}/",),
    "mirror": ("file://{0}/d/", "m"), "parse": ("http://h/",), "put": ("x", "file://{0}/y"), "explain": ("http://h/",),
    "schemes": (), "search": ("wais://127.0.0.1:1/x", "w"), "stat": ("file://{0}/x",),
}  # fmt: skip
"""A line that each command can do at once; those that serve are left out."""


def options(name: str) -> list[str]:
    command = COMMAND.get_command(click.Context(COMMAND), name)
    assert command is not None
    return [
        each.opts[-1]
        for each in command.params
        if isinstance(each, click.Option) and not each.is_flag and not each.secondary_opts
    ]


def test_every_command_has_its_line() -> None:
    served = {"demo", "mcp", "proxy", "serve", "web"}
    assert {*COMMAND.list_commands(click.Context(COMMAND))} == {*ARGUMENTS} | served


@pytest.mark.parametrize("name", ARGUMENTS)
def test_no_value_of_an_option_is_a_fault(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "x").write_text("see file:///x\n")
    (tmp_path / "x.csv").write_text("u\nhttp://h/\n")
    rest = [each.format(tmp_path) for each in ARGUMENTS[name]]
    for option in options(name):
        for value in VALUES:
            done = run(name, option, value, *rest)
            assert done.exit_code != exits.BUG, (option, value[:40], done.output)
            assert isinstance(done.exception, SystemExit | None), (option, value[:40])


PATHS = [
    (name, parameter)
    for name in COMMAND.list_commands(click.Context(COMMAND))
    for parameter in load(name).parameters
    if parameter.is_path
]


@each_row(("name", "parameter"), PATHS, ids=[f"{name} {parameter.dest}" for name, parameter in PATHS])
def test_an_empty_name_of_a_file_or_folder_is_a_wrong_usage(name: str, parameter: Parameter) -> None:
    """Mostly that of a variable that is not set: ``-o "$UNSET"``."""
    words = [parameter.names[-1], ""] if parameter.names else []
    for each in load(name).parameters:
        if not each.names and (each.required or each is parameter):
            words.append("" if each is parameter else "http://127.0.0.1/")
    result = run(name, *words)
    assert result.exit_code == exits.USAGE, result.output
    assert "an empty text is not the name of a file or folder." in result.stderr
    assert any(each.dest == "target" for _, each in PATHS)
