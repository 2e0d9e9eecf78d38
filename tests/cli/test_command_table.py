"""The list of the commands is the list of their modules."""

from __future__ import annotations

from pathlib import Path

import anyurl.cli
from anyurl.cli.command_table import COMMANDS, defaults_of, load
from anyurl.cli.terminal.console import Console
from tests.rows import each_row

COMMAND_FILES = Path(anyurl.cli.__file__).parent.glob("commands/*.py")
MODULES = [path for path in COMMAND_FILES if "\n@as_command(" in path.read_text("utf-8")]


def test_each_module_with_a_command_is_listed() -> None:
    assert sorted(path.stem for path in MODULES) == sorted(COMMANDS)


@each_row("name", COMMANDS)
def test_a_command_is_called_as_its_module(name: str) -> None:
    assert load(name).name == name


def test_explain_takes_no_policy_from_the_settings() -> None:
    """It judges only when it is asked to; the others take what the file says."""
    console = Console()
    console.settings = {"policy": "untrusted"}
    assert (dict(defaults_of(console, "explain")), dict(defaults_of(console, "get"))) == ({}, {"policy": "untrusted"})
