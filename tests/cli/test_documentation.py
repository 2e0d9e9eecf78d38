"""``docs/cli.md`` says what the code says: the keys of the objects, the exit codes, the environment."""

from __future__ import annotations

from pathlib import Path

import click

from anyurl import errors
from anyurl.cli import exits, findings, records
from anyurl.cli.app import COMMANDS, app
from anyurl.cli.commands import explain, find, fix
from anyurl.client import judgement
from tests.rows import each_row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its first two lines."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def marked(cell: str) -> tuple[str, ...]:
    """What stands in backquotes."""
    return tuple(cell.split("`")[1::2])


def test_the_keys_are_those_that_are_written() -> None:
    written = {
        "`parse`": records.PARSE,
        "`fix`": fix.FIX,
        "each of `changes`": fix.CHANGE,
        "`explain`": explain.KEYS,
        "its `verdict`": judgement.VERDICT,
        "each of `diagnostics`": records.DIAGNOSTIC,
        "`get`, `stat`, `put`, `append`, `demo`": records.RESOURCE,
        "`ls`, `search`": records.ENTRY,
        "`find`": find.FOUND,
        "`check`": findings.CHECKED,
        "each of `places`": findings.PLACE,
        "`schemes`": records.SCHEME,
        "`schemes --plugins`": records.PLUGIN,
        "`schemes --registry`": records.REGISTRATION,
        "`serve`": ("scheme", "url"),
        "`--explain`": ("step",),
        "an error": records.ERROR,
    }
    assert {name: marked(keys) for name, keys in rows("JSON")} == written


def test_the_exit_codes_are_those_that_are_used() -> None:
    assert {int(code): meaning for code, meaning, _ in rows("Exit codes")} == exits.MEANINGS


@each_row("row", rows("Exit codes"), ids=lambda row: row[0])
def test_the_errors_of_a_code_are_its_errors(row: list[str]) -> None:
    code, _, names = row
    for name in marked(names):
        assert exits.CODES[getattr(errors, name)] == int(code)


def test_every_error_of_the_table_is_told() -> None:
    told = {name for row in rows("Exit codes") for name in marked(row[2])}
    roots = {errors.AnyURLError, errors.AccessError}  # nothing is raised that is no more than these
    assert told == {cls.__name__ for cls in exits.CODES if cls not in roots}


def test_the_environment_is_told() -> None:
    variables = {
        option.envvar
        for name in COMMANDS
        for option in app.get_command(click.Context(app), name).params  # type: ignore[union-attr]
        if isinstance(option, click.Option) and option.envvar
    }
    assert variables <= {name for row in rows("Environment") for name in marked(row[0])}
